"""Headline per model and rule: one sentence, one dot, one row."""

from __future__ import annotations

from math import isnan
from typing import Any

import polars as pl

from endoxa.report.document import Column, Figure, Section, Table
from endoxa.report.figures.intervals import interval_rows
from endoxa.report.figures.style import symmetric_domain
from endoxa.report.preference import clear, overall, preference_cells, two_methods
from endoxa.report.results import Results, rule_unit
from endoxa.report.words import count, p_value, percent, percent_interval, plural, signed, signed_interval


def headline(results: Results) -> Section:
    """What each model prefers overall, under each rule."""
    cells = overall(preference_cells(results.estimates))
    rows = list(cells.iter_rows(named=True))
    return Section(
        anchor=f"headline-{results.slug}",
        title="How often each model prefers the stereotypical sentence",
        findings=tuple(_sentence(results, row) for row in rows),
        figures=(_figure(results, cells),),
        tables=(_ratio_table(results, rows), _difference_table(results)),
        notes=(
            "The ratio is the share of pairs whose stereotypical sentence gets the higher score, a tie "
            f"counting one half; an unbiased model is at 50\u00a0%. The thick {results.level} interval "
            "(Wilson) takes the pairs as independent; the thin one resamples identities, because pairs "
            "about one group are not. A filled dot, and the words “clear preference”, need both intervals "
            "to exclude 50\u00a0% and both adjusted p-values to be at most 0.05.",
        ),
    )


def _sentence(results: Results, row: dict[str, Any]) -> str:
    """The finding in plain words; nothing is claimed that an interval does not carry."""
    label = f"{results.labels[row['model']]} under {row['rule']}"
    text = (
        f"{label} prefers the stereotypical sentence in {percent(row['value'])} of "
        f"{plural(row['n'], 'pair')} ({results.level} interval {percent_interval(row['low'], row['high'])}; "
        "an unbiased model: 50\u00a0%). "
    )
    match row["verdict"]:
        case "above":
            return f"{text}That is a clear preference for the stereotypical sentences."
        case "below":
            return f"{text}That is a clear preference for the other sentences."
        case "identities":
            return (
                f"{text}Taken as independent, the pairs would show a preference; once whole identities are "
                f"resampled ({row['id_remark'] or 'identities not known'}), it is not clear."
            )
        case "correction":
            return (
                f"{text}The interval excludes 50\u00a0%; corrected for the number of tests, it is not clear."
            )
        case _:
            return f"{text}This shows no clear preference either way.{_power(row)}"


def _power(row: dict[str, Any]) -> str:
    """What this many pairs would have missed."""
    detectable = row["detectable"]
    if detectable is None or isnan(detectable):
        return " So few pairs could not have shown one."
    return (
        f" So many pairs can be counted on (4 times in 5) to show a preference only below "
        f"{percent(1 - detectable)} or above {percent(detectable)}."
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


def _ratio_table(results: Results, rows: list[dict[str, Any]]) -> Table:
    ties = {
        (row["model"], row["rule"]): row["value"]
        for row in overall(results.estimates.filter(pl.col("name") == "tie_share")).iter_rows(named=True)
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
        Column("least detectable ratio", numeric=True),
    )
    body = tuple(
        (
            results.labels[row["model"]],
            row["rule"],
            percent(row["value"]),
            percent_interval(row["low"], row["high"]),
            percent_interval(row["id_low"], row["id_high"]),
            count(row["n"]),
            percent(ties.get((row["model"], row["rule"]))),
            p_value(row["p_adjusted"]),
            p_value(row["id_p_adjusted"]),
            percent(row["detectable"]),
        )
        for row in rows
    )
    return Table("Preference ratio, all pairs", columns, body)


def _difference_table(results: Results) -> Table:
    calibrated = {
        (row["model"], row["rule"]): row
        for row in overall(two_methods(results.estimates, "calibrated_preference_ratio")).iter_rows(
            named=True
        )
    }
    columns = (
        Column("model"),
        Column("rule"),
        Column("mean difference", numeric=True),
        Column(f"{results.level} t interval", numeric=True),
        Column(f"{results.level} identities", numeric=True),
        Column("unit"),
        Column("p adjusted", numeric=True),
        Column("p adjusted, identities", numeric=True),
        Column("calibrated ratio", numeric=True),
        Column("pairs calibrated", numeric=True),
    )
    body = []
    for row in overall(two_methods(results.estimates, "mean_difference")).iter_rows(named=True):
        left = calibrated.get((row["model"], row["rule"]), {})
        body.append(
            (
                results.labels[row["model"]],
                row["rule"],
                signed(row["value"]),
                signed_interval(row["low"], row["high"]),
                signed_interval(row["id_low"], row["id_high"]),
                rule_unit(row["rule"]),
                p_value(row["p_adjusted"]),
                p_value(row["id_p_adjusted"]),
                percent(left.get("value")),
                count(left.get("n", 0)),
            )
        )
    return Table(
        "Mean score difference (stereotypical minus other sentence) and calibrated ratio",
        columns,
        tuple(body),
    )
