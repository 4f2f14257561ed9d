"""The state of the words: whether speakers have looked at a component, and which joints a language has words for.

The former is computed from the texts and from the reviews on record. Also: what of a run was made with which component.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import BaseModel

from endoxa.schema.provenance import words_of_cells
from endoxa.words.components import (
    COMPONENTS,
    ENGLISH,
    Text,
    component,
    languages_of,
    texts_of,
)
from endoxa.words.packs import PACK, language_name, languages_with, rows_of, user_packs, words_of
from endoxa.words.people import FILE as PEOPLE

MOST_NAMED = 12
"""Languages that the line about unreviewed words names."""
SOURCE, UNREVIEWED = "source", "unreviewed"


class Review(BaseModel, frozen=True):
    """A finished review of a component in a language.

    Attributes:
        component: name of the component.
        language: ISO 639 code.
        digest: `digest` of the texts as they were then.
        speakers: how many speakers judged every text, at least.
        date: when it was written down (ISO 8601).
        names: speakers who wished to be named.
    """

    component: str
    language: str
    digest: str
    speakers: int
    date: str
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class State:
    """A component in a language.

    Attributes:
        component: name of the component.
        language: ISO 639 code.
        texts: how many it has.
        speakers: how many speakers have looked at each of the texts as they are now.
        names: those of them who wished to be named.
        files: where the texts are, below the package.
        digest: of the texts as they are now, for an entry of `reviews.toml`.
    """

    component: str
    language: str
    texts: int
    speakers: int
    names: tuple[str, ...]
    files: tuple[str, ...]
    digest: str

    @property
    def word(self) -> str:
        """'source' for English, from which the others were made; 'unreviewed'; or 'reviewed by N'."""
        if self.language == ENGLISH:
            return SOURCE
        return f"reviewed by {self.speakers}" if self.speakers else UNREVIEWED


def digest(texts: Iterable[Text]) -> str:
    """What tells texts from others: changes with every letter, and not with the order of the file or its comments."""
    rows = sorted((text.key, text.text) for text in texts)
    return hashlib.sha256(json.dumps(rows, ensure_ascii=False).encode()).hexdigest()[:16]


def read_reviews() -> tuple[Review, ...]:
    """The reviews on record; those in a pack of the user are of its own language only."""
    return tuple(
        Review(**row)
        for code in ("", *user_packs())
        for row in words_of(code, "reviews.toml").get("review", ())
        if code in ("", row["language"])
    )


def states(components: Sequence[str] = (), languages: Sequence[str] = ()) -> list[State]:
    """Every component in every language, with its state.

    Args:
        components: names; none takes all.
        languages: codes; none takes all.

    Raises:
        UserError: an unknown component.
    """
    reviews = read_reviews()
    cells = []
    for entry in [component(name) for name in components] or COMPONENTS.values():
        for language in languages_of(entry):
            if languages and language not in languages:
                continue
            texts = texts_of(entry, language)
            now = digest(texts)
            # A text that was changed since makes what was reviewed another text.
            place = (entry.name, language, now)
            valid = [each for each in reviews if (each.component, each.language, each.digest) == place]
            speakers = max((review.speakers for review in valid), default=0)
            names = dict.fromkeys(name for review in valid for name in review.names)
            paths = dict.fromkeys(text.file for text in texts)
            cells.append(State(entry.name, language, len(texts), speakers, tuple(names), tuple(paths), now))
    return cells


def unreviewed(used: Iterable[tuple[str, Iterable[str]]]) -> str:
    """One line for whatever rests on words that no speaker has checked; empty where it rests on none.

    Args:
        used: components with the languages in which they were used. English, and languages that a component does not
            have, say nothing.

    Raises:
        UserError: an unknown component.
    """
    unseen: dict[str, set[str]] = defaultdict(set)
    for name, languages in used:
        if wanted := {code.split("-")[0] for code in languages} - {ENGLISH}:
            unseen[name] |= {state.language for state in states([name], [*wanted]) if not state.speakers}
    by_languages: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, codes in unseen.items():
        by_languages[tuple(sorted(codes))].append(name)
    by_languages.pop((), None)
    parts = []
    for shared, names in by_languages.items():
        few = len(shared) <= MOST_NAMED
        spoken = _listed(map(language_name, shared)) if few else f"{len(shared)} languages"
        parts.append(f"{_listed(names)} in {spoken}")
    whose = "the" if user_packs() else "endoxa's own"
    return f"Not yet checked by native speakers: {whose} {'; '.join(parts)}." if parts else ""


def _listed(words: Iterable[str]) -> str:
    *first, last = dict.fromkeys(words)
    return f"{', '.join(first)} and {last}" if first else last


# --- joints of the road: `joints.toml` says once what each needs ---


class Joint(BaseModel, frozen=True):
    """A joint of the road; the fields are explained in `joints.toml`."""

    name: str
    purpose: str
    files: tuple[str, ...] = ()
    english: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Coverage:
    """A joint in a language.

    Attributes:
        language: ISO 639 code.
        joint: its name.
        needed: number of files that it needs.
        missing: those that the language lacks.
    """

    language: str
    joint: str
    needed: int
    missing: tuple[str, ...]

    @property
    def word(self) -> str:
        """'none', 'partial N of M', 'source' (English) or 'drafted'."""
        there = self.needed - len(self.missing)
        if self.missing:
            return f"partial {there} of {self.needed}" if there else "none"
        return SOURCE if self.language == ENGLISH else "drafted"


@cache
def joints() -> tuple[Joint, ...]:
    """Every joint of the road, in its order."""
    return tuple(Joint(name=name, **table) for name, table in words_of("", "joints.toml").items())


def coverage(languages: Sequence[str] = ()) -> list[Coverage]:
    """Every joint in every language that is a pack, or in those named; packs in use are among them."""
    cells = []
    for code in languages or languages_with(PACK):
        for joint in joints():
            names = (joint.english if code == ENGLISH else ()) or joint.files
            missing = tuple(name for name in names if not _has(code, name))
            cells.append(Coverage(code, joint.name, len(names), missing))
    return cells


def _has(language: str, name: str) -> bool:
    """Whether a language has a file; of people, words for the kind behind "#", or for any."""
    file, _, kind = name.partition("#")
    if file != PEOPLE:
        return language in languages_with(file)
    return any(row["plural"] and kind in ("", row["kind"]) for row in rows_of(language, PEOPLE))


# --- what of a run or a file was made with which component ---

Used = dict[str, list[str]]
"""Components with the languages in which they were used, as `run.json` keeps them."""

COMPONENTS_KEY = "own_words"
"""Where `run.json` keeps them."""


class Tally:
    """Collects components and languages.

    Attributes:
        used: what was noted, sorted.
    """

    def __init__(self) -> None:
        self._languages: dict[str, set[str]] = {}
        self._stated: set[tuple[str | None, str | None]] = set()

    def add(self, name: str, languages: Iterable[str]) -> None:
        """Note a component; English, and languages that it does not have, say nothing."""
        codes = {code for code in languages if code != ENGLISH and texts_of(component(name), code)}
        if codes:
            self._languages.setdefault(name, set()).update(codes)

    def add_stated(self, built_by: str | None, words: str | None) -> None:
        """Note what a row says that it was made with; components that are known no more say nothing."""
        if (built_by, words) not in self._stated:
            self._stated.add((built_by, words))
            for name, language in words_of_cells(built_by, words):
                if name in COMPONENTS:
                    self.add(name, [language])

    @property
    def used(self) -> Used:
        """What was noted, sorted."""
        return {name: sorted(codes) for name, codes in sorted(self._languages.items())}


@cache
def languages_of_name(name: str) -> frozenset[str]:
    """Languages of a given name, written as in English questions; empty where the names bank does not have it."""
    return frozenset(row["language"] for row in rows_of("", "names.csv") if row["name"] == name)


def kept_words(facts: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    """What `run.json` says of components, as `unreviewed` takes it; names that are known no more are left out."""
    return [(name, codes) for name, codes in facts.get(COMPONENTS_KEY, {}).items() if name in COMPONENTS]
