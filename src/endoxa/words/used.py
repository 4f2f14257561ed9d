"""Whether a text was made with endoxa's own words: what of a run or a file rests on which component."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from endoxa.schema.provenance import words_of_cells
from endoxa.words.components import COMPONENTS, ENGLISH, component, texts_of
from endoxa.words.packs import rows_of

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
