"""The pairs a page shows: a fixed choice of the widest differences, with their sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from endoxa.instruments.pairs.report.results import Results
from endoxa.page.words import language_name, plural, signed

MOST_ROWS = 6000
"""Rows of all pair tables of a page together."""


@dataclass(frozen=True, slots=True)
class PairRow:
    """One pair under one model and rule, finished texts."""

    item_id: str
    axis: str
    language: str
    language_code: str
    model: str
    rule: str
    stereotypical: str
    other: str
    difference: str
    sort_key: float


@dataclass(frozen=True, slots=True)
class PairTable:
    """The rows shown, and the sentence that says how they were chosen."""

    rows: tuple[PairRow, ...]
    chosen: str


def pair_table(results: Results, folders: Sequence[Path], most: int) -> PairTable:
    """At most `most` rows: for every model and rule as many, those with the largest absolute difference.

    Rules have different units, so the largest are taken within each model and rule; of equal ones those that
    come first in the records.

    Args:
        results: the records, without sentences.
        folders: run folders the sentences are read from.
        most: rows to show.
    """
    total, groups = results.records.height, len(results.combinations)
    each = total if total <= most else max(1, most // groups)
    chosen = (
        results.records.with_columns(size=pl.col("difference").abs())
        .sort("size", descending=True, maintain_order=True)
        .with_columns(place=pl.int_range(pl.len()).over("model", "rule"))
        .filter(pl.col("place") < each)
        .sort("place", maintain_order=True)
    )
    keys = ("item_id", "model", "rule")
    sentences = pl.concat(
        [
            pl.scan_parquet(folder / "records.parquet")
            .select(*keys, "sent_more", "sent_less")
            .join(chosen.lazy().select(*keys), on=keys, how="semi")
            .collect()
            for folder in folders
        ]
    )
    more_first = pl.col("stereotypical") == "more"
    rows = (
        chosen.join(sentences, on=keys, maintain_order="left")
        .with_columns(
            first=pl.when(more_first).then("sent_more").otherwise("sent_less"),
            second=pl.when(more_first).then("sent_less").otherwise("sent_more"),
        )
        .iter_rows(named=True)
    )
    how = (
        f"All {plural(total, 'row')} are shown."
        if chosen.height == total
        else f"Shown are {chosen.height:,} of {total:,} rows: for every model and rule the {each:,} "
        "pairs with the largest absolute difference, largest first."
    )
    return PairTable(tuple(_row(results, row) for row in rows), how)


def _row(results: Results, row: dict[str, object]) -> PairRow:
    difference = float(str(row["difference"]))
    return PairRow(
        item_id=str(row["item_id"]),
        axis=str(row["axis"]),
        language=language_name(str(row["language"])),
        language_code=str(row["language"]),
        model=results.labels[str(row["model"])],
        rule=str(row["rule"]),
        stereotypical=str(row["first"]),
        other=str(row["second"]),
        difference=signed(difference),
        sort_key=difference,
    )
