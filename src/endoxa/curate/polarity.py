"""Whether an English attribute is good, bad or neither to say of somebody.

Two answers side by side. `published` is VADER (Hutto and Gilbert 2014) on the text as it stands, cut at +-0.1, which
is what AfriStereo did (section 3.3.2). `polarity` takes VADER's word list, with three things mended: curly
apostrophes, negation by any means ("not", "lack of", "less", "un-"), and words that the list has in their base form
only ("uncaring", "dullest"). What the list does not have stays neutral: to guess it from opposites was tried, and
made "old" or "atheist" negative because "young" and "religious" are not.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

from endoxa.curate import library
from endoxa.curate.opposites import Lexicon, Unit, load_lexicon, units

CUT_OFF = 0.1
"""Published: a compound score within +-0.1 is neutral."""
NEGATED = -0.74
"""VADER's factor of a negated word."""
CACHED = 1 << 17
ALPHA = 15
"""VADER's constant in the compound score s / sqrt(s^2 + 15)."""


@lru_cache
def _analyzer() -> Any:
    vader = library("vaderSentiment.vaderSentiment", "Polarity needs the library vaderSentiment")
    return vader.SentimentIntensityAnalyzer()


@lru_cache(maxsize=CACHED)
def published(text: str) -> str:
    """'positive', 'negative' or 'neutral' by VADER's compound score of the text as it stands, cut at +-0.1."""
    return _word(_analyzer().polarity_scores(text)["compound"])


@lru_cache(maxsize=CACHED)
def polarity(text: str) -> str:
    """'positive', 'negative' or 'neutral' by VADER's word list under our reading of negation."""
    lexicon = load_lexicon("en")
    total = sum(_valence(unit, lexicon) for unit in units(text, lexicon))
    return _word(total / math.sqrt(total * total + ALPHA))


def _word(compound: float) -> str:
    if compound > CUT_OFF:
        return "positive"
    return "negative" if compound < -CUT_OFF else "neutral"


def _valence(unit: Unit, lexicon: Lexicon) -> float:
    """VADER's valence of a unit as it stands, else of its base form, else of its words."""
    listed: dict[str, float] = _analyzer().lexicon
    for form, turned in ((" ".join(unit.words), unit.negated), (unit.base, unit.denied)):
        if form in listed:
            return listed[form] * (NEGATED if turned else 1)
    if any(lexicon.rows[sense.row].part == "adj" for sense in lexicon.senses(unit.words)):
        return 0.0  # "hard-working" is not as bad as "hard"
    return sum(listed.get(word, 0.0) for word in unit.words) * (NEGATED if unit.negated else 1)
