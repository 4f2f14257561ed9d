"""Words as they are compared: without capitals, accents and what people leave out in Arabic."""

from __future__ import annotations

import unicodedata

import regex

_MARKS = regex.compile(r"[\p{M}&&\p{Script=Inherited}]", regex.V1)
_INVISIBLE = regex.compile(r"[\p{Default_Ignorable_Code_Point}\p{Cf}\u0640]")
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+")
_LETTERS = str.maketrans({"ة": "ه", "ی": "ي", "ک": "ك"})


def folded(text: str) -> str:
    """A text in small letters, without accents, vowel signs and hamza."""
    spread = _INVISIBLE.sub("", unicodedata.normalize("NFKD", text).casefold())
    return unicodedata.normalize("NFC", _MARKS.sub("", spread).translate(_LETTERS))


def folded_words(text: str) -> list[str]:
    """The words of a text, folded; apostrophes and hyphens part them."""
    return list(_WORD.findall(folded(text)))
