"""The few rows that stand for a run of association tests."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from endoxa.instruments.association_tests.report.results import read_associations
from endoxa.report.claims import chip, clear
from endoxa.report.inputs import EMBEDDINGS, Run
from endoxa.report.words import NO_VALUE, p_value, plural, signed, signed_interval
from endoxa.schema.headline import Headline, plain
from endoxa.stats.verdicts import UNTESTED

MOST_ROWS = 12
"""Of more tests, the largest effects are shown, what is claimed first."""

KEPT = (
    *(
        "model",
        "pooling",
        "test",
        "language",
        "x",
        "y",
        "a",
        "b",
        "name",
        "value",
        "low",
        "high",
        "confidence",
    ),
    *("p_value", "p_adjusted", "verdict", "reason", "n_x", "n_y"),
)


def headline(folder: Path) -> Headline:
    """The largest effects, as the run folder holds them."""
    results = read_associations([Run(folder, {"kind": EMBEDDINGS})])
    estimates = results.estimates
    order = estimates.with_columns(claimed=clear(), size=pl.col("value").abs()).sort(
        "claimed", "size", descending=True, nulls_last=True, maintain_order=True
    )
    rows = order.head(MOST_ROWS).rows(named=True)
    texts = tuple(
        (
            row["encoder"],
            row["test"],
            signed(row["value"], 2),
            NO_VALUE if row["low"] is None else signed_interval(row["low"], row["high"], 2),
            p_value(row["p_adjusted"]),
            chip(row),
            f"{row['n_x']:g}+{row['n_y']:g}",
        )
        for row in rows
    )
    more = "" if len(order) <= MOST_ROWS else f"; the {MOST_ROWS} largest of {len(order):,}"
    sides = "" if results.sides == "two-sided" else f", {results.sides}"
    untested = estimates.filter(verdict=UNTESTED).group_by("reason", maintain_order=True).len()
    return Headline(
        title=f"Effect sizes (0: no difference; above 0: X nearer to A, rather than B, than Y){more}",
        columns=("model", "test", "effect", "interval", f"p adjusted{sides}", "verdict", "texts"),
        texts=texts,
        rows=tuple({name: plain(row[name]) for name in KEPT} for row in rows),
        words=("model", "test", "verdict"),
        notes=tuple(
            f"Cannot be tested ({plural(number, 'result')}): {reason}."
            for reason, number in untested.iter_rows()
        ),
    )
