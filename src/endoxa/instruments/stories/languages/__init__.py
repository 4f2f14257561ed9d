"""What languages share and what each has alone: StereoTales' "Language Specificity" (Le Jeune et al. 2026)."""

from endoxa.instruments.stories.languages.marked import read_groups
from endoxa.instruments.stories.languages.overlap import Overlap, analyze_overlap
from endoxa.instruments.stories.languages.presence import read_classes

__all__ = ["Overlap", "analyze_overlap", "read_classes", "read_groups"]
