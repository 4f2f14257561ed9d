"""What languages share and what each has alone: StereoTales' "Language Specificity" (Le Jeune et al. 2026)."""

from endoxa.instruments.stories.languages.marked import Groups, read_groups, shift
from endoxa.instruments.stories.languages.overlap import (
    Overlap,
    analyze_overlap,
    compare_reach,
    jaccard,
    reach,
)
from endoxa.instruments.stories.languages.presence import (
    Presence,
    exclusive,
    presence,
    read_classes,
    universal,
)

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
