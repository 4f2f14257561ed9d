"""Whether speakers have looked at a component: computed from the texts and from the reviews on record."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from endoxa.words.components import (
    COMPONENTS,
    ENGLISH,
    PACK,
    PACKAGE,
    Component,
    Text,
    component,
    languages_of,
    texts_of,
)
from endoxa.words.packs import language_name, user_file, user_packs

REVIEWS = "words/reviews.toml"
"""Reviews on record, below the package; a pack of the user has its own `reviews.toml`."""
MOST_NAMED = 12
"""Languages that the line about unreviewed words names."""
SOURCE, UNREVIEWED = "source", "unreviewed"


@dataclass(frozen=True, slots=True)
class Review:
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
    """

    component: str
    language: str
    texts: int
    speakers: int
    names: tuple[str, ...]
    files: tuple[str, ...]

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


def read_reviews(package: Path = PACKAGE) -> tuple[Review, ...]:
    """The reviews on record; those in a pack of the user are of its own language only."""
    rows: list[dict[str, Any]] = _review_rows((package / REVIEWS).read_text(encoding="utf-8"))
    for code in user_packs() if package == PACKAGE else ():
        if path := user_file(code, "reviews.toml"):
            rows += (row for row in _review_rows(path.read_text(encoding="utf-8")) if row["language"] == code)
    return tuple(Review(**{**row, "names": tuple(row.get("names", ()))}) for row in rows)


def _review_rows(content: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = tomllib.loads(content).get("review", [])
    return rows


def reviews_of(language: str, package: Path = PACKAGE) -> str:
    """The name of the file in which reviews of a language are entered, see `file_of`."""
    return f"{PACK}{language}/reviews.toml" if package == PACKAGE and language in user_packs() else REVIEWS


def states(
    components: Sequence[str] = (), languages: Sequence[str] = (), package: Path = PACKAGE
) -> list[State]:
    """Every component in every language, with its state.

    Args:
        components: names; none takes all.
        languages: codes; none takes all.
        package: folder of the package; another one in a copy of the source.

    Raises:
        UserError: an unknown component.
    """
    chosen = [component(name) for name in components] or list(COMPONENTS.values())
    reviews = read_reviews(package)
    return [
        _state(entry, language, reviews, package)
        for entry in chosen
        for language in languages_of(entry, package)
        if not languages or language in languages
    ]


def _state(component: Component, language: str, reviews: Iterable[Review], package: Path) -> State:
    texts = texts_of(component, language, package)
    matching = [
        review for review in reviews if (review.component, review.language) == (component.name, language)
    ]
    now = digest(texts) if matching else ""
    # A text that was changed since makes what was reviewed another text.
    valid = [review for review in matching if review.digest == now]
    return State(
        component=component.name,
        language=language,
        texts=len(texts),
        speakers=max((review.speakers for review in valid), default=0),
        names=tuple(dict.fromkeys(name for review in valid for name in review.names)),
        files=tuple(dict.fromkeys(text.file for text in texts)),
    )


def unreviewed(used: Iterable[tuple[str, Iterable[str]]], package: Path = PACKAGE) -> str:
    """One line for whatever rests on words that no speaker has checked; empty where it rests on none.

    Args:
        used: components with the languages in which they were used. English, and languages that a component does not
            have, say nothing.
        package: folder of the package.

    Raises:
        UserError: an unknown component.
    """
    open_in: dict[str, list[str]] = {}
    for name, languages in used:
        wanted = {code.split("-")[0] for code in languages} - {ENGLISH}
        for state in states([name], sorted(wanted), package) if wanted else ():
            if not state.speakers:
                open_in.setdefault(name, []).append(state.language)
    if not open_in:
        return ""
    by_languages: dict[tuple[str, ...], list[str]] = {}
    for name, codes in open_in.items():
        by_languages.setdefault(tuple(sorted(set(codes))), []).append(name)
    parts = []
    for shared, names in by_languages.items():
        few = len(shared) <= MOST_NAMED
        spoken = _listed(map(language_name, shared)) if few else f"{len(shared)} languages"
        parts.append(f"{_listed(names)} in {spoken}")
    whose = "the" if user_packs() else "endoxa's own"
    return f"Not yet checked by native speakers: {whose} {'; '.join(parts)}."


def _listed(words: Iterable[str]) -> str:
    *first, last = dict.fromkeys(words)
    return f"{', '.join(first)} and {last}" if first else last
