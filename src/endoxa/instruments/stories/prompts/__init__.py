"""Prompts for stories: one named attribute, a scenario, and a request, in several languages (Le Jeune et al. 2026)."""

from endoxa.instruments.stories.options import Selection
from endoxa.instruments.stories.prompts.language import bundled_languages
from endoxa.instruments.stories.prompts.prompts import (
    Cell,
    build_prompts,
    check_files,
    load_languages,
    read_map,
    seed_languages,
    vocabulary_of,
    write_vocabulary,
)

__all__ = [
    "Cell",
    "Selection",
    "build_prompts",
    "bundled_languages",
    "check_files",
    "load_languages",
    "read_map",
    "seed_languages",
    "vocabulary_of",
    "write_vocabulary",
]
