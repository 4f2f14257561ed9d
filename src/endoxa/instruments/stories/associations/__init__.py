"""Associations in stories: which values come together more often than chance (Le Jeune et al. 2026)."""

from endoxa.instruments.stories.associations.discover import (
    PAPER,
    Discovered,
    discover,
    null_check,
    overview,
    tally,
)
from endoxa.instruments.stories.associations.lift import compare_associations, stories_needed
from endoxa.instruments.stories.options import Discovery

__all__ = [
    "PAPER",
    "Discovered",
    "Discovery",
    "compare_associations",
    "discover",
    "null_check",
    "overview",
    "stories_needed",
    "tally",
]
