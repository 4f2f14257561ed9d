"""What people may name, countries and languages: how each is called in a language, and what a typed name means."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial

from endoxa.collect import geography
from endoxa.collect.naming import countries, languages
from endoxa.collect.naming.countries import Match


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
    return Names(
        languages.all_names(language), languages.codes(), partial(languages.match, language=language)
    )
