"""Is a candidate worse than a baseline by more than the margin? Score tests and bounds, one measure, one set of items.

The difference x of an item lies between -1 and 1, and is 0 for most items where two models are alike. Student's t bound
is too short there: with a true difference of 2 % and 300 items it lies below 2 % in 15 % of samples, not in 5 %. The
score test of Tango (1998, Statistics in Medicine 17:891) takes the variance that the items would have if the mean were
the one that is tested, and so does not run out of variance where few items differ. Here that variance is
multiplied by the design effect of the identities (Kish 1965; Obuchowski 1998 and Durkalski et al. 2003 for clustered
matched pairs), and the quantiles are Student's with the effective number of identities less one. Where few identities
change at all, their number alone can show that the share of changes is small (`Contrast._few`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, inf, isfinite, sqrt

import numpy as np

from endoxa.stats.intervals import effective_number, jackknife_variance
from endoxa.stats.resampling import Clusters

ASSUMED_CORRELATION = 0.3
"""Correlation of differences within identities that is assumed as long as few identities show any difference."""

ASSUMED_WEIGHT = 12.0
"""Identities with a difference that the assumption counts for, against those that were seen."""

_STEPS = 60
"""Halvings of an interval: to the last digit."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """Mean of one difference per item, in clusters.

    Attributes:
        above: mean of the positive parts of the differences, each at most 1.
        below: mean of the sizes of the negative parts.
        items: number of items.
        clusters: effective number of identities.
        size: items per identity, weighted by items.
        correlation: of the differences within identities.
        skewness: of the identities' totals.
        sizes: (items of an identity, number of such identities).
        rising: identities with a difference above 0.
        falling: identities with one below 0.
        unit: what a difference of 1 is in the units of the measure.
    """

    above: float
    below: float
    items: float
    clusters: float
    size: float
    correlation: float
    skewness: float = 0.0
    sizes: tuple[tuple[float, float], ...] = ()
    rising: float = 0.0
    falling: float = 0.0
    unit: float = 1.0

    @classmethod
    def of(cls, differences: np.ndarray, cluster: np.ndarray, unit: float = 1.0) -> Contrast:
        """From items.

        Args:
            differences: one per item, in the units of the measure, between -unit and unit.
            cluster: code of the identity per item.
            unit: the largest difference an item can have.
        """
        x = differences / unit
        clusters = Clusters.of(cluster, x, x != 0, x > 0, x < 0)
        sizes, sums = clusters.sizes, clusters.totals[:, 1]
        size = float((sizes**2).sum() / sizes.sum())
        differing = int((clusters.totals[:, 2] > 0).sum())
        residuals = sums - x.mean() * sizes
        spread = float((residuals**2).mean())
        skewness = float((residuals**3).mean()) / spread**1.5 if spread > 1e-15 else 0.0
        return cls(
            above=float(np.maximum(x, 0).mean()),
            below=float(np.maximum(-x, 0).mean()),
            items=float(len(x)),
            clusters=effective_number(sizes),
            size=size,
            correlation=_correlation(sizes, sums, float(x.var()), differing, size),
            skewness=skewness * differing / (differing + ASSUMED_WEIGHT),
            sizes=tuple(zip(*map(np.ndarray.tolist, np.unique(sizes, return_counts=True)), strict=True)),
            rising=float((clusters.totals[:, 3] > 0).sum()),
            falling=float((clusters.totals[:, 4] > 0).sum()),
            unit=unit,
        )

    @property
    def mean(self) -> float:
        """The mean difference in the units of the measure."""
        return self.unit * (self.above - self.below)

    @property
    def design_effect(self) -> float:
        """By how much the variance is larger than that of independent items (Kish 1965)."""
        return 1 + (self.size - 1) * self.correlation

    def error(self, mean: float) -> float:
        """Standard error, were `mean` the true mean difference."""
        return self.unit * sqrt(self._variance(mean / self.unit) * self.design_effect / self.items)

    def statistic(self, mean: float) -> float:
        """(observed - mean) / standard error at that mean."""
        observed, error = self.mean, self.error(mean)
        if error == 0:
            return 0.0 if observed == mean else float(np.copysign(np.inf, observed - mean))
        return (observed - mean) / error

    def p_below(self, mean: float) -> float:
        """One-sided p-value for the claim that the true difference is below `mean`."""
        few = self._few(mean, self.rising)
        return (
            few
            if self.above == self.below == 0
            else min(self._tail(self.statistic(mean), self.skewness), few)
        )

    def p_above(self, mean: float) -> float:
        """One-sided p-value for the claim that the true difference is above `mean`."""
        few = self._few(-mean, self.falling)
        return (
            few
            if self.above == self.below == 0
            else min(self._tail(-self.statistic(mean), -self.skewness), few)
        )

    def upper(self, level: float) -> float:
        """One-sided upper bound: the largest mean difference that is not rejected from below at this level."""
        return self._bound(self.unit, level)

    def lower(self, level: float) -> float:
        """One-sided lower bound: the least mean difference that is not rejected from above at this level."""
        return self._bound(-self.unit, level)

    def grown(self, items: float, *, same_identities: bool = False) -> Contrast:
        """The same shares with more items.

        Args:
            items: by what the number of items is multiplied.
            same_identities: they are about the present identities; else there are as many more of those.
        """
        if not same_identities:
            return replace(
                self,
                items=self.items * items,
                clusters=self.clusters * items,
                sizes=tuple((size, number * items) for size, number in self.sizes),
                rising=self.rising * items,
                falling=self.falling * items,
            )
        more = replace(
            self,
            items=self.items * items,
            size=self.size * items,
            sizes=tuple((size * items, number) for size, number in self.sizes),
        )
        return replace(
            more,
            rising=self.rising
            * (more._touched(self.above)[0] / self._touched(self.above)[0] if self.above else 1),
            falling=self.falling
            * (more._touched(self.below)[0] / self._touched(self.below)[0] if self.below else 1),
        )

    def _few(self, mean: float, seen: float) -> float:
        """Chance that at most `seen` identities change in one direction, if a share of `mean` of all items did.

        The mean difference is at most the share that changes in its direction. Identities are beta-binomial, their
        number that changes is nearly Poisson, and exact where none does.
        """
        from scipy.special import gammaincc

        share = mean / self.unit
        if share <= 0 or self.clusters <= 1:
            return 1.0
        expected, none = self._touched(share)
        return none if seen == 0 else float(gammaincc(seen + 1, expected))

    def _touched(self, share: float) -> tuple[float, float]:
        """Expected number of identities with a change, if this share of items changes, and the chance of none."""
        from scipy.special import gammaln

        sizes, numbers = np.array(self.sizes).T
        if self.correlation < 1e-9 or share >= 1:
            spared = sizes * np.log(max(1 - share, 1e-300))
        else:
            spread = (1 - min(self.correlation, 1 - 1e-9)) / self.correlation
            rest = (1 - share) * spread
            spared = gammaln(rest + sizes) - gammaln(rest) + gammaln(spread) - gammaln(spread + sizes)
        return float(-(numbers * np.expm1(spared)).sum()), float(np.exp((numbers * spared).sum()))

    def _tail(self, statistic: float, skewness: float) -> float:
        """Lower tail of Student's t; Hall's (1992) transformation, where it makes the tail larger."""
        from scipy.special import stdtr

        if self.clusters <= 1:
            return 1.0
        if not isfinite(statistic):
            return 0.0 if statistic < 0 else 1.0
        skewed = max(skewness, 0.0) / sqrt(self.clusters)
        statistic += skewed * statistic**2 / 3 + skewed**2 * statistic**3 / 27 + skewed / 6
        return float(stdtr(self.clusters - 1, statistic))

    def _variance(self, mean: float) -> float:
        """Of one difference, if the mean were this one: the share that differs is estimated under that constraint."""
        linear = (2 - self.above + self.below) * mean - self.above - self.below
        root = sqrt(max(linear**2 + 8 * self.below * mean * (1 - mean), 0.0))
        below = max((root - linear) / 4, 0.0, -mean)
        return max(2 * below + mean * (1 - mean), 0.0)

    def _bound(self, end: float, level: float) -> float:
        """The mean between the observed one and `end` at which the p-value is the level; `end` where there is none."""
        inside, outside = self.mean, end
        p_value = self.p_below if end > 0 else self.p_above
        if p_value(end) > level:
            return end
        for _ in range(_STEPS):
            middle = (inside + outside) / 2
            if p_value(middle) > level:
                inside = middle
            else:
                outside = middle
        return outside


def _correlation(sizes: np.ndarray, sums: np.ndarray, spread: float, differing: int, size: float) -> float:
    """Correlation of differences within identities, from 0 to 1: that of the sample mixed with the assumed one.

    The sample's is what makes the delete-one-identity jackknife variance, (design effect) x spread / items. It weighs
    as much as identities with a difference were seen, the assumed one `ASSUMED_WEIGHT`.
    """
    if len(sizes) < 2 or size <= 1:
        return 0.0 if size <= 1 else ASSUMED_CORRELATION
    if spread <= 0:
        return ASSUMED_CORRELATION
    effect = jackknife_variance(sizes, sums) / (spread / sizes.sum())
    seen = min(max((effect - 1) / (size - 1), 0.0), 1.0)
    mixed = differing * seen + ASSUMED_WEIGHT * ASSUMED_CORRELATION
    return float(mixed / (differing + ASSUMED_WEIGHT))


FEWEST_IDENTITIES = 6
"""With fewer identities nothing is decided, as for every verdict on identities."""

SIGN_SHARE = 0.1
"""Part of the level of a pass that is spent on which side of the neutral value the baseline is."""

MOST_GROWTH = 1e4
"""How many times the present items may be needed before we say that no number would decide."""

SIGNS = (1, -1)


@dataclass(frozen=True, slots=True)
class Values:
    """One measure of two models on the same items.

    Attributes:
        baseline: per item; the measure is the mean. 0 is the neutral value where there is one.
        candidate: the same of the candidate.
        cluster: code of the identity per item.
        directed: the higher the better, and no value is neutral (accuracy).
        reach: the largest difference of one item between two models.
        sum_reach: the largest sum of one item's values in two models.
    """

    baseline: np.ndarray
    candidate: np.ndarray
    cluster: np.ndarray
    directed: bool = False
    reach: float = 1.0
    sum_reach: float = 1.0


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the items say about one margin.

    Attributes:
        p_not_worse: for the claim that the candidate is worse by less than the margin.
        p_worse: for the claim that it is worse by more.
    """

    p_not_worse: float
    p_worse: float


@dataclass(frozen=True)
class Contrasts:
    """All contrasts that "worse" is made of.

    With b and c the distances of baseline and candidate from the neutral value, signed, a candidate is worse by
    |c| - |b| = max over t of min over s of (t c - s b), where t and s are signs. Every t c - s b is a mean of items.

    Attributes:
        by_signs: contrast t c - s b by (t, s); of a directed measure b - c alone, as (-1, -1).
        baseline: b alone; None for a directed measure.
    """

    by_signs: dict[tuple[int, int], Contrast]
    baseline: Contrast | None

    @classmethod
    def of(cls, values: Values) -> Contrasts:
        """From items."""
        if values.directed:
            contrast = Contrast.of(values.baseline - values.candidate, values.cluster, values.reach)
            return cls({(-1, -1): contrast}, None)
        by_signs = {
            (t, s): Contrast.of(
                t * values.candidate - s * values.baseline,
                values.cluster,
                values.reach if t == s else values.sum_reach,
            )
            for t in SIGNS
            for s in SIGNS
        }
        return cls(by_signs, Contrast.of(values.baseline, values.cluster, values.sum_reach / 2))

    @property
    def worse_by(self) -> float:
        """The difference |c| - |b|, or b - c."""
        if self.baseline is None:
            return self.by_signs[-1, -1].mean
        return max(min(self.by_signs[t, s].mean for s in SIGNS) for t in SIGNS)

    def grown(self, items: float, *, same_identities: bool = False) -> Contrasts:
        """The same shares with more items, see `Contrast.grown`."""
        more = {
            signs: contrast.grown(items, same_identities=same_identities)
            for signs, contrast in self.by_signs.items()
        }
        baseline = self.baseline and self.baseline.grown(items, same_identities=same_identities)
        return Contrasts(more, baseline)

    def evidence(self, margin: float, level: float) -> Evidence:
        """p-values for both claims.

        Not worse: for both t some s must show t c - s b below the margin. Where the side of the baseline is certain
        (p at most `SIGN_SHARE` of the level), s is that side, and the rest of the level is left for it; else both s
        are tried and the smaller p is doubled (Bonferroni). Both t are needed, so that nothing is paid for two
        (intersection-union, Berger 1982).
        Worse: for some t both s must show t c - s b above the margin. Two t cannot both be near the margin
        while both s are, so the smaller p is taken as it is; `benchmarks/gate_errors.py` holds the worst case.
        """
        if self.baseline is None:
            only = self.by_signs[-1, -1]
            return Evidence(only.p_below(margin), only.p_above(margin))
        side = self._side(SIGN_SHARE * level)
        passing = [self._passing(t, side, margin) for t in SIGNS]
        worse = min(max(self.by_signs[t, s].p_above(margin) for s in SIGNS) for t in SIGNS)
        return Evidence(min(max(passing) / (1 - SIGN_SHARE), 1.0), worse)

    def _side(self, level: float) -> int:
        """Side of the baseline, 1 or -1; 0 where it is not certain at this level."""
        assert self.baseline is not None
        if self.baseline.p_above(0.0) <= level:
            return 1
        return -1 if self.baseline.p_below(0.0) <= level else 0

    def _passing(self, t: int, side: int, margin: float) -> float:
        if side:
            return self.by_signs[t, side].p_below(margin)
        return 2 * min(self.by_signs[t, s].p_below(margin) for s in SIGNS)

    def bounds(self, level: float) -> tuple[float, float]:
        """One-sided bounds of the difference that belong to the p-values: lower, upper."""
        if self.baseline is None:
            only = self.by_signs[-1, -1]
            return only.lower(level), only.upper(level)
        rest = (1 - SIGN_SHARE) * level
        side = self._side(SIGN_SHARE * level)
        uppers = [
            self.by_signs[t, side].upper(rest)
            if side
            else min(self.by_signs[t, s].upper(rest / 2) for s in SIGNS)
            for t in SIGNS
        ]
        lowers = [min(self.by_signs[t, s].lower(level) for s in SIGNS) for t in SIGNS]
        return max(lowers), max(uppers)


@dataclass(frozen=True, slots=True)
class More:
    """What would decide a test that is undecided, if baseline and candidate keep their shares.

    Attributes:
        items: how many more, with as many more identities; None where no number would.
        identities: how many more identities that is.
        same_identities: how many more items about the present identities would do; None where none would.
    """

    items: int | None
    identities: int | None
    same_identities: int | None


NOTHING_MORE = More(None, None, None)


Levels = tuple[float, float]
"""Of passing, and of failing: with several tests the second is smaller."""


def needed(contrasts: Contrasts, identities: int, items: int, margin: float, levels: Levels) -> More:
    """Items that would decide, see `More`."""
    # Fewer identities than the least are not enough however clear the items are.
    factor = max(_growth(contrasts, margin, levels, same_identities=False), FEWEST_IDENTITIES / identities)
    if abs(contrasts.worse_by - margin) < 1e-12 or factor > MOST_GROWTH:
        return NOTHING_MORE
    same = inf
    if identities >= FEWEST_IDENTITIES:
        same = _growth(contrasts, margin, levels, same_identities=True)
    return More(
        max(ceil(items * (factor - 1) - 1e-6), 1),
        max(ceil(identities * (factor - 1) - 1e-6), 1),
        None if same > MOST_GROWTH else max(ceil(items * (same - 1) - 1e-6), 1),
    )


def _growth(contrasts: Contrasts, margin: float, levels: Levels, *, same_identities: bool) -> float:
    """By what the items must be multiplied; infinite where more than `MOST_GROWTH` times would be needed."""

    def decided(factor: float) -> bool:
        grown = contrasts.grown(factor, same_identities=same_identities)
        evidence = grown.evidence(margin, levels[0])
        return evidence.p_not_worse <= levels[0] or evidence.p_worse <= levels[1]

    if not decided(MOST_GROWTH):
        return inf
    low, high = 1.0, MOST_GROWTH
    while high / low > 1 + 1e-6:
        middle = (low * high) ** 0.5
        low, high = (low, middle) if decided(middle) else (middle, high)
    return high
