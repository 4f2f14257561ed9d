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
    count, r, c, n = (part[:, None] for part in (cells.count, cells.row, cells.column, cells.total))
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


DOUBT = 1.0
"""How far the logarithm of the approximate number of tables may be beyond the limit before listing is not tried."""
TOLERANCE = 1e-9
"""Logarithms of probabilities that differ by less are of tables equally probable."""


def exact_p(counts: np.ndarray, most: int) -> float | None:
    """Probability of the tables at most as probable as `counts`, or None where there are more than `most` tables.

    Tables are listed column by column: an array of what is left of each row, and the sum of the logarithms of the
    factorials so far.
    """
    if counts.shape[0] > counts.shape[1]:
        counts = counts.T
    if log_number(counts) > np.log(most) + DOUBT:
        return None
    factorials = log_factorials(int(counts.sum())).astype(np.float64)
    left = counts.sum(axis=1)[None, :]
    sums = np.zeros(1)
    for total in counts.sum(axis=0)[:-1]:
        columns = _columns(left, int(total), most)
        if columns is None:
            return None
        place, values = columns
        left = left[place] - values
        sums = sums[place] + factorials[values].sum(axis=1)
    # What is left of the rows is the last column.
    logs = -(sums + factorials[left].sum(axis=1))
    weights = np.exp(logs - logs.max())
    observed = -float(factorials[counts].sum())
    return float(weights[logs <= observed + TOLERANCE].sum() / weights.sum())


def log_number(counts: np.ndarray) -> float:
    """Logarithm of about how many tables have these margins (Gail and Mantel 1977, equation 2.4).

    Columns are filled evenly over all ways there are; the row totals are then about normal.
    """
    from scipy.special import gammaln

    rows, columns = counts.sum(axis=1).astype(float), counts.sum(axis=0).astype(float)
    r, n = len(rows), rows.sum()
    ways = (gammaln(columns + r) - gammaln(r) - gammaln(columns + 1)).sum()
    variance = (columns * (columns + r)).sum() * (r - 1) / (r**2 * (r + 1))
    distance = (r - 1) / (r * variance) * ((rows**2).sum() - n**2 / r)
    chance = (r - 1) / 2 * np.log((r - 1) / (2 * np.pi * variance * r)) + np.log(r) / 2 - distance / 2
    return float(ways + chance)


def _columns(left: np.ndarray, total: int, most: int) -> tuple[np.ndarray, np.ndarray] | None:
    """All columns with a total that fit into what is left of the rows, for each way of having come so far.

    Returns:
        Which line of `left` each column goes with, and the columns; None where there are more than `most`.
    """
    place = np.arange(len(left))
    values = np.zeros((len(left), 0), dtype=np.int64)
    need = np.full(len(left), total)
    for row in range(left.shape[1]):
        rest = left[place, row + 1 :].sum(axis=1)
        low, high = np.maximum(need - rest, 0), np.minimum(left[place, row], need)
        choices = high - low + 1
        if choices.sum() > most:
            return None
        again = np.repeat(np.arange(len(place)), choices)
        within = np.arange(len(again)) - np.repeat(np.cumsum(choices) - choices, choices)
        chosen = low[again] + within
        place, need = place[again], need[again] - chosen
        values = np.column_stack([values[again], chosen])
    return place, values


MOST = 1_000_000
"""Stories of a base value after which an association counts as not to be seen."""
TABLES = 18
"""Tables of a family: StereoTales' 19 attributes but the base attribute."""


def power(
    stories: int, *, base_rate: float, lift: float, values: int, cells: int, alpha: float = 0.05
) -> float:
    """Probability that one cell with this lift passes step 2, in a table that step 1 has kept.

    The cell must pass the strictest of Benjamini and Yekutieli's thresholds, alpha / (m (1 + 1/2 + ... + 1/m)) with m
    cells, which is exact where it is the only association of its table, and cautious elsewhere. Stories of the other
    base values are taken at their expected number with the compared value; the cell's own count is binomial.

    Args:
        stories: stories of each base value in which the compared attribute could be read.
        base_rate: share of the compared value in the whole table.
        lift: share in the base value's stories / `base_rate`; their product must be below 1.
        values: base values.
        cells: cells of the table.
        alpha: false-discovery rate.
    """
    from scipy.stats import binom, hypergeom

    total = stories * values
    column_elsewhere = base_rate * (values - lift) * stories
    if column_elsewhere < 0:
        raise ValueError("the other base values cannot have a negative share: lift must be at most `values`")
    threshold = alpha / (cells * np.sum(1 / np.arange(1, cells + 1)))
    counts = np.arange(stories + 1)
    columns = counts + round(column_elsewhere)
    passes = hypergeom.sf(counts - 1, total, columns, stories) <= threshold
    return float(binom.pmf(counts, stories, min(1.0, base_rate * lift))[passes].sum())


def table_power(
    stories: int,
    *,
    base_rate: float,
    lift: float,
    values: int,
    columns: int,
    tables: int = TABLES,
    alpha: float = 0.05,
) -> float:
    """Probability that a table with one such cell, and nothing else in its family, is kept by step 1.

    Fisher's test orders tables by -2 log of their probability, which to second order of Stirling's formula is
    2 sum n_ij log(n_ij / e_ij) + sum log(n_ij / e_ij) and a constant: taken as noncentral chi-square, with this sum of
    expected numbers as its noncentrality. (Pearson's statistic promises 0.8 where Fisher's test has 0.7: it rewards
    single cells with an excess more.) It must pass alpha / tables, Benjamini and Hochberg's threshold for a single
    rejection. The other base values share what is left of the compared value evenly, the other compared values what is
    left of each row in proportion.

    Args:
        stories: see `power`, as the others.
        base_rate: see `power`.
        lift: see `power`.
        values: see `power`.
        columns: compared values.
        tables: tables of the family.
        alpha: see `power`.
    """
    from scipy.stats import chi2, ncx2

    total = stories * values
    rest = 1 - base_rate
    rows = np.array([1.0, values - 1.0])
    lifts = np.array([lift, (values - lift) / (values - 1)])
    # Rows: the base value, all others. Columns: the compared value, all others.
    ratios = np.column_stack([lifts, (1 - base_rate * lifts) / rest]).clip(min=1 / total)
    expected = np.outer(rows / values, [base_rate, rest])
    cells = np.outer(rows, [1, columns - 1])
    excess = ((2 * total * expected * ratios + cells) * np.log(ratios)).sum()
    freedom = (values - 1) * (columns - 1)
    return float(ncx2.sf(chi2.isf(alpha / tables, freedom), freedom, max(0.0, excess)))


def stories_needed(
    *,
    base_rate: float,
    lift: float,
    values: int,
    columns: int,
    tables: int = TABLES,
    alpha: float = 0.05,
    target: float = 0.8,
) -> int | None:
    """Fewest stories of each base value (with the compared attribute read) that give the power asked for.

    An association is found where its table and its cell both pass. Both rise with the same stories, so the product of
    `table_power` and `power` is at most the probability of both.

    Args:
        base_rate: see `power`, as the others.
        lift: see `power`.
        values: see `power`.
        columns: see `table_power`.
        tables: see `table_power`.
        alpha: see `power`.
        target: power asked for.

    Returns:
        None where the lift is impossible (a share above 1, or more than the other values leave), or takes over a
        million.
    """
    if base_rate * lift > 1 or lift > values:
        return None

    shared = {"base_rate": base_rate, "lift": lift, "alpha": alpha}

    def enough(stories: int) -> bool:
        table = table_power(stories, values=values, columns=columns, tables=tables, **shared)
        # The cell's power takes longer to compute.
        return (
            table >= target
            and table * power(stories, values=values, cells=values * columns, **shared) >= target
        )

    high = 10
    while not enough(high):
        high *= 2
        if high > MOST:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
