"""Paired comparison of models on the same pairs."""

from __future__ import annotations

from typing import Any

import polars as pl

from endoxa.report.document import Column, Figure, Section, Table
from endoxa.report.figures.intervals import interval_rows
from endoxa.report.figures.style import symmetric_domain
from endoxa.report.preference import SIGNIFICANT, overall
from endoxa.report.results import Results
from endoxa.report.words import count, language_name, p_value, plural, signed

MOST_ROWS = 24
"""Rows of the figure; the table holds every comparison."""


def comparison(results: Results) -> Section:
    """Which models differ on the same pairs."""
    anchor, title = f"models-{results.slug}", "Models compared on the same pairs"
    every = results.comparisons.with_columns(clear=_clear())
    pooled = overall(every)
    if pooled.is_empty():
        return Section(anchor, title, ("There is only one model on these pairs, so nothing to compare.",))
    drawn = pooled.sort(
        pl.col("same_rule").not_(), pl.col("difference").abs(), descending=[False, True], maintain_order=True
    ).head(MOST_ROWS)
    return Section(
        anchor,
        title,
        findings=_findings(results, pooled),
        figures=(_figure(results, drawn, pooled.height),),
        tables=(_table(results, list(every.iter_rows(named=True))),),
        notes=(
            "The difference is the preference ratio of the first model minus that of the second, in "
            f"percentage points, over the pairs both have scored; its {results.level} interval resamples "
            "identities. McNemar's exact test asks whether the pairs on which only one of them prefers the "
            "stereotypical sentence fall evenly; p-values are Benjamini-Hochberg adjusted over all "
            "comparisons. Two models compared under two different rules are marked: there, model and rule "
            "differ at once.",
        ),
    )


def _clear() -> pl.Expr:
    excluded = (pl.col("low") > 0) | (pl.col("high") < 0)
    defined = pl.all_horizontal(
        pl.col("low", "high", "p_mcnemar_adjusted", "p_bootstrap_adjusted").is_finite()
    )
    small = pl.all_horizontal(pl.col("p_mcnemar_adjusted", "p_bootstrap_adjusted") <= SIGNIFICANT)
    return (defined & excluded & small).fill_null(value=False)


def _names(results: Results, row: dict[str, Any]) -> tuple[str, str]:
    return results.label(row["model_a"], row["rule_a"]), results.label(row["model_b"], row["rule_b"])


def _points(value: float) -> str:
    return signed(100 * value, 1)


def _findings(results: Results, pooled: pl.DataFrame) -> tuple[str, ...]:
    clear = pooled.filter("clear")
    total = plural(pooled.height, "comparison")
    if clear.is_empty():
        return (f"No two models differ clearly ({total}).",)
    shown = clear.sort(pl.col("difference").abs(), descending=True, maintain_order=True).head(5)
    which = "" if clear.height == shown.height else f" The {shown.height} largest:"
    findings = [f"{clear.height} of {total} show a clear difference.{which}"]
    for row in shown.iter_rows(named=True):
        first, second = _names(results, row)
        if row["difference"] < 0:
            first, second = second, first
        points = _points(abs(row["difference"])).lstrip("+")
        findings.append(
            f"{first} prefers the stereotypical sentence more often than {second}, by {points} points."
        )
    return tuple(findings)


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
            "low": [100 * row["low"] for row in records],
            "high": [100 * row["high"] for row in records],
            "outer_low": pl.Series([None] * len(records), dtype=pl.Float64),
            "outer_high": pl.Series([None] * len(records), dtype=pl.Float64),
            "filled": [row["clear"] for row in records],
        }
    )
    spoken = "; ".join(
        f"{' minus '.join(_names(results, row))}: {_points(row['difference'])} ({_interval(row)})"
        for row in records
    )
    part = "" if total == len(records) else f", the {len(records)} largest of {total}"
    return Figure(
        name=f"models-{results.slug}",
        title=f"Difference of preference ratios{part}",
        chart=interval_rows(
            frame,
            neutral=0.0,
            domain=symmetric_domain([*frame["low"], *frame["high"], *frame["value"]], 0.0, 10, 10),
            title="difference in percentage points",
            axis_format="+.0f",
        ),
        alt=f"Paired differences between models in percentage points, no difference at 0{part}. {spoken}.",
        wide=True,
    )


def _interval(row: dict[str, Any]) -> str:
    return f"{_points(row['low'])} to {_points(row['high'])}"


def _table(results: Results, rows: list[dict[str, Any]]) -> Table:
    columns = (
        Column("first model and rule"),
        Column("second model and rule"),
        Column("language"),
        Column("pairs", numeric=True),
        Column("difference, points", numeric=True),
        Column(f"{results.level} interval", numeric=True),
        Column("only first", numeric=True),
        Column("only second", numeric=True),
        Column("McNemar p adjusted", numeric=True),
        Column("bootstrap p adjusted", numeric=True),
        Column("rules"),
    )
    body = tuple(
        (
            *_names(results, row),
            language_name(row["language"]),
            count(row["n"]),
            _points(row["difference"]),
            _interval(row),
            count(row["a_only"]),
            count(row["b_only"]),
            p_value(row["p_mcnemar_adjusted"]),
            p_value(row["p_bootstrap_adjusted"]),
            "same" if row["same_rule"] else "different",
        )
        for row in rows
    )
    return Table("Every comparison", columns, body, folded=True)
