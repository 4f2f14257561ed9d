"""Sentence pairs from associations: a stereotype and the same sentence with the opposite (AfriStereo 3.3.4)."""

from endoxa.build.pairs.build import build_pairs
from endoxa.build.pairs.options import BUILT_COLUMNS, EXTRA_COLUMNS, PROBLEM_COLUMNS, Built, PairOptions
from endoxa.build.pairs.templates import Template, load_templates

__all__ = [
    "BUILT_COLUMNS",
    "EXTRA_COLUMNS",
    "PROBLEM_COLUMNS",
    "Built",
    "PairOptions",
    "Template",
    "build_pairs",
    "load_templates",
]
