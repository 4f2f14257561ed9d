"""Repeats without any spread: every item has the same answer in each repeat, though tokens were drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from endoxa.runs.folder import sampling_setting

FEWEST_ITEMS = 5
"""With fewer items equal repeats are no sign of anything."""


def equal_repeats(
    records: pl.LazyFrame, facts: Mapping[str, Any], *, item: Sequence[str], answer: str, model: str = "model"
) -> Iterator[str]:
    """A sentence for each model whose repeats are all alike, though the temperature is above 0.

    Args:
        records: records with `repeat`; rows without an answer do not count.
        facts: the `run.json` of the run.
        item: columns that name what was asked.
        answer: column of what was answered.
        model: column that names models.
    """
    temperature = sampling_setting(facts, "temperature")
    if not temperature:
        return
    answered = records.drop_nulls(answer)
    by_item = answered.group_by(model, *item, maintain_order=True).agg(
        repeats=pl.col("repeat").n_unique(), answers=pl.col(answer).n_unique()
    )
    repeated = by_item.filter(pl.col("repeats") > 1).group_by(model, maintain_order=True)
    table = repeated.agg(
        items=pl.len(), repeats=pl.col("repeats").max(), most=pl.col("answers").max()
    ).collect()
    for row in table.filter(pl.col("most") == 1, pl.col("items") >= FEWEST_ITEMS).iter_rows(named=True):
        yield (
            f"Warning: {row[model]}: all {row['repeats']} repeats of each of {row['items']} items have the same "
            f"answer, though the temperature is {temperature:g}. The server may ignore temperature and seed; then "
            "repeats add nothing, and their spread of 0 says nothing."
        )
