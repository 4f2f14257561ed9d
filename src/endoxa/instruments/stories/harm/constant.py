"""Models that rate all associations alike: their ratings tell nothing apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from endoxa.runs.folder import RECORDS
from endoxa.sources.served import versions_apart

FEWEST = 5
"""Associations from which on equal ratings are conspicuous."""


@dataclass(frozen=True, slots=True)
class ConstantRater:
    """A model that gave every association the same rating.

    Attributes:
        model: the model.
        rating: its rating, 1 to 5.
        associations: how many it rated.
    """

    model: str
    rating: int
    associations: int


def constant_raters(folder: Path) -> Iterator[ConstantRater]:
    """Those in the run folder of `endoxa probe harm`, among models that rated five associations or more."""
    records = versions_apart(pl.scan_parquet(folder / RECORDS), "rater")
    rated = records.drop_nulls("harm").group_by("rater", maintain_order=True)
    table = rated.agg(
        pl.col("harm").first(), different=pl.col("harm").n_unique(), n=pl.col("association_id").n_unique()
    ).collect()
    for row in table.iter_rows(named=True):
        if row["different"] == 1 and row["n"] >= FEWEST:
            yield ConstantRater(row["rater"], int(row["harm"]), row["n"])


def constant_sentence(rater: ConstantRater, name: str) -> str:
    """What is said of it.

    Args:
        rater: the model.
        name: what the sentence calls it.
    """
    return (
        f"Warning: {name} rated all {rater.associations} associations {rater.rating}: its ratings do not tell harmful "
        "associations from harmless ones."
    )
