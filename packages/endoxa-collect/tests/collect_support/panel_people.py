"""Simulated people of a panel, over real HTTP: they read forms as a browser does and note what the site took."""

from __future__ import annotations

import csv
import html
import random
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.cookiejar import CookieJar
from pathlib import Path

RIGHT = {"stance": "found", "asked": "reinforces", "apart": "apart"}
WRONG = {"stance": "true", "asked": "style", "apart": "never"}
_LIKED = {"4": "Agree", "1": "Strongly disagree", "5": "Strongly agree"}
_FREQUENT = {"no": "No", "yes": "Yes", "unsure": "Not sure"}


@dataclass(frozen=True)
class Plan:
    """What somebody is going to do: go away after `leaves` items, fail the quiz, or be careless with checks."""

    number: int
    leaves: int | None = None
    fails_quiz: bool = False
    careless: bool = False
    deletes: bool = False


@dataclass
class Said:
    """What somebody sent and the site took: answers by the text of the item, and how it ended."""

    plan: Plan
    answers: dict[str, tuple[int, str]] = field(default_factory=dict)
    checks: int = 0
    ended: str = ""
    slowest: float = 0.0
    requests: int = 0


class Rater:
    """A browser of somebody, with cookies of its own."""

    def __init__(self, address: str, path: str, plan: Plan, parameter: str = "PROLIFIC_PID") -> None:
        self.address, self.path, self.plan, self.said = address, path, plan, Said(plan)
        self._parameter = parameter
        self._rng = random.Random(plan.number)
        self._jar = CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self._jar))
        self.at, self.page = "", ""

    def take_part(self) -> Said:
        """From the first page to the end, or to where the plan says."""
        self.ask(f"{self.path}?{self._parameter}=person-{self.plan.number}")
        self.send({"age": "on", "take_part": "on", "publication": "on"})
        assert self.at.endswith("/warning/"), self.at
        while "/item/" not in self.at and "/end/" not in self.at:
            self.send((WRONG if self.plan.fails_quiz else RIGHT) if "/questions/" in self.at else {})
        self._rate()
        if self.plan.deletes:
            self.ask(f"{self.path}stop/")
            self.send({"action": "delete"})
            self.said.answers.clear()
        return self.said

    def _rate(self) -> None:
        while "/end/" not in self.at:
            if "/break/" in self.at:
                self.send({})
                continue
            if self.plan.leaves is not None and len(self.said.answers) >= self.plan.leaves:
                self.said.ended = "left"
                return
            text = self.item()
            check = re.search(r"Please choose “([^”]+)” for the harmful stereotype and “([^”]+)”", text)
            if check and not self.plan.careless:
                harm = next(key for key, word in _LIKED.items() if word == check[1])
                frequent = next(key for key, word in _FREQUENT.items() if word == check[2])
            elif check:
                harm, frequent = "2", "unsure"
            else:
                harm, frequent = str(self._rng.randint(1, 5)), self._rng.choice(["yes", "no", "unsure"])
            self.send({"harm": harm, "frequent": frequent})
            if check:
                self.said.checks += 1
            else:
                assert text not in self.said.answers, "an item came twice"
                self.said.answers[text] = (int(harm), frequent)
        self.said.ended = "thanked" if "/complete" in self.page else "not thanked"

    def item(self) -> str:
        """The text of the item on the page."""
        found = re.search(r'class="said">(.*?)</(?:blockquote|p)>\s*</article>', self.page, re.S)
        assert found, self.page
        return html.unescape(re.sub(r"<[^>]+>", "", found[1])).strip()

    def send(self, values: dict[str, str]) -> None:
        """Send the main form of the page with these values."""
        main = self.page[self.page.index("<main") :]
        form = re.search(r"<form[^>]*>.*?</form>", main, re.S)
        assert form, self.page
        action = re.search(r'action="([^"]*)"', form[0].split(">")[0])
        hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form[0]))
        for tag in re.findall(r"<input[^>]*>", form[0]):
            if 'type="hidden"' in tag:
                name, value = re.search(r'name="(\w+)"', tag), re.search(r'value="([^"]*)"', tag)
                hidden[name[1]] = html.unescape(value[1])
        self.ask(html.unescape(action[1]) if action else self.at, {**hidden, **values})

    def ask(self, path: str, values: dict[str, str] | None = None) -> None:
        """Open a page, or send a form; waits and tries again where the site asks for patience."""
        data = urllib.parse.urlencode(values).encode() if values is not None else None
        while True:
            request = urllib.request.Request(urllib.parse.urljoin(self.address, path), data)
            started = time.monotonic()
            try:
                with self._opener.open(request, timeout=120) as response:
                    self.at = urllib.parse.urlsplit(response.url).path
                    self.page = response.read().decode()
            except urllib.error.HTTPError as problem:
                if problem.code == 429:
                    time.sleep(5)
                    continue
                if problem.code != 422:
                    raise AssertionError(f"{problem.code} at {path}: {problem.read()[:500]!r}") from problem
                self.at, self.page = urllib.parse.urlsplit(problem.url).path, problem.read().decode()
            self.said.slowest = max(self.said.slowest, time.monotonic() - started)
            self.said.requests += 1
            return


def plans(people: int, block: int, *, drop_out: float, fail: float, seed: int = 1) -> list[Plan]:
    """People in random order, of whom shares drop out after some items and fail the quiz."""
    rng = random.Random(seed)
    kinds = ["left"] * round(people * drop_out) + ["quiz"] * round(people * fail)
    kinds += [""] * (people - len(kinds))
    rng.shuffle(kinds)
    return [
        Plan(number, leaves=rng.randrange(block) if kind == "left" else None, fails_quiz=kind == "quiz")
        for number, kind in enumerate(kinds)
    ]


def crowd(address: str, path: str, whole: list[Plan], *, at_once: int) -> list[Said]:
    """Several people at once; the first fault of any of them is raised."""
    with ThreadPoolExecutor(at_once) as threads:
        return list(threads.map(lambda plan: Rater(address, path, plan).take_part(), whole))


def associations(path: Path, count: int) -> Path:
    """A table as `endoxa analyze associations` writes it, with a row for each of two models."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(
            [
                "base_attribute",
                "base_value",
                "compared_attribute",
                "compared_value",
                "model",
                "aggregation",
                "value",
            ]
        )
        for number in range(count):
            for model in ("m1", "m2"):
                parts = [f"kind {number % 7}", f"value {number}", f"trait {number % 5}", f"thing {number}"]
                writer.writerow([*parts, model, "all", "1.5"])
    return path


def keyed(answers: dict[str, tuple[int, str]]) -> list[tuple[str, int, str]]:
    """Answers as the export has them."""
    words = {"unsure": "not sure"}
    return [
        (re.search(r"value \d+", text)[0], harm, words.get(frequent, frequent))
        for text, (harm, frequent) in answers.items()
    ]


def exported(row: dict[str, str]) -> tuple[str, int, str]:
    """A row of the export, to be compared with what people sent."""
    return row["base_value"], int(row["harm"]), row["frequent"]
