"""Paired comparison of models on the same pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from endoxa.instruments.pairs.report.results import Results, overall
from endoxa.report.charts import interval_rows, symmetric_domain
from endoxa.report.claims import adjusted, cannot_be_tested, chip, is_clear, signed_ends
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.tables import Column, Table
from endoxa.report.words import count, language_name, p_value, plural, signed
from endoxa.stats.verdicts import ABOVE, UNCLEAR

MOST_NAMED = 5
"""Differences that get a sentence of their own."""
MOST_ROWS = 24
"""Rows of the figure; the table holds every comparison."""


def comparison(results: Results) -> Section | None:
    """Which models differ on the same pairs; None with one model."""
    pooled = overall(results.comparisons)
    if pooled.is_empty():
        return None
    drawn = pooled.sort(
        pl.col("same_rule").not_(), pl.col("difference").abs(), descending=[False, True], maintain_order=True
    ).head(MOST_ROWS)
    return Section(
        f"models-{results.slug}",
        "Models compared on the same pairs",
        findings=tuple(_findings(results, pooled)),
        figures=(_figure(results, drawn, pooled.height),),
        tables=(_table(results, list(results.comparisons.iter_rows(named=True))),),
        notes=(
            "The difference is the preference ratio of the first model minus that of the second, in "
            f"percentage points, over the pairs both have scored; its {results.level} interval takes identities as "
            "independent. McNemar's exact test takes every pair as independent and is only shown for comparison. "
            "p-values are Benjamini-Hochberg adjusted over all comparisons. Two models compared under two different "
            "rules are marked: there, model and rule differ at once.",
        ),
    )


def _names(results: Results, row: dict[str, Any]) -> tuple[str, str]:
    return results.label(row["model_a"], row["rule_a"]), results.label(row["model_b"], row["rule_b"])


def _points(value: float) -> str:
    return signed(100 * value, 1)


def _findings(results: Results, pooled: pl.DataFrame) -> Iterator[Finding]:
    """The largest differences that are claimed, then how many are not, and how many could not be tested."""
    rows = list(
        pooled.sort(pl.col("difference").abs(), descending=True, maintain_order=True).iter_rows(named=True)
    )
    claimed = [row for row in rows if is_clear(row)]
    for row in claimed[:MOST_NAMED]:
        yield Finding(_sentence(results, row), (row,))
    rest = claimed[MOST_NAMED:]
    if rest:
        yield Finding(
            f"{plural(len(rest), 'more comparison shows', 'more comparisons show')} a difference.",
            ({"more": len(rest)},),
        )
    unclear = [row for row in rows if row["verdict"] == UNCLEAR]
    if unclear:
        which = _which(results, unclear)
        differ = "The two models are" if len(rows) == 1 else f"In {which} the models are"
        yield Finding(
            f"{differ} not distinguishable ({results.level} intervals in the table).", tuple(unclear)
        )
    untested = [row for row in rows if cannot_be_tested(row)]
    for reason in dict.fromkeys(row["reason"] for row in untested):
        own = [row for row in untested if row["reason"] == reason]
        yield Finding(f"{_which(results, own).capitalize()} cannot be tested: {reason}.", tuple(own))


def _which(results: Results, rows: Sequence[dict[str, Any]]) -> str:
    """'1 comparison (a and b)', or how many."""
    if len(rows) > 1:
        return plural(len(rows), "comparison")
    return f"1 comparison ({' and '.join(_names(results, rows[0]))})"


def _sentence(results: Results, row: dict[str, Any]) -> str:
    first, second = _names(results, row)
    often = "more" if row["verdict"] == ABOVE else "less"
    left = (
        f"; {plural(row['n_left_out'], 'pair')} scored by one of them only left out"
        if row["n_left_out"]
        else ""
    )
    return (
        f"{first} prefers the stereotypical sentence {often} often than {second}: by "
        f"{_points(abs(row['difference'])).lstrip('+')} percentage points ({results.level} interval of the difference "
        f"{_interval(row)}; {plural(row['n'], 'pair')}{left})."
    )


def _figure(results: Results, rows: pl.DataFrame, total: int) -> Figure:
    records = list(rows.iter_rows(named=True))
    frame = pl.DataFrame(
        {
            "label": [
                "{}\nminus {}{}".format(*_names(results, row), "" if row["same_rule"] else " (other rule)")
                for row in records
            ],
            "note": [f"{_points(row['difference'])} points" for row in records],
            "value": [100 * row["difference"] for row in records],
            "low": pl.Series([100 * row["low"] for row in records]).fill_nan(None),
            "high": pl.Series([100 * row["high"] for row in records]).fill_nan(None),
            "outer_low": pl.Series([None] * len(records), dtype=pl.Float64),
            "outer_high": pl.Series([None] * len(records), dtype=pl.Float64),
            "filled": [is_clear(row) for row in records],
        }
    )
    said = [
        f"{' minus '.join(_names(results, row))}: {_points(row['difference'])} ({_interval(row)}), {chip(row)}"
        for row in records
    ]
    spoken = "; ".join(said)
    frame = frame.with_columns(tip=pl.Series(said) + pl.format(", n {}", rows["n"]))
    names = dict(results.labels)
    part = "" if total == len(records) else f", the {len(records)} largest of {total}"
    return Figure(
        name=f"models-{results.slug}",
        title=f"Difference of preference ratios{part}",
        chart=interval_rows(
            frame,
            neutral=0.0,
            domain=symmetric_domain(
                [*frame["low"].drop_nulls(), *frame["high"].drop_nulls(), *frame["value"]], 0.0, 10, 10
            ),
            title="difference in percentage points",
            axis_format="+.0f",
        ),
        alt=f"Paired differences between models in percentage points, no difference at 0{part}. {spoken}.",
        wide=True,
        rows=rows.select(
            pl.col("model_a").replace_strict(names, return_dtype=pl.String),
            "rule_a",
            pl.col("model_b").replace_strict(names, return_dtype=pl.String),
            "rule_b",
            *("difference", "low", "high", "n", "clusters", "p_adjusted", "verdict"),
        ),
    )


def _interval(row: dict[str, Any]) -> str:
    points = {**row, "low": 100 * row["low"], "high": 100 * row["high"]}
    return signed_ends(points, digits=1)


def _table(results: Results, rows: list[dict[str, Any]]) -> Table:
    columns = (
        Column("first model and rule"),
        Column("second model and rule"),
        Column("language"),
        Column("pairs", numeric=True),
        Column("identities", numeric=True),
        Column("difference, points", numeric=True),
        Column(f"{results.level} interval", numeric=True),
        Column("verdict"),
        Column("p adjusted", numeric=True),
        Column("only first", numeric=True),
        Column("only second", numeric=True),
        Column("McNemar p adjusted, pairs", numeric=True),
        Column("scored by one only", numeric=True),
        Column("rules"),
    )
    body = tuple(
        (
            *_names(results, row),
            language_name(row["language"]),
            count(row["n"]),
            count(row["clusters"]),
            _points(row["difference"]),
            _interval(row),
            chip(row),
            adjusted(row),
            count(row["a_only"]),
            count(row["b_only"]),
            p_value(row["p_mcnemar_adjusted"]),
            count(row["n_left_out"]),
            "same" if row["same_rule"] else "different",
        )
        for row in rows
    )
    return Table("Every comparison", columns, body, folded=True)
