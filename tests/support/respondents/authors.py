"""Simulated authors: they write drafts with planted faults, and translators that write words backwards.

What an author writes is made of small word lists and means nothing; every fault comes at its planted rate, so that each
count of a run can be checked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from endoxa.models.chat.simulated.draws import (
    Draws,
    Simulation,
    parameters,
    planted,
    require_chances,
)
from support.respondents import PACKAGE, words_of

_WORDS = words_of("drafts")
GOOD, BAD = _WORDS["good"].split(), _WORDS["bad"].split()
STOP = "===STOP==="
ELSEWHERE = "Atlantis"
OFF_LIST = "something else"


@dataclass(frozen=True, slots=True)
class Author:
    """Writes rows; the chances of faults are independent of one another.

    Attributes:
        refuse: of declining a whole request.
        halt: of writing the stop word after half of the rows, and going on.
        malformed: of a row that lacks its last field.
        repeat: of a row that is the one before again.
        contradict: of a row that does not say what it should (a denial, an unchanged partner, a label not in the list).
        abroad: of a row about another country, where rows name one.
        shift: where it begins in the lists of attributes.
    """

    refuse: float = 0.05
    halt: float = 0.03
    malformed: float = 0.04
    repeat: float = 0.06
    contradict: float = 0.05
    abroad: float = 0.04
    shift: int = 0

    def __post_init__(self) -> None:
        """Refuse what is no chance.

        Raises:
            UserError: a parameter is below 0 or above 1.
        """
        require_chances("author", ((name, getattr(self, name)) for name in parameters(self)))

    def answer(self, facts: Mapping[str, Any], draws: Draws) -> str:
        """JSON with the rows, perhaps with faults."""
        if draws.uniform("refuse") < self.refuse:
            return str(_WORDS["refusal"])
        rows: list[dict[str, str]] = []
        for place in range(facts["wanted"]):
            if rows and draws.uniform(f"repeat {place}") < self.repeat:
                rows.append(dict(rows[-1]))
                continue
            row = self._row(facts, draws, place)
            if draws.uniform(f"malformed {place}") < self.malformed:
                row.pop(facts["fields"][-1], None)
            rows.append(row)
        if draws.uniform("halt") < self.halt:
            half = len(rows) // 2
            return f"{_written(rows[:half])}\n{STOP}\n{_written(rows[half:])}"
        return _written(rows)

    def describe(self) -> Mapping[str, Any]:
        """The chances of faults."""
        return planted(self)

    def _row(self, facts: Mapping[str, Any], draws: Draws, place: int) -> dict[str, str]:
        wrong = draws.uniform(f"contradict {place}") < self.contradict
        writers = {
            "tuples": self._tuple,
            "sentences": _sentence,
            "expand": self._stereotype,
            "counter": _counter,
            "translate": _translated,
            "label": _labelled,
        }
        return writers[facts["task"]](facts, draws, place, wrong)

    def _tuple(self, _facts: Mapping[str, Any], draws: Draws, place: int, wrong: bool) -> dict[str, str]:
        words = (GOOD, BAD)[place % 2]
        start = int(draws.uniform("start") * len(words)) + self.shift
        word = words[(start + place // 2) % len(words)]
        return {"attribute": word, "polarity": "mixed" if wrong else ("positive", "negative")[place % 2]}

    def _stereotype(self, facts: Mapping[str, Any], draws: Draws, place: int, wrong: bool) -> dict[str, str]:
        groups = facts["identities"] or [f"{facts['axis']} group {k}" for k in range(8)]
        group = draws.choose(groups, f"group {place}")
        bad, good = draws.choose(BAD, f"bad {place}"), draws.choose(GOOD, f"good {place}")
        abroad = draws.uniform(f"abroad {place}") < self.abroad
        stereotype = f"{group} are {bad} when nobody looks.".capitalize()
        return {
            "identity": group,
            "country": ELSEWHERE if abroad else facts["country"],
            "category": facts["axis"],
            "attribute": f"{bad} {place % 7}",
            "stereotype": stereotype,
            "counter": stereotype if wrong else f"{group} are known for being {good}.".capitalize(),
        }


def _written(rows: list[dict[str, str]]) -> str:
    return json.dumps({"rows": rows}, ensure_ascii=False)


def _sentence(facts: Mapping[str, Any], draws: Draws, place: int, wrong: bool) -> dict[str, str]:
    opening = draws.choose(_WORDS["openings"], f"opening {place}")
    sentence = f"{opening} {facts['identity']} are {facts['attribute']} ({place + 1})."
    if facts["contrast"]:
        partner = sentence.replace(facts["identity"], facts["contrast"])
    else:
        partner = sentence.replace(f"are {facts['attribute']}", f"are not {facts['attribute']}")
    return {"sentence": sentence, "partner": sentence if wrong else partner}


def _counter(facts: Mapping[str, Any], draws: Draws, place: int, wrong: bool) -> dict[str, str]:
    if wrong:
        return {"counter": facts["sent_more"]}
    good = draws.choose(GOOD, f"good {place}")
    return {
        "counter": f"{facts['identity'] or 'They'} are {good} people who help their neighbours ({place + 1})."
    }


def _translated(facts: Mapping[str, Any], _draws: Draws, _place: int, wrong: bool) -> dict[str, str]:
    more, less = backwards(facts["more"]), backwards(facts["less"])
    return {"sent_more": more, "sent_less": more if wrong else less}


def backwards(text: str) -> str:
    """Each word with its letters in reverse: a language in which pairs stay minimal."""
    return " ".join(word[::-1] for word in text.split())


def _labelled(facts: Mapping[str, Any], draws: Draws, place: int, wrong: bool) -> dict[str, str]:
    if wrong:
        return {"label": OFF_LIST}
    # Most authors agree on a text: its own draw decides, their own seldom.
    if draws.uniform(f"own {place}") < 0.85:
        return {"label": Draws(("label", facts["text"])).choose(facts["labels"], "label")}
    return {"label": draws.choose(facts["labels"], f"label {place}")}


AUTHORS = Simulation("author", ("task", "number"), {"": Author}, PACKAGE)
"""Respondents to the probe "author"."""
