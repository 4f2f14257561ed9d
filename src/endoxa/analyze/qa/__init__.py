"""Answers to questions about people: accuracy, bias scores, error retention, self-debiasing."""

from __future__ import annotations

from endoxa.analyze.qa.answers import check_answers, load_answers
from endoxa.analyze.qa.pairing import why_unmatched
from endoxa.analyze.qa.predictions import Predictions, read_predictions
from endoxa.analyze.qa.retention import retention, together
from endoxa.analyze.qa.run import QaAnalysis, analyze_qa, analyze_run

__all__ = [
    "Predictions",
    "QaAnalysis",
    "analyze_qa",
    "analyze_run",
    "check_answers",
    "load_answers",
    "read_predictions",
    "retention",
    "together",
    "why_unmatched",
]
