"""Paired comparison of models on the same pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from endoxa.instruments.pairs.report.results import Results, overall
from endoxa.report.claims import P_ADJUSTED, VERDICT, cannot_be_tested, chip, clear, is_clear, signed_ends
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.figures import Measure, described, dot_figure
from endoxa.report.tables import Table, number_field, table_of, text_field
from endoxa.report.words import language_name, p_value, plural, signed
from endoxa.stats.verdicts import ABOVE, UNCLEAR

Row = dict[str, Any]

POINTS = Measure("difference in percentage points", 0.0, "+.0f", 10, 10)

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
        tables=(_table(results),),
        notes=(
            "The difference is the preference ratio of the first model minus that of the second, in "
            f"percentage points, over the pairs both have scored; its {results.level} interval takes identities as "
            "independent. McNemar's exact test takes every pair as independent and is only shown for comparison. "
            "p-values are Benjamini-Hochberg adjusted over all comparisons. Two models compared under two different "
            "rules are marked: there, model and rule differ at once.",
        ),
    )


def _names(results: Results, row: Row) -> tuple[str, str]:
    return results.label(row["model_a"], row["rule_a"]), results.label(row["model_b"], row["rule_b"])


def _points(value: float) -> str:
    return signed(100 * value, 1)


def _findings(results: Results, pooled: pl.DataFrame) -> Iterator[Finding]:
    """The largest differences that are claimed, then how many are not, and how many could not be tested."""
    rows = pooled.sort(pl.col("difference").abs(), descending=True, maintain_order=True).rows(named=True)
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
        alike = [row for row in untested if row["reason"] == reason]
        yield Finding(f"{_which(results, alike).capitalize()} cannot be tested: {reason}.", tuple(alike))


def _which(results: Results, rows: Sequence[Row]) -> str:
    """'1 comparison (a and b)', or how many."""
    if len(rows) > 1:
        return plural(len(rows), "comparison")
    return f"1 comparison ({' and '.join(_names(results, rows[0]))})"


def _sentence(results: Results, row: Row) -> str:
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
    labels = dict(results.labels)
    texts = [
        f"{' minus '.join(_names(results, row))}: {_points(row['difference'])} ({_interval(row)}), {chip(row)}"
        for row in rows.iter_rows(named=True)
    ]
    heads = [
        "{}\nminus {}{}".format(*_names(results, row), "" if row["same_rule"] else " (other rule)")
        for row in rows.iter_rows(named=True)
    ]
    points = pl.col("difference", "low", "high") * 100
    frame = rows.with_columns(points).select(
        label=pl.Series(heads),
        note=pl.Series([f"{_points(value)} points" for value in rows["difference"]]),
        value="difference",
        low=pl.col("low").fill_nan(None),
        high=pl.col("high").fill_nan(None),
        outer_low=pl.lit(None, dtype=pl.Float64),
        outer_high=pl.lit(None, dtype=pl.Float64),
        filled=clear(),
        tip=pl.Series(texts) + pl.format(", n {}", rows["n"]),
    )
    part = "" if total == rows.height else f", the {rows.height} largest of {total}"
    return dot_figure(
        frame,
        POINTS,
        name=f"models-{results.slug}",
        title=f"Difference of preference ratios{part}",
        alt=described(
            f"Paired differences between models in percentage points, no difference at 0{part}", texts
        ),
        tall=True,
        rows=rows.select(
            pl.col("model_a").replace_strict(labels, return_dtype=pl.String),
            "rule_a",
            pl.col("model_b").replace_strict(labels, return_dtype=pl.String),
            "rule_b",
            *("difference", "low", "high", "n", "clusters", "p_adjusted", "verdict"),
        ),
    )


def _interval(row: Row) -> str:
    return signed_ends({**row, "low": 100 * row["low"], "high": 100 * row["high"]}, digits=1)


def _table(results: Results) -> Table:
    return table_of(
        "Every comparison",
        results.comparisons,
        (
            text_field("first model and rule", lambda row: _names(results, row)[0]),
            text_field("second model and rule", lambda row: _names(results, row)[1]),
            text_field("language", "language", language_name),
            number_field("pairs", "n"),
            number_field("identities", "clusters"),
            number_field("difference, points", "difference", _points),
            number_field(f"{results.level} interval", _interval),
            VERDICT,
            P_ADJUSTED,
            number_field("only first", "a_only"),
            number_field("only second", "b_only"),
            number_field("McNemar p adjusted, pairs", "p_mcnemar_adjusted", p_value),
            number_field("scored by one only", "n_left_out"),
            text_field("rules", lambda row: "same" if row["same_rule"] else "different"),
        ),
        folded=True,
    )
