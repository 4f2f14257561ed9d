"""The cells of a row of seeds, as people type them: readers give the value or raise a `ValueError` with the fault."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from django.utils.translation import get_language, gettext

from endoxa_collect import geography, groups, naming
from endoxa_collect.campaign import CampaignSettings
from endoxa_collect.entry.cleaning import MAX_LENGTH, fold
from endoxa_collect.naming import Match

_TOPIC_LENGTH = 40
_YES = frozenset(map(fold, ("yes", "true", "1", "y", "sí", "si", "oui", "sim", "ndiyo", "نعم", "हाँ", "हां")))
_NO = frozenset(map(fold, ("no", "false", "0", "n", "non", "não", "nao", "hapana", "لا", "नहीं")))


@lru_cache(maxsize=1_024)
def country_cell(typed: str, languages: tuple[str, ...]) -> str:
    """The ISO 3166 code of a country by its code or its name in English or a language of the campaign or pages."""
    if typed.upper() in geography.codes():
        return typed.upper()
    code, perhaps = _match_of(naming.match_country, typed, languages)
    if code:
        return code
    fault = gettext("found '%(typed)s', expected the name of a country or its code of two letters")
    nearest = [geography.name(each, get_language() or "en") for each in perhaps]
    raise ValueError(_with_nearest(fault % {"typed": typed}, nearest if typed else []))


@lru_cache(maxsize=1_024)
def language_cell(typed: str, languages: tuple[str, ...]) -> str:
    """The code of a language of the campaign by its code, also with a country ("es-CL"), or its name."""
    code = typed.lower().replace("_", "-")
    for candidate in (code, code.partition("-")[0], _match_of(naming.match_language, typed, languages)[0]):
        if candidate in languages:
            return candidate
    perhaps = _match_of(naming.match_language, typed, languages)[1]
    fault = gettext("found '%(typed)s', expected a language of the campaign (%(languages)s)")
    here = get_language() or "en"
    nearest = [geography.language_name(each, here) for each in perhaps if each in languages]
    values = {"typed": typed, "languages": ", ".join(languages)}
    raise ValueError(_with_nearest(fault % values, nearest if typed else []))


def attribute_cell(typed: str) -> str:
    """What is said: at most 120 characters."""
    if not typed:
        raise ValueError(gettext("it is empty, expected what is said of people from the country"))
    if len(typed) > MAX_LENGTH:
        raise ValueError(too_long_cell(typed, MAX_LENGTH))
    return typed


def topic_cell(typed: str) -> str:
    """A topic: at most 40 characters."""
    if len(typed) > _TOPIC_LENGTH:
        raise ValueError(too_long_cell(typed, _TOPIC_LENGTH))
    return typed


def negative_cell(typed: str) -> bool | None:
    """Yes or no in any language of the pages; None where nothing was written."""
    if not typed:
        return None
    if fold(typed) in _YES | _NO:
        return fold(typed) in _YES
    raise ValueError(gettext("found '%(typed)s', expected yes or no, or nothing") % {"typed": typed})


def too_long_cell(typed: str, most: int) -> str:
    """What is said of a cell with more characters than it may have."""
    values = {"found": len(typed), "most": most}
    return gettext("it has %(found)d characters, expected at most %(most)d") % values


def _match_of(
    match: Callable[[str, str], Match], typed: str, languages: tuple[str, ...]
) -> tuple[str, tuple[str, ...]]:
    """The code that is meant in the first of the languages in which one is; else those that may be."""
    matches = [match(typed, each) for each in ("en", *languages)]
    code = next((country_match.code for country_match in matches if country_match.code), "")
    return code, tuple(dict.fromkeys(each for country_match in matches for each in country_match.perhaps))


def _with_nearest(fault: str, names: Sequence[str]) -> str:
    if not names:
        return fault
    return gettext("%(fault)s (did you mean %(name)s?)") % {"fault": fault, "name": names[0]}


def group_cell(typed: str, settings: CampaignSettings) -> str:
    """The id of a declared group by its id or its name in any language."""
    match = groups.match(typed, settings)
    if match.code:
        return match.code
    fault = gettext("found '%(typed)s', expected the id or the name of a group of the campaign")
    raise ValueError(_with_nearest(fault % {"typed": typed}, match.perhaps))
