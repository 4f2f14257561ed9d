"""Rows behind a figure: a link that works without scripts and without a network, and files beside the page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
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


def csv_address(rows: pl.DataFrame) -> str:
    """The rows as CSV in a `data:` address: UTF-8, numbers with `DIGITS` significant digits, undefined values empty."""
    rounded = rows.with_columns(cs.float().fill_nan(None).round_sig_figs(DIGITS))
    return f"data:text/csv;charset=utf-8,{quote(csv_text(rounded), safe=_PLAIN)}"


def write_data(figures: Sequence[Figure], folder: Path, about: Mapping[str, Any]) -> None:
    """Write `NAME.csv`, the rows behind every figure that has any, and `NAME.json`, what it shows, into the folder.

    Args:
        figures: of one page.
        folder: where their pictures are.
        about: what is said of all of them: page, program, runs and models.

    Raises:
        OSError: a file cannot be written.
    """
    for figure in figures:
        rows = figure.rows
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
