"""Whether words are unkind to hear about oneself, as far as words alone can say it."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

import regex
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from endoxa.collect.entry.harm import bare, holds

CUT_OFF = -0.3
"""VADER's compound score (Hutto and Gilbert 2014) from which English words count as negative."""

_ARTICLE = {"ar": r"(?:[وف]?ال)?"}
"""What may stand before a word without a space."""
_LETTERS = r"\S*"


def negative(text: str, language: str) -> bool | None:
    """Whether words are negative; None where it is not known.

    English is judged by VADER. Other languages have short lists of unkind words (`unkind.toml`), which can say yes,
    never no: nearly all that people say is in no list.
    """
    if language == "en":
        return bool(_analyzer().polarity_scores(text)["compound"] <= CUT_OFF)
    lists = _lists().get(language)
    if lists is None or holds(text, lists["negators"]):
        return None
    return True if _pattern(language).search(bare(text)) else None


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
