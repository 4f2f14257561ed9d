"""How far extracted profiles can be trusted, and what counts become when their errors are taken into account."""

from endoxa.instruments.stories.profiles.coding import (
    Confusion,
    ExtractionAnalysis,
    analyze_extraction,
    confusions,
    correct_counts,
    load_extraction,
)
from endoxa.instruments.stories.profiles.probe import agreement_of_run, write_agreement

__all__ = [
    "Confusion",
    "ExtractionAnalysis",
    "agreement_of_run",
    "analyze_extraction",
    "confusions",
    "correct_counts",
    "load_extraction",
    "write_agreement",
]
