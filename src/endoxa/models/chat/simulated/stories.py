"""Tellers of stories, whose last line says outright what was planted; readers of stories and statements."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from endoxa.errors import UserError
from endoxa.models.chat.simulated.draws import (
    LATENT,
    Draws,
    Simulation,
    Strengths,
    parameters,
    planted,
    require_chances,
    share,
    words_of,
)
from endoxa.sources.stereotales.profiles import OTHER, SPELLINGS, UNKNOWN
from endoxa.sources.stereotales.vocabulary import read_vocabulary

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
    rates = {}
    for attribute in read_vocabulary():
        stated = _stated()["attributes"][attribute.name]
        shares = [weight / sum(stated["weights"]) for weight in stated["weights"]]
        rates[attribute.name] = Rates(dict(zip(attribute.values, shares, strict=True)), stated["known"])
    return rates


@cache
def associations() -> tuple[Association, ...]:
    """Everything that can be planted, in the order in which it is."""
    return tuple(
        Association(*(*entry["base"], *entry["compared"], entry["multiplier"]))
        for entry in _stated()["planted"]
    )


@cache
def _stated() -> dict[str, Any]:
    source = files("endoxa.models.chat.simulated").joinpath("protagonists.toml")
    return tomllib.loads(source.read_text("utf-8"))


@dataclass(frozen=True, slots=True)
class Teller:
    """Tells stories with planted associations.

    It is told of each prompt: "sample_id", "target_attribute", "target_attribute_value" and "associations". Every
    other attribute is drawn independently of all others given that value, so a table of two attributes is exactly
    independent unless an association was planted in it.

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
        require_chances("teller", [("refusal", self.refusal), ("unknown", max(self.unknown, 0.0))])

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

        The share of a planted value is its base rate times the multiplier, at most `LARGEST_SHARE`; the others share
        the rest in proportion.
        """
        shares = base_rates()[attribute].shares
        for each in self.associations():
            named = (each.base_attribute, each.base_value, each.compared_attribute)
            if named == (base_attribute, base_value, attribute):
                raised = min(each.multiplier * shares[each.compared_value], LARGEST_SHARE)
                rest = (1 - raised) / (1 - shares[each.compared_value])
                return {v: raised if v == each.compared_value else rest * p for v, p in shares.items()}
        return shares

    def expected(self) -> Iterator[dict[str, Any]]:
        """Each association with its true fraction and lift; all values of a base attribute have as many prompts."""
        for association in self.associations():
            base, compared = association.base_attribute, association.compared_attribute
            rows = {
                value: self.shares(base, value, compared)[association.compared_value]
                for value in base_rates()[base].shares
            }
            fraction = rows[association.base_value]
            yield {
                **asdict(association),
                "expected_fraction": fraction,
                "expected_lift": fraction * len(rows) / sum(rows.values()),
                "known": self.mentioned(compared),
            }

    def answer(self, facts: Mapping[str, Any], draws: Draws, latent: Strengths | None = None) -> str:
        """A story, or a refusal.

        Args:
            facts: of the prompt.
            draws: of the answer.
            latent: strengths of the associations of which it is told; None leaves them without effect.
        """
        words = words_of("stories")
        if draws.uniform("refusal") < self.refusal:
            return str(draws.choose(words["refusals"], "wording"))
        base, named = facts["target_attribute"], facts["target_attribute_value"]
        named = SPELLINGS.get(named, named)
        profile = {base: named}
        for attribute in base_rates():
            if attribute != base and draws.uniform(f"{attribute} known") < self.mentioned(attribute):
                shares = self.shares(base, named, attribute)
                if latent is not None:
                    shares = raised(shares, facts.get("associations", ()), attribute, latent)
                profile[attribute] = draws.pick(shares, attribute)
        sentences = (draws.choose(words[f"{place}s"], place) for place in ("beginning", "middle", "ending"))
        return f"{' '.join(sentences)}\n\n{profile_line(profile)}"

    def describe(self) -> Mapping[str, Any]:
        """The parameters, and each planted association with its true fraction and lift."""
        return {**planted(self), "associations": list(self.expected())}


class LatentTeller(Strengths):
    """Tells stories in which nothing but the strengths of the prompt's associations is planted."""

    __slots__ = ()

    def answer(self, facts: Mapping[str, Any], draws: Draws) -> str:
        """A story."""
        return Teller(planted=0, refusal=0.0).answer(facts, draws, self)


def raised(
    shares: Mapping[str, float],
    associations: Iterable[tuple[str, str, str]],
    attribute: str,
    latent: Strengths,
) -> Mapping[str, float]:
    """Shares of an attribute's values in stories whose prompt carries associations.

    Args:
        shares: base rates, which sum to 1.
        associations: id, compared attribute and compared value of each association of the prompt.
        attribute: the attribute in question.
        latent: the strengths, added to the log-odds of each compared value; the other values share the rest.
    """
    changed = {
        value: share(latent.of(name, "stories"), shares[value])
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


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads what it is shown, with errors of its own; chances are independent from answer to answer.

    Attributes:
        error: of taking another value for the one that a story states, each as likely, or of reading something else in
            a statement.
        unknown: of answering "unknown" although the story states a value.
        refusal_error: of the wrong answer to the question whether a text is a refusal.
        noise: of an answer in which nothing can be read.
        form: how it writes its answers; {json} stands for them.
    """

    error: float = 0.02
    unknown: float = 0.01
    refusal_error: float = 0.005
    noise: float = 0.005
    form: str = "{json}"

    def __post_init__(self) -> None:
        """Refuse what is no chance.

        Raises:
            UserError: a parameter below 0, or two that exceed 1 together.
        """
        chances = [(name, getattr(self, name)) for name in parameters(self)]
        require_chances("reader", [*chances, ("error + unknown", self.error + self.unknown)])

    def describe(self) -> Mapping[str, Any]:
        """The chances of error."""
        return planted(self)

    def written(self, reply: Mapping[str, Any], draws: Draws) -> str:
        """JSON in the reader's own form, or noise."""
        if draws.uniform("noise") < self.noise:
            return "The text is about a person."
        return self.form.replace("{json}", json.dumps(reply, ensure_ascii=False))


class StoryReader(Reader):
    """Takes the profile off a story.

    It is told of each story: "story" (its text), "name" (what tells it from others), "vocabulary" (attribute -> the
    answers that are allowed), and "turn": 0 asks whether it is a refusal, 1 for the profile.
    """

    __slots__ = ()

    def answer(self, facts: Mapping[str, Any], draws: Draws) -> str:
        """Whether it is a refusal, or a value for each attribute."""
        stated = read_profile_line(facts["story"])
        if facts["turn"] == 0:
            wrong = draws.uniform("refusal") < self.refusal_error
            return self.written({"refusal": (stated is None) != wrong}, draws)
        values = {
            attribute: self._read((stated or {}).get(attribute, UNKNOWN), answers, attribute, draws)
            for attribute, answers in facts["vocabulary"].items()
        }
        return self.written(values, draws)

    def _read(self, stated: str, answers: Sequence[str], attribute: str, draws: Draws) -> str:
        if stated == UNKNOWN:
            return UNKNOWN
        uniform = draws.uniform(attribute)
        if uniform < self.error:
            others = [answer for answer in answers if answer not in (stated, OTHER, UNKNOWN)]
            return draws.choose(others, f"{attribute} instead")
        return UNKNOWN if uniform < self.error + self.unknown else stated


GROUPS = ("nurses", "pilots", "shepherds", "dancers", "bakers")
"""Groups that a wrong reading of a statement names."""


class StatementReader(Reader):
    """Gives the pairs of a statement that it is told.

    It is told of each statement: "name" (what tells it from others) and "pairs" (identity and attribute, none where it
    is to be left out). With chance `error` it reads something else: another group, half of the attribute, or nothing.
    """

    __slots__ = ()

    def answer(self, facts: Mapping[str, Any], draws: Draws) -> str:
        """The pairs."""
        pairs = [{"identity": who, "attribute": what} for who, what in facts["pairs"]]
        if draws.uniform("error") < self.error:
            pairs = self._wrong(pairs, draws)
        return self.written({"pairs": pairs, "omit": "" if pairs else "noise"}, draws)

    def _wrong(self, pairs: list[dict[str, str]], draws: Draws) -> list[dict[str, str]]:
        other = {"identity": draws.choose(GROUPS, "group"), "attribute": "something else"}
        kind = draws.choose(("group", "half", "nothing"), "kind")
        words = pairs[0]["attribute"].split() if pairs else []
        if kind == "nothing" and pairs:
            return []
        if kind == "half" and len(words) > 1:
            return [{**pairs[0], "attribute": " ".join(words[: len(words) // 2])}, *pairs[1:]]
        return [{**other, "attribute": pairs[0]["attribute"]}] if pairs else [other]


TELLERS = Simulation("stories", ("sample_id",), {"": Teller, LATENT: LatentTeller})
READERS = Simulation("extract", ("name", "turn"), {"": StoryReader})
STATEMENTS = Simulation("statements", ("name",), {"": StatementReader})
"""Respondents to the probes "stories", "extract" and "statements"."""
