"""What answers are read by in each language: `answers.toml` of `endoxa/words`, compiled."""

from __future__ import annotations

import tomllib
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, get_type_hints

import regex

from endoxa.words.packs import file_with, languages_with

ENGLISH = "en"
_FILE = "answers.toml"
_JOINED = "ـ"
"""At the end of a word of a table: it is written as one with the next."""


def _single(phrases: Iterable[str]) -> frozenset[str]:
    """The words of phrases, each without the mark that it is written as one with the next."""
    return frozenset(word.rstrip(_JOINED) for phrase in phrases for word in phrase.split())


def _any(phrases: Iterable[str]) -> str:
    """A pattern for any of some phrases as whole words, the longest first; some are written as one with the next."""
    ordered = sorted(phrases, key=len, reverse=True)
    written = (
        r"\s+".join(map(regex.escape, phrase.rstrip(_JOINED).split()))
        + ("" if phrase.endswith(("'", _JOINED)) else r"(?!\w)")
        for phrase in ordered
    )
    return rf"(?<!\w)(?:{'|'.join(written)})"


def _either(patterns: Iterable[str]) -> regex.Pattern[str]:
    return regex.compile("|".join(f"(?:{pattern})" for pattern in patterns))


Phrases = Annotated[regex.Pattern[str], lambda phrases: regex.compile(_any(phrases))]
Patterns = Annotated[regex.Pattern[str], _either]
Words = Annotated[tuple[str, ...], tuple]
WordSet = Annotated[frozenset[str], frozenset]
"""How a field of a language is made from the words of its tables; the other fields are made one by one."""


@dataclass(frozen=True, slots=True)
class Language:
    """Words and patterns of a language and of English, in which models answer as well.

    `covered` says that the language has words of ours itself. The other fields are explained in
    `words/en/answers.toml`; patterns are over folded text (`endoxa.runs.answers.text`).
    """

    covered: bool
    articles: frozenset[str]
    common: frozenset[str]
    labels: Words
    letters: Mapping[str, str]
    breaks: regex.Pattern[str]
    leads: regex.Pattern[str]
    reasons: Phrases
    conclusions: Phrases
    contrasts: Phrases
    concessions: Phrases
    denials: Phrases
    affirmations: Phrases
    named_before: regex.Pattern[str]
    named_after: regex.Pattern[str]
    joins: regex.Pattern[str]
    only_articles: regex.Pattern[str]
    new_question: regex.Pattern[str]
    somebody: WordSet
    interrogatives: WordSet
    unknown: Patterns
    unsaid: Patterns
    refusals: Patterns
    declines: Patterns
    information: Patterns
    statements: Patterns
    fillers: frozenset[str]
    plain: frozenset[str]
    asks: WordSet
    stand_ins: Words
    the_other: regex.Pattern[str]
    lacking: Words
    against: regex.Pattern[str]
    turns: regex.Pattern[str]
    comma_reasons: regex.Pattern[str]
    criticism: Patterns
    others: Patterns
    conditions: Patterns


@cache
def language(code: str) -> Language:
    """The language of an ISO 639 code ('es-AR' counts as 'es'), with English; English alone where we have none."""
    return _compiled(code.split("-", maxsplit=1)[0].lower())


@cache
def _compiled(code: str) -> Language:
    tables = [_words(each) for each in dict.fromkeys((code, ENGLISH)) if each in languages_with(_FILE)]

    def several(field: str) -> list[str]:
        return list(dict.fromkeys(word for table in tables for word in table[field]))

    articles, adverbs = _any(several("articles")), _any(several("adverbs"))
    leading = [*several("breaks"), *several("reasons"), *several("conclusions")]
    modest = [*several("articles"), *several("adverbs"), *several("fillers"), *several("denials"), *leading]
    naming = [*several("named_before"), *several("common")]
    nouns = [word for word in several("common") if word not in several("denials")]
    joins = (
        rf"(?:\s+{_any(nouns)})?[\s,]*"
        rf"(?:{_any([*several('and'), *several('or')])}|[&/])(?:\s+{adverbs})*[\s\"'(\[]*(?:{articles}\s*)*"
    )
    brackets = r"\((?!\s?[a-c]\s?\))|(?<!\(\s?[a-c]\s?)\)"
    hints = get_type_hints(Language, include_extras=True)
    alike: dict[str, Any] = {
        field: hint.__metadata__[0](several(field))
        for field, hint in hints.items()
        if hasattr(hint, "__metadata__")
    }
    return Language(
        **alike,
        covered=code in languages_with(_FILE),
        articles=_single(several("articles")),
        common=frozenset(several("common")) | _single(several("articles")),
        letters={
            letter: latin
            for table in tables
            for latin, letters in zip("ABC", table["letters"], strict=False)
            for letter in letters
        },
        breaks=regex.compile(rf"[;:–—]|\s-+\s|{brackets}|,(?!\s*{_any(several('or'))})|{_any(leading)}"),
        leads=regex.compile(rf"[\s\"']*({_any([*leading, *several('concessions')])})"),
        named_before=regex.compile(
            rf"{_any(several('named_before'))}(?:\s+{adverbs})*[\s\"'(\[:]*(?:{articles}\s*)*[\"']?$"
        ),
        named_after=regex.compile(rf"[\"')\]]*(?:\s+{adverbs})*\s+{_any(several('named_after'))}"),
        joins=regex.compile(joins),
        only_articles=regex.compile(rf"[\s\"'(]*(?:{articles}\s*)*[\"']?"),
        new_question=regex.compile(rf"(?m:^)[ \t*#>]*(?P<label>{'|'.join(several('new_question'))})"),
        fillers=_single(modest),
        plain=_single([*modest, *naming]),
        the_other=regex.compile(
            rf"{joins}(?P<other>{_any(several('the_other'))}(?:\s+{_any(nouns)})?)(?P<ends>\s*(?:[.,;!?]|$))?"
        ),
        against=regex.compile(rf"{_any(several('against'))}[\s\"'(]*(?:{articles}\s*)*[\"']?$"),
        turns=regex.compile(rf";|{_any(several('turns'))}"),
        comma_reasons=regex.compile(rf"[\s\"']*(?:{'|'.join(several('comma_reasons'))})"),
    )


def _words(code: str) -> dict[str, Any]:
    # Answers are normalised to NFKC, which writes some Devanagari letters as two signs.
    text = file_with(code, _FILE).read_text(encoding="utf-8")
    return tomllib.loads(unicodedata.normalize("NFKC", text))
