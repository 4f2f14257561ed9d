"""Sentence pairs from associations: a stereotype and the same sentence with the opposite (AfriStereo 3.3.4)."""

from endoxa.curate.grammar.templates import Template, load_templates
from endoxa.instruments.pairs.items.build import (
    BUILT_COLUMNS,
    EXTRA_COLUMNS,
    PROBLEM_COLUMNS,
    Built,
    build_pairs,
)
from endoxa.instruments.pairs.options import PairOptions

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
