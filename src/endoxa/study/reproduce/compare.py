"""Printed cells against ours: differences and verdicts, decided here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import polars as pl

from endoxa.schema.reproduction import (
    AGREES,
    DIFFERS,
    NOT_COMPARABLE,
    NOT_COMPUTED,
    REPRODUCTION_COLUMNS,
)
from endoxa.study.reproduce.declaration import EXACT, Cell, Key, Ours

SLACK = 1e-9
"""Differences of this size come from floating point: 0.6855 - 0.685 is a little more than 0.0005."""

UNKNOWN = "endoxa knows no reason for the difference"
NOT_GIVEN = "what it needs was not given"
UNREAD = "the printed number cannot be read here: give it in published.csv"

_NUMBERS = ("published", "ours", "difference", "tolerance")
TYPES: dict[str, type[pl.DataType]] = {
    name: pl.Float64 if name in _NUMBERS else pl.String for name in REPRODUCTION_COLUMNS
}


def compare(result: str, citation: str, cells: Sequence[Cell], ours: Mapping[Key, Ours]) -> pl.DataFrame:
    """One row for each printed cell in the order given, then one for each number of ours without a printed cell.

    A verdict needs a printed number and the paper's own model and data: everything else is not comparable or not
    computed, and is listed.

    Args:
        result: name of the published result.
        citation: where cells without a source of their own were read.
        cells: printed cells, each key once.
        ours: what was computed, by table and cell.

    Returns:
        `schema.reproduction.REPRODUCTION_COLUMNS`.

    Raises:
        ValueError: a cell is declared twice.
    """
    keys = [one.key for one in cells]
    if len(set(keys)) < len(keys):
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"{result}: the cell {twice} is declared twice")
    rows = [{"result": result, **_row(one, ours.get(one.key), citation)} for one in cells]
    rows += [
        {"result": result, **_row(Cell(*key, None, EXACT), one, citation), "tolerance": None}
        | {"tolerance_reason": "", "source": ""}
        for key, one in ours.items()
        if key not in set(keys)
    ]
    return pl.DataFrame(rows, schema=TYPES)


def _row(cell: Cell, ours: Ours | None, citation: str) -> dict[str, Any]:
    value = None if ours is None or ours.value is None or not isfinite(ours.value) else float(ours.value)
    verdict, why = _verdict(cell, ours, value)
    judged = verdict in (AGREES, DIFFERS)
    return {
        "table": cell.table,
        "cell": cell.cell,
        "published": cell.published,
        "ours": value,
        "difference": value - cell.published if judged and value is not None and cell.published is not None else None,
        "tolerance": cell.tolerance.value,
        "tolerance_reason": cell.tolerance.reason,
        "verdict": verdict,
        "why": why,
        "source": cell.source or citation,
    }


def _verdict(cell: Cell, ours: Ours | None, value: float | None) -> tuple[str, str]:
    """The verdict and the reason for it."""
    if ours is None or value is None:
        return NOT_COMPUTED, _joined(ours.why if ours and ours.why else NOT_GIVEN, cell.known)
    if not ours.comparable:
        return NOT_COMPARABLE, ours.why
    if cell.published is None:
        return NOT_COMPARABLE, ours.why or UNREAD
    if abs(value - cell.published) <= cell.tolerance.value + SLACK:
        return AGREES, ours.why
    return DIFFERS, _joined(ours.why, cell.known) or UNKNOWN


def _joined(*sentences: str) -> str:
    return "; ".join(one for one in sentences if one)


def counted(cells: pl.DataFrame) -> dict[str, int]:
    """Number of cells with each verdict, and `printed`: cells of the paper, with or without a verdict."""
    found = dict(cells["verdict"].value_counts().iter_rows())
    printed = cells.filter(pl.col("source") != "").height
    return {**{name: found.get(name, 0) for name in (AGREES, DIFFERS, NOT_COMPARABLE, NOT_COMPUTED)}, "printed": printed}


def finding(cells: pl.DataFrame) -> str:
    """What came of it, in a sentence or two: how many cells agree, of how many."""
    n = counted(cells)
    judged = n[AGREES] + n[DIFFERS]
    if not judged:
        said = ["No cell could be judged"]
    else:
        said = [f"{n[AGREES]:,} of {judged:,} cells agree with the published value"]
    rest = [
        f"{n[name]:,} {words}"
        for name, words in (
            (DIFFERS, "differ" if n[DIFFERS] > 1 else "differs"),
            (NOT_COMPARABLE, "cannot be compared"),
            (NOT_COMPUTED, "were not computed" if n[NOT_COMPUTED] > 1 else "was not computed"),
        )
        if n[name]
    ]
    return "; ".join([*said, *rest]) + "."
