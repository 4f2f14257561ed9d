"""What a number of observations can show: the smallest effect that a test finds four times in five."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import floor, sqrt

import numpy as np

from endoxa.stats.intervals import effective_number
from endoxa.stats.signs import fewest_units

NAN = float("nan")
ALPHA = 0.05
POWER = 0.8
ASSUMED_CORRELATION = 0.1
"""Correlation of answers about one identity that is assumed before there are any."""
STEP = 0.05
"""Correlations are rounded to this step."""

_SIMULATED_BELOW = 20
_WORLDS = 400
_PATTERNS = 4096
_EVERY_PATTERN_UP_TO = 13
_T_POWER = 0.83
"""Asked of the t approximation, which promises about three points too much of the sign-flip test."""


@lru_cache(maxsize=4096)
def detectable_share_independent(n: int, alpha: float = ALPHA) -> float:
    """Smallest share above 0.5 that the exact sign test on n independent observations finds with `POWER`.

    The share below 0.5 is its mirror image. NaN where no outcome would be significant (fewer than 6 at 0.05).
    """
    from scipy.optimize import brentq
    from scipy.stats import binom

    if n < 1:
        return NAN
    critical = int(binom.isf(alpha / 2, n, 0.5)) + 1  # fewest wins whose two-sided p is at most alpha
    if critical > n:
        return NAN

    def shortfall(share: float) -> float:
        return float(binom.sf(critical - 1, n, share) + binom.cdf(n - critical, n, share)) - POWER

    return float(brentq(shortfall, 0.5, 1.0))


@lru_cache(maxsize=4096)
def detectable_effect_size(n: int) -> float:
    """Smallest Cohen's d_z above 0 that the two-sided t-test on n independent observations finds with `POWER`.

    From the noncentral t distribution with parameter d_z sqrt(n) (Cohen 1988). The chance to be significant on the
    wrong side is left out: it is far below the digits shown. NaN for a single observation.
    """
    from scipy.special import nctdtrinc
    from scipy.stats import t

    if n < 2:
        return NAN
    critical = t.isf(ALPHA / 2, n - 1)
    return float(nctdtrinc(n - 1, 1 - POWER, critical) / n**0.5)


def detectable_share(sizes: np.ndarray, correlation: float, alpha: float = ALPHA) -> float:
    """Smallest share above 0.5 that the sign-flip test on clusters finds with `POWER`; mirrored below 0.5.

    Fewer than 20 clusters: by simulation (beta-binomial clusters of this correlation, 400 data sets, exact test).
    More: the noncentral t distribution with the design effect 1 + (m - 1) correlation, m being the size-weighted mean
    cluster size (Kish 1965), against the critical value of the sign-flip test. Realised power:
    docs/methods/identities.md.

    Args:
        sizes: observations in each cluster, ties left out; empty clusters do not count.
        correlation: intraclass correlation.
        alpha: two-sided level of the test, after correction for other tests if any.

    Returns:
        NaN where no outcome would be significant, or even a share of 1 would be found too rarely.
    """
    kept = np.sort(np.asarray(sizes)[np.asarray(sizes) > 0]).astype(int)
    return _detectable_share(tuple(kept.tolist()), correlation, alpha)


@lru_cache(maxsize=4096)
def _detectable_share(sizes: tuple[int, ...], correlation: float, alpha: float) -> float:
    if len(sizes) < fewest_units(alpha):
        return NAN
    if sizes[-1] == 1:
        return detectable_share_independent(len(sizes), alpha)
    array = np.array(sizes)
    if len(sizes) < _SIMULATED_BELOW:
        return _by_simulation(array, correlation, alpha)
    return _by_noncentral_t(array, correlation, alpha)


def _by_noncentral_t(sizes: np.ndarray, correlation: float, alpha: float) -> float:
    from scipy.optimize import brentq
    from scipy.stats import nct, norm, t

    total, clusters = float(sizes.sum()), len(sizes)
    freedom = effective_number(sizes) - 1
    design = 1 + (float((sizes**2).sum()) / total - 1) * correlation
    z = float(norm.isf(alpha / 2))
    if freedom <= 0 or z**2 >= clusters:
        return NAN
    # A sum of K signed totals beyond z sqrt(sum of squares) is a t statistic beyond this.
    critical = max(float(t.isf(alpha / 2, freedom)), z * sqrt((clusters - 1) / (clusters - z**2)))

    def shortfall(share: float) -> float:
        error = sqrt(share * (1 - share) * design / total)
        return float(nct.sf(critical, freedom, (share - 0.5) / error)) - _T_POWER

    most = 1 - 1e-6
    return float(brentq(shortfall, 0.5 + 1e-6, most)) if shortfall(most) > 0 else NAN


_FEW = 8
"""With fewer units of a kind only patterns of signs that nearly all agree pass: their own simulation counts as well."""


def detectable_share_of(sizes: Sequence[np.ndarray], effect: float, alpha: float = ALPHA) -> float:
    """Smallest share above 0.5 that a test with one or two kinds of units finds with `POWER`; mirrored below 0.5.

    Of two kinds of which one has a unit with over half of the observations, that kind decides: its exact flips are far
    from normal.

    Args:
        sizes: observations in each unit, of one kind or of both.
        effect: design effect, the variance of the share over that of as many independent observations.
        alpha: two-sided level.
    """
    number = int(sizes[0].sum())
    effective = [effective_number(kind) for kind in sizes]
    least = sizes[int(np.argmin(effective))]
    crossed = len(sizes) > 1 and 2 * least.max() <= number
    if crossed and min(effective) >= _FEW:
        return detectable_share_crossed(number, effect, (effective[0], effective[1]), alpha)
    typical = float((least**2).sum()) / number
    correlation = (effect - 1) / (typical - 1) if typical > 1 else 0.0
    alone = detectable_share(least, round(round(min(correlation, 1.0) / STEP) * STEP, 4), alpha)
    if not crossed:
        return alone
    return float(
        np.maximum(alone, detectable_share_crossed(number, effect, (effective[0], effective[1]), alpha))
    )


def detectable_share_crossed(
    number: int, effect: float, effective: tuple[float, float], alpha: float = ALPHA
) -> float:
    """Smallest share above 0.5 that the two-way test finds with `POWER` (`endoxa.stats.two_way`); mirrored below 0.5.

    The noncentral t distribution with the design effect. With few units there are few patterns of signs, so the level
    is the largest one that can be attained; and the critical value is raised by half of 1/I + 1/J, because the larger
    p-value of I and of J units counts. Realised power: docs/methods/two-way.md.

    Args:
        number: observations, ties left out.
        effect: variance of the share over that of as many independent observations.
        effective: effective numbers of units of both kinds (Kish 1965).
        alpha: two-sided level.

    Returns:
        NaN where even a share of 1 would be found too rarely.
    """
    from scipy.optimize import brentq
    from scipy.stats import nct, t

    freedom = min(effective) - 1
    patterns = 2.0 ** min(freedom, _EVERY_PATTERN_UP_TO)
    attained = floor(alpha * patterns + 1e-9) / patterns
    if attained == 0:
        return NAN
    critical = float(t.isf(attained / 2, freedom)) * (1 + sum(1 / units for units in effective) / 2)

    def shortfall(share: float) -> float:
        # Units more alike than chance makes them are chance: another sample would not be.
        error = sqrt(share * (1 - share) * max(effect, 1.0) / number)
        return float(nct.sf(critical, freedom, (share - 0.5) / error)) - _T_POWER

    most = 1 - 1e-4
    return float(brentq(shortfall, 0.5 + 1e-6, most)) if shortfall(most) > 0 else NAN


def _by_simulation(sizes: np.ndarray, correlation: float, alpha: float) -> float:
    from scipy.special import betaincinv
    from scipy.stats import binom

    rng = np.random.default_rng(len(sizes))
    alone, drawn = rng.random((2, len(sizes), _WORLDS))
    patterns = _patterns(len(sizes))

    def power(share: float) -> float:
        chance = np.full(alone.shape, share)
        if correlation > 0:
            spread = (1 - correlation) / correlation
            chance = betaincinv(share * spread, (1 - share) * spread, alone)
        totals = 2 * binom.ppf(drawn, sizes[:, None], chance) - sizes[:, None]
        as_extreme = np.abs(patterns @ totals) >= np.abs(totals.sum(axis=0)) - 1e-9
        return float((as_extreme.mean(axis=0) <= alpha).mean())

    low, high = 0.5, 1.0
    while high - low > 0.001:
        middle = (low + high) / 2
        low, high = (low, middle) if power(middle) >= POWER else (middle, high)
    return high if high < 1.0 else NAN


def _patterns(clusters: int) -> np.ndarray:
    """Every pattern of signs but for mirror images, or `_PATTERNS` random ones; shape (patterns, clusters)."""
    if clusters <= _EVERY_PATTERN_UP_TO:
        numbers = np.arange(2 ** (clusters - 1))
        return np.where((numbers[:, None] >> np.arange(clusters)) & 1, -1.0, 1.0)
    return np.random.default_rng(0).choice([-1.0, 1.0], (_PATTERNS, clusters))
