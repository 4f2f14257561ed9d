"""The pairs a page shows: a fixed choice of the widest differences, with their sentences."""

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

from endoxa.instruments.pairs.report.results import Results
from endoxa.page.document import Section
from endoxa.page.frame import own_file
from endoxa.page.tables import Cell, Column, Table
from endoxa.page.words import language_name, plural, signed

MOST_ROWS = 2500
"""Rows of all pair tables of a page together."""

COLUMNS = (
    *map(Column, ("pair", "axis", "language", "model", "rule")),
    Column("stereotypical sentence", veiled=True),
    Column("other sentence", veiled=True),
    Column("difference", numeric=True),
)


def pairs_shown(results: Results, folders: Sequence[Path], most: int) -> Section:
    """A table of at most `most` rows: for every model and rule as many, the largest absolute differences first.

    Args:
        results: the records, without sentences.
        folders: run folders the sentences are read from.
        most: rows to show.
    """
    chosen = _chosen(results, most)
    total = results.records.height
    how = (
        f"All {plural(total, 'row')} are shown."
        if chosen.height == total
        else f"Shown are {chosen.height:,} of {total:,} rows: for every model and rule the {_each(results, most):,} "
        "pairs with the largest absolute difference, largest first."
    )
    return Section(
        anchor=f"pairs-{results.slug}",
        title="The pairs themselves",
        lead=f"{how} The difference is the score of the stereotypical sentence minus that of the other one, in the "
        "unit of the rule.",
        skip="Skip these sentences",
        tables=(
            Table(
                "Sentence pairs and their differences",
                COLUMNS,
                tuple(_row(results, row) for row in _with_sentences(chosen, folders)),
                headed=False,
                tall=True,
                sortable=True,
                unveil="Show the sentences (they quote stereotypes and can be offensive)",
            ),
        ),
        closing="Every row, with all scores and token counts, is in records.parquet of the run folder. A print of this "
        "page holds at most 40 rows.",
    )


def _each(results: Results, most: int) -> int:
    """Rows shown of every model and rule."""
    total = results.records.height
    return total if total <= most else max(1, most // len(results.combinations))


def _chosen(results: Results, most: int) -> pl.DataFrame:
    """The records shown.

    Rules have different units, so the largest are taken within each model and rule; of equal ones those that
    come first in the records.
    """
    return (
        results.records.with_columns(size=pl.col("difference").abs())
        .sort("size", descending=True, maintain_order=True)
        .with_columns(place=pl.int_range(pl.len()).over("model", "rule"))
        .filter(pl.col("place") < _each(results, most))
        .sort("place", maintain_order=True)
    )


def _with_sentences(chosen: pl.DataFrame, folders: Sequence[Path]) -> Iterator[Mapping[str, Any]]:
    """The rows with `first`, the stereotypical sentence, and `second`, the other one."""
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
    return (
        chosen.join(sentences, on=keys, maintain_order="left")
        .with_columns(
            first=pl.when(more_first).then("sent_more").otherwise("sent_less"),
            second=pl.when(more_first).then("sent_less").otherwise("sent_more"),
        )
        .iter_rows(named=True)
    )


def _row(results: Results, row: Mapping[str, Any]) -> tuple[str | Cell, ...]:
    difference = float(row["difference"])
    language = str(row["language"])
    return (
        str(row["item_id"]),
        str(row["axis"]),
        language_name(language),
        results.labels[str(row["model"])],
        str(row["rule"]),
        Cell(str(row["first"]), language=language),
        Cell(str(row["second"]), language=language),
        Cell(signed(difference), order=difference),
    )


def script() -> Markup:
    """The script with the packed table library in it; base64 text needs no escaping."""
    packed = (
        f'const BUNDLE_CSS = "{_bundle("dt_bundle.css")}";\nconst BUNDLE_JS = "{_bundle("dt_bundle.js")}";\n'
    )
    return Markup(packed) + own_file(__package__, "script.js")  # noqa: S704


@cache
def _bundle(name: str) -> str:
    """A file of the DataTables bundle that itables ships ('dt_bundle.js'), gzipped, as base64 text.

    Packed because it is 700 kB otherwise. Every browser since 2023 unpacks it (DecompressionStream); in older
    ones the table stays as it is, readable.
    """
    content = (files("itables") / "html" / name).read_bytes()
    return base64.b64encode(gzip.compress(content, compresslevel=9, mtime=0)).decode("ascii")
