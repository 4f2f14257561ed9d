"""Coders of thoughts, with errors of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from endoxa.models.chat.simulated.draws import Draws, Simulation
from endoxa.models.chat.simulated.stories import Reader
from support.respondents import PACKAGE

_CODES = ("group_reason", "stereotype", "rejects", "missing")
_LETTERS = ("A", "B", "C", "none")


class ThoughtReader(Reader):
    """Codes thoughts.

    It is told of each: "name" (what tells it from others), "codes" (what is right, 'no' where nothing is told) and
    "options" (whether there is an option to argue for). Each code is another one with chance `error`.
    """

    __slots__ = ()

    def answer(self, facts: Mapping[str, Any], draws: Draws) -> str:
        """The codes."""
        truth, codes = facts["codes"], {}
        for name in _CODES:
            codes[name] = (truth.get(name) == "yes") != (draws.uniform(name) < self.error)
        reply: dict[str, Any] = {name: "yes" if code else "no" for name, code in codes.items()}
        if facts["options"]:
            right = truth.get("argued", "none")
            others = [letter for letter in _LETTERS if letter != right]
            wrong = draws.uniform("argued") < self.error
            reply["argued"] = draws.choose(others, "argued instead") if wrong else right
        return self.written(reply, draws)


CODERS = Simulation("thoughts", ("name",), {"": ThoughtReader}, PACKAGE)
"""Respondents to the probe "thoughts"."""
