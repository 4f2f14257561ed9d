"""Means and paired comparisons of arms over seeds, with bootstrap intervals.

One set of resamples serves a whole cell: each resample takes the same seeds for every arm and measure, so that the
luck that arms share does not widen the interval of their comparison.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from endoxa.collect.sampler.types import FloatArray
from endoxa.collect.simulate.measures import MEASURES

_RESAMPLES = 2_000
_TAILS = (0.025, 0.975)
_SEED = 1


@dataclass(frozen=True)
class Interval:
    """A value with its 95 % interval."""

    value: float
    low: float
    high: float


class CellResults:
    """All campaigns of one cell.

    Args:
        rows: columns `arm`, `seed` and those of `MEASURES`. Only seeds that every arm has are used.
    """

    def __init__(self, rows: pl.DataFrame) -> None:
        self.arms: list[str] = rows["arm"].unique(maintain_order=True).to_list()
        common = rows.group_by("seed").len().filter(pl.col("len") == len(self.arms))["seed"].implode()
        rows = rows.filter(pl.col("seed").is_in(common)).sort("seed")
        self.seeds = rows["seed"].n_unique()
        self._values: dict[str, FloatArray] = {
            arm: rows.filter(pl.col("arm") == arm).select(list(MEASURES)).to_numpy() for arm in self.arms
        }

    @cached_property
    def _taken(self) -> FloatArray:
        """(resamples, seeds): how often each resample takes each seed, as a share."""
        rng = np.random.default_rng(_SEED)
        return rng.multinomial(self.seeds, np.full(self.seeds, 1 / self.seeds), size=_RESAMPLES) / self.seeds

    def values(self, arm: str, measure: str) -> FloatArray:
        """One measure of one arm, by seed."""
        return self._values[arm][:, list(MEASURES).index(measure)]

    def mean(self, arm: str, measure: str) -> Interval:
        """Mean over seeds."""
        values = self.values(arm, measure)
        return _interval(float(values.mean()), self._taken @ values)

    def ratio(self, arm: str, other: str, measure: str) -> Interval:
        """Mean of one arm over the mean of another."""
        one, two = self.values(arm, measure), self.values(other, measure)
        with np.errstate(divide="ignore", invalid="ignore"):
            resampled = (self._taken @ one) / (self._taken @ two)
            return _interval(float(np.divide(one.mean(), two.mean())), resampled)

    def difference(self, arm: str, other: str, measure: str) -> Interval:
        """Mean of one arm less the mean of another."""
        values = self.values(arm, measure) - self.values(other, measure)
        return _interval(float(values.mean()), self._taken @ values)

    def within(self, arm: str, measure: str, bound: float) -> Interval:
        """Share of seeds in which a measure lies within `bound` of 0."""
        inside = (np.abs(self.values(arm, measure)) <= bound).astype(np.float64)
        return _interval(float(inside.mean()), self._taken @ inside)


def by_cell(rows: list[dict[str, Any]]) -> dict[str, CellResults]:
    """Results of each cell."""
    frame = pl.DataFrame(rows, infer_schema_length=None)
    return {str(name): CellResults(part) for (name,), part in frame.group_by("cell", maintain_order=True)}


def summary_table(cells: dict[str, CellResults]) -> pl.DataFrame:
    """Mean and interval of each measure, by cell and arm."""
    return pl.DataFrame(
        [
            {
                "cell": name,
                "arm": arm,
                "measure": measure,
                "seeds": cell.seeds,
                **vars(cell.mean(arm, measure)),
            }
            for name, cell in cells.items()
            for arm in cell.arms
            for measure in MEASURES
        ]
    )


def _interval(value: float, resampled: FloatArray) -> Interval:
    low, high = np.quantile(resampled, _TAILS) if np.isfinite(resampled).all() else (np.nan, np.nan)
    return Interval(value, float(low), float(high))
