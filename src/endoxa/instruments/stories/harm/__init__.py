"""How harmful people and models find associations, where they differ, and what models write against their own word."""

from __future__ import annotations

from endoxa.instruments.stories.harm.analysis import HarmAnalysis, analyze_harm
from endoxa.instruments.stories.harm.ratings import (
    ALL_MODELS,
    PEOPLE,
    check_ratings,
    load_ratings,
    read_human,
    unmatched,
)

__all__ = [
    "ALL_MODELS",
    "PEOPLE",
    "HarmAnalysis",
    "analyze_harm",
    "check_ratings",
    "load_ratings",
    "read_human",
    "unmatched",
]
