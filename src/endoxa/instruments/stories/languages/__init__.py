"""What languages share and what each has alone: StereoTales' "Language Specificity" (Le Jeune et al. 2026)."""

from endoxa.instruments.stories.languages.lists import exclusive, universal
from endoxa.instruments.stories.languages.marked import Groups, read_groups, shift
from endoxa.instruments.stories.languages.overlap import Overlap, analyze_overlap, jaccard
from endoxa.instruments.stories.languages.presence import Presence, presence, read_classes
from endoxa.instruments.stories.languages.spread import compare_reach, reach

__all__ = [
    "Groups",
    "Overlap",
    "Presence",
    "analyze_overlap",
    "compare_reach",
    "exclusive",
    "jaccard",
    "presence",
    "reach",
    "read_classes",
    "read_groups",
    "shift",
    "universal",
]
