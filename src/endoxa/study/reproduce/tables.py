"""Printed tables: those that endoxa holds (`published/`), and `published.csv` in the user's data folder."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from io import BytesIO

import polars as pl

from endoxa.errors import UserError
from endoxa.sources.frames import read_table
from endoxa.study.reproduce.declaration import Cell, rounding
from endoxa.study.reproduce.given import PUBLISHED_FILE, Given


def printed(name: str) -> pl.DataFrame:
    """A table of `published/`, every column as text so that the number of printed decimals is kept."""
    content = (files("endoxa.study.reproduce") / "published" / f"{name}.csv").read_bytes()
    return pl.read_csv(BytesIO(content), infer_schema=False)


def decimals(text: str) -> int:
    """Printed decimals of a number: 2 for '0.50'."""
    return len(text.partition(".")[2])


def own_values(given: Given) -> dict[tuple[str, str], tuple[float, int]]:
    """Published number and its decimals by table and cell, from published.csv in the data folder; empty without it.

    Raises:
        UserError: a column is missing, a number cannot be read, or a cell stands twice.
    """
    path = given.find(PUBLISHED_FILE)
    if path is None:
        return {}
    found: dict[tuple[str, str], tuple[float, int]] = {}
    rows = read_table(path, ("table", "cell", "published")).iter_rows(named=True)
    for number, row in enumerate(rows, start=1):
        text, key = (
            (row["published"] or "").strip(),
            ((row["table"] or "").strip(), (row["cell"] or "").strip()),
        )
        try:
            value = float(text)
        except ValueError:
            raise UserError(
                f"{path}, row {number}: published is '{text}'. Expected the number as printed."
            ) from None
        if key in found:
            raise UserError(f"{path}, row {number}: {key[0]}, {key[1]} is there twice. Keep one.")
        found[key] = value, decimals(text)
    return found


def from_user(cells: tuple[Cell, ...], given: Given) -> list[Cell]:
    """The cells with the numbers of published.csv where endoxa holds none, and its further rows below them."""
    own = own_values(given)
    filled = [_filled(cell, own) for cell in cells]
    known = {cell.key for cell in cells}
    return filled + [_of(*key, *value) for key, value in own.items() if key not in known]


def _filled(cell: Cell, own: Mapping[tuple[str, str], tuple[float, int]]) -> Cell:
    if cell.published is not None or cell.key not in own:
        return cell
    return _of(*cell.key, *own[cell.key], known=cell.known)


def _of(table: str, cell: str, value: float, places: int, known: str = "") -> Cell:
    return Cell(table, cell, value, rounding(places), known, PUBLISHED_FILE, places)
