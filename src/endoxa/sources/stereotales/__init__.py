"""Stories with the attributes that were read off them, in StereoTales' published columns (Le Jeune et al. 2026)."""

from endoxa.sources.stereotales.profiles import OTHER, SPELLINGS, UNKNOWN, Profiles, read_profiles
from endoxa.sources.stereotales.stories import (
    NAMED_BY,
    WHOLE_NUMBERS,
    Story,
    StoryPrompt,
    read_prompts,
    read_stories,
    story_file,
    story_names,
)
from endoxa.sources.stereotales.vocabulary import Attribute, Vocabulary, read_vocabulary

__all__ = [
    "NAMED_BY",
    "OTHER",
    "SPELLINGS",
    "UNKNOWN",
    "WHOLE_NUMBERS",
    "Attribute",
    "Profiles",
    "Story",
    "StoryPrompt",
    "Vocabulary",
    "read_profiles",
    "read_prompts",
    "read_stories",
    "read_vocabulary",
    "story_file",
    "story_names",
]
