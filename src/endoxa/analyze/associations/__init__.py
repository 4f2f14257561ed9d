"""Associations in stories: which values come together more often than chance (Le Jeune et al. 2026)."""

from endoxa.analyze.associations.compare import compare_associations
from endoxa.analyze.associations.null import NullCheck, null_check
from endoxa.analyze.associations.overview import overview
from endoxa.analyze.associations.power import stories_needed
from endoxa.analyze.associations.run import PAPER, Discovered, discover
from endoxa.analyze.associations.settings import Discovery
from endoxa.analyze.associations.tally import tally

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
