"""Jackknife of a statistic over units of two kinds that cross: identities and attributes are left out in turn.

The variance is that without each unit of the first kind, plus that without each of the second, minus that without each
pair of both, at least either of the first two (Cameron, Gelbach and Miller 2011); degrees of freedom after
Satterthwaite (1946). For correlations that are corrected for unreliability see `endoxa.stats.attenuation`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from endoxa.stats.reliability import freedom, jackknife_errors

Statistic = Callable[[np.ndarray], np.ndarray]
"""From the observations that are kept (a mask) to numbers, NaN where one is not defined."""
NOTHING = 1e-12
"""An error below it is one of rounding."""
MOST_CELLS = 2000
"""With more pairs of units their variance is not subtracted, which makes intervals longer and saves the time."""


@dataclass(frozen=True, slots=True)
class Jackknifed:
    """Numbers of a statistic with their errors, an entry for each.

    Attributes:
        value: the estimates.
        error: their standard errors; NaN where leaving out a unit leaves a number undefined, or changes nothing.
        freedom: degrees of freedom.
    """

    value: np.ndarray
    error: np.ndarray
    freedom: np.ndarray

    def ends(self, confidence: float) -> tuple[np.ndarray, np.ndarray]:
        """Both ends of Student's intervals."""
        from scipy.special import stdtrit

        reach = stdtrit(self.freedom, (1 + confidence) / 2) * self.error
        return self.value - reach, self.value + reach

    def p_values(self) -> np.ndarray:
        """Two-sided, against 0."""
        from scipy.special import stdtr

        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(2 * stdtr(self.freedom, -np.abs(self.value / self.error)))


def combined_errors(left: Sequence[np.ndarray]) -> np.ndarray:
    """Standard error of each column from its values without each unit of one kind, or of two kinds and their pairs."""
    variances = [jackknife_errors(values) ** 2 for values in left]
    if len(variances) == 1:
        return np.asarray(np.sqrt(variances[0]))
    first, second, cells = variances
    return np.asarray(np.sqrt(np.maximum(np.maximum(first, second), first + second - cells)))


def satterthwaite(
    left: Sequence[np.ndarray], error: np.ndarray | float, degrees: tuple[float, float], units: int
) -> np.ndarray:
    """Degrees of freedom of a variance made of that of two kinds of units, at least those of the fewer."""
    first, second, cells = (jackknife_errors(values.reshape(len(values), -1)) ** 2 for values in left)
    rest = max(units - sum(degrees) - 1, 1)
    weights = first**2 / max(degrees[0], 0.3) + second**2 / max(degrees[1], 0.3) + cells**2 / rest
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.maximum(np.asarray(error) ** 4 / weights, min(degrees))


def jackknife(statistic: Statistic, first: np.ndarray, second: np.ndarray | None = None) -> Jackknifed:
    """A statistic of observations with its errors over units of one kind, or of two.

    Args:
        statistic: from a mask of observations to numbers.
        first: code of each observation's unit of the first kind.
        second: of the second kind; None where the first alone is a sample.
    """
    value = np.asarray(statistic(np.ones(len(first), dtype=bool)), dtype=float)
    left = [_without(statistic, codes) for codes in (first, second) if codes is not None]
    if second is not None:
        cells = pairs_of(first, second)
        few = int(cells.max()) < MOST_CELLS
        left.append(_without(statistic, cells) if few else np.zeros((2, len(value))))
    return combined(value, left, first, second)


def combined(
    value: np.ndarray, left: Sequence[np.ndarray], first: np.ndarray, second: np.ndarray | None
) -> Jackknifed:
    """Numbers with their errors, from what they are without each unit.

    Args:
        value: the numbers.
        left: without each unit of the first kind; of two kinds also of the second, and without each pair of both.
        first: code of each observation's unit of the first kind.
        second: of the second kind, or None.
    """
    error = combined_errors(left)
    degrees = [
        freedom(np.unique(codes, return_counts=True)[1]) for codes in (first, second) if codes is not None
    ]
    if second is None:
        degrees_of_freedom = np.full(len(value), degrees[0])
    else:
        degrees_of_freedom = satterthwaite(left, error, (degrees[0], degrees[1]), len(first))
    return Jackknifed(value, np.where(error > NOTHING, error, np.nan), degrees_of_freedom)


def pairs_of(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Code of the pair of units of each observation."""
    return np.asarray(np.unique(np.stack([first, second]), axis=1, return_inverse=True)[1].ravel())


def _without(statistic: Statistic, codes: np.ndarray) -> np.ndarray:
    return np.array([statistic(codes != code) for code in np.unique(codes)], dtype=float)
