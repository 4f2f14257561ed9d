"""People with phones: join, say a little, then a card every few seconds; 200 on two cores, two joining every second.

    python benchmarks/crowd_on_phones.py [--people N] [--minutes N] [--seconds-a-card N] [--postgresql] [--workers N]

Makes a campaign in a temporary folder, serves it with `endoxa collect serve` on 127.0.0.1 with SQLite (or with a
PostgreSQL server of its own), lets locust be the people, prints locust's table of answer times and compares what people
were thanked for with what the database holds. Locust reads this file too, with `ENDOXA_JOIN` set to the path of a join
code (/j/CODE/); the token of each answer that the site thanked for is written to the file `ENDOXA_THANKED`.
"""

from __future__ import annotations

import os
import random
import re
import tempfile
from contextlib import ExitStack
from pathlib import Path

from locust import HttpUser, between, task

_HIDDEN = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)"')
_CARD = re.compile(r'action="(/card/([0-9a-f-]{36})/(rate|add)/)"')
_MIXED = re.compile(r'action="(/mixed/[0-9a-f-]{36}/)"')
_COVERED = re.compile(r'action="(/card/[0-9a-f-]{36}/reveal/)"')
_COUNTRIES = ("AR", "CL", "UY", "BR", "PE", "BO", "PY", "EC", "CO", "MX")
_SECONDS = float(os.environ.get("ENDOXA_SECONDS_A_CARD", "8"))


class Contributor(HttpUser):
    """One person with a phone; looks at a card and answers it within `ENDOXA_SECONDS_A_CARD` seconds."""

    # With equal pauses all who began in the same second would tap in the same instant ever after (25 of 200 people).
    wait_time = between(0.5 * _SECONDS, 1.5 * _SECONDS)
    shown = ""
    """The page on the phone: where an answer leads to the next card, that is not asked for again."""

    def on_start(self) -> None:
        """Join, agree, say where one is from."""
        join = os.environ["ENDOXA_JOIN"]
        page = self.client.get(join, name="join and consent")
        agreed = {"age": "on", "take_part": "on", "publication": "on"}
        page = self.client.post(join, {**_hidden(page.text), **agreed}, name="agree")
        said = {"origins": random.choice(_COUNTRIES), "languages": ["es", "en"]}
        self.shown = self.client.post("/profile/", {**_hidden(page.text), **said}, name="say profile").text

    @task
    def one_card(self) -> None:
        """Look at the card and answer it."""
        if _CARD.search(self.shown) is None:
            self.shown = self.client.get("/card/?on", name="card").text
        if covered := _COVERED.search(self.shown):
            words = _hidden(self.shown[covered.start() :])
            self.shown = self.client.post(covered[1], words, name="show the words").text
        if mixed := _MIXED.search(self.shown):
            words = {**_hidden(self.shown[mixed.start() :]), "choice": "first", "none": "1"}
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
            if thanked.ok:
                _note(token)
            self.shown = thanked.text
        if f"/card/{token}/finish/" in self.shown:
            self._add_something(token)

    def _add_something(self, token: str) -> None:
        """Where the page asks what else people say, one in ten says something; then all go on."""
        form = _hidden(self.shown[self.shown.index(f"/card/{token}/add/") :])
        if 'name="text"' in self.shown and random.random() < 0.1:
            words = {**form, "text": f"like song number {random.randint(1, 10**6)}", "language": "en"}
            self.client.post(f"/card/{token}/add/", words, name="add")
        self._go_on(token, form)

    def _go_on(self, token: str, form: dict[str, str]) -> None:
        """To the next card, or to the offer of a pause."""
        self.shown = self.client.post(f"/card/{token}/finish/", form, name="finish and next card").text


def _hidden(html: str) -> dict[str, str]:
    return dict(_HIDDEN.findall(html))


def _note(token: str) -> None:
    named = os.environ.get("ENDOXA_THANKED")
    if named:
        with Path(named).open("a") as thanked:
            thanked.write(f"{token}\n")


def main() -> None:
    """Run and print."""
    from frame import options, postgresql  # first, as it finds collect_support

    from collect_support.served import drive, kept, served  # isort: skip

    parser = options(__doc__, people=200, minutes=4.0, seconds_a_card=8.0, workers=0)
    parser.add_argument("--postgresql", action="store_true")
    args = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        environment = {"DATABASE_URL": stack.enter_context(postgresql())} if args.postgresql else {}
        workers = ("--workers", str(args.workers)) if args.workers else ()
        site = stack.enter_context(served(folder / "camp", environment=environment, options=workers))
        thanked = folder / "thanked"
        times = drive(
            site,
            thanked,
            people=args.people,
            joining_per_second=2.0,
            seconds=args.minutes * 60 + args.people / 2,
            environment={"ENDOXA_SECONDS_A_CARD": str(args.seconds_a_card)},
        )
        lost, doubled = kept(site, thanked)
    print(times)
    print(f"{os.cpu_count()} cores, {args.people} people: {lost} answers lost, {doubled} doubled")


if __name__ == "__main__":
    main()
