"""Change of a share between two groups of respondents, or between two answers of the same respondents, by strata.

Test: which group a respondent belongs to is exchangeable within a stratum (a country), so the change has an exact
distribution: differences of hypergeometric counts, or of binomial ones where the same respondents answered twice
(McNemar 1947), added up over strata. Interval: Newcombe's square-and-add limits of each stratum (1998, Statistics in
Medicine 17, independent shares: 873, paired shares: 2635), combined over strata in the same way (Zou and Donner 2008,
Statistics in Medicine 27). Correction: Bonferroni over the tests that could reject at all (Tarone 1990, Biometrics 46).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from endoxa.stats.intervals import UNDEFINED, Interval, agreeing, wilson

MOST_VALUES = 1_000_000
"""Values of the exact distribution; beyond them it is drawn."""
DRAWS = 200_000
_TIE = 1e-12


@dataclass(frozen=True, slots=True)
class Stratum:
    """Respondents of one stratum and how many of them said something.

    Attributes:
        before: who said it before.
        after: who said it after.
        n_before: respondents before.
        n_after: respondents after; the same ones where `both` is given.
        both: who said it both times, where the same respondents answered; None for different respondents.
    """

    before: int
    after: int
    n_before: int
    n_after: int
    both: int | None = None

    @property
    def difference(self) -> float:
        """Share after less share before."""
        return self.after / self.n_after - self.before / self.n_before

    @property
    def discordant(self) -> int:
        """Of the same respondents: those who said it once."""
        return self.before + self.after - 2 * (self.both or 0)


@dataclass(frozen=True, slots=True)
class ShareChange:
    """A share before and after, every stratum with equal weight.

    Attributes:
        before: share before.
        after: share after.
        p_value: exact, two-sided, against no change in any stratum.
        least_p: the smallest p-value that these numbers of mentions could give.
        lost_by_chance: how likely nobody would say it after if nothing had changed.
        new_by_chance: how likely nobody would have said it before if nothing had changed.
    """

    before: float
    after: float
    p_value: float
    least_p: float
    lost_by_chance: float
    new_by_chance: float


def share_change(strata: Sequence[Stratum], seed: int = 0) -> ShareChange:
    """Shares, exact test and chances of absence.

    Args:
        strata: at least one, each with respondents before and after.
        seed: of the distribution, where it has to be drawn.
    """
    before, after = (
        float(np.mean(shares))
        for shares in zip(*((s.before / s.n_before, s.after / s.n_after) for s in strata), strict=True)
    )
    values, probabilities = _null_distribution(strata, seed)
    size = np.abs(values)
    observed = abs(sum(stratum.difference for stratum in strata))
    return ShareChange(
        before,
        after,
        min(float(probabilities[size >= observed - _TIE].sum()), 1.0),
        min(float(probabilities[size >= size.max() - _TIE].sum()), 1.0),
        *(float(np.prod([_absent(stratum, side) for stratum in strata])) for side in ("after", "before")),
    )


def _absent(stratum: Stratum, side: str) -> float:
    """Chance that all who said it are on the other side."""
    if stratum.both is not None:
        return 0.0 if stratum.both else 0.5**stratum.discordant
    from scipy.stats import hypergeom

    mentions = stratum.before + stratum.after
    number = stratum.n_after if side == "after" else stratum.n_before
    return float(hypergeom.pmf(0, stratum.n_before + stratum.n_after, mentions, number))


def _outcomes(stratum: Stratum) -> tuple[np.ndarray, np.ndarray]:
    """Possible differences of a stratum, and their probabilities if nothing changed."""
    from scipy.stats import binom, hypergeom

    if stratum.both is not None:
        j = np.arange(stratum.discordant + 1)
        return (2 * j - stratum.discordant) / stratum.n_before, binom.pmf(j, stratum.discordant, 0.5)
    mentions, everybody = stratum.before + stratum.after, stratum.n_before + stratum.n_after
    before = np.arange(max(0, mentions - stratum.n_after), min(mentions, stratum.n_before) + 1)
    differences = (mentions - before) / stratum.n_after - before / stratum.n_before
    return differences, hypergeom.pmf(before, everybody, mentions, stratum.n_before)


def _null_distribution(strata: Sequence[Stratum], seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Sums of the differences of all strata with their probabilities; drawn where they are too many."""
    parts = [_outcomes(stratum) for stratum in strata]
    if np.prod([float(len(values)) for values, _ in parts]) > MOST_VALUES:
        rng = np.random.default_rng(seed)
        sums = sum(rng.choice(v, DRAWS, p=p / p.sum()) for v, p in parts)
        observed = sum(stratum.difference for stratum in strata)
        drawn = np.append(sums, observed)  # the observed one counts (Phipson and Smyth 2010)
        return drawn, np.full(len(drawn), 1 / len(drawn))
    values, probabilities = np.zeros(1), np.ones(1)
    for more, chances in parts:
        values = np.add.outer(values, more).ravel()
        probabilities = np.multiply.outer(probabilities, chances).ravel()
    return values, probabilities


def able_to_reject(least_p: Sequence[float], alpha: float) -> tuple[np.ndarray, int]:
    """Which tests could reject after correction, and for how many the correction counts (Tarone 1990).

    Args:
        least_p: the smallest p-value that each test could give, whatever the answers of the two groups were.
        alpha: chance of any false claim.
    """
    least = np.asarray(least_p, dtype=float)
    for number in range(1, len(least) + 1):
        able = least <= alpha / number + _TIE
        if able.sum() <= number:
            return able, number
    return np.zeros(len(least), dtype=bool), 1


def change_interval(strata: Sequence[Stratum], p_value: float, confidence: float) -> Interval:
    """Interval of the change, equal weight for every stratum; it agrees with the exact test at its level.

    Args:
        strata: as in `share_change`.
        p_value: of `share_change`.
        confidence: of this interval: 1 - alpha / number of tests for simultaneous ones.
    """
    below = above = 0.0
    for stratum in strata:
        low, high = _distances(stratum, confidence)
        below, above = below + low**2, above + high**2
    number = len(strata)
    difference = sum(stratum.difference for stratum in strata) / number
    interval = Interval(
        max(difference - sqrt(below) / number, -1.0), min(difference + sqrt(above) / number, 1.0)
    )
    return agreeing(interval, difference, 0.0, p_value, confidence) if interval.defined else UNDEFINED


def _distances(stratum: Stratum, confidence: float) -> tuple[float, float]:
    """From the change of a stratum down to the low end of its interval, and up to the high one."""
    before, after = stratum.before / stratum.n_before, stratum.after / stratum.n_after
    ends = wilson(stratum.before, stratum.n_before, confidence)
    ends_after = wilson(stratum.after, stratum.n_after, confidence)
    phi = _phi(stratum)

    def combined(first: float, second: float) -> float:
        return sqrt(max(first**2 + second**2 - 2 * phi * first * second, 0.0))

    return (
        combined(after - ends_after.low, ends.high - before),
        combined(ends_after.high - after, before - ends.low),
    )


def _phi(stratum: Stratum) -> float:
    """Correlation of both answers of the same respondents; 0 for different respondents."""
    if stratum.both is None:
        return 0.0
    n, x, y = stratum.n_before, stratum.before, stratum.after
    scale = sqrt(float(x * (n - x)) * float(y * (n - y)))
    return (n * stratum.both - x * y) / scale if scale else 0.0
