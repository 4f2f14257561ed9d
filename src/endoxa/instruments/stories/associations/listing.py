"""Fisher's exact test of a small table: every table with its margins is listed."""

from __future__ import annotations

import numpy as np

from endoxa.instruments.stories.associations.cells import log_factorials

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
