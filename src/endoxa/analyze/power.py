"""What a number of pairs can show at all: the smallest effect found with 80 % power at a two-sided 5 %."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import polars as pl

from endoxa.analyze.inference import NAN, UNDEFINED, Inference, estimate
from endoxa.analyze.samples import check_sample
from endoxa.errors import UserError
from endoxa.schema import Estimate, Sample, Statistic

ALPHA = 0.05
POWER = 0.8
PLAN_COLUMNS: dict[str, str] = {
    "language": "a language, or 'all'",
    "axis": "an axis, or 'all'",
    "n": "pairs",
    "n_identities": "identities they are about",
    "ratio_if_independent": "smallest preference ratio the exact sign test tells from 0.5, pairs independent",
    "ratio_if_identities_agree": "the same where pairs sharing an identity always answer alike",
    "effect_if_independent": "smallest Cohen's d_z the t-test tells from 0, pairs independent",
    "effect_if_identities_agree": "the same where pairs sharing an identity always answer alike",
}
"""Columns of `plan_pairs`."""


@lru_cache(maxsize=4096)
def minimum_detectable_ratio(n: int) -> float:
    """Smallest preference ratio above 0.5 that the exact sign test on n untied pairs finds at that power.

    The ratio below 0.5 is its mirror image. NaN where no outcome would be significant (fewer than 6 pairs).
    """
    from scipy.optimize import brentq
    from scipy.stats import binom

    if n < 1:
        return NAN
    critical = int(binom.isf(ALPHA / 2, n, 0.5)) + 1  # fewest wins whose two-sided p is at most ALPHA
    if critical > n:
        return NAN

    def shortfall(ratio: float) -> float:
        return float(binom.sf(critical - 1, n, ratio) + binom.cdf(n - critical, n, ratio)) - POWER

    return float(brentq(shortfall, 0.5, 1.0))


@lru_cache(maxsize=4096)
def minimum_detectable_effect_size(n: int) -> float:
    """Smallest Cohen's d_z above 0 that the two-sided t-test on n pairs finds at that power.

    From the noncentral t distribution with parameter d_z sqrt(n) (Cohen 1988). The chance to be
    significant on the wrong side is left out: it is far below the digits shown. NaN for a single pair.
    """
    from scipy.special import nctdtrinc
    from scipy.stats import t

    if n < 2:
        return NAN
    critical = t.isf(ALPHA / 2, n - 1)
    return float(nctdtrinc(n - 1, 1 - POWER, critical) / n**0.5)


def plan_pairs(cells: pl.DataFrame) -> pl.DataFrame:
    """What each cell of a planned run can show, before anything is scored.

    Args:
        cells: columns language, axis, n (pairs) and n_identities (null where identities are not known).

    Returns:
        The same rows with the columns of `PLAN_COLUMNS`. Reality lies between the two assumptions. NaN where
        the test cannot become significant, or where the number of identities is not known.

    Raises:
        UserError: a column is missing.
    """
    missing = [name for name in ("language", "axis", "n", "n_identities") if name not in cells.columns]
    if missing:
        raise UserError(
            f"The cells to plan for lack the column '{missing[0]}' (found: {', '.join(cells.columns)})."
        )

    def column(name: str, function: Callable[[int], float], source: str) -> pl.Series:
        counts = cells[source].to_list()
        return pl.Series(name, [NAN if n is None else function(n) for n in counts], dtype=pl.Float64)

    return cells.select("language", "axis", "n", "n_identities").with_columns(
        column("ratio_if_independent", minimum_detectable_ratio, "n"),
        column("ratio_if_identities_agree", minimum_detectable_ratio, "n_identities"),
        column("effect_if_independent", minimum_detectable_effect_size, "n"),
        column("effect_if_identities_agree", minimum_detectable_effect_size, "n_identities"),
    )


def _statistic(
    name: str, unit: str, function: Callable[[int], float], summary: str, source: str
) -> Statistic:
    def compute(sample: Sample, confidence: float, _seed: int) -> list[Estimate]:
        check_sample(sample, confidence)
        n = len(sample.difference)
        inference = Inference(UNDEFINED, NAN, f"power {POWER}, two-sided level {ALPHA}, independent pairs")
        return [estimate(name, function(n), inference, n=n, neutral=NAN, confidence=confidence)]

    return Statistic(name, unit, NAN, summary, source, compute)


MINIMUM_DETECTABLE_RATIO = _statistic(
    "minimum_detectable_ratio",
    "share of pairs",
    minimum_detectable_ratio,
    "smallest preference ratio that this many pairs could have told from 0.5",
    "power of the exact sign test (scipy.stats.binom)",
)

MINIMUM_DETECTABLE_EFFECT_SIZE = _statistic(
    "minimum_detectable_effect_size",
    "standard deviations",
    minimum_detectable_effect_size,
    "smallest Cohen's d_z that this many pairs could have told from 0",
    "power of the paired t-test (noncentral t, scipy)",
)
