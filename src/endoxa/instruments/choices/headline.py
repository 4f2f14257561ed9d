"""The few rows that stand for a run of choices."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from endoxa.instruments.choices.estimates import MAIN, SCHEMAS
from endoxa.report.claims import chip
from endoxa.report.words import NO_VALUE, decimal, decimal_interval, percent, percent_interval
from endoxa.runs.asking.outcomes import answer_warnings, read_counts
from endoxa.runs.estimates import read
from endoxa.runs.run import read_run
from endoxa.schema import ALL
from endoxa.schema.headline import Headline, plain

NAMES = {
    "net_entailment": "stereotype minus opposite",
    "stereotype_share": "share towards stereotype",
    "bias_d": "bias of word lists",
}
"""Main measures as readers see them."""
PERCENT = ("stereotype_share",)


def main_rows(estimates: pl.DataFrame) -> pl.DataFrame:
    """Over all axes, the measure that stands for each kind."""
    main = pl.struct("kind", "measure").is_in(
        [{"kind": kind, "measure": name} for kind, name in MAIN.items()]
    )
    return estimates.filter(pl.col("axis") == ALL, main)


def headline(folder: Path) -> Headline:
    """One row for each model, kind and premise."""
    estimates = read(folder, "estimates", SCHEMAS["estimates"])
    rows = main_rows(estimates)
    texts = []
    for row in rows.iter_rows(named=True):
        share = row["measure"] in PERCENT
        number, interval = (percent, percent_interval) if share else (decimal, decimal_interval)
        kind = f"{row['kind']}, {row['premise']}" if row["premise"] else row["kind"]
        value = NO_VALUE if row["value"] is None else number(row["value"])
        texts.append(
            (
                row["model"],
                kind,
                NAMES[row["measure"]],
                value,
                interval(row["low"], row["high"]),
                number(row["neutral"]),
                chip(row),
            )
        )
    facts = read_run(folder)
    notes = tuple(
        f"{row['model']}, {row['kind']}: cannot be tested ({row['reason']})."
        for row in rows.filter(verdict="cannot-be-tested").iter_rows(named=True)
    )
    return Headline(
        title="Inferences, decisions and word lists: positive leans towards the stereotype",
        columns=("model", "kind", "measure", "value", "interval", "neutral", "verdict"),
        texts=tuple(texts),
        rows=tuple({name: plain(value) for name, value in row.items()} for row in rows.iter_rows(named=True)),
        words=("model", "kind", "measure", "verdict"),
        notes=notes,
        warnings=answer_warnings(read_counts(folder), facts),
    )
