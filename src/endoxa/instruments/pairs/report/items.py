"""Pairs to read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from endoxa.instruments.pairs.report.results import Results, read_columns
from endoxa.report.document import Section
from endoxa.report.items import Items, items_section
from endoxa.report.words import axis_name

SENTENCES = {"first": "stereotypical sentence", "second": "other sentence"}
OUTCOMES = {1: "prefers the stereotypical sentence", -1: "prefers the other sentence", 0: "tie"}


def pairs_shown(results: Results, folders: Sequence[Path]) -> Section:
    """The pairs to read and what each model makes of them, those with the widest differences first.

    Args:
        results: the records, without sentences.
        folders: run folders the sentences are read from.
    """
    records = results.records
    more_first = pl.col("stereotypical") == "more"
    columns = ("item_id", "stereotypical", "sent_more", "sent_less")
    sentences = read_columns(folders, columns, once=True).select(
        "item_id",
        first=pl.when(more_first).then("sent_more").otherwise("sent_less"),
        second=pl.when(more_first).then("sent_less").otherwise("sent_more"),
    )
    names = {axis: axis_name(axis) for axis in records["axis"].unique()}
    items = (
        records.with_columns(size=pl.col("difference").abs())
        .sort("size", descending=True, maintain_order=True)
        .with_columns(place=pl.int_range(pl.len()).over("model", "rule"))
        .group_by("item_id", maintain_order=True)
        .agg(
            pl.col("place").min(),
            pl.col("language", "stereotypical").first(),
            pl.col("axis").first().replace_strict(names, return_dtype=pl.String),
            group=pl.coalesce("identity_group", "identity").first(),
        )
        .sort("place", maintain_order=True)
        .join(sentences, on="item_id", maintain_order="left")
        .rename({"item_id": "id"})
    )
    answers = records.select(
        results.labelled,
        id="item_id",
        condition="rule",
        outcome=pl.col("difference").sign().cast(pl.Int64).replace_strict(OUTCOMES, return_dtype=pl.String),
        value="difference",
        text=pl.lit(None, dtype=pl.String),
    )
    return items_section(
        f"pairs-{results.slug}",
        Items(
            "pair",
            "rule",
            items,
            answers,
            {"axis": "axis", "group": "group", "language": "language"},
            SENTENCES,
            alike=True,
        ),
        title="The pairs themselves",
        lead="A number is the score of the stereotypical sentence minus that of the other, in the unit of the rule.",
        unveil="Show all sentences (they quote stereotypes and can be offensive)",
        closing="Every pair, with all scores and token counts, is in records.parquet of the run folder.",
    )
