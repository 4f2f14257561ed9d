"""Answers to questions in a data folder: run folders of `probe qa`, or questions with a table of predictions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from endoxa.study.reproduce.given import Given

BBQ_HOME = "github.com/nyu-mll/BBQ (CC BY 4.0)"
PREDICTIONS = ("dev_predictions_nationality_unifiedqa_race.csv", "predictions.csv")
RESAMPLES = 100
"""Intervals are not compared with any print here, so few samples do."""


def estimates(answers: pl.DataFrame, given: Given) -> pl.DataFrame:
    """`schema.QA_ESTIMATE_COLUMNS` of checked answers."""
    from endoxa.instruments.questions.estimates import analyze_qa

    return analyze_qa(answers, seed=given.seed, resamples=RESAMPLES).estimates


def unifiedqa_estimates(result: str, given: Given) -> dict[str, dict[str, Any]]:
    """Estimates of UnifiedQA's answers about nationalities, by context.

    Raises:
        UserError: a file is missing or cannot be read.
    """
    from endoxa.instruments.questions.estimates import read_predictions

    questions = given.need(result, BBQ_HOME, "Nationality.jsonl")
    metadata = given.need(result, BBQ_HOME, "additional_metadata.csv")
    predictions = given.need(result, BBQ_HOME, *PREDICTIONS)
    found = estimates(read_predictions(questions, predictions, metadata=metadata).answers, given)
    return {row["context_condition"]: row for row in found.iter_rows(named=True)}


def answers_in(given: Given, name: str, questions: tuple[str, ...], predictions: tuple[str, ...]) -> pl.DataFrame | None:
    """Answers of one data set: a run folder NAME, or a file of questions with one of predictions; None without them.

    Raises:
        UserError: they cannot be read.
    """
    from endoxa.instruments.questions.estimates import load_answers, read_predictions

    folder = given.find(f"{name}/run.json")
    if folder is not None:
        return load_answers([folder.parent])
    asked, answered = given.find(*questions), given.find(*predictions)
    if asked is None or answered is None:
        return None
    return read_predictions(asked, Path(answered)).answers
