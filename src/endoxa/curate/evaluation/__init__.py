"""How well statements are read, measured against what reviewers made of them."""

from endoxa.curate.evaluation.gold import Gold, read_gold
from endoxa.curate.evaluation.report import evaluate, read_all, read_readings
from endoxa.curate.evaluation.scores import MEASURES, Pair, Reading

__all__ = ["MEASURES", "Gold", "Pair", "Reading", "evaluate", "read_all", "read_gold", "read_readings"]
