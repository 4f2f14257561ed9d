"""Words that fill a pause or only say that somebody thinks so ("like", "you know", "in my opinion").

They are no part of what is said. A language names them in two lists of regular expressions (`closed_classes.toml` of
English, `extract.toml` of the others): `fillers` wherever they stand, `asides` only between marks ("..., well, ...").
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

import regex

from endoxa.curate.english import is_adverb, spelt_out, tokens, words
from endoxa.curate.extract.native import begins_phrase, read
from endoxa.curate.extract.split import has_subject
from endoxa.words.packs import languages_with, words_of

_MARK = r"(?:\s{0,4}+(?:[,،、()…]|\.{2,9}+)\s{0,4}+|\s{1,4}+[-–—]\s{1,4}+)"
_STARTS, _ENDS = r"(?<=(?:^|[.;:!?؟।\n])\s{0,4})", r"(?=\s{0,4}(?:$|[.;:!?؟।\n]))"
"""Few blanks, so that the time does not grow with the square of a long run of them."""
_SENTENCES = regex.compile(r"[.;:!?؟।\n]")
_AROUND = 200
"""Characters before and behind a filler that are looked at."""
_GOVERNING = ("copulas", "modals", "auxiliaries", "determiners", "prepositions", "relatives")
_JOINING = ("and", "but", "or")


@dataclass(frozen=True, slots=True)
class Filler:
    """Where fillers stand with the marks around them, and whether these separate what is said."""

    start: int
    end: int
    separates: bool


@cache
def _expression(languages: tuple[str, ...]) -> regex.Pattern[str] | None:
    tables = [words_of(code, "closed_classes.toml" if code == "en" else "extract.toml") for code in languages]
    listed = {
        name: [each for table in tables for each in table.get(name, ())] for name in ("fillers", "asides")
    }
    if not any(listed.values()):
        return None
    fillers, asides = ("|".join(each) or "(?!)" for each in listed.values())
    letter = r"[\p{L}\p{M}\p{N}'-]"
    filler, either = (rf"(?<!{letter})(?:{each})(?!{letter})" for each in (fillers, f"{fillers}|{asides}"))
    apart = (
        rf"(?:(?<!{letter}){_STARTS}|{_MARK}){either}(?:(?:{_MARK}|\s{{1,4}}){either})*(?:{_MARK}|{_ENDS})"
    )
    anywhere = rf"{_MARK}?{filler}(?:(?:{_MARK}|\s{{1,4}}){filler})*{_MARK}?"
    return regex.compile(rf"{apart}|{anywhere}", regex.IGNORECASE)


def find_fillers(text: str, language: str = "") -> Iterator[Filler]:
    """The fillers of a text, in order.

    Args:
        text: an answer or a statement.
        language: ISO 639 code; without one, those of all languages.
    """
    codes = (
        (regex.split("[-_]", language)[0].lower(),) if language else ("en", *languages_with("extract.toml"))
    )
    expression = _expression(codes)
    plain = regex.sub("[‘’ʼ′`´]", "'", text)
    for match in expression.finditer(plain) if expression else ():
        before = _SENTENCES.split(plain[max(match.start() - _AROUND, 0) : match.start()])[-1].strip()
        after = _SENTENCES.split(plain[match.end() : match.end() + _AROUND])[0].strip()
        separates = bool(before and after and regex.search(_MARK, match[0])) and not any(
            _goes_on(before, after, code)
            for code in codes
            if (own := _expression((code,))) and own.fullmatch(plain, *match.span())
        )
        yield Filler(match.start(), match.end(), separates)


def _goes_on(before: str, after: str, language: str) -> bool:
    """Whether one statement stands around a filler ("women are, like, kind"), not two items of a list."""
    whole = f"{before} {after}"
    if language != "en":
        return begins_phrase(before, language) or (
            read(whole, language) is not None and not read(before, language)
        )
    low = tokens(spelt_out(before.lower()))
    while low and is_adverb(low[-1]):
        low.pop()
    governs = bool(low) and (low[-1] in _JOINING or any(low[-1] in words(name) for name in _GOVERNING))
    copula = tokens(after.lower())[0] in words("copulas")
    return governs or copula or (not has_subject(before) and has_subject(whole))


@lru_cache(maxsize=1 << 10)
def without_fillers(text: str, language: str) -> str:
    """The text without them; a comma stays where it separates."""
    pieces, start = [], 0
    for filler in find_fillers(text, language):
        pieces += [text[start : filler.start], ", " if filler.separates else " "]
        start = filler.end
    return "".join([*pieces, text[start:]]).strip()
