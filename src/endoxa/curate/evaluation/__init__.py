"""How well statements are read, measured against what reviewers made of them."""

from endoxa.curate.evaluation.report import (
    as_reading,
    cross_validated,
    evaluate,
    learn,
    learning_curve,
    read_all,
    read_by_rules,
    read_readings,
)
from endoxa.curate.evaluation.scores import MEASURES, Gold, Pair, Reading, read_gold

__all__ = [
    "MEASURES",
    "Gold",
    "Pair",
    "Reading",
    "as_reading",
    "cross_validated",
    "evaluate",
    "learn",
    "learning_curve",
    "read_all",
    "read_by_rules",
    "read_gold",
    "read_readings",
]
