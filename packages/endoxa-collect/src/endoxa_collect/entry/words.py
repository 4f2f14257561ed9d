"""A typed attribute with all that follows from its words: key, flags, calls to harm, unkindness.

Flags are reasons why a moderator should check words; a flag never refuses anything. Each is a guess by form. What may
name a person is said in `endoxa.words.persons`; large towns and languages are left alone, titles of songs and names of
brands are found too.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import groupby, pairwise, product

import regex
from babel import Locale
from django.utils.translation import gettext
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from endoxa.words.identifiers import (
    ACCOUNT,
    EMAIL,
    IP_ADDRESS,
    LONG_NUMBER,
    PHONE,
    PLACE,
    WEB_ADDRESS,
    find_identifiers,
)
from endoxa.words.packs import languages_with, words_by_language, words_of
from endoxa.words.people import groups_in, spellings
from endoxa.words.persons import accuses_neighbours, names_somebody
from endoxa_collect import geography
from endoxa_collect.campaign import UI_LANGUAGES, UNLISTED, CampaignSettings
from endoxa_collect.entry.cleaning import APOSTROPHE, EmptyTextError, clean, fold, is_filler, key

_MARKS = regex.compile(r"[\p{M}&&\p{Script=Inherited}]", regex.V1)

CUT_OFF = -0.3
"""VADER's compound score (Hutto and Gilbert 2014) up to which English words count as negative."""
KIND = 0.05
"""From this score on they count as not negative, as in VADER's own documentation; between the two nobody knows."""

_ARTICLE = {"ar": r"(?:[وف]?ال)?"}
"""What may stand before a word without a space."""
_STAR = "\ufdd1"
"""Stands for the star of a list, as it is no sign that folding takes away and no character of any text."""
_SIGNS = regex.compile(r"(?<=\p{L})[\p{P}--[@'’]]+(?=[\p{L}\d])|(?<=\d)[\p{P}--[@'’]]+(?=\p{L})", regex.V1)
_DISGUISED = regex.compile(r"(?<!\S)\S(?:\s\S){3,}(?!\S)|[\p{L}\p{M}\d@$]{4,}")
"""Letters apart, or a word that digits may stand in; shorter ones are codes such as "A5s"."""
_DISGUISES = tuple(str.maketrans("013457$@", f"o{one}easts{at}") for one, at in product("il", "ao"))
"""Letters for which people write these signs; a 1 and an @ stand for two each."""


def calls_to_harm(text: str, language: str) -> bool:
    """Whether a text in `language` holds such words; calls of all lists are looked for, as people mix languages.

    Idioms are not in a language without a list: Dutch "die Belgen" is no English "die".
    """
    idioms = language in languages_with("calls.toml")
    return any(
        holds(text, words["calls"])
        or (idioms and holds(text, words["idioms"]) and holds(text, words["people"]))
        or (idioms and _before_a_name(words["idioms"], text))
        for words in _harm_lists()
    )


def bare(text: str) -> str:
    """Folded, without accents, words apart by single spaces."""
    spread = _MARKS.sub("", unicodedata.normalize("NFD", fold(text)))
    return " ".join(unicodedata.normalize("NFC", spread).replace(APOSTROPHE, " ").split())


def holds(text: str, words: Iterable[str], language: str = "") -> bool:
    """Whether one of the words (or groups of words) stands in the text, whole, also in disguise.

    Case, accents and invisible characters do not matter, nor do letters apart ("p u t o s", "p.u.t.o.s"), digits in the
    place of letters ("put0s"), signs within a word ("pu-tos") and letters three times or more ("puuutos"). A star
    stands for any letters. Numbers, and codes such as "A5s", are not read as words.
    """
    pattern = _pattern(tuple(words), _ARTICLE.get(language, ""))
    return any(pattern.search(line) for line in _readings(text))


@lru_cache(maxsize=256)
def _readings(text: str) -> tuple[str, ...]:
    """A text, bare, as it is written and without the signs and digits that stand within words."""
    joined = _SIGNS.sub("", text)
    return tuple(dict.fromkeys((bare(text), *(bare(_spelt(joined, letters)) for letters in _DISGUISES))))


def _spelt(text: str, letters: Mapping[int, int]) -> str:
    def word(match: regex.Match[str]) -> str:
        few = sum(map(str.isalpha, match.group())) < 2
        return str(match.group() if few else match.group().translate(letters))

    return str(_DISGUISED.sub(word, text))


@lru_cache(maxsize=256)
def _pattern(words: tuple[str, ...], article: str) -> regex.Pattern[str]:
    plain = filter(None, (bare(word.replace("*", _STAR)) for word in words))
    # A list without words is not in any text: (?!) never matches.
    return regex.compile(rf"(?<!\S){article}(?:{'|'.join(map(_written, plain)) or '(?!)'})(?!\S)")


def _written(word: str) -> str:
    """A pattern of the ways to write a word: together, where letters may be repeated, or its letters apart."""
    together = "".join(_run(sign, len(list(signs))) for sign, signs in groupby(word))
    letters = regex.findall(rf"[^{_STAR} ]\p{{M}}*", word)
    apart = " ".join(map(regex.escape, letters)) + (r"\S*" if word.endswith(_STAR) else "")
    return f"{together}|{apart}" if len(word.strip(_STAR)) > 2 else together


def _run(sign: str, times: int) -> str:
    if sign in (_STAR, " "):
        return r"\S*" if sign == _STAR else " "
    letter = regex.escape(sign)
    return f"{letter}{{{times},}}" if times > 1 else f"{letter}(?:{letter}{{2,}})?"


def _before_a_name(idioms: Iterable[str], text: str) -> bool:
    pairs = pairwise(text.split())
    return any(after[0].isupper() and not after.isupper() and bare(word) in idioms for word, after in pairs)


@cache
def _harm_lists() -> tuple[dict[str, tuple[str, ...]], ...]:
    """The words of each language, bare; see `calls.toml`."""
    return tuple(
        {kind: tuple(map(bare, words)) for kind, words in lists.items()}
        for lists in words_by_language("calls.toml").values()
    )


def negative(text: str, language: str) -> bool | None:
    """Whether words are negative; None where it is not known.

    English is judged by VADER, which says nothing of words it does not know. All languages have short lists of unkind
    words (`unkind.toml`), which can say yes, never no: nearly all that people say is in no list.
    """
    score = _analyzer().polarity_scores(text)["compound"] if language == "en" else 0.0
    if score <= CUT_OFF or is_slur(text, language):
        return True
    lists = words_of(language, "unkind.toml")
    if lists and holds(text, lists["words"], language):
        return None if holds(text, lists["negators"]) else True
    return False if score >= KIND else None


def is_slur(text: str, language: str) -> bool:
    """Whether a text holds a slur or crude insult of its language, or a word of contempt beside the name of a group.

    One list only: French "con" is Spanish for "with", and English "retard" French for "late".
    """
    lists = words_of(language, "unkind.toml")
    if not lists.get("slurs"):
        return False
    return holds(text, lists["slurs"], language) or any(
        not _peoples(language).isdisjoint(spellings(second))
        and holds(first, lists.get("contempt", ()), language)
        for line in _readings(text)
        for pair in pairwise(line.split())
        for first, second in (pair, pair[::-1])
    )


@cache
def _peoples(language: str) -> frozenset[str]:
    """Words that name people by what they are from birth or belong to, not by age or work.

    No English singulars, which stand before nouns: "dirty Indian rivers".
    """
    named = (
        group for group in groups_in(language) if group.kind not in {"age", "family", "kind", "profession"}
    )
    words = (word for group in named for word, _ in group.forms if language != "en" or word != group.singular)
    return frozenset(spelling for word in words for spelling in spellings(word))


@cache
def has_slurs() -> frozenset[str]:
    """Languages that have a list of slurs."""
    lists = words_by_language("unkind.toml")
    return frozenset(code for code, words in lists.items() if words.get("slurs"))


_analyzer = cache(SentimentIntensityAnalyzer)


_ENDING = 4
"""Most letters that an inhabitant's name has more than the place's: "New Yorkers"."""

SERIOUS = frozenset(
    {"name", "email", "phone", "handle", "link", "watch_word", "harm", "slur", UNLISTED, "accusation"}
)
"""Flags that keep a pair from others until a moderator has passed it, whatever the campaign says."""

_LONG = 60
_MANY_WORDS = 10
_SHOUTED = 6

_KINDS: Mapping[str, frozenset[str]] = {
    "email": frozenset({EMAIL}),
    "phone": frozenset({PHONE, LONG_NUMBER, PLACE}),
    "handle": frozenset({ACCOUNT}),
    "link": frozenset({WEB_ADDRESS, IP_ADDRESS}),
}
"""Kinds of identifiers that raise a flag."""


def is_place(words: str, language: str) -> bool:
    """Whether words are a country or large town, begin like one and end a little otherwise, or end in a language."""
    wanted = words.casefold()
    if (
        wanted in _named(language)
        or wanted in geography.cities().large
        or wanted.split()[-1] in _spoken(language)
    ):
        return True
    stems = {wanted[:end] for end in range(max(len(wanted) - _ENDING, 0), len(wanted))}
    return not stems.isdisjoint(_stems(language))


@cache
def _named(language: str) -> frozenset[str]:
    names = (geography.names(each).values() for each in (*UI_LANGUAGES, language))
    return frozenset(name.casefold() for part in names for name in part)


@cache
def _spoken(language: str) -> frozenset[str]:
    """Languages by their names in English, where they have capitals, and in `language`."""
    languages: Iterable[str] = Locale.parse("en").languages
    codes = [code for code in languages if len(code) == 2]
    return frozenset(
        geography.language_name(code, each).casefold() for code in codes for each in ("en", language)
    )


@cache
def _stems(language: str) -> frozenset[str]:
    """Names of several words, whole and without their last letter: "Costa Ric" of the "Costa Ricans"."""
    several = [name for name in _named(language) | geography.cities().large if " " in name]
    return frozenset((*several, *(name[:-1] for name in several)))


def flags(text: str, language: str, settings: CampaignSettings) -> list[str]:
    """Names of the flags of a cleaned text, in the order in which moderators read them."""
    identified = {identifier.kind for identifier in find_identifiers(text)}
    cased = [letter for letter in text if letter.isupper() or letter.islower()]
    checks = {
        "name": names_somebody(
            text,
            language,
            # A place, or words that say little: "Very Friendly".
            lambda words: (
                is_place(words, language) or any(is_filler(word, language) for word in words.split())
            ),
        ),
        **{name: bool(kinds & identified) for name, kinds in _KINDS.items()},
        "watch_word": holds(text, settings.watch_words),
        "harm": calls_to_harm(text, language),
        "slur": is_slur(text, language),
        UNLISTED: language not in has_slurs() and is_slur(text, "en"),
        "accusation": accuses_neighbours(text),
        "long": len(text) > _LONG or len(text.split()) > _MANY_WORDS,
        "shouting": (
            len(cased) >= _SHOUTED and sum(letter.isupper() for letter in cased) >= 0.8 * len(cased)
        ),
    }
    return [name for name, raised in checks.items() if raised]


@dataclass(frozen=True)
class Words:
    """Cleaned text, its key, and what moderators and the sampler go by."""

    text: str
    key: str
    language: str
    flags: tuple[str, ...]
    negative: bool | None
    topic: str = ""


def read_words(text: str, language: str, settings: CampaignSettings) -> Words:
    """Clean typed words and look at them.

    Raises:
        EmptyTextError, TooLongError: see `cleaning.clean`; signs without letters are nothing, too.
    """
    line = clean(text)
    name = key(line, language)
    if not name:
        raise EmptyTextError(gettext("Please write a few words first."))
    flagged = tuple(flags(line, language, settings))
    return Words(line, name, language, flagged, negative(line, language))


def warm_up() -> None:
    """Read the lists that words are held against: half a second that somebody would wait for otherwise."""
    negative("a", "en")
    calls_to_harm("a", "en")
    is_place("a", "en")
    is_slur("a", "en")
    names_somebody("juma steals", "en", lambda words: is_place(words, "en"))
