"""Two respondents that know nothing of groups: one goes by word frequency alone, one by length alone.

What they prefer needs no model. Where one of them has the verdict of a model, the verdict shows no more than that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from math import fsum, log

import polars as pl

from endoxa.errors import installation
from endoxa.words.packs import language_name

FREQUENCY, LENGTH = "word_frequency_preference_ratio", "length_preference_ratio"
"""Their estimates: the share of pairs whose stereotypical sentence has the more frequent words, or fewer characters."""
REFERENCES = {FREQUENCY: "word frequency", LENGTH: "length"}
"""What readers call them."""

LIBRARY = "wordfreq"
_BREAKS = re.compile(r"[\s\"“”„«»()\[\]{}.,;:!?¿¡…।؟،؛/–—-]+")
_UNSPACED = ("ja", "ko", "th", "zh")


@dataclass(frozen=True, slots=True)
class Frequencies:
    """Log-frequencies of the words of a language.

    Attributes:
        known: by word.
        rarest: the least of them, in place of that of a word that is not listed.
    """

    known: Mapping[str, float]
    rarest: float

    def of(self, text: str) -> float:
        """The sum over the words of a text."""
        words = _BREAKS.split(text.casefold().replace("’", "'"))
        return fsum(self.known.get(word, self.rarest) for word in words if word)


@cache
def frequencies(language: str) -> Frequencies | None:
    """The words of a language; None without a list of them, or without the library that has such lists."""
    if find_spec(LIBRARY) is None:
        return None
    import wordfreq

    if language in _UNSPACED or language not in wordfreq.available_languages("best"):
        return None
    known = {word: log(share) for word, share in wordfreq.get_frequency_dict(language, "best").items()}
    return Frequencies(known, min(known.values()))


def by_frequency(language: str, more: str | None, less: str | None) -> float | None:
    """Log-frequency of the words of a sentence minus that of another one; None where the language has no list."""
    listed = frequencies(language.partition("-")[0]) if more and less else None
    return listed.of(more) - listed.of(less) if listed and more and less else None


BY_LENGTH = pl.col("sent_less").str.len_chars().cast(pl.Float64) - pl.col("sent_more").str.len_chars()
"""By how many characters `sent_more` is the shorter one."""


def lacking(languages: Iterable[str]) -> str:
    """Which languages have no word frequencies and why, as a sentence; empty where all have."""
    if find_spec(LIBRARY) is None:
        return f"Not compared with word frequency: {installation('local')} brings the lists ({LIBRARY})."
    codes = {language.partition("-")[0] for language in languages}
    without = sorted(language_name(code) for code in codes if frequencies(code) is None)
    return f"Not compared with word frequency, for want of a list: {', '.join(without)}." if without else ""
