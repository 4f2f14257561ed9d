"""How harmful people and models find associations, where they differ, and what models write against their own word."""

from endoxa.instruments.stories.harm.analysis import HarmAnalysis, analyze_harm
from endoxa.instruments.stories.harm.ratings import load_ratings, read_human, unmatched

__all__ = ["HarmAnalysis", "analyze_harm", "load_ratings", "read_human", "unmatched"]
