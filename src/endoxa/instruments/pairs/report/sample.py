"""Pairs to look at: the widest differences with their sentences, and a chart whose rows readers choose."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import polars as pl
from markupsafe import Markup

from endoxa.instruments.pairs.report.results import PREFERENCE, Results, overall, preference_cells
from endoxa.report.claims import percent_ends
from endoxa.report.closer import EACH, LEAST_ROWS, Box, closer_section
from endoxa.report.document import Section
from endoxa.report.frame import template_file
from endoxa.report.tables import Cell, Column, Table
from endoxa.report.words import NO_VALUE, NOT_DEFINED, axis_name, language_name, percent, plural, signed
from endoxa.schema import ALL

MOST_CELLS = 12_000
"""Cells of all pair tables of a page together."""

LAST = -1e12
"""What is missing sorts below every difference."""

COLUMNS = (
    *map(Column, ("pair", "axis", "language")),
    Column("stereotypical sentence", veiled=True),
    Column("other sentence", veiled=True),
)
"""What a row is about; a column for each model and rule follows."""


def cells_wanted(results: Results) -> int:
    """Cells of a table of all pairs."""
    return results.records["item_id"].n_unique() * (len(COLUMNS) + len(results.combinations))


def pairs_shown(results: Results, folders: Sequence[Path], most: int) -> Section:
    """A table of at most `most` cells: a row per pair, a column per model and rule, widest differences first.

    Args:
        results: the records, without sentences.
        folders: run folders the sentences are read from.
        most: cells to show, at least one row.
    """
    chosen = (
        results.records.with_columns(size=pl.col("difference").abs())
        .sort("size", descending=True, maintain_order=True)
        .with_columns(place=pl.int_range(pl.len()).over("model", "rule"))
        .group_by("item_id", maintain_order=True)
        .agg(pl.col("place").min(), pl.col("axis", "language", "stereotypical").first())
        .sort("place", maintain_order=True)
        .head(max(1, most // (len(COLUMNS) + len(results.combinations))))
    )
    total = results.records["item_id"].n_unique()
    how = (
        f"All {plural(total, 'pair')} are shown."
        if chosen.height == total
        else f"Shown are {chosen.height:,} of {total:,} pairs: in turn those with the largest absolute difference "
        "under each model and rule, largest first."
    )
    differences = {
        (item, model, rule): difference for item, model, rule, difference in _differences(results, chosen)
    }
    return Section(
        anchor=f"pairs-{results.slug}",
        title="The pairs themselves",
        lead=f"{how} A number is the score of the stereotypical sentence minus that of the other one, in the unit of "
        "the rule: above 0 the model prefers the stereotypical sentence.",
        skip="Skip these sentences",
        tables=(
            Table(
                "Sentence pairs and their differences",
                (*COLUMNS, *(_column(results, *combination) for combination in results.combinations)),
                tuple(_row(results, row, differences) for row in _with_sentences(chosen, folders)),
                tall=True,
                sortable=True,
                unveil="Show the sentences (they quote stereotypes and can be offensive)",
            ),
        ),
        closing="Every pair, with all scores and token counts, is in records.parquet of the run folder. A print of "
        "this page holds at most 40 rows.",
    )


def _column(results: Results, model: str, rule: str) -> Column:
    return Column(results.labels[model], numeric=True, below=rule)


def _differences(results: Results, chosen: pl.DataFrame) -> Iterator[tuple[str, str, str, float]]:
    """Item, model, rule and difference of the pairs shown."""
    records = results.records.join(chosen.select("item_id"), on="item_id", how="semi")
    yield from records.select("item_id", "model", "rule", "difference").iter_rows()


def _with_sentences(chosen: pl.DataFrame, folders: Sequence[Path]) -> Iterator[Mapping[str, Any]]:
    """The pairs with `first`, the stereotypical sentence, and `second`, the other one."""
    sentences = pl.concat(
        [
            pl.scan_parquet(folder / "records.parquet")
            .select("item_id", "sent_more", "sent_less")
            .join(chosen.lazy().select("item_id"), on="item_id", how="semi")
            .unique("item_id")
            .collect()
            for folder in folders
        ]
    ).unique("item_id")
    more_first = pl.col("stereotypical") == "more"
    return (
        chosen.join(sentences, on="item_id", maintain_order="left")
        .with_columns(
            first=pl.when(more_first).then("sent_more").otherwise("sent_less"),
            second=pl.when(more_first).then("sent_less").otherwise("sent_more"),
        )
        .iter_rows(named=True)
    )


def _row(
    results: Results, row: Mapping[str, Any], by_combination: Mapping[tuple[str, str, str], float]
) -> tuple[str | Cell, ...]:
    language = str(row["language"])
    differences = (by_combination.get((row["item_id"], *combination)) for combination in results.combinations)
    return (
        str(row["item_id"]),
        str(row["axis"]),
        language_name(language),
        Cell(str(row["first"]), language=language),
        Cell(str(row["second"]), language=language),
        *(
            Cell(NO_VALUE, order=LAST) if difference is None else Cell(signed(difference), order=difference)
            for difference in differences
        ),
    )


def script() -> Markup:
    """The script with the packed table library in it; base64 text needs no escaping."""
    packed = (
        f'const BUNDLE_CSS = "{_bundle("dt_bundle.css")}";\nconst BUNDLE_JS = "{_bundle("dt_bundle.js")}";\n'
    )
    return Markup(packed) + template_file(__package__, "script.js")  # noqa: S704


@cache
def _bundle(name: str) -> str:
    """A file of the DataTables bundle that itables ships ('dt_bundle.js'), gzipped, as base64 text.

    Packed because it is 700 kB otherwise. Every browser since 2023 unpacks it (DecompressionStream); in older
    ones the table stays as it is, readable.
    """
    content = (files("itables") / "html" / name).read_bytes()
    return base64.b64encode(gzip.compress(content, compresslevel=9, mtime=0)).decode("ascii")


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
