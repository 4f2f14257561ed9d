"""How association tests are analyzed, and the sentences for values that cannot be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from endoxa.errors import UserError
from endoxa.instruments.association_tests.estimates.bootstrap import RESAMPLES, Unit
from endoxa.instruments.association_tests.estimates.permutation import DRAWS, Alternative

Unequal = Literal["fixed", "truncate"]
Ddof = Literal["1", "wefe"]
MOST_DRAWS = 10_000_000


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that decides the numbers besides tests and vectors.

    Attributes:
        seed: seed of partitions and resamples.
        draws: partitions drawn where they are too many to be counted.
        unequal: target sets of different size: 'fixed' keeps all texts, and partitions have the sizes of X and Y;
            'truncate' takes the first units of the longer set only, as many as the shorter one has.
        ddof: '1', or 'wefe' for 0, in the column `effect_size` and its interval.
        parametric: p from the normal approximation of the permutation distribution.
        confidence: confidence level of the intervals.
        resamples: bootstrap samples per interval.
        alternative: 'greater' (X lies nearer to A, rather than B, than Y does), 'less', 'two-sided'.
        unit: what is exchanged and resampled: 'text', 'term', or 'auto' (`bootstrap.unit_of`).
    """

    seed: int = 0
    draws: int = DRAWS
    unequal: Unequal = "fixed"
    ddof: Ddof = "1"
    parametric: bool = False
    confidence: float = 0.95
    resamples: int = RESAMPLES
    alternative: Alternative = "greater"
    unit: Unit = "auto"

    def check(self) -> None:
        """Raise UserError where a number is out of range."""
        if not 0 < self.confidence < 1:
            raise UserError(
                f"The confidence must lie between 0 and 1, for example 0.95, not {self.confidence}."
            )
        if self.resamples < 100:
            raise UserError(
                f"At least 100 bootstrap samples are needed, not {self.resamples}; {RESAMPLES} is the default."
            )
        if not 100 <= self.draws <= MOST_DRAWS:
            raise UserError(f"Between 100 and {MOST_DRAWS} partitions can be drawn, not {self.draws}.")
        if self.seed < 0:
            raise UserError(f"The seed must not be negative ({self.seed} was given).")
