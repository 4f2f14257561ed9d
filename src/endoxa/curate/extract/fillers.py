"""Words that fill a pause or only say that somebody thinks so ("like", "you know", "in my opinion").

They are no part of what is said. A language names them in two lists of regular expressions (`closed_classes.toml` of
English, `extract.toml` of the others): `fillers` wherever they stand, `asides` only between marks ("..., well, ...").
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import regex

from endoxa.curate.english import is_adverb, spelt_out, tokens, words
from endoxa.curate.extract.clauses import has_subject
from endoxa.curate.extract.languages import begins_phrase, read
from endoxa.words.packs import languages_with, words_of

_MARK = r"(?:\s*[,،、]\s*|\s+[-–—]\s+|\s*(?:\.{2,}|…)\s*|\s*[()]\s*)"
_STARTS, _ENDS = r"(?<=^\s*|[.;:!?؟।\n]\s*)", r"(?=\s*(?:$|[.;:!?؟।\n]))"
_SENTENCES = regex.compile(r"[.;:!?؟।\n]")
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
    fillers, asides = (
        "|".join(each for table in tables for each in table.get(name, ())) for name in ("fillers", "asides")
    )
    if not fillers:
        return None
    letter = r"[\p{L}\p{M}\p{N}'-]"
    filler, either = (rf"(?<!{letter})(?:{each})(?!{letter})" for each in (fillers, f"{fillers}|{asides}"))
    apart = rf"(?:{_STARTS}|{_MARK}){either}(?:(?:{_MARK}|\s+){either})*(?:{_MARK}|{_ENDS})"
    anywhere = rf"{_MARK}?{filler}(?:(?:{_MARK}|\s+){filler})*{_MARK}?"
    return regex.compile(rf"{apart}|{anywhere}", regex.IGNORECASE)


def find_fillers(text: str, language: str = "") -> Iterator[Filler]:
    """The fillers of a text, in order.

    Args:
        text: an answer or a statement.
        language: ISO 639 code; without one, those of all languages.
    """
    codes = (language,) if language else ("en", *languages_with("extract.toml"))
    expression = _expression(codes)
    plain = regex.sub("[‘’ʼ′`´]", "'", text)
    for match in expression.finditer(plain) if expression else ():
        before = _SENTENCES.split(plain[: match.start()])[-1].strip()
        after = _SENTENCES.split(plain[match.end() :])[0].strip()
        marked = bool(regex.search(_MARK, match[0]))
        separates = (
            marked and bool(before and after) and not any(_goes_on(before, after, code) for code in codes)
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


def without_fillers(text: str, language: str) -> str:
    """The text without them; a comma stays where it separates."""
    pieces, start = [], 0
    for filler in find_fillers(text, language):
        pieces += [text[start : filler.start], ", " if filler.separates else " "]
        start = filler.end
    return "".join([*pieces, text[start:]]).strip()
