"""Answers to questions in a data folder: run folders of `probe qa`, or questions with a table of predictions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from endoxa.errors import UserError
from endoxa.study.reproduce.given import Given, Standing, spelled

BBQ_HOME = "github.com/nyu-mll/BBQ (CC BY 4.0)"
PREDICTIONS = ("dev_predictions_nationality_unifiedqa_race.csv", "predictions.csv")
_LETTER = re.compile(r"\b[abc]\b", re.IGNORECASE)
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


def answers_in(
    given: Given, name: str, questions: tuple[str, ...], predictions: tuple[str, ...]
) -> pl.DataFrame | None:
    """Answers of one data set: a run folder NAME, or a file of questions with one of predictions; None without them.

    Raises:
        UserError: they cannot be read.
    """
    from endoxa.instruments.questions.estimates import load_answers, read_predictions

    folder = given.find(f"{name}/run.json")
    if folder is not None:
        given.find(f"{name}/records.parquet")
        return load_answers([folder.parent])
    asked, answered = given.find(*questions), given.find(*predictions)
    if asked is None or answered is None:
        return None
    return read_predictions(asked, answered).answers


def standings(
    names: Iterable[str], known: Mapping[str, tuple[str, ...]], given: Given
) -> dict[str, Standing]:
    """The published model that the answers of each model stand for: by --model LABEL=NAME, else by its own name.

    Raises:
        UserError: a model of --model has no answers, or two models stand for one.
    """
    found: dict[str, Standing] = {}
    answered = sorted(set(names))
    stated = {spelled(one.model, answered): one for one in given.models}
    for name in answered:
        named = stated.get(name)
        label = next((one for one, own in known.items() if spelled(name, own) in own), None)
        found[name] = named or Standing(label or name, name, label is not None)
    for one in given.models:
        if spelled(one.model, found) not in found:
            raise UserError(
                f"--model {one.model}: there are no answers of it. The answers are of: {', '.join(found)}."
            )
    labels = [one.label for one in found.values()]
    for name, one in found.items():
        if labels.count(one.label) > 1:
            raise UserError(
                f"The answers of {name} and of another model both stand for {one.label}. Keep one of them."
            )
    return found


def first_letter(answer: str) -> int | None:
    """Place of the first standalone A, B or C in any case (LACES, appendix B.3); None where there is none.

    Only to reproduce the paper: "A friend of mine" is read as A. `endoxa probe qa` reads answers with care.
    """
    found = _LETTER.search(answer)
    return None if found is None else "abc".index(found[0].lower())
