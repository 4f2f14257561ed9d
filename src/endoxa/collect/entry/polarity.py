"""Whether words are bad to hear about oneself; for English only, elsewhere a moderator says so."""

from __future__ import annotations

from functools import cache

from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

CUT_OFF = -0.3
"""VADER's compound score (Hutto and Gilbert 2014) from which words count as negative."""


def negative(text: str, language: str) -> bool | None:
    """Whether English words are negative; None for other languages, where it is not known."""
    if language != "en":
        return None
    return bool(_analyzer().polarity_scores(text)["compound"] <= CUT_OFF)


@cache
def _analyzer() -> SentimentIntensityAnalyzer:
    return SentimentIntensityAnalyzer()
