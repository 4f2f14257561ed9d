"""The form in which attributes are compared for being nearly the same: looser than the key, only for questions.

It forgets what people leave out or write in several ways: accents, Arabic hamza and final letters, Devanagari nasals
and dots, the dot of the Turkish i, digits of other scripts, words such as "very" or "people", number and gender.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

import regex

from endoxa.collect.entry.keys import APOSTROPHE

_LETTERS = str.maketrans(
    {"ı": "i", "œ": "oe", "æ": "ae", "ø": "o", "ł": "l", "ة": "ه", "ى": "ي", "ی": "ي", "ک": "ك", "ء": None}
    | {"ँ": "ं", "\u093c": None, APOSTROPHE: None}
)
_MARKS = regex.compile(r"[\p{M}&&\p{Script=Inherited}]", regex.V1)
_NASALS = regex.compile(r"[ङञणनम]\u094d(?=[क-ह])")
_DIGITS = regex.compile(r"\p{Nd}")

_FILLERS = {
    language: frozenset(words.split())
    for language, words in {
        "en": "they theyre she he we are is be being to a an the people folk folks very really so quite always lots",
        "es": "ellos ellas son es ser estan esta estar el la los las un una unos unas muy tan le les se gente siempre",
        "fr": "ils elles on cest ce sont est etre le la les l un une des du de tres gens toujours",
        "pt": "eles elas sao e ser esta estao estar o a os as um uma uns umas muito tao gente sempre",
        "de": "sie sind ist sehr der die das ein eine leute immer",
        "ar": "هم هن هو هي انهم جدا الناس ناس دايما",
        "hi": "वे वो वह हैं है हे लोग बहुत हमेशा",
        "sw": "wao ni watu sana daima",
        "ha": "su ne sunada mutane sosai",
    }.items()
}
"""Words without which an attribute says nearly the same, as they look once the marks are gone."""

_ENDINGS = {
    language: tuple((regex.compile(pattern), instead) for pattern, instead in rules)
    for language, rules in {
        "en": ((r"(?<=\w{2})ies$", "y"), (r"(?<=ch|sh|ss|x|z)es$", ""), (r"(?<=\w{2}[^suiy])s$", "")),
        "es": ((r"(?<=\w{2})ces$", "z"), (r"(?<=\w{2}[^aeiou])es$", ""), (r"(?<=\w{2}[aeiou])s$", "")),
        "fr": ((r"(?<=\w{3})aux$", "al"), (r"(?<=\w{3}[^s])[sx]$", ""), (r"(?<=\w{3})e$", "")),
        "pt": (
            (r"(?<=\w{2})(?:oes|aes)$", "ao"),
            (r"(?<=\w{2})ns$", "m"),
            (r"(?<=\w{2}[rz])es$", ""),
            (r"(?<=\w{2}[aeiou])is$", "l"),
            (r"(?<=\w{2}[aeiou])s$", ""),
        ),
        "ar": ((r"^\u0627\u0644(?=\w{3})", ""),),
        "hi": ((r"(?<=\w{2})[\u0940\u0947\u093e\u094b]$", ""),),
        "sw": ((r"^(?:wana|ana|hu|wa|m)(?=\w{4})", ""),),
    }.items()
}
_GENDERED = frozenset({"es", "pt"})
_GENDER = regex.compile(r"(?<=\w{3})[ao]$")


@lru_cache(maxsize=65_536)
def comparable(name: str, language: str) -> str:
    """The form of a key; the key itself where nothing would be left."""
    spread = unicodedata.normalize("NFD", name)
    plain = _MARKS.sub("", spread).translate(_LETTERS)
    plain = _DIGITS.sub(lambda digit: str(unicodedata.decimal(digit.group())), _NASALS.sub("ं", plain))
    words = plain.split()
    fillers = _FILLERS.get(language, frozenset())
    telling = [word for word in words if word not in fillers] or words
    return unicodedata.normalize("NFC", " ".join(_stem(word, language) for word in telling)) or name


def is_filler(word: str, language: str) -> bool:
    """Whether a word, in any case, says little and is no part of names as "La" is: "very", "people"."""
    return len(word) > 3 and word.casefold() in _FILLERS.get(language, ())


def _stem(word: str, language: str) -> str:
    for ending, instead in _ENDINGS.get(language, ()):
        shorter, found = ending.subn(instead, word)
        if found:
            word = str(shorter)
            break
    return str(_GENDER.sub("", word)) if language in _GENDERED else word
