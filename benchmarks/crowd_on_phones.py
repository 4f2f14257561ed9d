"""People with phones, as locust drives them: join, say a little, then a card every few seconds.

    python benchmarks/crowd_on_phones.py        # the same as collect_load.py, with its options

Used by `collect_load.py`: `locust -f benchmarks/crowd_on_phones.py --headless ...` with
`ENDOXA_JOIN` set to the path of a join code (/j/CODE/). Each answer that the site thanked for is written to the file
`ENDOXA_THANKED`, one token a line, so that it can be compared with the database. At the end it prints the time to the
first card (of the site alone: nobody reads), taps for each card and words for each person.
"""

from __future__ import annotations

import os
import random
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from locust import HttpUser, between, constant_pacing, events, task

_HIDDEN = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)"')
_CARD = re.compile(r'action="(/card/([0-9a-f-]{36})/(rate|add)/)"')
_MIXED = re.compile(r'action="(/mixed/[0-9a-f-]{36}/)"')
_COVERED = re.compile(r'action="(/card/[0-9a-f-]{36}/reveal/)"')
_COUNTRIES = ("AR", "CL", "UY", "BR", "PE", "BO", "PY", "EC", "CO", "MX")
_SECONDS = float(os.environ.get("ENDOXA_SECONDS_A_CARD", "8"))
_IN_STEP = os.environ.get("ENDOXA_IN_STEP") == "1"


@dataclass
class Measured:
    """Sums over all people: `taps` are those after the first card was shown."""

    people: int = 0
    seconds_to_first: float = 0.0
    cards: int = 0
    taps: int = 0
    words: int = 0

    def line(self) -> str:
        """What is printed at the end."""
        people, cards = max(1, self.people), max(1, self.cards)
        return (
            f"{self.people} people: first card after {self.seconds_to_first / people:.2f} s and {_TAPS_TO_FIRST} taps, "
            f"{self.taps / cards:.2f} taps per card, {self.words / people:.2f} words per person "
            f"({self.cards / people:.1f} cards per person)"
        )


_TAPS_TO_FIRST = 6
"""Three boxes, "I agree", a country, "Go on"."""
_MEASURED = Measured()


@events.quitting.add_listener
def _print(**_: Any) -> None:
    print(_MEASURED.line())


class Contributor(HttpUser):
    """One person with a phone; looks at a card and answers it within `ENDOXA_SECONDS_A_CARD` seconds."""

    # With equal pauses all who began in the same second would tap in the same instant ever after (25 of 200 people);
    # ENDOXA_IN_STEP=1 asks for that.
    wait_time = constant_pacing(_SECONDS) if _IN_STEP else between(0.5 * _SECONDS, 1.5 * _SECONDS)
    shown = ""
    """The page on the phone: where an answer leads to the next card, that is not asked for again."""

    def on_start(self) -> None:
        """Join, agree, say where one is from."""
        join, begun = os.environ["ENDOXA_JOIN"], time.monotonic()
        page = self.client.get(join, name="join and consent")
        agreed = {"age": "on", "take_part": "on", "publication": "on"}
        page = self.client.post(join, {**_hidden(page.text), **agreed}, name="agree")
        said = {"origins": random.choice(_COUNTRIES), "languages": ["es", "en"]}
        self.shown = self.client.post("/profile/", {**_hidden(page.text), **said}, name="say profile").text
        _MEASURED.people += 1
        _MEASURED.seconds_to_first += time.monotonic() - begun

    @task
    def one_card(self) -> None:
        """Look at the card and answer it."""
        if _CARD.search(self.shown) is None:
            self.shown = self.client.get("/card/?on", name="card").text
        if covered := _COVERED.search(self.shown):
            words = _hidden(self.shown[covered.start() :])
            self.shown = self.client.post(covered[1], words, name="show the words").text
            _MEASURED.taps += 1
        if mixed := _MIXED.search(self.shown):
            words = {**_hidden(self.shown[mixed.start() :]), "choice": "first", "none": "1"}
            # On a list: "Next", and "I have heard none of these".
            _MEASURED.taps += 1 if 'name="choice"' in self.shown else 2
            _MEASURED.cards += 1
            self.shown = self.client.post(mixed[1], words, name="list or comparison").text
            return
        found = _CARD.search(self.shown)
        if found is None:
            return
        address, token, kind = found.groups()
        form = _hidden(self.shown[found.start() :])
        if kind == "add":
            # An open question: nothing comes to mind.
            self._go_on(token, form)
            return
        answer = {**form, "value": str(random.randint(1, 5))}
        with self.client.post(address, answer, name="rate", catch_response=True) as thanked:
            _MEASURED.taps += 1
            if thanked.ok:
                _note(token)
                _MEASURED.cards += 1
            self.shown = thanked.text
        if f"/card/{token}/finish/" in self.shown:
            self._add_something(token)

    def _add_something(self, token: str) -> None:
        """Where the page asks what else people say, one in ten says something; then all go on."""
        form = _hidden(self.shown[self.shown.index(f"/card/{token}/add/") :])
        if 'name="text"' in self.shown and random.random() < 0.1:
            words = {**form, "text": f"like song number {random.randint(1, 10**6)}", "language": "en"}
            self.client.post(f"/card/{token}/add/", words, name="add")
            # The field and "Add".
            _MEASURED.taps += 2
            _MEASURED.words += 1
        self._go_on(token, form)

    def _go_on(self, token: str, form: dict[str, str]) -> None:
        """To the next card, or to the offer of a pause."""
        _MEASURED.taps += 1
        self.shown = self.client.post(f"/card/{token}/finish/", form, name="finish and next card").text


def _hidden(html: str) -> dict[str, str]:
    return dict(_HIDDEN.findall(html))


def _note(token: str) -> None:
    named = os.environ.get("ENDOXA_THANKED")
    if named:
        with Path(named).open("a") as thanked:
            thanked.write(f"{token}\n")


if __name__ == "__main__":
    import collect_load

    collect_load.main()
