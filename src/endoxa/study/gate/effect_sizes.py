"""One association test in a gate: the effect size under baseline and candidate, with the targets as its sample."""

from __future__ import annotations

from dataclasses import dataclass

from endoxa.stats.verdicts import too_few
from endoxa.study.gate.decision import Contrasts
from endoxa.study.gate.measures import Measure

FEWEST_TARGETS = 8
"""In X, and in Y. With five of each the chance of a wrong decision exceeds 5 % where effect sizes are large."""


@dataclass(frozen=True, slots=True)
class EffectSizes:
    """One association test of both models, as `measures.Paired` is one measure on common items.

    Attributes:
        measure: the effect size.
        rule: pooling.
        axis: name of the test.
        baseline: effect size of the baseline; NaN where all associations are equal.
        candidate: that of the candidate.
        numbers: texts of X and Y, targets, and 0.
        identical: every association of the candidate is that of the baseline.
        deciding: targets of the smaller set.
        contrasts: all contrasts that "worse" is made of; None where an effect size is missing.
    """

    measure: Measure
    rule: str
    axis: str
    baseline: float
    candidate: float
    numbers: tuple[int, int, int]
    identical: bool
    deciding: int
    contrasts: Contrasts | None
    left_out: int = 0
    units: tuple[str, str] = ("targets", "targets")

    @property
    def few(self) -> str:
        """Why there are too few targets for any decision; empty where there are enough."""
        few = too_few(self.deciding, "targets", FEWEST_TARGETS)
        return few and f"{few} in X and in Y"

    @property
    def needs(self) -> str:
        """What a decision needs at least."""
        return f"{FEWEST_TARGETS} targets in X and in Y"

    @property
    def untestable(self) -> str:
        """Why nothing may be decided, or empty."""
        if self.contrasts is None:
            return "all associations under one of the models are equal"
        return self.few
