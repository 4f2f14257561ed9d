"""Which country somebody means by what they typed."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from babel.core import get_global
from rapidfuzz import fuzz, process

from endoxa.collect import geography
from endoxa.collect.campaign.settings import UI_LANGUAGES
from endoxa.collect.visible import visible

_LIKE_ENOUGH = 75.0
_SUGGESTED = 4
_LETTERS = 2
"""Fewer say nothing about how a name goes on."""


@dataclass(frozen=True)
class Match:
    """The country that was meant, or "" and the ones that may have been meant."""

    code: str
    perhaps: tuple[str, ...] = ()


def match(typed: str, language: str) -> Match:
    """The country that somebody means who typed its name or code.

    Its name in `language` is taken at once; a name in another language of the pages or a code if it could be no other
    country. Else `perhaps` holds those with similar names. Capitals and accents do not matter.
    """
    wanted = _plain(visible(typed))
    own = {_plain(name): (code,) for code, name in geography.names(language).items()}
    if wanted in own:
        return Match(own[wanted][0])
    elsewhere = _spellings()
    exact = elsewhere.get(wanted, ())
    possible = dict.fromkeys((*exact, *_begun(wanted, own)))
    if exact and len(possible) == 1:
        return Match(exact[0])
    similar = (*possible, *_similar(wanted, own)) or (
        *_begun(wanted, elsewhere),
        *_similar(wanted, elsewhere),
    )
    return Match("", tuple(dict.fromkeys(similar))[:_SUGGESTED])


def _begun(wanted: str, spellings: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Countries with a spelling that begins so."""
    if len(wanted) < _LETTERS:
        return []
    return [code for spelling, codes in spellings.items() if spelling.startswith(wanted) for code in codes]


def _similar(wanted: str, spellings: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Countries with a spelling much like it, the most alike first."""
    found = process.extract(wanted, spellings.keys(), scorer=fuzz.ratio, score_cutoff=_LIKE_ENOUGH)
    return [code for spelling, _, _ in found for code in spellings[spelling]]


@cache
def _spellings() -> dict[str, tuple[str, ...]]:
    """Countries by their names in all languages of the pages, their codes and the aliases that CLDR has for codes."""
    spelled = [(name, code) for language in UI_LANGUAGES for code, name in geography.names(language).items()]
    spelled += [(code, code) for code in geography.codes()]
    spelled += [
        (alias, codes[0]) for alias, codes in get_global("territory_aliases").items() if len(codes) == 1
    ]
    known = set(geography.codes())
    found: dict[str, tuple[str, ...]] = {}
    for spelling, code in spelled:
        codes = found.get(_plain(spelling), ())
        if code in known and code not in codes:
            found[_plain(spelling)] = (*codes, code)
    return found


def _plain(text: str) -> str:
    """Without capitals, accents, and signs and spaces that do not matter."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    kept = "".join(
        part if unicodedata.category(part)[0] in "LNM" else " "
        for part in parts
        if not unicodedata.combining(part)
    )
    return " ".join(kept.split())
