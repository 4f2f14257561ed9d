"""Simulated tellers of stories: base rates, planted associations, and a last line that says them outright."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from importlib.resources import files
from typing import Any

from endoxa.errors import UserError
from endoxa.models.chat.simulated.draws import Draws
from endoxa.models.chat.simulated.latent import LATENT, PARAMETERS, Strengths, raised, strengths
from endoxa.sources.stereotales import SPELLINGS, read_vocabulary

LARGEST_SHARE = 0.9
"""No planted share is larger."""


@dataclass(frozen=True, slots=True)
class Association:
    """One planted association.

    Attributes:
        base_attribute: attribute that the prompt names.
        base_value: its value.
        compared_attribute: attribute of which a value comes more often.
        compared_value: that value.
        multiplier: of its share in the stories that mention the compared attribute.
    """

    base_attribute: str
    base_value: str
    compared_attribute: str
    compared_value: str
    multiplier: float


@dataclass(frozen=True, slots=True)
class Rates:
    """One attribute where nothing is planted.

    Attributes:
        shares: share of each value in the stories that mention the attribute; they sum to 1.
        mentioned: share of stories that mention it.
    """

    shares: Mapping[str, float]
    mentioned: float


@cache
def base_rates() -> Mapping[str, Rates]:
    """Rates of the attributes, in the order of the vocabulary."""
    stated = _stated()["attributes"]
    return {
        attribute.name: Rates(
            {
                value: weight / sum(stated[attribute.name]["weights"])
                for value, weight in zip(attribute.values, stated[attribute.name]["weights"], strict=True)
            },
            stated[attribute.name]["known"],
        )
        for attribute in read_vocabulary()
    }


@cache
def associations() -> tuple[Association, ...]:
    """Everything that can be planted, in the order in which it is."""
    return tuple(
        Association(
            base_attribute=entry["base"][0],
            base_value=entry["base"][1],
            compared_attribute=entry["compared"][0],
            compared_value=entry["compared"][1],
            multiplier=entry["multiplier"],
        )
        for entry in _stated()["planted"]
    )


@cache
def _stated() -> dict[str, Any]:
    source = files("endoxa.models.chat.simulated").joinpath("protagonists.toml")
    return tomllib.loads(source.read_text("utf-8"))


@dataclass(frozen=True, slots=True)
class Planted:
    """Parameters of a teller.

    Attributes:
        planted: how many of the associations are planted, from the first.
        lift: multiplier of each in place of its own; 0 leaves them their own.
        refusal: chance of declining to tell a story.
        unknown: chance that an attribute is not mentioned, in place of its own; below 0 leaves them their own.
    """

    planted: float = len(_stated()["planted"])
    lift: float = 0.0
    refusal: float = 0.01
    unknown: float = -1.0

    def __post_init__(self) -> None:
        """Refuse what cannot be.

        Raises:
            UserError: a number of associations that is not there, a negative multiplier, or no chance.
        """
        if self.planted not in range(len(associations()) + 1):
            raise UserError(
                f"A simulated teller cannot have planted = {self.planted:g}: it is a number of associations, 0 to "
                f"{len(associations())}."
            )
        if self.lift < 0:
            raise UserError(
                f"A simulated teller cannot have lift = {self.lift:g}: a multiplier is not negative."
            )
        for name in ("refusal", "unknown"):
            if not getattr(self, name) <= 1 or (name == "refusal" and self.refusal < 0):
                raise UserError(
                    f"A simulated teller cannot have {name} = {getattr(self, name):g}: it is a chance, 0 to 1."
                )

    def associations(self) -> tuple[Association, ...]:
        """What is planted."""
        chosen = associations()[: int(self.planted)]
        if not self.lift:
            return chosen
        return tuple(replace(association, multiplier=self.lift) for association in chosen)

    def mentioned(self, attribute: str) -> float:
        """Share of stories that mention the attribute."""
        return 1 - self.unknown if self.unknown >= 0 else base_rates()[attribute].mentioned

    def shares(self, base_attribute: str, base_value: str, attribute: str) -> Mapping[str, float]:
        """Shares of an attribute's values in stories that mention it, where the prompt names the base value.

        The share of a planted value is its base rate times the multiplier, at most `MOST`; the others share the rest
        in proportion.
        """
        shares = base_rates()[attribute].shares
        for association in self.associations():
            if (association.base_attribute, association.base_value, association.compared_attribute) == (
                base_attribute,
                base_value,
                attribute,
            ):
                raised = min(association.multiplier * shares[association.compared_value], LARGEST_SHARE)
                rest = (1 - raised) / (1 - shares[association.compared_value])
                return {v: raised if v == association.compared_value else rest * p for v, p in shares.items()}
        return shares

    def expected(self) -> Iterator[dict[str, Any]]:
        """Each association with its true fraction and lift; all values of a base attribute have as many prompts."""
        for association in self.associations():
            rows = [
                self.shares(association.base_attribute, value, association.compared_attribute)[
                    association.compared_value
                ]
                for value in base_rates()[association.base_attribute].shares
            ]
            fraction = self.shares(
                association.base_attribute, association.base_value, association.compared_attribute
            )[association.compared_value]
            yield {
                **asdict(association),
                "expected_fraction": fraction,
                "expected_lift": fraction * len(rows) / sum(rows),
                "known": self.mentioned(association.compared_attribute),
            }


PROFILE_MARK = "(Simulated story. Protagonist: "
PROFILE_END = ".)"


def profile_line(profile: Mapping[str, str]) -> str:
    """The line: `(Simulated story. Protagonist: age: adult (30-44); gender: woman.)`."""
    return PROFILE_MARK + "; ".join(f"{name}: {value}" for name, value in profile.items()) + PROFILE_END


def read_profile_line(story: str) -> dict[str, str] | None:
    """The profile in a story's line; None where it has none."""
    _, mark, rest = story.rpartition(PROFILE_MARK)
    line, end, _ = rest.rpartition(PROFILE_END)
    if not mark or not end:
        return None
    return dict(part.split(": ", 1) for part in line.split("; ") if ": " in part)


BEGINNINGS = (
    "The bus was late that morning, and the square was still empty.",
    "It had rained all night, and the street smelled of wet leaves.",
    "The letter had been lying on the table for three days.",
    "Nobody had expected the hall to be full.",
)
MIDDLES = (
    "There was a decision to be made, and it could not be put off any longer.",
    "A neighbour knocked, asked two questions and stayed for tea.",
    "What looked simple in the morning had become complicated by noon.",
    "The first attempt failed; the second went better than hoped.",
)
ENDINGS = (
    "In the evening the lamp stayed on for a long time.",
    "On the way home it felt as if something had been settled.",
    "The next day began like any other, and yet it was not.",
    "There would be time enough to tell the others.",
)
REFUSALS = (
    "I'm sorry, but I can't write this story.",
    "I am not able to help with that request.",
    "I would rather not write a story about a person described in this way.",
)


@dataclass(frozen=True, slots=True)
class Teller:
    """Tells stories as its parameters say.

    It is told of each prompt: "sample_id", "target_attribute", "target_attribute_value" and "associations". Every
    other attribute is drawn independently of all others given that value, so a table of two attributes is exactly
    independent unless an association was planted in it.

    Attributes:
        planted: base rates and associations of its own.
        latent: strengths of the associations of which it is told; None leaves them without effect.
    """

    planted: Planted
    latent: Strengths | None = None

    def key(self, facts: Mapping[str, Any]) -> tuple[str, ...]:
        """The prompt."""
        return (str(facts["sample_id"]),)

    def answer(self, facts: Mapping[str, Any], draws: Draws) -> str:
        """A story, or a refusal."""
        if draws.uniform("refusal") < self.planted.refusal:
            return draws.choose(REFUSALS, "wording")
        sentences = (
            draws.choose(BEGINNINGS, "beginning"),
            draws.choose(MIDDLES, "middle"),
            draws.choose(ENDINGS, "ending"),
        )
        return f"{' '.join(sentences)}\n\n{profile_line(self._profile(facts, draws))}"

    def describe(self) -> Mapping[str, Any]:
        """The parameters, and each planted association with its true fraction and lift."""
        if self.latent is not None:
            return {"planted": asdict(self.latent)}
        return {"planted": asdict(self.planted), "associations": list(self.planted.expected())}

    def _profile(self, facts: Mapping[str, Any], draws: Draws) -> dict[str, str]:
        base = facts["target_attribute"]
        named = SPELLINGS.get(facts["target_attribute_value"], facts["target_attribute_value"])
        profile = {base: named}
        for attribute in base_rates():
            if attribute != base and draws.uniform(f"{attribute} known") < self.planted.mentioned(attribute):
                shares = self.planted.shares(base, named, attribute)
                if self.latent is not None:
                    shares = raised(shares, facts.get("associations", ()), attribute, self.latent)
                profile[attribute] = _at(shares, draws.uniform(attribute))
        return profile


def _at(shares: Mapping[str, float], uniform: float) -> str:
    """The value at `uniform` of the cumulative shares."""
    reached = 0.0
    for value, share in shares.items():
        reached += share
        if uniform < reached:
            return value
    return max(shares, key=shares.__getitem__)


@dataclass(frozen=True, slots=True)
class TellerSimulation:
    """Respondents to the probe "stories"."""

    name: str = "stories"
    respondents: frozenset[str] = frozenset({"teller", LATENT})
    parameters: frozenset[str] = frozenset(field.name for field in fields(Planted)) | PARAMETERS

    def respondent(self, name: str, values: Mapping[str, float]) -> Teller:
        """The teller, or the one with latent strengths; parameters of other probes are left to them.

        Raises:
            UserError: a value that cannot be.
        """
        if name == LATENT:
            return Teller(Planted(planted=0, refusal=0.0), strengths(values))
        names = {field.name for field in fields(Planted)}
        return Teller(Planted(**{key: value for key, value in values.items() if key in names}))


TELLER = TellerSimulation()
