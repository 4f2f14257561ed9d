"""Cells with numbers on colours, described once: a page writes them as tables that stack on a phone, `draw` as SVG."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from endoxa.report.words import percent

MOST_LEVEL = 8
"""Columns up to which their names stand level; of more they stand upright, and a phone is not the only narrow place."""

NEAR = 0.35
"""Shade of a claim near the neutral value."""

FAR = 0.2
"""Distance of a value from the neutral one from which on the full colour is used."""


@dataclass(frozen=True, slots=True)
class GridCell:
    """A cell.

    Attributes:
        text: what is written.
        tip: what it is, in words.
        side: "above" or "below" by the sign of what it shows; empty where it claims nothing.
        shade: how full its colour is, from 0 to 1.
        claimed: whether something is claimed.
    """

    text: str
    tip: str
    side: str = ""
    shade: float = 0.0
    claimed: bool = False

    @property
    def percent(self) -> int:
        """The shade in percent."""
        return round(100 * self.shade)


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows against columns.

    Attributes:
        title: heading of one of several, or empty.
        columns: names of the columns.
        rows: name and cells of every row; None where there is no cell.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[GridCell | None, ...]], ...]


@dataclass(frozen=True, slots=True)
class Grids:
    """Grids of one figure.

    Attributes:
        grids: the grids.
        legend: what colours mean, or empty.
    """

    grids: tuple[Grid, ...]
    legend: str = ""

    @property
    def many(self) -> bool:
        """Whether the names of columns stand upright."""
        return max((len(grid.columns) for grid in self.grids), default=0) > MOST_LEVEL


def grid_of(
    cells: Iterable[Mapping[str, Any]],
    rows: Sequence[str],
    columns: Sequence[str],
    made: Callable[[Mapping[str, Any]], GridCell | None],
) -> Grid:
    """The grid of cells with the columns `row` and `column`."""
    placed = {(cell["row"], cell["column"]): made(cell) for cell in cells}
    lines = tuple((row, tuple(placed.get((row, column)) for column in columns)) for row in rows)
    return Grid("", tuple(columns), lines)


def claim_grid(frame: pl.DataFrame, rows: Sequence[str], columns: Sequence[str]) -> Grids:
    """Cells that have a colour only where something is claimed.

    Args:
        frame: `row`, `column`, `value` (or null), `verdict`, `text` (what is written), `far` (True for the full
            colour), and perhaps `tip`.
        rows: labels in order.
        columns: labels in order.
    """

    def made(cell: Mapping[str, Any]) -> GridCell:
        text, verdict = cell["text"], cell["verdict"] or ""
        tip = f"{cell['row']}, {cell['column']}: {text}, {verdict.replace('-', ' ')}"
        side = verdict if verdict in ("above", "below") else ""
        shade = (1.0 if cell["far"] else NEAR) if side else 0.0
        return GridCell(text, cell.get("tip", tip), side, shade, claimed=bool(side))

    return Grids((grid_of(frame.drop_nulls("value").iter_rows(named=True), rows, columns, made),))


def share_grid(
    frame: pl.DataFrame, order: Sequence[str], *, domain: tuple[float, float], title: str
) -> Grids:
    """Every two of a list, the fuller the more they share.

    Args:
        frame: `row`, `column` and `value` (a share, or null).
        order: labels in the order of rows and columns.
        domain: shares of an empty and of a full cell.
        title: what the shares are.
    """
    low, high = domain

    def made(cell: Mapping[str, Any]) -> GridCell | None:
        if cell["value"] is None:
            return None
        shade = min(1.0, max(0.0, (cell["value"] - low) / (high - low))) if high > low else 0.0
        text = percent(cell["value"], 0)
        return GridCell(text, f"{cell['row']}, {cell['column']}: {text}", "above", shade)

    return Grids((grid_of(frame.iter_rows(named=True), order, order, made),), title)
