"""Rows behind a figure: a link that works without scripts and without a network, and files beside the page."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import polars as pl
import polars.selectors as cs

from endoxa.report.document import Figure
from endoxa.schema.characters import xml_text
from endoxa.sources.spreadsheets import csv_text

DIGITS = 8
"""Significant digits of numbers."""

LARGEST = 100_000
"""Characters of an address at most; the rows of larger figures are in the tables that the run wrote."""

_PLAIN = ",/:;+()=*!@~"
"""Signs that an address may hold as they are, besides letters, digits and _.-"""

_DRAWING = frozenset({"tip", "note", "text", "filled", "far", "dark", "neutral"})
"""Columns that charts draw with, and that say nothing beside the others."""


def csv_address(rows: pl.DataFrame) -> str:
    """The rows as CSV in a `data:` address: UTF-8, numbers with `DIGITS` significant digits, undefined values empty."""
    rounded = rows.with_columns(cs.float().fill_nan(None).round_sig_figs(DIGITS))
    return f"data:text/csv;charset=utf-8,{quote(csv_text(rounded), safe=_PLAIN)}"


def rows_of(figure: Figure) -> pl.DataFrame | None:
    """What readers can download of a figure: its own rows, else those that its chart draws, in the columns it uses.

    None for figures without rows, with rows that are part of another figure's, and with very many.
    """
    if figure.rows is not None or figure.part_of is not None:
        return figure.rows
    spec = figure.chart.to_dict(validate=False)
    used = [name for name in dict.fromkeys(_fields(spec)) if name not in _DRAWING]
    tables = (
        pl.DataFrame(rows, infer_schema_length=None) for rows in spec.get("datasets", {}).values() if rows
    )
    drawn = (table.select(name for name in used if name in table.columns) for table in tables)
    best = max(drawn, key=lambda table: (table.width, table.height), default=None)
    if best is None or best.width < 2 or len(csv_address(best)) > LARGEST:
        return None
    return best.unique(maintain_order=True)


def write_data(figures: Sequence[Figure], folder: Path, about: Mapping[str, Any]) -> None:
    """Write `NAME.csv`, the rows behind every figure that has any, and `NAME.json`, what it shows, into the folder.

    Args:
        figures: of one page, their rows those of `rows_of`.
        folder: where their pictures are.
        about: what is said of all of them: page, program, runs and models.

    Raises:
        OSError: a file cannot be written.
    """
    every = {figure.name: figure.rows for figure in figures}
    for figure in figures:
        rows = figure.rows
        if figure.part_of is not None and (whole := every.get(figure.part_of[0])) is not None:
            rows = whole.filter(**figure.part_of[1])
        names = [f"{figure.name}.svg", f"{figure.name}.png"]
        if rows is not None:
            names.append(f"{figure.name}.csv")
            (folder / names[-1]).write_text(csv_text(rows), encoding="utf-8")
        described = {
            "name": figure.name,
            "title": figure.title,
            "description": figure.alt,
            "files": [name for name in names if (folder / name).is_file()],
            "rows": None if rows is None else rows.height,
            "columns": [] if rows is None else rows.columns,
            **about,
        }
        text = json.dumps(described, ensure_ascii=False, indent=2)
        (folder / f"{figure.name}.json").write_text(xml_text(text) + "\n", encoding="utf-8")


def _fields(part: Any) -> Iterator[str]:
    """Names of the columns that a chart places, colours or writes, in order of appearance."""
    if isinstance(part, dict):
        for key, value in part.items():
            if key == "field" and isinstance(value, str):
                yield value
            elif key != "datasets":
                yield from _fields(value)
    elif isinstance(part, list):
        for element in part:
            yield from _fields(element)
