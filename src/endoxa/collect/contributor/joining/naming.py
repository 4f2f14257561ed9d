"""What people may name, countries and languages: how each is called in a language, and what a typed name means."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial

from endoxa.collect import geography
from endoxa.collect.contributor.cards import countries
from endoxa.collect.contributor.cards.countries import Match
from endoxa.collect.contributor.joining import spoken


@dataclass(frozen=True)
class Names:
    """What can be chosen: names by code as they are shown, all codes, and what a typed name means."""

    shown: Mapping[str, str]
    codes: Collection[str]
    match: Callable[[str], Match]

    def of(self, code: str) -> str:
        """The name of one code."""
        return self.shown.get(code, code)


def country_names(language: str) -> Names:
    """Countries, called as in a language."""
    return Names(geography.names(language), geography.codes(), partial(countries.match, language=language))


def language_names(language: str) -> Names:
    """Languages, called as in a language."""
    return Names(spoken.all_names(language), spoken.codes(), partial(spoken.match, language=language))
