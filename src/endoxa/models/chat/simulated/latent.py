"""One planted strength for each association, expressed in every instrument: for rehearsals of a study.

The strength of an association in an instrument is mean + spread * (sqrt(c) * z + sqrt(1 - c) * z'), where z is drawn
for the association, z' for the association and the instrument, both standard normal, and c is `correlation`: the
true correlation between two instruments. Every draw depends on names only, never on the order of questions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from endoxa.errors import UserError
from endoxa.models.chat.simulated.draws import normal, planted

LATENT = "latent"
"""Name of the respondent, and of its kind in each probe."""


@dataclass(frozen=True, slots=True)
class Strengths:
    """Parameters of `sim/latent`.

    Attributes:
        mean: mean strength of associations, in standard deviations of a part's noise or as a log-odds.
        spread: standard deviation of strengths over associations.
        correlation: true correlation between the strengths of two instruments, 0 to 1.
        scatter: standard deviation of one pair or test sentence around its association's strength.
        world: number of the world; another one has other strengths.
    """

    mean: float = 0.5
    spread: float = 1.0
    correlation: float = 0.6
    scatter: float = 1.0
    world: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what cannot be.

        Raises:
            UserError: a correlation outside 0 to 1, or a negative spread.
        """
        if not 0 <= self.correlation <= 1:
            raise UserError(f"sim/latent: correlation = {self.correlation:g} is not between 0 and 1.")
        for name in ("spread", "scatter"):
            if getattr(self, name) < 0:
                raise UserError(f"sim/latent: {name} = {getattr(self, name):g} is negative.")

    def of(self, association_id: str, instrument: str) -> float:
        """Strength of an association in an instrument; positive means stereotype."""
        world = f"{self.world:g}"
        common, specific = normal(world, association_id), normal(world, association_id, instrument)
        together = math.sqrt(self.correlation) * common + math.sqrt(1 - self.correlation) * specific
        return self.mean + self.spread * together

    def describe(self) -> Mapping[str, Any]:
        """The parameters."""
        return planted(self)


def share(strength: float, base: float = 0.5) -> float:
    """The chance whose log-odds are those of `base` plus the strength."""
    return 1 / (1 + (1 - base) / base * math.exp(-strength))
