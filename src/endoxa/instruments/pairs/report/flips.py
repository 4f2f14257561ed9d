"""Rule flips: pairs whose verdict depends on how a sentence is given a number, for every two rules."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from endoxa.instruments.pairs.report.results import Results, overall
from endoxa.report.charts import INK, MUTED, either, finish, pointed
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.figures import described
from endoxa.report.tables import Table, number_field, table_of, text_field
from endoxa.report.words import count, percent, percent_interval, plural, signed, slug

COLUMNS = {
    "rule_a": "one rule (a column)",
    "rule_b": "the other (a row)",
    "share": "share of the pairs that change sides",
    "flips": "how many pairs that are",
    "n": "of how many",
}
"""Columns of the frame: one row per two rules."""

CELL_WIDTH = 88
CELL_HEIGHT = 44


def flip_matrix(frame: pl.DataFrame) -> alt.TopLevelMixin:
    """A matrix of two rules against each other, the share as shade and the count as text."""
    cells = frame.with_columns(
        percent=pl.format("{} %", (100 * pl.col("share")).round(1)),
        counts=pl.format("{} of {}", "flips", "n"),
        dark=pl.col("share") > 0.3,
    ).with_columns(
        tip=pl.format("{} and {}: {} pairs change sides, {}", "rule_a", "rule_b", "counts", "percent")
    )
    columns = frame["rule_a"].unique(maintain_order=True).to_list()
    rows = frame["rule_b"].unique(maintain_order=True).to_list()
    base = alt.Chart(cells).encode(
        x=alt.X(
            "rule_a:N",
            sort=columns,
            title=None,
            axis=alt.Axis(orient="top", labelAngle=0, labelLimit=CELL_WIDTH - 4),
        ),
        y=alt.Y("rule_b:N", sort=rows, title=None, axis=alt.Axis(labelLimit=120)),
    )
    ink = either(alt.ColorValue, "datum.dark", "white", INK)
    chart = alt.layer(
        pointed(base.mark_rect(stroke="white", strokeWidth=3), cells).encode(
            color=alt.Color(
                "share:Q",
                scale=alt.Scale(domain=[0, 0.5], range=["#eef5fb", "#084c84"], clamp=True),
                legend=None,
            )
        ),
        base.mark_text(dy=-7, fontWeight="bold").encode(text=alt.Text("percent:N"), color=ink),
        base.mark_text(dy=8, fontSize=10, color=MUTED).encode(text=alt.Text("counts:N"), color=ink),
    )
    return finish(chart.properties(width=CELL_WIDTH * len(columns), height=CELL_HEIGHT * len(rows)))


def flips(results: Results) -> Section | None:
    """How many pairs change sides between the rules of each model; None where no model has two."""
    every_pair = overall(results.flips)
    anchor, title = f"flips-{results.slug}", "Disagreement between rules"
    if every_pair.is_empty():
        return None
    models = every_pair["model"].unique(maintain_order=True).to_list()
    return Section(
        anchor,
        title,
        findings=tuple(Finding(_sentence(results, row), (row,)) for row in every_pair.rows(named=True)),
        figures=tuple(
            _figure(results, every_pair.filter(pl.col("model") == model), model) for model in models
        ),
        tables=(_table(results, every_pair),),
        notes=(
            "A pair flips where one rule prefers one sentence and the other rule the other; pairs tied "
            "under one of them are no flips. Two verdicts drawn by lot would flip half of the pairs. "
            "Cohen's kappa is 1 where two rules always agree and 0 where they agree no more than by "
            "chance. A finding that holds under one rule only is a finding about that rule.",
        ),
    )


def _sentence(results: Results, row: dict[str, Any]) -> str:
    return (
        f"{results.labels[row['model']]}: {count(row['flips'])} of {plural(row['n'], 'pair')} "
        f"({percent(row['share'])}, {results.level} interval {percent_interval(row['low'], row['high'])}) "
        f"change sides between {row['rule_a']} and {row['rule_b']}."
    )


def _figure(results: Results, rows: pl.DataFrame, model: str) -> Figure:
    texts = (
        f"{row['rule_a']} against {row['rule_b']}: {row['flips']} of {row['n']} ({percent(row['share'])})"
        for row in rows.iter_rows(named=True)
    )
    label = results.labels[model]
    return Figure(
        name=f"flips-{results.slug}-{slug(label)}",
        title=label,
        chart=flip_matrix(rows.select("rule_a", "rule_b", "share", "flips", "n")),
        alt=described(f"Share of pairs that change sides between rules, {label}", texts),
        rows=rows.select(
            pl.lit(label).alias("model"), "rule_a", "rule_b", "flips", "n", "share", "low", "high", "kappa"
        ),
    )


def _table(results: Results, rows: pl.DataFrame) -> Table:
    return table_of(
        "Rule flips, all pairs",
        rows,
        (
            text_field("model", lambda row: results.labels[row["model"]]),
            text_field("one rule", "rule_a"),
            text_field("other rule", "rule_b"),
            number_field("flips"),
            number_field("pairs", "n"),
            number_field("share", "share", percent),
            number_field(f"{results.level} interval", lambda row: percent_interval(row["low"], row["high"])),
            number_field("tied under one", "ties"),
            number_field("kappa", lambda row: signed(row["kappa"], 2).lstrip("+")),
        ),
        folded=True,
    )
