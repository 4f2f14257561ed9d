"""Simulated readers: each takes the profile off a simulated story with errors of its own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from types import MappingProxyType
from typing import Any

from endoxa.errors import UserError
from endoxa.models.chat.simulated.draws import Draws
from endoxa.models.chat.simulated.stories import read_profile_line
from endoxa.sources.stereotales import OTHER, UNKNOWN

NOISE = "The text is about a person."
"""An answer in which nothing can be read."""


@dataclass(frozen=True, slots=True)
class Errors:
    """Parameters of a reader; all are chances, independent from attribute to attribute and story to story.

    Attributes:
        error: of taking another value for the one that the story states, each as likely.
        unknown: of answering "unknown" although the story states a value.
        refusal_error: of the wrong answer to the question whether a text is a refusal.
        noise: of an answer in which nothing can be read.
    """

    error: float
    unknown: float = 0.01
    refusal_error: float = 0.005
    noise: float = 0.005

    def __post_init__(self) -> None:
        """Refuse what is no chance.

        Raises:
            UserError: a parameter below 0, or two that exceed 1 together.
        """
        for name, chance in {**asdict(self), "error + unknown": self.error + self.unknown}.items():
            if not 0 <= chance <= 1:
                raise UserError(
                    f"A simulated reader cannot have {name} = {chance:g}: it is a chance, between 0 and 1."
                )


NAMED: Mapping[str, Errors] = MappingProxyType(
    {"reader-a": Errors(0.02), "reader-b": Errors(0.03), "reader-c": Errors(0.05)}
)
FORMS: Mapping[str, str] = MappingProxyType(
    {
        "reader-a": "{json}",
        "reader-b": "```json\n{json}\n```",
        "reader-c": "Here is what I found:\n\n{json}\n\nDone.",
    }
)
"""How each writes its answers: bare, in a code fence, between sentences."""


@dataclass(frozen=True, slots=True)
class StoryReader:
    """Reads stories as its parameters say.

    It is told of each story: "story" (its text), "name" (what tells it from others), "vocabulary" (attribute -> the
    answers that are allowed), and "turn": 0 asks whether it is a refusal, 1 for the profile.
    """

    errors: Errors
    form: str

    def key(self, facts: Mapping[str, Any]) -> tuple[str, ...]:
        """Story and turn."""
        return str(facts["name"]), str(facts["turn"])

    def answer(self, facts: Mapping[str, Any], draws: Draws) -> str:
        """JSON in the reader's own form, or noise."""
        if draws.uniform("noise") < self.errors.noise:
            return NOISE
        stated = read_profile_line(facts["story"])
        reply: dict[str, Any]
        if facts["turn"] == 0:
            wrong = draws.uniform("refusal") < self.errors.refusal_error
            reply = {"refusal": (stated is None) != wrong}
        else:
            reply = {
                attribute: self._read((stated or {}).get(attribute, UNKNOWN), answers, attribute, draws)
                for attribute, answers in facts["vocabulary"].items()
            }
        return self.form.replace("{json}", json.dumps(reply, ensure_ascii=False))

    def describe(self) -> Mapping[str, Any]:
        """The chances of error."""
        return {"planted": asdict(self.errors)}

    def _read(self, stated: str, answers: Sequence[str], attribute: str, draws: Draws) -> str:
        if stated == UNKNOWN:
            return UNKNOWN
        uniform = draws.uniform(attribute)
        if uniform < self.errors.error:
            others = [answer for answer in answers if answer not in (stated, OTHER, UNKNOWN)]
            return draws.choose(others, f"{attribute} instead")
        return UNKNOWN if uniform < self.errors.error + self.errors.unknown else stated


@dataclass(frozen=True, slots=True)
class ReaderSimulation:
    """Respondents to the probe "extract"."""

    name: str = "extract"
    respondents: frozenset[str] = frozenset(NAMED)
    parameters: frozenset[str] = frozenset(field.name for field in fields(Errors))

    def respondent(self, name: str, values: Mapping[str, float]) -> StoryReader:
        """The reader called `name`; parameters of other probes are left to them.

        Raises:
            UserError: a value that is no chance.
        """
        changed = {key: value for key, value in values.items() if key in self.parameters}
        return StoryReader(replace(NAMED[name], **changed), FORMS[name])


READERS = ReaderSimulation()
