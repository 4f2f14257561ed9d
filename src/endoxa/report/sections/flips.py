"""Rule flips: pairs whose verdict depends on how a sentence is given a number."""

from __future__ import annotations

from typing import Any

import polars as pl

from endoxa.report.document import Column, Figure, Finding, Section, Table
from endoxa.report.figures.flips import flips as flips_chart
from endoxa.report.preference import overall
from endoxa.report.results import Results
from endoxa.report.words import count, percent, percent_interval, plural, signed, slug


def flips(results: Results) -> Section | None:
    """How many pairs change sides between the rules of each model; None where no model has two."""
    every_pair = overall(results.flips)
    anchor, title = f"flips-{results.slug}", "Disagreement between rules"
    if every_pair.is_empty():
        return None
    rows = list(every_pair.iter_rows(named=True))
    models = every_pair["model"].unique(maintain_order=True).to_list()
    return Section(
        anchor,
        title,
        findings=tuple(Finding(_sentence(results, row), (row,)) for row in rows),
        figures=tuple(
            _figure(results, every_pair.filter(pl.col("model") == model), model) for model in models
        ),
        tables=(_table(results, rows),),
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
    spoken = "; ".join(
        f"{row['rule_a']} against {row['rule_b']}: {row['flips']} of {row['n']} ({percent(row['share'])})"
        for row in rows.iter_rows(named=True)
    )
    label = results.labels[model]
    return Figure(
        name=f"flips-{results.slug}-{slug(label)}",
        title=label,
        chart=flips_chart(rows.select("rule_a", "rule_b", "share", "flips", "n")),
        alt=f"Share of pairs that change sides between rules, {label}. {spoken}.",
    )


def _table(results: Results, rows: list[dict[str, Any]]) -> Table:
    columns = (
        Column("model"),
        Column("one rule"),
        Column("other rule"),
        Column("flips", numeric=True),
        Column("pairs", numeric=True),
        Column("share", numeric=True),
        Column(f"{results.level} interval", numeric=True),
        Column("tied under one", numeric=True),
        Column("kappa", numeric=True),
    )
    body = tuple(
        (
            results.labels[row["model"]],
            row["rule_a"],
            row["rule_b"],
            count(row["flips"]),
            count(row["n"]),
            percent(row["share"]),
            percent_interval(row["low"], row["high"]),
            count(row["ties"]),
            signed(row["kappa"], 2).lstrip("+"),
        )
        for row in rows
    )
    return Table("Rule flips, all pairs", columns, body, folded=True)
