"""Fisher's exact test of single cells: does this value come more often than the margins say?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

FLOATS = 2_000_000
"""Terms of tails held at once."""


def log_factorials(most: int) -> np.ndarray:
    """log(0!) .. log(most!), summed in extended precision, so that differences keep twelve digits and more."""
    return _log_factorials(1 << most.bit_length())[: most + 1]


@cache
def _log_factorials(most: int) -> np.ndarray:
    logs = np.log(np.arange(1, most + 1, dtype=np.longdouble))
    return np.concatenate([np.zeros(1, dtype=np.longdouble), np.cumsum(logs)])


@dataclass(frozen=True, slots=True)
class Cells:
    """Cells of tables; four arrays of one length.

    Attributes:
        count: stories in the cell.
        row: total of its row.
        column: total of its column.
        total: total of its table.
    """

    count: np.ndarray
    row: np.ndarray
    column: np.ndarray
    total: np.ndarray

    def __len__(self) -> int:
        """Number of cells."""
        return len(self.count)

    def __getitem__(self, which: np.ndarray) -> Cells:
        """Some of the cells."""
        return Cells(self.count[which], self.row[which], self.column[which], self.total[which])


def cells_of(tables: Sequence[np.ndarray]) -> tuple[Cells, np.ndarray]:
    """All cells of several tables (rows x columns), table by table and row by row, and where each table begins."""
    cells = Cells(
        np.concatenate([counts.ravel() for counts in tables]),
        np.concatenate([np.repeat(counts.sum(axis=1), counts.shape[1]) for counts in tables]),
        np.concatenate([np.tile(counts.sum(axis=0), counts.shape[0]) for counts in tables]),
        np.concatenate([np.full(counts.size, counts.sum()) for counts in tables]),
    )
    return cells, np.concatenate([[0], np.cumsum([counts.size for counts in tables])])


def log_p_greater(cells: Cells) -> np.ndarray:
    """Natural logarithm of P(X >= count) for X hypergeometric with a cell's margins (one-sided Fisher test).

    Exact to about 1e-12 relative; it does not underflow.
    """
    factorials = log_factorials(int(cells.total.max()))
    lengths = np.minimum(cells.row, cells.column) - cells.count + 1
    order = np.argsort(lengths)
    result = np.empty(len(cells))
    start = 0
    while start < len(order):
        # Cells with tails of like length go together; the array is as wide as the longest of them.
        stop = start + 1
        while stop < len(order) and (stop - start + 1) * int(lengths[order[stop]]) <= FLOATS:
            stop += 1
        some = order[start:stop]
        result[some] = _tails(cells[some], int(lengths[order[stop - 1]]), factorials)
        start = stop
    return result


def _tails(cells: Cells, width: int, factorials: np.ndarray) -> np.ndarray:
    count, r, c, n = (one[:, None] for one in (cells.count, cells.row, cells.column, cells.total))
    x = count + np.arange(width)
    inside = x <= np.minimum(r, c)
    x = np.where(inside, x, count)
    f = factorials
    fixed = f[r] + f[n - r] + f[c] + f[n - c] - f[n]
    terms = fixed - (f[x] + f[r - x] + f[c - x] + f[n - r - c + x])
    terms = np.where(inside, terms, -np.inf).astype(np.float64)
    top = terms.max(axis=1, keepdims=True)
    logs: np.ndarray = top[:, 0] + np.log(np.exp(terms - top).sum(axis=1))
    return logs.clip(max=0.0)
