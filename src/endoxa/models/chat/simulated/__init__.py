"""Simulated respondents, `sim/NAME[?PARAMETER=VALUE&...]`: what they think is planted, so the truth is known.

For rehearsals without a bill, for tests, and to learn whether a measure finds what is there. Who a respondent is stands
in `respondents/NAME.toml`: a table for each probe that it answers, with its planted numbers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from math import isfinite
from typing import Any

from endoxa.errors import UserError
from endoxa.models.chat.simulated.draws import Respondent, Simulation
from endoxa.models.chat.spec import ChatOptions, ChatSpec, Lost, Provider
from endoxa.registry import Registry
from endoxa.schema.chat import ChatAnswer, Message, Sampling, Usage


def _builtin() -> Iterable[Simulation]:
    from endoxa.models.chat.simulated.choices import CHOICES
    from endoxa.models.chat.simulated.questions import QUESTIONS
    from endoxa.models.chat.simulated.stories import READERS, STATEMENTS, TELLERS

    return (QUESTIONS, TELLERS, READERS, STATEMENTS, CHOICES)


SIMULATIONS: Registry[Simulation] = Registry("simulation", "endoxa.simulations", _builtin)
"""Simulations by probe: ours, and those of installed packages (entry-point group `endoxa.simulations`)."""

PREFIX = "sim/"
PLAIN = "Thank you for the question; I have nothing to add."
"""What a respondent says where no simulation knows the probe."""
CHARACTERS_PER_TOKEN = 4
NOTE = "A simulated respondent: no model was asked, and the figures show only what was planted."


def read_words(text: str) -> tuple[str, Mapping[str, float]]:
    """Read `sim/NAME[?PARAMETER=VALUE&...]`: the name of the respondent, and the parameters that are changed.

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
    names = {parameter for simulation in simulations for parameter in simulation.parameters}
    values: dict[str, float] = {}
    for part in filter(None, query.split("&")):
        parameter, _, value = part.partition("=")
        _require_listed(text, "parameter", parameter, names)
        if parameter in values:
            raise UserError(f"The model '{text}' sets '{parameter}' twice: leave one of them out.")
        try:
            values[parameter] = float(value)
        except ValueError:
            values[parameter] = float("nan")
        if not isfinite(values[parameter]):
            raise UserError(f"The model '{text}' sets '{parameter}' to '{value}', which is no number.")
    return name, values


def _require_listed(text: str, what: str, word: str, names: Collection[str]) -> None:
    if word not in names:
        near = get_close_matches(word, names, n=3) or sorted(names)
        raise UserError(
            f"The model '{text}' names no {what} that is known ('{word}'). Did you mean: {', '.join(near)}?"
        )


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
        respondent, values = read_words(spec.text)
        self.name = spec.text
        self._respondents: dict[str, tuple[Simulation, Respondent]] = {
            probe: (simulation, simulation.respondent(respondent, values))
            for probe, simulation in SIMULATIONS.all().items()
            if respondent in simulation.respondents
        }

    def describe(self) -> Mapping[str, Any]:
        """What was planted and what measures should find, for each probe that has a simulation."""
        probes = {probe: respondent.describe() for probe, (_, respondent) in self._respondents.items()}
        return {"name": self.name, "provider": "simulated", "simulated": True, "note": NOTE, "probes": probes}

    async def check(self) -> None:
        """A simulated respondent can always be had."""

    async def ask(
        self, messages: Sequence[Message], sampling: Sampling, told: Mapping[str, Any] | None = None
    ) -> ChatAnswer:
        """See `endoxa.schema.chat.ChatModel.ask`; tokens are counted as characters / 4."""
        # A real call gives way to the others; without this, a run on simulated answers would starve them.
        await asyncio.sleep(0)
        facts = told or {}
        text = PLAIN
        if (probe := str(facts.get("probe"))) in self._respondents:
            simulation, respondent = self._respondents[probe]
            text = respondent.answer(facts, simulation.draws(self.name, sampling.seed, facts))
        characters = sum(len(message.content) for message in messages)
        usage = Usage(characters // CHARACTERS_PER_TOKEN, -(-len(text) // CHARACTERS_PER_TOKEN))
        return ChatAnswer(text, usage=usage, served_model=self.name)

    async def close(self) -> None:
        """Nothing is held."""


def _open(spec: ChatSpec, _options: ChatOptions, _lost: Lost) -> SimulatedModel:
    return SimulatedModel(spec)


SIMULATED = Provider(name="sim", kind="sim", open=_open, free=True, unpriced="free (simulated)")
