"""Is a candidate worse than a baseline by more than the margin? One measure, one set of items, two signs of a distance.

The means behind it, their tests and bounds: `endoxa.study.compare.contrast`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, inf
from typing import ClassVar

import numpy as np

from endoxa.stats.two_way import Sampled
from endoxa.study.compare.contrast import FEWEST_UNITS, Contrast, Difference, sampled_units

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
        attribute: code of the attribute per item, where attributes may recur; None where none does.
    """

    baseline: np.ndarray
    candidate: np.ndarray
    cluster: np.ndarray
    directed: bool = False
    reach: float = 1.0
    sum_reach: float = 1.0
    attribute: np.ndarray | None = None

    @property
    def means(self) -> tuple[float, float]:
        """Of baseline and candidate."""
        return float(self.baseline.mean()), float(self.candidate.mean())

    @property
    def numbers(self) -> tuple[int, int, int]:
        """Items, units of the first kind, and units of the second; 0 of these where none recurs."""
        items, first = len(self.cluster), len(np.unique(self.cluster))
        second = items if self.attribute is None else len(np.unique(self.attribute))
        return items, first, second if second < items else 0

    @property
    def deciding(self) -> int:
        """Units of the first kind."""
        return self.numbers[1]

    @property
    def contrasts(self) -> Contrasts:
        """All contrasts that "worse" is made of."""
        return Contrasts.of(self)

    fewest: ClassVar[int] = FEWEST_UNITS
    where: ClassVar[str] = ""


@dataclass(frozen=True, slots=True)
class EffectSizes:
    """One association test of two models, in the place of `Values`: an effect size is no mean of items.

    Attributes:
        means: effect sizes of baseline and candidate; NaN where all associations are equal.
        numbers: texts of X and Y, targets, and 0.
        deciding: targets of the smaller set.
        contrasts: all contrasts that "worse" is made of; None where an effect size is missing.
        axis: the social axis of the test, or 'all'.
        unit: what is counted, as in "words of X and Y".
    """

    means: tuple[float, float]
    numbers: tuple[int, int, int]
    deciding: int
    contrasts: Contrasts | None
    axis: str
    unit: str
    fewest: ClassVar[int] = 8
    """In X, and in Y. With five of each the chance of a wrong decision exceeds 5 % where effect sizes are large."""
    where: ClassVar[str] = " in X and in Y"


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
        sampled: which kinds of units are samples, as in `stats.two_way`.
    """

    by_signs: Mapping[tuple[int, int], Difference]
    baseline: Difference | None
    sampled: Sampled = "both"

    @classmethod
    def of(cls, values: Values) -> Contrasts:
        """From items."""
        sampled, kinds = sampled_units(values.cluster, values.attribute)
        if values.directed:
            contrast = Contrast.of(values.baseline - values.candidate, kinds, values.reach)
            return cls({(-1, -1): contrast}, None, sampled)
        by_signs = {
            (t, s): Contrast.of(
                t * values.candidate - s * values.baseline,
                kinds,
                values.reach if t == s else values.sum_reach,
            )
            for t in SIGNS
            for s in SIGNS
        }
        return cls(by_signs, Contrast.of(values.baseline, kinds, values.sum_reach / 2), sampled)

    @property
    def worse_by(self) -> float:
        """The difference |c| - |b|, or b - c."""
        if self.baseline is None:
            return self.by_signs[-1, -1].mean
        return max(min(self.by_signs[t, s].mean for s in SIGNS) for t in SIGNS)

    def grown(self, items: float, *, same_units: bool = False) -> Contrasts:
        """The same shares with more items, see `Contrast.grown`."""
        more = {
            signs: contrast.grown(items, same_units=same_units) for signs, contrast in self.by_signs.items()
        }
        baseline = self.baseline and self.baseline.grown(items, same_units=same_units)
        return Contrasts(more, baseline, self.sampled)

    def evidence(self, margin: float, level: float) -> Evidence:
        """p-values for both claims.

        Not worse: for both t some s must show t c - s b below the margin. Where the side of the baseline is certain
        (p at most `SIGN_SHARE` of the level), s is that side, and the rest of the level is left for it; else both s
        are tried and the smaller p is doubled (Bonferroni). Both t are needed, so that nothing is paid for two
        (intersection-union, Berger 1982).
        Worse: for some t both s must show t c - s b above the margin. Two t cannot both be near the margin
        while both s are, so the smaller p is taken as it is; the scenario `gate.worst-case` has the worst case.
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
        more_items: how many more, with as many more identities; None where no number would.
        more_identities: how many more identities that is.
        more_same_identities: how many more items about the present units would do; None where none would.
    """

    more_items: int | None
    more_identities: int | None
    more_same_identities: int | None


NOTHING_MORE = More(None, None, None)


Levels = tuple[float, float]
"""Of passing, and of failing: with several tests the second is smaller."""


def needed(contrasts: Contrasts, identities: int, items: int, margin: float, levels: Levels) -> More:
    """Items that would decide, see `More`."""
    # Fewer identities than the least are not enough however clear the items are.
    factor = max(_growth(contrasts, margin, levels, same_units=False), FEWEST_UNITS / identities)
    if abs(contrasts.worse_by - margin) < 1e-12 or factor > MOST_GROWTH:
        return NOTHING_MORE
    same = inf
    if identities >= FEWEST_UNITS:
        same = _growth(contrasts, margin, levels, same_units=True)
    return More(
        max(ceil(items * (factor - 1) - 1e-6), 1),
        max(ceil(identities * (factor - 1) - 1e-6), 1),
        None if same > MOST_GROWTH else max(ceil(items * (same - 1) - 1e-6), 1),
    )


def _growth(contrasts: Contrasts, margin: float, levels: Levels, *, same_units: bool) -> float:
    """By what the items must be multiplied; infinite where more than `MOST_GROWTH` times would be needed."""

    def decided(factor: float) -> bool:
        grown = contrasts.grown(factor, same_units=same_units)
        evidence = grown.evidence(margin, levels[0])
        return evidence.p_not_worse <= levels[0] or evidence.p_worse <= levels[1]

    if not decided(MOST_GROWTH):
        return inf
    low, high = 1.0, MOST_GROWTH
    while high / low > 1 + 1e-6:
        middle = (low * high) ** 0.5
        low, high = (low, middle) if decided(middle) else (middle, high)
    return high
