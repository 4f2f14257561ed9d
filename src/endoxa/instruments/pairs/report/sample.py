"""Pairs to read, and a chart whose rows readers choose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.instruments.pairs.report.results import PREFERENCE, Results, overall, preference_cells
from endoxa.report.claims import percent_ends
from endoxa.report.closer import EACH, LEAST_ROWS, Box, closer_section
from endoxa.report.document import Section
from endoxa.report.items import Items, items_section
from endoxa.report.words import NOT_DEFINED, axis_name, language_name, percent
from endoxa.schema import ALL

SENTENCES = {"first": "stereotypical sentence", "second": "other sentence"}
OUTCOMES = {1: "prefers the stereotypical sentence", -1: "prefers the other sentence", 0: "tie"}


def pairs_shown(results: Results, folders: Sequence[Path]) -> Section:
    """The pairs to read and what each model makes of them, those with the widest differences first.

    Args:
        results: the records, without sentences.
        folders: run folders the sentences are read from.
    """
    records = results.records
    items = (
        records.with_columns(size=pl.col("difference").abs())
        .sort("size", descending=True, maintain_order=True)
        .with_columns(place=pl.int_range(pl.len()).over("model", "rule"))
        .group_by("item_id", maintain_order=True)
        .agg(
            pl.col("place").min(),
            pl.col("axis", "language", "stereotypical").first(),
            group=pl.coalesce("identity_group", "identity").first(),
        )
        .sort("place", maintain_order=True)
        .join(_sentences(folders), on="item_id", maintain_order="left")
        .rename({"item_id": "id"})
    )
    answers = records.select(
        pl.col("model").replace_strict(dict(results.labels), return_dtype=pl.String),
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


def _sentences(folders: Sequence[Path]) -> pl.DataFrame:
    """`item_id`, the stereotypical sentence (`first`) and the other one (`second`)."""
    frames = (
        pl.scan_parquet(folder / "records.parquet")
        .select("item_id", "stereotypical", "sent_more", "sent_less")
        .unique("item_id")
        for folder in folders
    )
    more_first = pl.col("stereotypical") == "more"
    return (
        pl.concat(frames)
        .unique("item_id")
        .select(
            "item_id",
            first=pl.when(more_first).then("sent_more").otherwise("sent_less"),
            second=pl.when(more_first).then("sent_less").otherwise("sent_more"),
        )
        .collect()
    )


def closer(results: Results) -> Section | None:
    """All estimates to choose from; None where there are few."""
    cells = by_language(results)
    rows = cell_rows(results, cells).with_columns(
        reading=pl.Series([reading(row) for row in cells.iter_rows(named=True)], dtype=pl.String)
    )
    pooled = overall(preference_cells(results.estimates)).sort("value", descending=True, nulls_last=True)
    model, rule = pooled.select("model", "rule").row(0)
    models, rules, axes = (cells[name].n_unique() for name in ("model", "rule", "axis"))
    every_axis = EACH if axes > 2 or models == rules == 1 else axis_name(ALL)
    return closer_section(
        rows,
        (
            Box("model", "model", EACH if every_axis else results.labels[model]),
            Box("rule", "rule", rule),
            Box("axis", "axis", every_axis, together=axis_name(ALL)),
            Box("language", "language", language_name(cells["language"][0]), together=language_name(ALL)),
        ),
        PREFERENCE,
        name=f"closer-{results.slug}",
        title="Preference ratio of every cell",
        reading=f"The preference ratio of every cell with its {results.level} interval, identities and attributes "
        "taken as samples.",
        line="an unbiased model",
        choose=" models, rules, axes and languages",
    )


def by_language(results: Results) -> pl.DataFrame:
    """Cells of the preference ratio by language; with one language its cells are those of all."""
    cells = preference_cells(results.estimates)
    if len(results.languages) == 1:
        return cells.with_columns(language=pl.lit(results.languages[0]))
    return cells


def cell_rows(results: Results, cells: pl.DataFrame) -> pl.DataFrame:
    """Cells as readers download them: models, axes and languages named as on the page."""
    return cells.select(
        pl.col("model").replace_strict(dict(results.labels), return_dtype=pl.String),
        "rule",
        pl.col("axis").map_elements(axis_name, return_dtype=pl.String),
        pl.col("language").map_elements(language_name, return_dtype=pl.String),
        *("value", "low", "high", "n"),
        pl.col("clusters").alias("identities"),
        *("p_adjusted", "verdict"),
    )


def rows_once(results: Results, cells: pl.DataFrame, where: Mapping[str, str]) -> dict[str, Any]:
    """`rows` of a figure, or `part_of`: where they stand among the rows of "Look closer".

    Args:
        results: of the page.
        cells: what the figure shows.
        where: values of columns of `cell_rows` that hold for these cells; in "Look closer" they choose the rows.
    """
    if by_language(results).height < LEAST_ROWS:
        return {"rows": cell_rows(results, cells)}
    return {"part_of": (f"closer-{results.slug}", where)}


def reading(row: Mapping[str, Any]) -> str:
    """'61.2 % (58.0 to 64.1)', or the share alone where it has no interval."""
    ends, share = percent_ends(row), percent(row["value"])
    return share if ends == NOT_DEFINED else f"{share} ({ends})"
