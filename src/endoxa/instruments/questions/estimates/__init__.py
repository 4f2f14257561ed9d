"""Answers to questions about people: accuracy, bias scores, error retention, self-debiasing."""

from __future__ import annotations

from endoxa.instruments.questions.estimates.analysis import QaAnalysis, analyze_qa, analyze_run
from endoxa.instruments.questions.estimates.answers import check_answers, load_answers
from endoxa.instruments.questions.estimates.names import retention
from endoxa.instruments.questions.estimates.predictions import Predictions, read_predictions

__all__ = [
    "Predictions",
    "QaAnalysis",
    "analyze_qa",
    "analyze_run",
    "check_answers",
    "load_answers",
    "read_predictions",
    "retention",
]
