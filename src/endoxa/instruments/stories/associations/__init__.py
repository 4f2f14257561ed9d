"""Associations in stories: which values come together more often than chance (Le Jeune et al. 2026)."""

from endoxa.instruments.stories.associations.compare import compare_associations
from endoxa.instruments.stories.associations.null import NullCheck, null_check
from endoxa.instruments.stories.associations.power import stories_needed
from endoxa.instruments.stories.associations.run import PAPER, Discovered, discover
from endoxa.instruments.stories.associations.verdicts import overview, tally
from endoxa.instruments.stories.options import Discovery

__all__ = [
    "PAPER",
    "Discovered",
    "Discovery",
    "NullCheck",
    "compare_associations",
    "discover",
    "null_check",
    "overview",
    "stories_needed",
    "tally",
]
