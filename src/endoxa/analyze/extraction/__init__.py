"""How far extracted profiles can be trusted, and what counts become when their errors are taken into account."""

from endoxa.analyze.extraction.agreement import agreement_of_run, write_agreement
from endoxa.analyze.extraction.confusion import Confusion, confusions
from endoxa.analyze.extraction.correction import correct_counts
from endoxa.analyze.extraction.run import ExtractionAnalysis, analyze_extraction, load_extraction

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
