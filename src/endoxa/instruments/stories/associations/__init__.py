"""Associations in stories: which values come together more often than chance (Le Jeune et al. 2026)."""

from endoxa.instruments.stories.associations.discover import PAPER, Discovered, discover, nothing_known, tally
from endoxa.instruments.stories.options import Discovery

__all__ = ["PAPER", "Discovered", "Discovery", "discover", "nothing_known", "tally"]
