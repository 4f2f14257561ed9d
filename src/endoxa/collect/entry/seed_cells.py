"""What stands in one cell of a file of seeds, as organisers write it; each reader raises ValueError with the fault."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from endoxa.collect import geography
from endoxa.collect.contributor.cards import countries
from endoxa.collect.contributor.cards.countries import Match
from endoxa.collect.contributor.joining import spoken
from endoxa.collect.entry.cleaning import MAX_LENGTH
from endoxa.collect.entry.keys import fold

_TOPIC_LENGTH = 40
_YES = frozenset(map(fold, ("yes", "true", "1", "y", "sí", "si", "oui", "sim", "ndiyo", "نعم", "हाँ", "हां")))
_NO = frozenset(map(fold, ("no", "false", "0", "n", "non", "não", "nao", "hapana", "لا", "नहीं")))


@lru_cache(maxsize=1_024)
def country(typed: str, languages: tuple[str, ...]) -> str:
    """The ISO 3166 code of a country by its code or its name in English or a language of the campaign or pages."""
    if typed.upper() in geography.codes():
        return typed.upper()
    code, perhaps = _found(countries.match, typed, languages)
    if code:
        return code
    nearest = _nearest(geography.name(each, "en") for each in perhaps)
    raise ValueError(
        f"found {typed!r}, expected the name of a country or its code of two letters{nearest if typed else ''}"
    )


@lru_cache(maxsize=1_024)
def language(typed: str, languages: tuple[str, ...]) -> str:
    """The code of a language of the campaign by its code, also with a country ("es-CL"), or its name."""
    code = typed.lower().replace("_", "-")
    for known in (code, code.partition("-")[0], _found(spoken.match, typed, languages)[0]):
        if known in languages:
            return known
    perhaps = _found(spoken.match, typed, languages)[1]
    nearest = _nearest(geography.language_name(each, "en") for each in perhaps if each in languages)
    raise ValueError(
        f"found {typed!r}, expected a language of the campaign ({', '.join(languages)}){nearest if typed else ''}"
    )


def attribute(typed: str) -> str:
    """What is said: at most 120 characters."""
    if not typed:
        raise ValueError("it is empty, expected what is said of people from the country")
    if len(typed) > MAX_LENGTH:
        raise ValueError(f"it has {len(typed)} characters, expected at most {MAX_LENGTH}")
    return typed


def topic(typed: str) -> str:
    """A topic: at most 40 characters."""
    if len(typed) > _TOPIC_LENGTH:
        raise ValueError(f"it has {len(typed)} characters, expected at most {_TOPIC_LENGTH}")
    return typed


def negative(typed: str) -> bool | None:
    """Yes or no in any language of the pages; None where nothing was written."""
    if not typed:
        return None
    if fold(typed) in _YES | _NO:
        return fold(typed) in _YES
    raise ValueError(f"found {typed!r}, expected yes or no, or nothing")


def _found(
    match: Callable[[str, str], Match], typed: str, languages: tuple[str, ...]
) -> tuple[str, tuple[str, ...]]:
    """The code that is meant in the first of the languages in which one is; else those that may be."""
    matches = [match(typed, each) for each in ("en", *languages)]
    code = next((found.code for found in matches if found.code), "")
    return code, tuple(dict.fromkeys(each for found in matches for each in found.perhaps))


def _nearest(names: Iterable[str]) -> str:
    first = next(iter(names), "")
    return f" (did you mean {first}?)" if first else ""
