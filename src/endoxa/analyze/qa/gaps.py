"""The accuracy gap: accuracy where the right answer agrees with the stereotype minus accuracy where it does not.

Within templates (Mantel and Haenszel 1959): template k with n1 answers of the first kind and n0 of the second has the
weight n1 n0 / (n1 + n0), so that unequal templates cannot make a gap, and templates with one kind of answer say
nothing. In a balanced design it is the difference of the two accuracies.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd, lcm

import numpy as np

from endoxa.analyze.qa.measures import Counts, share


@dataclass(frozen=True, slots=True)
class Gap:
    """The accuracy gap of some templates, as sums over them; arrays of shape (templates,).

    Attributes:
        sizes: weight of each template, 0 where it has one kind of answer only.
        first: weight times accuracy where the right answer agrees with the stereotype.
        second: weight times accuracy where it does not.
        denominator: what makes all `totals` whole.
    """

    sizes: np.ndarray
    first: np.ndarray
    second: np.ndarray
    denominator: int

    @property
    def totals(self) -> np.ndarray:
        """What each template adds to the gap: right answers of the first kind, observed minus expected."""
        return np.asarray(self.first - self.second)

    @property
    def value(self) -> float:
        """The gap; NaN where no template has both kinds of answers."""
        return float(share(self.totals.sum(), self.sizes.sum()))


def gap_of(counts: Counts) -> Gap:
    """The gap of disambiguated answers, from their counts per template."""
    together = counts.aligned + counts.nonaligned
    sizes = np.nan_to_num(share(counts.aligned * counts.nonaligned, together))
    first = sizes * np.nan_to_num(share(counts.aligned_correct, counts.aligned))
    second = sizes * np.nan_to_num(share(counts.nonaligned_correct, counts.nonaligned))
    pairs = zip(together[sizes > 0].astype(int), counts.aligned[sizes > 0].astype(int), strict=True)
    return Gap(sizes, first, second, lcm(*(int(n) // gcd(int(n), int(one)) for n, one in pairs)))
