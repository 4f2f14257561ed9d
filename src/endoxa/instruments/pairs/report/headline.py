"""Headline per model and rule: one sentence, one dot, one row."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan
from typing import Any

import polars as pl

from endoxa.instruments.pairs.report.closer import rows_once
from endoxa.instruments.pairs.report.results import (
    Results,
    identity_rows,
    overall,
    preference_cells,
    rule_unit,
)
from endoxa.report.charts import interval_rows, sorted_dots, symmetric_domain
from endoxa.report.claims import adjusted, chip, clear, corrected, percent_ends, signed_ends
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.tables import Column, Table
from endoxa.report.words import (
    NOT_DEFINED,
    axis_name,
    count,
    language_name,
    listed,
    percent,
    percent_interval,
    plural,
    signed,
    signed_interval,
    slug,
)
from endoxa.schema import ALL
from endoxa.stats.verdicts import ABOVE, BELOW, UNCLEAR, UNTESTED


def headline(results: Results) -> Section:
    """What each model prefers overall, under each rule."""
    every = preference_cells(results.estimates)
    cells = overall(every)
    rows = list(cells.iter_rows(named=True))
    return Section(
        anchor=f"headline-{results.slug}",
        title="How often each model prefers the stereotypical sentence",
        findings=tuple(_findings(results, every)),
        figures=tuple(_figures(results, cells)),
        tables=(_ratio_table(results, rows), _difference_table(results)),
        notes=(
            "The ratio is the share of pairs whose stereotypical sentence gets the higher score, a tie "
            f"counting one half; an unbiased model is at 50\u00a0%. The thick {results.level} interval takes "
            "identities as independent, because pairs about one group are not; the thin one (Wilson), which takes "
            "every pair as independent, is for comparison only, and in the table alone where there are many models. A "
            "filled dot marks a preference that is significant after correction.",
        ),
    )


FEW = 3
"""With more models and rules a sentence sums up each rule, and the table has the rest."""


def _findings(results: Results, every: pl.DataFrame) -> Iterator[Finding]:
    """What is preferred overall; where languages cannot be pooled, a sentence for each language and one for all."""
    rows = list(overall(every).iter_rows(named=True))
    several = len(results.languages) > 1
    tested = [row for row in rows if row["verdict"] != UNTESTED or not several]
    if len(tested) <= FEW:
        yield from (Finding(_sentence(results, row), (row,)) for row in tested)
    else:
        for rule in dict.fromkeys(row["rule"] for row in tested):
            yield _summary(results, [row for row in tested if row["rule"] == rule])
    yield from _by_language(results, every, [row for row in rows if row["verdict"] == UNTESTED and several])


def _summary(results: Results, rows: list[dict[str, Any]]) -> Finding:
    """How many models prefer what under a rule, and the ends of the range."""
    if len(rows) == 1:
        return Finding(_sentence(results, rows[0]), (rows[0],))
    numbers = {verdict: sum(row["verdict"] == verdict for row in rows) for verdict in SPOKEN}
    reasons = "; ".join(dict.fromkeys(row["reason"] for row in rows if row["verdict"] == UNTESTED))
    parts = [
        SPOKEN[verdict].format(n=number, verb="prefers" if number == 1 else "prefer", reasons=reasons)
        for verdict, number in numbers.items()
        if number
    ]
    ordered = sorted(rows, key=lambda row: row["value"])
    ends = [
        f"{word} share is {_share(results, row)}"
        for word, row in (("The highest", ordered[-1]), ("the lowest", ordered[0]))
    ]
    text = f"Under {rows[0]['rule']}, of {len(rows)} models {listed(parts)}. {', '.join(ends)}; chance: 50\u00a0%."
    return Finding(
        text,
        (
            {"models": len(rows), "chance": 50, **{str(name): number for name, number in numbers.items()}},
            *rows,
        ),
    )


def _share(results: Results, row: dict[str, Any]) -> str:
    """'61.2 % (gpt2; 95 % interval 58.7 to 63.6)'; without an interval where there is none."""
    ends = percent_ends(row)
    interval = "" if ends == NOT_DEFINED else f"; {results.level} interval {ends}"
    return f"{percent(row['value'])} ({results.labels[row['model']]}{interval})"


SPOKEN = {
    ABOVE: "{n} {verb} the stereotypical sentence more often than chance",
    BELOW: "{n} {verb} the stereotypical sentence less often than chance",
    UNCLEAR: "for {n} the preference is not distinguishable from chance",
    UNTESTED: "{n} cannot be tested ({reasons})",
}


def _by_language(results: Results, every: pl.DataFrame, untested: list[dict[str, Any]]) -> Iterator[Finding]:
    """Each language of models whose languages cannot be pooled, then what all together look like."""
    pooled: dict[str, list[dict[str, Any]]] = {}
    for row in untested:
        pooled.setdefault(row["reason"], []).append(row)
        own = every.filter(pl.col("language") != ALL, axis=ALL, model=row["model"], rule=row["rule"])
        yield from (
            Finding(_sentence(results, one, f" in {language_name(one['language'])}"), (one,))
            for one in own.iter_rows(named=True)
        )
    for reason, rows in pooled.items():
        shares = listed(
            [
                f"{percent(row['value'])} of {_basis(row)} ({results.label(row['model'], row['rule'])})"
                for row in rows
            ]
        )
        yield Finding(
            f"All languages together cannot be tested ({reason}). The stereotypical sentence is preferred in {shares}.",
            tuple(rows),
        )


def _sentence(results: Results, row: dict[str, Any], where: str = "") -> str:
    """The finding in plain words, from the verdict of the row."""
    label = f"{results.labels[row['model']]} under {row['rule']}{where}"
    if row["verdict"] == UNTESTED:
        return (
            f"{label}: cannot be tested ({row['reason']}). The stereotypical sentence is preferred in "
            f"{percent(row['value'])} of {_basis(row)}."
        )
    numbers = (
        f"{percent(row['value'])} of {_basis(row)} ({results.level} interval {percent_ends(row)}; "
        "chance: 50\u00a0%)"
    )
    match row["verdict"]:
        case verdict if verdict in (ABOVE, BELOW):
            often = "more" if verdict == ABOVE else "less"
            return f"{label} prefers the stereotypical sentence {often} often than chance: {numbers}."
        case _:
            return (
                f"{label}: the preference is not distinguishable from chance: {numbers}."
                f"{corrected(row)}{_power(row)}"
            )


def _basis(row: dict[str, Any]) -> str:
    """'150 pairs about 28 identities'."""
    if row["clusters"] == row["n"]:
        return plural(row["n"], "pair")
    return f"{plural(row['n'], 'pair')} about {plural(row['clusters'], 'identity', 'identities')}"


def _power(row: dict[str, Any]) -> str:
    """What so many pairs and identities would probably have shown."""
    detectable = row["detectable"]
    if detectable is None or isnan(detectable):
        return " After correction for several tests even a preference in all pairs might not have been seen."
    return (
        f" A preference below {percent(1 - detectable)} or above {percent(detectable)} would probably (4 times in 5) "
        "have been seen."
    )


def _figures(results: Results, cells: pl.DataFrame) -> Iterator[Figure]:
    """All models and rules in one figure, or of many one for each rule, the highest share first."""
    if cells.height <= FEW:
        yield _figure(results, cells, "")
        return
    for (rule,), own in cells.group_by(["rule"], maintain_order=True):
        ordered = own.sort("value", descending=True, maintain_order=True)
        yield _figure(results, ordered, str(rule))


def _figure(results: Results, cells: pl.DataFrame, rule: str) -> Figure:
    """The dots of some cells.

    Args:
        results: of the page.
        cells: their rows, in the order drawn.
        rule: the rule of all of them, or empty where the labels name it.
    """
    label = pl.struct("model", "rule").map_elements(
        lambda key: results.labels[key["model"]] if rule else results.label(key["model"], key["rule"]),
        return_dtype=pl.String,
    )
    frame = cells.select(
        label=label,
        note=pl.struct("value", "n").map_elements(
            lambda cell: f"{percent(cell['value'])} of {count(cell['n'])}", return_dtype=pl.String
        ),
        value="value",
        low=pl.col("low").fill_nan(None),
        high=pl.col("high").fill_nan(None),
        outer_low=pl.col("pair_low").fill_nan(None),
        outer_high=pl.col("pair_high").fill_nan(None),
        filled=clear(),
    )
    ends = pl.concat([frame[name] for name in ("low", "high", "outer_low", "outer_high")]).drop_nulls()
    said = [
        f"{results.label(row['model'], row['rule'])} {percent(row['value'])}, interval "
        f"{percent_ends(row)}, {chip(row)}"
        for row in cells.iter_rows(named=True)
    ]
    frame = frame.with_columns(tip=pl.Series(said) + pl.format(", n {}", cells["n"]))
    spoken = "; ".join(said)
    language = results.languages[0] if len(results.languages) == 1 else ALL
    where = {"axis": axis_name(ALL), "language": language_name(language), **({"rule": rule} if rule else {})}
    rows, part_of = rows_once(results, cells, where)
    draw = sorted_dots if rule else interval_rows
    return Figure(
        name=f"headline-{results.slug}" + (f"-{slug(rule)}" if rule else ""),
        title="Preference for the stereotypical sentence" + (f", {rule}" if rule else ""),
        chart=draw(
            frame,
            neutral=0.5,
            domain=symmetric_domain([*ends, *frame["value"]], 0.5, 0.1, 0.1),
            title="pairs with the stereotypical sentence preferred",
            axis_format=".0%",
        ),
        alt=f"Preference ratio of each model and rule, unbiased at 50 %. {spoken}.",
        wide=True,
        rows=rows,
        part_of=part_of,
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
        Column(f"{results.level} interval, identities", numeric=True),
        Column("verdict"),
        Column("p adjusted", numeric=True),
        Column("pairs", numeric=True),
        Column("identities", numeric=True),
        Column("ties", numeric=True),
        Column("least detectable ratio", numeric=True),
        Column(f"{results.level} Wilson, pairs", numeric=True),
    )
    body = tuple(
        (
            results.labels[row["model"]],
            row["rule"],
            percent(row["value"]),
            percent_ends(row),
            chip(row),
            adjusted(row),
            count(row["n"]),
            count(row["clusters"]),
            percent(ties.get((row["model"], row["rule"]))),
            percent(row["detectable"]),
            percent_interval(row["pair_low"], row["pair_high"]),
        )
        for row in rows
    )
    return Table("Preference ratio, all pairs", columns, body)


def _difference_table(results: Results) -> Table:
    calibrated = {
        (row["model"], row["rule"]): row
        for row in overall(identity_rows(results.estimates, "calibrated_preference_ratio")).iter_rows(
            named=True
        )
    }
    columns = (
        Column("model"),
        Column("rule"),
        Column("mean difference", numeric=True),
        Column(f"{results.level} interval, identities", numeric=True),
        Column("unit"),
        Column("verdict"),
        Column("p adjusted", numeric=True),
        Column(f"{results.level} t interval, pairs", numeric=True),
        Column("calibrated ratio", numeric=True),
        Column("pairs calibrated", numeric=True),
    )
    body = []
    for row in overall(identity_rows(results.estimates, "mean_difference")).iter_rows(named=True):
        left = calibrated.get((row["model"], row["rule"]), {})
        body.append(
            (
                results.labels[row["model"]],
                row["rule"],
                signed(row["value"]),
                signed_ends(row),
                rule_unit(row["rule"]),
                chip(row),
                adjusted(row),
                signed_interval(row["pair_low"], row["pair_high"]),
                percent(left.get("value")),
                count(left.get("n", 0)),
            )
        )
    return Table(
        "Mean score difference (stereotypical minus other sentence) and calibrated ratio",
        columns,
        tuple(body),
    )
