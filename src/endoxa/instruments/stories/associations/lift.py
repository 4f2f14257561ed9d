"""Strength of associations: lift and its interval, bias-corrected Cramér's V."""

from __future__ import annotations

import numpy as np
import polars as pl

from endoxa.instruments.stories.associations.cells import Cells
from endoxa.instruments.stories.associations.tables import Units


def lift_interval(
    cells: Cells, confidence: float, effects: tuple[np.ndarray, np.ndarray] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Interval of lift = (count / row) / (column / total), by the delta method on its logarithm.

    The number of stories of each base value was fixed by the prompts, so the share in the row and the share in the
    other rows are two independent proportions f1 and f2, and lift = f1 / (w f1 + (1 - w) f2) with w = row / total.
    Half a story is added to each of the four cells for the variance (Gart and Zweifel 1967): a share of 0 or 1 has one.
    No lift can be above 1 / w, so the upper end is not. It may be above total / column, the most that this table could
    show: the column is an estimate too, and cutting there lost up to half of the coverage in simulations.

    Args:
        cells: any cells.
        confidence: confidence level.
        effects: design effects of both shares where stories of one prompt depend on each other (`design_effects`).

    Returns:
        Lower and upper ends.
    """
    from scipy.special import ndtri

    count, row, column, total = cells.count, cells.row, cells.column, cells.total
    lift = count * total / (row * column)
    here, there = row + 1.0, np.maximum(total - row, 0) + 1.0
    f1, f2 = (count + 0.5) / here, (column - count + 0.5) / there
    w = row / total
    pooled = w * f1 + (1 - w) * f2
    by_f1, by_f2 = 1 / f1 - w / pooled, -(1 - w) / pooled
    effect1, effect2 = effects if effects is not None else (1.0, 1.0)
    variance = effect1 * by_f1**2 * f1 * (1 - f1) / here + effect2 * by_f2**2 * f2 * (1 - f2) / there
    width = ndtri(0.5 + confidence / 2) * np.sqrt(variance)
    return lift * np.exp(-width), np.minimum(lift * np.exp(width), total / row)


def design_effects(units: Units) -> tuple[np.ndarray, np.ndarray]:
    """How many times the variance of a share exceeds that of independent stories, in the row and in all other rows.

    Stories of one prompt are added before they are squared (Kish 1965, chapter 5). An effect is at least 1; where all
    or no story has the value, it is that of prompts whose stories are all alike.

    Returns:
        Two arrays, cell by cell, row by row.
    """
    # Sums over the prompts of each base value, of stories with each compared value (y) and all stories (m) of a prompt.
    y = units.vectors.astype(float)
    m = y.sum(axis=1)[:, None]
    sums = [units.counts @ part for part in (y**2, y * m, m**2, y, m, np.ones_like(m))]
    effects = []
    for yy, ym, mm, of_value, of_all, prompts in (sums, [part.sum(axis=0) - part for part in sums]):
        share = of_value / np.maximum(of_all, 1)
        spread = yy - 2 * share * ym + share**2 * mm
        spread *= prompts / np.maximum(prompts - 1, 1)
        alone = of_all * share * (1 - share)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(alone > 0, spread / alone, mm / of_all)
        effects.append(np.maximum(np.nan_to_num(ratio, nan=1.0), 1.0).ravel())
    return effects[0], effects[1]


def at_confidence(associations: pl.DataFrame, before: float, after: float) -> pl.DataFrame:
    """Associations with the intervals of their lifts at another confidence level.

    Args:
        associations: `DISCOVERED_COLUMNS`; rows without an interval stay without.
        before: confidence level of the intervals.
        after: the one wanted.
    """
    from scipy.special import ndtri

    if before == after:
        return associations
    factor = float(ndtri(0.5 + after / 2) / ndtri(0.5 + before / 2))
    width = (pl.col("lift") / pl.col("lift_low")).log() * factor
    most = pl.col("table_total") / pl.col("row_total")
    return associations.with_columns(
        lift_low=pl.col("lift") * (-width).exp(),
        lift_high=pl.when(pl.col("lift_low").is_not_null()).then(
            pl.min_horizontal(pl.col("lift") * width.exp(), most)
        ),
    )


CATEGORIES = ((0.5, "large"), (0.3, "medium"), (0.1, "small"))
"""Limits of Cohen's w; divided by sqrt(min(r, k) - 1) they are limits of V."""


def chi_square(counts: np.ndarray) -> float:
    """Pearson's statistic, without continuity correction."""
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    return float(((counts - expected) ** 2 / expected).sum())


def cramer_v(counts: np.ndarray) -> float:
    """Bias-corrected Cramér's V (Bergsma 2013); 0 where the correction leaves nothing.

    Args:
        counts: a table of at least two rows and columns, none of them empty.
    """
    n = int(counts.sum())
    r, k = counts.shape
    phi2 = max(0.0, chi_square(counts) / n - (k - 1) * (r - 1) / (n - 1))
    rows, columns = r - (r - 1) ** 2 / (n - 1), k - (k - 1) ** 2 / (n - 1)
    least = min(rows - 1, columns - 1)
    return float(np.sqrt(phi2 / least)) if least > 0 else 0.0


def category(v: float, shape: tuple[int, ...]) -> str:
    """'large', 'medium', 'small' or 'negligible', for a table of this shape."""
    scale = np.sqrt(min(shape) - 1)
    return next((name for limit, name in CATEGORIES if v >= limit / scale), "negligible")
