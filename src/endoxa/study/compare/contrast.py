"""Tests and bounds of the mean of one difference per item, whose items belong to units of two kinds.

The difference x of an item lies between -1 and 1, and is 0 for most items where two models are alike. Its variance is
that of identities and of attributes together (Cameron, Gelbach and Miller 2011), each a jackknife: both are samples, as
in `endoxa.stats.two_way`. Quantiles are Student's with Satterthwaite's degrees of freedom of effective numbers of
units. Where few items differ that variance runs out: with a true difference of 2 % and 300 items the bound lies below
2 % in 15 % of samples, not in 5 %. So it is never less than in the score test of Tango (1998, Statistics in Medicine
17:891), which takes the variance that the items would have if the mean were the one that is tested.

With fewer than `FEWEST_UNITS` units of a kind in which anything differs, what they have in common cannot be seen. Then
Tango's variance is multiplied by a design effect (Kish 1965; Obuchowski 1998 and Durkalski et al. 2003 for clustered
matched pairs) with an assumed correlation, and their number alone can show that the share of changes is small
(`Kind.few`). Where attributes never recur, identities decide alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isfinite, sqrt

import numpy as np

from endoxa.stats.intervals import effective_number, jackknife_variance
from endoxa.stats.resampling import Clusters
from endoxa.stats.two_way import Sampled

FEWEST_UNITS = 6
"""With fewer identities nothing is decided, as for every verdict on identities; fewer attributes are taken as they
are. With fewer units that differ, a correlation is assumed."""

ASSUMED_CORRELATION = 0.3
"""Correlation of differences within units that is assumed as long as fewer than `FEWEST_UNITS` show any."""

ASSUMED_WEIGHT = 12.0
"""Units with a difference that the assumption counts for, against those that were seen."""

ASSUMED_SECOND = 0.03
"""The same of attributes, which many identities share: 0.3 would take the power of ten attributes (docs/gate.md)."""

_STEPS = 60
"""Halvings of an interval: to the last digit."""


def sampled_units(first: np.ndarray, second: np.ndarray | None) -> tuple[Sampled, tuple[np.ndarray, ...]]:
    """Which kinds of units are samples, and their codes; of nested kinds the outer one, as in `stats.two_way`."""
    if second is None:
        return "both", (first,)
    kinds = (first, second)
    counts = [len(np.unique(codes)) for codes in kinds]
    cells = np.unique(np.stack(kinds), axis=1).shape[1]
    within = tuple(count == cells for count in counts)
    enough = [count >= FEWEST_UNITS for count in counts]
    if all(enough) and not any(within):
        return "both", kinds
    outer = 1 if within == (True, False) else 0
    deciding = outer if enough[outer] or not enough[1 - outer] else 1 - outer
    names: tuple[Sampled, Sampled] = ("first", "second")
    return "both" if within[1 - deciding] else names[deciding], (kinds[deciding],)


@dataclass(frozen=True, slots=True)
class Kind:
    """The units of one kind that is a sample: identities, or attributes.

    Attributes:
        count: their effective number.
        size: items per unit, weighted by items.
        correlation: of the differences within units, for their variance.
        rare: the same where few units change: the assumption is 0.3 for units of either kind.
        skewness: of the units' totals.
        sizes: (items of a unit, number of such units).
        rising: units with a difference above 0.
        falling: units with one below 0.
    """

    count: float
    size: float
    correlation: float
    rare: float = 0.0
    skewness: float = 0.0
    sizes: tuple[tuple[float, float], ...] = ()
    rising: float = 0.0
    falling: float = 0.0

    @classmethod
    def of(cls, x: np.ndarray, codes: np.ndarray, *, second: bool = False, assumed: bool = True) -> Kind:
        """From differences in -1..1 and the code of the unit of each item.

        Where a correlation is assumed, that of the sample weighs as much as units with a difference were seen, the
        assumed one `ASSUMED_WEIGHT`. Units are many more items each where attributes are shared by identities: of the
        second kind less is assumed, and that of the sample never lowered.
        """
        clusters = Clusters.of(codes, x, x != 0, x > 0, x < 0)
        sizes, sums = clusters.sizes, clusters.totals[:, 1]
        size = float((sizes**2).sum() / sizes.sum())
        differing = int((clusters.totals[:, 2] > 0).sum())
        residuals = sums - x.mean() * sizes
        spread = float((residuals**2).mean())
        varied = len(sizes) > 1 and float(x.var()) > 0
        correlation = _seen_correlation(sizes, sums, float(x.var()))
        seen = min(max(correlation, 0.0), 1.0)

        def mixed(prior: float) -> float:
            weight = differing if varied else 0
            return (weight * seen + ASSUMED_WEIGHT * prior) / (weight + ASSUMED_WEIGHT) if size > 1 else 0.0

        if assumed:
            correlation = max(seen, mixed(ASSUMED_SECOND)) if second else mixed(ASSUMED_CORRELATION)

        skewness = float((residuals**3).mean()) / spread**1.5 if spread > 1e-15 else 0.0
        return cls(
            count=effective_number(sizes),
            size=size,
            correlation=correlation,
            rare=mixed(ASSUMED_CORRELATION),
            skewness=skewness * differing / (differing + ASSUMED_WEIGHT),
            sizes=tuple(zip(*map(np.ndarray.tolist, np.unique(sizes, return_counts=True)), strict=True)),
            rising=float((clusters.totals[:, 3] > 0).sum()),
            falling=float((clusters.totals[:, 4] > 0).sum()),
        )

    @property
    def design_effect(self) -> float:
        """By how much the variance is larger than that of independent items (Kish 1965)."""
        return 1 + (self.size - 1) * self.correlation

    def grown(self, items: float, shares: tuple[float, float], *, same: bool) -> Kind:
        """With more items of the same shares above and below 0, in the same units or in as many more of them."""
        if not same:
            return replace(
                self,
                count=self.count * items,
                sizes=tuple((size, number * items) for size, number in self.sizes),
                rising=self.rising * items,
                falling=self.falling * items,
            )
        more = replace(
            self, size=self.size * items, sizes=tuple((size * items, number) for size, number in self.sizes)
        )
        rising, falling = (
            more.touched(share)[0] / self.touched(share)[0] if share else 1.0 for share in shares
        )
        return replace(more, rising=self.rising * rising, falling=self.falling * falling)

    def few(self, share: float, seen: float, deflation: float) -> float:
        """Chance that at most `seen` units change in one direction, if a share of all items did.

        Units are beta-binomial, their number that changes is nearly Poisson, and exact where none does. The deflation
        is the part of the variance that units of this kind make.
        """
        from scipy.special import gammaincc

        if share <= 0 or self.count <= 1:
            return 1.0
        expected, none = self.touched(share)
        return float(none**deflation if seen == 0 else gammaincc(seen + 1, expected * deflation))

    def touched(self, share: float) -> tuple[float, float]:
        """Expected number of units with a change, if this share of items changes, and the chance of none."""
        from scipy.special import gammaln

        sizes, numbers = np.array(self.sizes).T
        if self.rare < 1e-9 or share >= 1:
            spared = sizes * np.log(max(1 - share, 1e-300))
        else:
            spread = (1 - min(self.rare, 1 - 1e-9)) / self.rare
            rest = (1 - share) * spread
            spared = gammaln(rest + sizes) - gammaln(rest) + gammaln(spread) - gammaln(spread + sizes)
        return float(-(numbers * np.expm1(spared)).sum()), float(np.exp((numbers * spared).sum()))


class Difference(ABC):
    """A difference with tests of every value, and the bounds that belong to them.

    Attributes:
        unit: the largest difference.
    """

    __slots__ = ()
    unit: float

    @property
    @abstractmethod
    def mean(self) -> float:
        """The difference in the units of the measure."""

    @abstractmethod
    def error(self, mean: float) -> float:
        """Standard error, were `mean` the true difference; 0 where nothing varies."""

    @abstractmethod
    def grown(self, items: float, *, same_units: bool = False) -> Difference:
        """The same shares with that many times the items, about the present units or as many more of them."""

    @abstractmethod
    def p_beyond(self, mean: float, sign: int) -> float:
        """One-sided p-value for the claim that the true difference is below (sign 1) or above (-1) `mean`."""

    def p_below(self, mean: float) -> float:
        """One-sided p-value for the claim that the true difference is below `mean`."""
        return self.p_beyond(mean, 1)

    def p_above(self, mean: float) -> float:
        """One-sided p-value for the claim that the true difference is above `mean`."""
        return self.p_beyond(mean, -1)

    def upper(self, level: float) -> float:
        """One-sided upper bound: the largest difference that is not rejected from below at this level."""
        return bound(self.p_below, self.mean, self.unit, level)

    def lower(self, level: float) -> float:
        """One-sided lower bound: the least difference that is not rejected from above at this level."""
        return bound(self.p_above, self.mean, -self.unit, level)


@dataclass(frozen=True, slots=True)
class Contrast(Difference):
    """Mean of one difference per item.

    Attributes:
        above: mean of the positive parts of the differences, each at most 1.
        below: mean of the sizes of the negative parts.
        items: number of items.
        kinds: the units that are samples, of one kind or of two.
        cells: design effect of units of both kinds together: items of one identity and one attribute.
        unit: what a difference of 1 is in the units of the measure.
        spread: variance of the differences; None where so few units differ that a correlation is assumed.
    """

    above: float
    below: float
    items: float
    kinds: tuple[Kind, ...]
    cells: float = 1.0
    unit: float = 1.0
    spread: float | None = None

    @classmethod
    def of(cls, differences: np.ndarray, kinds: tuple[np.ndarray, ...], unit: float = 1.0) -> Contrast:
        """From items.

        Args:
            differences: one per item, in the units of the measure, between -unit and unit.
            kinds: code of the unit per item, of each kind that is a sample (`sampled_units`).
            unit: the largest difference an item can have.
        """
        x = differences / unit
        cells = 1.0
        if len(kinds) > 1:
            cell = np.unique(np.stack(kinds), axis=1, return_inverse=True)[1].ravel()
            sizes, sums = np.bincount(cell).astype(float), np.bincount(cell, x)
            size = float((sizes**2).sum() / sizes.sum())
            cells = 1 + (size - 1) * _seen_correlation(sizes, sums, float(x.var()))
        assumed = any(len(np.unique(codes[x != 0])) < FEWEST_UNITS for codes in kinds)
        return cls(
            above=float(np.maximum(x, 0).mean()),
            below=float(np.maximum(-x, 0).mean()),
            items=float(len(x)),
            kinds=tuple(
                Kind.of(x, codes, second=place > 0, assumed=assumed) for place, codes in enumerate(kinds)
            ),
            cells=cells,
            unit=unit,
            spread=None if assumed else float(x.var()),
        )

    @property
    def mean(self) -> float:
        """The mean difference in the units of the measure."""
        return self.unit * (self.above - self.below)

    @property
    def design_effect(self) -> float:
        """By how much the variance is larger than that of independent items, never less than one kind makes it."""
        effects = [kind.design_effect for kind in self.kinds]
        return max(sum(effects) - (self.cells if len(effects) > 1 else 0.0), *effects)

    @property
    def freedom(self) -> float:
        """Degrees of freedom (Satterthwaite 1946); at least those of the kind with fewer effective units."""
        least = min(kind.count for kind in self.kinds) - 1
        if len(self.kinds) == 1:
            return least
        weights = [kind.design_effect**2 / max(kind.count - 1, 0.3) for kind in self.kinds]
        rest = self.items - sum(kind.count for kind in self.kinds) + 1
        return max(self.design_effect**2 / max(sum(weights) + self.cells**2 / max(rest, 1), 1e-12), least)

    @property
    def skewness(self) -> float:
        """Of the mean: the third moments of the kinds add up."""
        effect = self.design_effect
        return float(
            sum(
                kind.skewness / sqrt(kind.count) * (kind.design_effect / effect) ** 1.5 for kind in self.kinds
            )
        )

    def error(self, mean: float) -> float:
        """Standard error, were `mean` the true mean difference."""
        tango = self._variance(mean / self.unit)
        effect = self.design_effect
        variance = tango * effect if self.spread is None else max(self.spread * effect, tango)
        return self.unit * sqrt(variance / self.items)

    def statistic(self, mean: float) -> float:
        """(observed - mean) / standard error at that mean."""
        observed, error = self.mean, self.error(mean)
        if error == 0:
            return 0.0 if observed == mean else float(np.copysign(np.inf, observed - mean))
        return (observed - mean) / error

    def p_beyond(self, mean: float, sign: int) -> float:
        """See `Difference`."""
        if self.spread is not None:
            return self._tail(sign * self.statistic(mean), 0.0)
        few = self._few(sign * mean, [kind.rising if sign > 0 else kind.falling for kind in self.kinds])
        if self.above == self.below == 0:
            return few
        return min(self._tail(sign * self.statistic(mean), sign * self.skewness), few)

    def grown(self, items: float, *, same_units: bool = False) -> Contrast:
        """The same shares with more items.

        Args:
            items: by what the number of items is multiplied.
            same_units: they are about the present units; else there are as many more of each kind.
        """
        shares = (self.above, self.below)
        kinds = tuple(kind.grown(items, shares, same=same_units) for kind in self.kinds)
        cells = 1 + (self.cells - 1) * items if same_units else self.cells
        return replace(self, items=self.items * items, kinds=kinds, cells=cells)

    def _few(self, mean: float, seen: list[float]) -> float:
        """The mean difference is at most the share that changes in its direction, which few units bound."""
        share, effect = mean / self.unit, self.design_effect
        largest = max(kind.design_effect for kind in self.kinds)
        return max(
            kind.few(share, units, largest / effect) for kind, units in zip(self.kinds, seen, strict=True)
        )

    def _tail(self, statistic: float, skewness: float) -> float:
        if min(kind.count for kind in self.kinds) <= 1:
            return 1.0
        return student_tail(statistic, skewness, self.freedom)

    def _variance(self, mean: float) -> float:
        """Of one difference, if the mean were this one: the share that differs is estimated under that constraint."""
        linear = (2 - self.above + self.below) * mean - self.above - self.below
        root = sqrt(max(linear**2 + 8 * self.below * mean * (1 - mean), 0.0))
        below = max((root - linear) / 4, 0.0, -mean)
        return max(2 * below + mean * (1 - mean), 0.0)


def student_tail(statistic: float, skewness: float, freedom: float) -> float:
    """Lower tail of Student's t; Hall's (1992) transformation, where it makes the tail larger."""
    from scipy.special import stdtr

    if not isfinite(statistic):
        return 0.0 if statistic < 0 else 1.0
    skewed = max(skewness, 0.0)
    statistic += skewed * statistic**2 / 3 + skewed**2 * statistic**3 / 27 + skewed / 6
    return float(stdtr(freedom, statistic))


def bound(p_value: Callable[[float], float], mean: float, end: float, level: float) -> float:
    """The value between the observed one and `end` at which the p-value is the level; `end` where there is none."""
    inside, outside = mean, end
    if p_value(end) > level:
        return end
    for _ in range(_STEPS):
        middle = (inside + outside) / 2
        if p_value(middle) > level:
            inside = middle
        else:
            outside = middle
    return outside


def _seen_correlation(sizes: np.ndarray, sums: np.ndarray, spread: float) -> float:
    """Correlation of differences within units that makes the delete-one-unit jackknife variance."""
    size = float((sizes**2).sum() / sizes.sum())
    if len(sizes) < 2 or size <= 1 or spread <= 0:
        return 0.0
    effect = jackknife_variance(sizes, sums) / (spread / sizes.sum())
    return float((effect - 1) / (size - 1))
