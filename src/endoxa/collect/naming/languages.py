"""Languages that people read and write: their names, and which one somebody means by what they typed."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache

from babel import Locale

from endoxa.collect import geography
from endoxa.collect.campaign.settings import UI_LANGUAGES
from endoxa.collect.naming.countries import Match
from endoxa.collect.visible import visible


@cache
def names(language: str) -> dict[str, str]:
    """Names of the languages with a two-letter code (ISO 639-1) in a language, sorted by name."""
    named = {code: name for code, name in all_names(language).items() if len(code) == 2}
    return dict(sorted(named.items(), key=lambda item: item[1].casefold()))


@cache
def all_names(language: str) -> dict[str, str]:
    """Names of all languages in a language, those with two-letter codes first."""
    return {code: geography.language_name(code, language) for code in codes()}


def match(typed: str, language: str) -> Match:
    """The language that somebody means who typed its name, in any language of the pages, or its code.

    Languages with three-letter codes are found too. If none is, `perhaps` holds those with similar names.
    """
    wanted = visible(typed).casefold()
    for place in (language, *UI_LANGUAGES):
        if wanted in _spelled(place):
            return Match(_spelled(place)[wanted])
    if wanted in codes():
        return Match(wanted)
    spelled = _spelled(language)
    return Match("", tuple(spelled[name] for name in get_close_matches(wanted, spelled, n=3, cutoff=0.7)))


@cache
def _spelled(language: str) -> dict[str, str]:
    return {name.casefold(): code for code, name in reversed(all_names(language).items())}


@cache
def codes() -> tuple[str, ...]:
    """Codes of the languages that CLDR knows (ISO 639), those with two letters first."""
    known: Iterable[str] = Locale.parse("en").languages
    return tuple(sorted((code for code in known if code.isalpha()), key=lambda code: (len(code), code)))
