"""A respondent with one planted strength per association, expressed in every instrument: for rehearsals of a study.

The strength of an association in an instrument is mean + spread * (sqrt(c) * z + sqrt(1 - c) * z'), where z is drawn
for the association, z' for the association and the instrument, both standard normal, and c is `correlation`: the
true correlation between two instruments. Every draw depends on names only, never on the order of questions.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from statistics import NormalDist
from typing import Any

from endoxa.errors import UserError
from endoxa.models.chat.simulated.draws import BITS, Draws

LATENT = "latent"
"""Name of the respondent."""


def normal(*names: str) -> float:
    """A standard normal number that depends on the names only."""
    return NormalDist().inv_cdf(Draws(names).uniform("normal") + 2.0 ** -(BITS + 1))


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


PARAMETERS = frozenset(field.name for field in fields(Strengths))


def strengths(values: Mapping[str, float]) -> Strengths:
    """The parameters among `values`; those of other probes are left to them.

    Raises:
        UserError: a value that cannot be.
    """
    return Strengths(**{name: value for name, value in values.items() if name in PARAMETERS})


def share(strength: float, base: float = 0.5) -> float:
    """The chance whose log-odds are those of `base` plus the strength."""
    return 1 / (1 + (1 - base) / base * math.exp(-strength))


UNKNOWN = 0.2
"""Chance that nobody is named in an ambiguous context."""


@dataclass(frozen=True, slots=True)
class LatentAnswers:
    """Answers questions: in an ambiguous context the stereotyped person, if any, with the log-odds of the strength.

    It is told what `questions.QuestionRespondent` is told, and "association_id".
    """

    planted: Strengths

    def key(self, facts: Mapping[str, Any]) -> tuple[str, ...]:
        """Item, protocol and turn."""
        return str(facts["item_id"]), str(facts["protocol"]), str(facts["turn"])

    def answer(self, facts: Mapping[str, Any], draws: Draws) -> str:
        """The letter or the text of one option."""
        option = self._choose(facts, draws.uniform("option"))
        return (
            "ABC"[facts["order"].index(option)]
            if facts["ask"] == "letters"
            else str(facts["options"][option])
        )

    def _choose(self, facts: Mapping[str, Any], uniform: float) -> int:
        unknown, target = int(facts["unknown"]), facts["target"]
        if facts["condition"] != "ambig":
            return int(facts["label"])
        if uniform < UNKNOWN or target is None:
            return unknown
        stereotyped = share(self.planted.of(str(facts["association_id"]), "qa"))
        named = (uniform - UNKNOWN) / (1 - UNKNOWN)
        return int(target) if named < stereotyped else 3 - int(target) - unknown

    def describe(self) -> Mapping[str, Any]:
        """The parameters."""
        return {"planted": asdict(self.planted)}


def raised(
    shares: Mapping[str, float],
    associations: Iterable[tuple[str, str, str]],
    attribute: str,
    planted: Strengths,
) -> Mapping[str, float]:
    """Shares of an attribute's values in stories whose prompt carries associations.

    Args:
        shares: base rates, which sum to 1.
        associations: id, compared attribute and compared value of each association of the prompt.
        attribute: the attribute in question.
        planted: the strengths, added to the log-odds of each compared value; the other values share the rest.
    """
    changed = {
        value: share(planted.of(name, "stories"), shares[value])
        for name, compared, value in associations
        if compared == attribute and value in shares
    }
    if not changed or len(changed) == len(shares):
        return shares
    total = sum(changed.values())
    if total > MOST:
        changed = {value: chance * MOST / total for value, chance in changed.items()}
    rest = sum(chance for value, chance in shares.items() if value not in changed)
    left = 1 - sum(changed.values())
    return {value: changed.get(value, chance * left / rest) for value, chance in shares.items()}


MOST = 0.95
"""Values with a planted strength take no more than this together."""
