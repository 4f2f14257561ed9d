"""How many stories does it take to see an association? Asked before a run."""

from __future__ import annotations

import numpy as np

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
    found = hypergeom.sf(counts - 1, total, columns, stories) <= threshold
    return float(binom.pmf(counts, stories, min(1.0, base_rate * lift))[found].sum())


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

    given = {"base_rate": base_rate, "lift": lift, "alpha": alpha}

    def enough(stories: int) -> bool:
        table = table_power(stories, values=values, columns=columns, tables=tables, **given)
        # The cell's power takes longer to compute.
        return (
            table >= target
            and table * power(stories, values=values, cells=values * columns, **given) >= target
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
