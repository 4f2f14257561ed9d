"""Change of a share between two groups of respondents.

Test: which group a respondent belongs to is exchangeable if nothing changed, so the change has an exact distribution:
a difference of hypergeometric counts. Interval: Newcombe's square-and-add limits (1998, Statistics in Medicine 17:
873). Correction: Bonferroni over the tests that could reject at all (Tarone 1990, Biometrics 46).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot

import numpy as np

from endoxa.stats.intervals import UNDEFINED, Interval, agreeing, wilson

_TIE = 1e-12


@dataclass(frozen=True, slots=True)
class Shares:
    """Respondents of two groups and how many of them said something.

    Attributes:
        before: who said it in the first group.
        after: who said it in the second.
        n_before: respondents of the first group.
        n_after: respondents of the second.
    """

    before: int
    after: int
    n_before: int
    n_after: int

    @property
    def difference(self) -> float:
        """Share in the second group less share in the first."""
        return self.after / self.n_after - self.before / self.n_before


def share_test(shares: Shares) -> tuple[float, float]:
    """Exact two-sided p-value against no change, and the smallest that as many mentions could give."""
    from scipy.stats import hypergeom

    mentions, everybody = shares.before + shares.after, shares.n_before + shares.n_after
    before = np.arange(max(0, mentions - shares.n_after), min(mentions, shares.n_before) + 1)
    size = np.abs((mentions - before) / shares.n_after - before / shares.n_before)
    probabilities = hypergeom.pmf(before, everybody, mentions, shares.n_before)
    p_value, least = (
        min(float(probabilities[size >= end - _TIE].sum()), 1.0)
        for end in (abs(shares.difference), size.max())
    )
    return p_value, least


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


def change_interval(shares: Shares, p_value: float, confidence: float) -> Interval:
    """Interval of the change; it agrees with the exact test at its level.

    Args:
        shares: of both groups.
        p_value: of `share_test`.
        confidence: of this interval: 1 - alpha / number of tests for simultaneous ones.
    """
    before, after = shares.before / shares.n_before, shares.after / shares.n_after
    ends = wilson(shares.before, shares.n_before, confidence)
    ends_after = wilson(shares.after, shares.n_after, confidence)
    low = shares.difference - hypot(after - ends_after.low, ends.high - before)
    high = shares.difference + hypot(ends_after.high - after, before - ends.low)
    interval = Interval(max(low, -1.0), min(high, 1.0))
    return agreeing(interval, shares.difference, 0.0, p_value, confidence) if interval.defined else UNDEFINED
