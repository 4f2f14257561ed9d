"""Simulated readers of statements: each gives the pairs that it is told, with errors of its own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from endoxa.models.chat.simulated.draws import Draws
from endoxa.models.chat.simulated.readers import FORMS, NAMED, NOISE, Errors

GROUPS = ("nurses", "pilots", "shepherds", "dancers", "bakers")
"""Groups that a wrong reading names."""


@dataclass(frozen=True, slots=True)
class StatementReader:
    """Reads statements as its parameters say.

    It is told of each statement: "name" (what tells it from others) and "pairs" (identity and attribute, none where it
    is to be left out). With chance `error` it reads something else: another group, half of the attribute, or nothing.
    """

    errors: Errors
    form: str

    def key(self, facts: Mapping[str, Any]) -> tuple[str, ...]:
        """The statement."""
        return (str(facts["name"]),)

    def answer(self, facts: Mapping[str, Any], draws: Draws) -> str:
        """JSON in the reader's own form, or noise."""
        if draws.uniform("noise") < self.errors.noise:
            return NOISE
        pairs = [{"identity": who, "attribute": what} for who, what in facts["pairs"]]
        if draws.uniform("error") < self.errors.error:
            pairs = self._wrong(pairs, draws)
        reply = {"pairs": pairs, "omit": "" if pairs else "noise"}
        return self.form.replace("{json}", json.dumps(reply, ensure_ascii=False))

    def describe(self) -> Mapping[str, Any]:
        """The chances of error."""
        return {"planted": asdict(self.errors)}

    def _wrong(self, pairs: list[dict[str, str]], draws: Draws) -> list[dict[str, str]]:
        other = {"identity": draws.choose(GROUPS, "group"), "attribute": "something else"}
        kind = draws.choose(("group", "half", "nothing"), "kind")
        words = pairs[0]["attribute"].split() if pairs else []
        if kind == "nothing" and pairs:
            return []
        if kind == "half" and len(words) > 1:
            return [{**pairs[0], "attribute": " ".join(words[: len(words) // 2])}, *pairs[1:]]
        return [{**other, "attribute": pairs[0]["attribute"]}] if pairs else [other]


@dataclass(frozen=True, slots=True)
class StatementSimulation:
    """Respondents to the probe "statements"."""

    name: str = "statements"
    respondents: frozenset[str] = frozenset(NAMED)
    parameters: frozenset[str] = frozenset(field.name for field in fields(Errors))

    def respondent(self, name: str, values: Mapping[str, float]) -> StatementReader:
        """The reader called `name`; parameters of other probes are left to them.

        Raises:
            UserError: a value that is no chance.
        """
        changed = {key: value for key, value in values.items() if key in self.parameters}
        return StatementReader(replace(NAMED[name], **changed), FORMS[name])


STATEMENTS = StatementSimulation()
