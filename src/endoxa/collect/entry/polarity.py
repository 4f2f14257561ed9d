"""Whether words are unkind to hear about oneself, as far as words alone can say it."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

import regex
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from endoxa.collect.entry.harm import bare, holds

CUT_OFF = -0.3
"""VADER's compound score (Hutto and Gilbert 2014) up to which English words count as negative."""
KIND = 0.05
"""From this score on they count as not negative, as in VADER's own documentation; between the two nobody knows."""

_ARTICLE = {"ar": r"(?:[وف]?ال)?"}
"""What may stand before a word without a space."""
_LETTERS = r"\S*"


def negative(text: str, language: str) -> bool | None:
    """Whether words are negative; None where it is not known.

    English is judged by VADER, which says nothing of words it does not know. All languages have short lists of unkind
    words (`unkind.toml`), which can say yes, never no: nearly all that people say is in no list.
    """
    score = _analyzer().polarity_scores(text)["compound"] if language == "en" else 0.0
    if score <= CUT_OFF:
        return True
    lists = _lists().get(language)
    if lists is not None and _pattern(language).search(bare(text)):
        return None if holds(text, lists["negators"]) else True
    return False if score >= KIND else None


@cache
def _pattern(language: str) -> regex.Pattern[str]:
    words = "|".join(_LETTERS.join(map(bare, word.split("*"))) for word in _lists()[language]["words"])
    return regex.compile(rf"(?<!\S){_ARTICLE.get(language, '')}(?:{words})(?!\S)")


@cache
def _lists() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads(files("endoxa.collect.entry").joinpath("unkind.toml").read_text(encoding="utf-8"))


@cache
def _analyzer() -> SentimentIntensityAnalyzer:
    return SentimentIntensityAnalyzer()
