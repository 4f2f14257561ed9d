"""Which card comes next: pure functions, the same for the site and for `simulate`.

`slots.py` the numbers an organiser may change and what a pair needs, `matching.py` who rates it,
`controller.py` the balance between new pairs and ratings, `aim.py` where new pairs are asked for.
"""

from endoxa_collect.sampler.controller import (
    KEPT_SECONDS,
    Balance,
    Expected,
    Fields,
    Forecast,
    MentionCounts,
    Outlook,
    Pace,
    adds_on,
    fields,
    forecast,
    least_mentioned,
    question_share,
    unseen_mass,
)
from endoxa_collect.sampler.matching import Match, Moment, Rater, Waiting, guards, match, price
from endoxa_collect.sampler.slots import Filled, SamplerSettings, Slot, open_slots, place

__all__ = [
    "KEPT_SECONDS",
    "Balance",
    "Expected",
    "Fields",
    "Filled",
    "Forecast",
    "Match",
    "MentionCounts",
    "Moment",
    "Outlook",
    "Pace",
    "Rater",
    "SamplerSettings",
    "Slot",
    "Waiting",
    "adds_on",
    "fields",
    "forecast",
    "guards",
    "least_mentioned",
    "match",
    "open_slots",
    "place",
    "price",
    "question_share",
    "unseen_mass",
]
