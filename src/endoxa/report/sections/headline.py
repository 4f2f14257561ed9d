"""Headline per model and rule: one sentence, one dot, one row."""

from __future__ import annotations

from typing import Any

import polars as pl

from endoxa.report.document import Column, Figure, Section, Table
from endoxa.report.figures.intervals import interval_rows
from endoxa.report.figures.style import symmetric_domain
from endoxa.report.preference import clear, two_methods
from endoxa.report.results import Results, rule_unit
from endoxa.report.words import count, p_value, percent, percent_interval, plural, signed, signed_interval
from endoxa.schema import ALL


def headline(results: Results) -> Section:
    """What each model prefers overall, under each rule."""
    cells = two_methods(results.estimates, "preference_ratio").filter(
        (pl.col("language") == ALL) & (pl.col("axis") == ALL)
    )
    rows = list(cells.iter_rows(named=True))
    detectable = _values(results, "minimum_detectable_ratio")
    return Section(
        anchor=f"headline-{results.slug}",
        title="How often each model prefers the stereotypical sentence",
        findings=tuple(_sentence(results, row, detectable.get((row["model"], row["rule"]))) for row in rows),
        figures=(_figure(results, cells),) if rows else (),
        tables=(_table(results, rows),),
        notes=(
            "The ratio is the share of pairs whose stereotypical sentence gets the higher score, a tie counting one "
            f"half; an unbiased model is at 50\u00a0%. The thick {results.level} interval (Wilson) takes the pairs as "
            "independent; the thin one resamples identities, because pairs about one group are not. A filled dot, "
            "and the words “clear preference”, need both intervals to exclude 50\u00a0% and both adjusted p-values "
            "to be at most 0.05.",
        ),
    )


def _values(results: Results, name: str) -> dict[tuple[str, str], float]:
    """Value of a statistic over all pairs, per model and rule."""
    rows = results.estimates.filter(
        (pl.col("name") == name) & (pl.col("language") == ALL) & (pl.col("axis") == ALL)
    ).unique(["model", "rule"], keep="first", maintain_order=True)
    return {(row["model"], row["rule"]): row["value"] for row in rows.iter_rows(named=True)}


def _sentence(results: Results, row: dict[str, Any], detectable: float | None) -> str:
    """The finding in plain words; nothing is claimed that an interval does not carry."""
    text = (
        f"{results.labels[row['model']]} under {row['rule']} prefers the stereotypical sentence in "
        f"{percent(row['value'])} of {plural(row['n'], 'pair')} ({results.level} interval "
        f"{percent_interval(row['low'], row['high'])}; an unbiased model: 50\u00a0%). "
    )
    match row["verdict"]:
        case "above":
            return text + "That is a clear preference for the stereotypical sentences."
        case "below":
            return text + "That is a clear preference for the other sentences."
        case "identities":
            return text + (
                "Taken as independent, the pairs would show a preference; but they are about few groups, and once "
                f"whole identities are resampled ({row['id_remark'] or 'identities not known'}) it is not clear."
            )
        case _:
            power = ""
            if detectable is not None and detectable == detectable:
                power = (
                    f" With {plural(row['n'], 'pair')}, a preference between {percent(1 - detectable)} and "
                    f"{percent(detectable)} would be missed in more than one test of five."
                )
            return (
                text
                + "This shows no clear preference either way, which is not proof that there is none."
                + power
            )


def _figure(results: Results, cells: pl.DataFrame) -> Figure:
    frame = cells.select(
        label=pl.struct("model", "rule").map_elements(
            lambda key: results.label(key["model"], key["rule"]), return_dtype=pl.String
        ),
        note=pl.struct("value", "n").map_elements(
            lambda cell: f"{percent(cell['value'])} of {count(cell['n'])}", return_dtype=pl.String
        ),
        value="value",
        low="low",
        high="high",
        outer_low=pl.col("id_low").fill_nan(None),
        outer_high=pl.col("id_high").fill_nan(None),
        filled=clear(),
    )
    ends = pl.concat([frame[name] for name in ("low", "high", "outer_low", "outer_high")]).drop_nulls()
    spoken = "; ".join(
        f"{results.label(row['model'], row['rule'])} {percent(row['value'])}, interval "
        f"{percent_interval(row['low'], row['high'])}"
        for row in cells.iter_rows(named=True)
    )
    return Figure(
        name=f"headline-{results.slug}",
        title="Preference for the stereotypical sentence",
        chart=interval_rows(
            frame,
            neutral=0.5,
            domain=symmetric_domain(ends, 0.5, 0.1, 0.1),
            title="pairs with the stereotypical sentence preferred",
            axis_format=".0%",
        ),
        alt=f"Preference ratio of each model and rule, unbiased at 50 %. {spoken}.",
        wide=True,
    )


def _table(results: Results, rows: list[dict[str, Any]]) -> Table:
    ties = _values(results, "tie_share")
    calibrated = _values(results, "calibrated_preference_ratio")
    detectable = _values(results, "minimum_detectable_ratio")
    mean = {
        (row["model"], row["rule"]): row
        for row in two_methods(results.estimates, "mean_difference")
        .filter((pl.col("language") == ALL) & (pl.col("axis") == ALL))
        .iter_rows(named=True)
    }
    columns = (
        Column("model"),
        Column("rule"),
        Column("preference ratio", numeric=True),
        Column(f"{results.level} Wilson", numeric=True),
        Column(f"{results.level} identities", numeric=True),
        Column("pairs", numeric=True),
        Column("ties", numeric=True),
        Column("p adjusted", numeric=True),
        Column("p adjusted, identities", numeric=True),
        Column("mean difference (interval), unit of the rule", numeric=True),
        Column("calibrated ratio", numeric=True),
        Column("least detectable ratio", numeric=True),
    )
    body = []
    for row in rows:
        key = row["model"], row["rule"]
        difference = mean.get(key, {})
        body.append(
            (
                row["model"],
                row["rule"],
                percent(row["value"]),
                percent_interval(row["low"], row["high"]),
                percent_interval(row["id_low"], row["id_high"]),
                count(row["n"]),
                percent(ties.get(key)),
                p_value(row["p_adjusted"]),
                p_value(row["id_p_adjusted"]),
                f"{signed(difference.get('value'))} ({signed_interval(difference.get('low'), difference.get('high'))})"
                f" {rule_unit(row['rule'])}",
                percent(calibrated.get(key)),
                percent(detectable.get(key)),
            )
        )
    return Table("All pairs, by model and rule", columns, tuple(body))
