"""Long tables about answers, with the measures of a cell side by side."""

from __future__ import annotations

from typing import Any

import polars as pl

from endoxa.instruments.questions.estimates.measures import CELL

OF_EACH = ("low", "high", "n", "reason", "mean", "sd", "bound_low", "bound_high")


def side_by_side(table: pl.DataFrame, key: tuple[str, ...]) -> list[dict[str, Any]]:
    """A row for each cell: a measure by its name, its interval as `accuracy_low`, and the cells of what is tested."""
    cells: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in table.iter_rows(named=True):
        cell = cells.setdefault(tuple(row[name] for name in key), {})
        if row["verdict"] or not cell:
            cell |= {
                name: value for name, value in row.items() if name not in ("value", "low", "high", "name")
            }
        cell |= {row["name"]: row["value"]}
        cell |= {f"{row['name']}_{name}": row[name] for name in OF_EACH if name in row}
    return list(cells.values())


def cells_of(analysis: Any) -> list[dict[str, Any]]:
    """Estimates and counts of an analysis, a row for each cell."""
    rows = side_by_side(analysis.estimates, CELL)
    counts = {tuple(row[name] for name in CELL): row for row in analysis.counts.iter_rows(named=True)}
    return [row | counts[tuple(row[name] for name in CELL)] for row in rows]
