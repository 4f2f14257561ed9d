"""A simulated respondent as a chat model: the words that name it, and one simulation for each probe."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from math import isfinite
from typing import Any, Protocol

from endoxa.errors import UserError
from endoxa.models.chat.simulated.draws import Draws
from endoxa.models.chat.spec import ChatOptions, ChatSpec, Lost, Provider
from endoxa.registry import Registry
from endoxa.schema.chat import ChatAnswer, Message, Sampling, Usage


class Respondent(Protocol):
    """A respondent with its planted parameters, as one probe meets it."""

    def key(self, facts: Mapping[str, Any]) -> tuple[str, ...]:
        """What tells this question from every other of the probe: the answer is drawn for it."""
        ...

    def answer(self, facts: Mapping[str, Any], draws: Draws) -> str:
        """The answer to an item of which it was told (`endoxa.schema.chat.ChatModel.ask`)."""
        ...

    def describe(self) -> Mapping[str, Any]:
        """What was planted, and what a measure should find."""
        ...


class Simulation(Protocol):
    """How respondents answer one probe."""

    @property
    def name(self) -> str:
        """The probe, `told["probe"]`."""
        ...

    @property
    def respondents(self) -> Collection[str]:
        """Names of the respondents that it knows."""
        ...

    @property
    def parameters(self) -> Collection[str]:
        """Parameters that `sim/NAME?PARAMETER=VALUE` may change."""
        ...

    def respondent(self, name: str, values: Mapping[str, float]) -> Respondent:
        """The respondent called `name` with some parameters changed.

        Raises:
            UserError: a value that cannot be.
        """
        ...


def _builtin() -> Iterable[Simulation]:
    from endoxa.models.chat.simulated.authors import AUTHORS
    from endoxa.models.chat.simulated.questions import QUESTIONS
    from endoxa.models.chat.simulated.ratings import RATINGS
    from endoxa.models.chat.simulated.readers import READERS
    from endoxa.models.chat.simulated.statements import STATEMENTS
    from endoxa.models.chat.simulated.stories import TELLER

    return (QUESTIONS, TELLER, READERS, RATINGS, STATEMENTS, AUTHORS)


SIMULATIONS: Registry[Simulation] = Registry("simulation", "endoxa.simulations", _builtin)
"""Simulations by probe: ours, and those of installed packages (entry-point group `endoxa.simulations`)."""

PREFIX = "sim/"
PLAIN = "Thank you for the question; I have nothing to add."
"""What a respondent says where no simulation knows the probe."""
CHARACTERS_PER_TOKEN = 4
NOTE = "A simulated respondent: no model was asked, and the figures show only what was planted."


@dataclass(frozen=True, slots=True)
class Words:
    """A respondent as written.

    Attributes:
        name: which respondent ("biased").
        values: the parameters that are changed.
    """

    name: str
    values: Mapping[str, float]


def read_words(text: str) -> Words:
    """Read `sim/NAME[?PARAMETER=VALUE&...]`.

    Raises:
        UserError: an unknown respondent or parameter, or a value that is no number.
    """
    simulations = SIMULATIONS.all().values()
    name, _, query = text.removeprefix(PREFIX).partition("?")
    _require_listed(
        text,
        "respondent",
        name,
        {respondent for simulation in simulations for respondent in simulation.respondents},
    )
    parameters = {parameter for simulation in simulations for parameter in simulation.parameters}
    values: dict[str, float] = {}
    for part in filter(None, query.split("&")):
        parameter, _, value = part.partition("=")
        _require_listed(text, "parameter", parameter, parameters)
        if parameter in values:
            raise UserError(f"The model '{text}' sets '{parameter}' twice: leave one of them out.")
        values[parameter] = _number(text, parameter, value)
    return Words(name, values)


def _require_listed(text: str, what: str, word: str, names: Collection[str]) -> None:
    if word not in names:
        near = get_close_matches(word, names, n=3) or sorted(names)
        raise UserError(
            f"The model '{text}' names no {what} that is known ('{word}'). Did you mean: {', '.join(near)}?"
        )


def _number(text: str, parameter: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if not isfinite(number):
        raise UserError(f"The model '{text}' sets '{parameter}' to '{value}', which is no number.")
    return number


class SimulatedModel:
    """Answers as its parameters say; the conversation is only counted.

    Each answer is a function of the respondent's words, the seed, the item, the protocol and the turn: the order and
    number of calls change nothing. Temperature and every other setting of the draw are ignored.
    """

    def __init__(self, spec: ChatSpec) -> None:
        """Plant what `spec.text` says.

        Raises:
            UserError: an unknown respondent or parameter, or a value that cannot be.
        """
        words = read_words(spec.text)
        self.name = spec.text
        self._respondents: dict[str, Respondent] = {
            probe: simulation.respondent(words.name, words.values)
            for probe, simulation in SIMULATIONS.all().items()
            if words.name in simulation.respondents
        }

    def describe(self) -> Mapping[str, Any]:
        """What was planted and what measures should find, for each probe that has a simulation."""
        probes = {probe: respondent.describe() for probe, respondent in self._respondents.items()}
        return {"name": self.name, "provider": "simulated", "simulated": True, "note": NOTE, "probes": probes}

    async def check(self) -> None:
        """A simulated respondent can always be had."""

    async def ask(
        self, messages: Sequence[Message], sampling: Sampling, told: Mapping[str, Any] | None = None
    ) -> ChatAnswer:
        """See `endoxa.schema.chat.ChatModel.ask`; tokens are counted as characters / 4."""
        # A real call gives way to the others; without this, a run on simulated answers would starve them.
        await asyncio.sleep(0)
        text = self._answer(sampling, told or {})
        characters = sum(len(message.content) for message in messages)
        usage = Usage(characters // CHARACTERS_PER_TOKEN, -(-len(text) // CHARACTERS_PER_TOKEN))
        return ChatAnswer(text, usage=usage, served_model=self.name)

    def _answer(self, sampling: Sampling, facts: Mapping[str, Any]) -> str:
        respondent = self._respondents.get(str(facts.get("probe")))
        if respondent is None:
            return PLAIN
        return respondent.answer(facts, Draws((self.name, str(sampling.seed), *respondent.key(facts))))

    async def close(self) -> None:
        """Nothing is held."""


def _open(spec: ChatSpec, _options: ChatOptions, _lost: Lost) -> SimulatedModel:
    return SimulatedModel(spec)


SIMULATED = Provider(name="sim", kind="sim", open=_open, free=True, unpriced="free (simulated)")
