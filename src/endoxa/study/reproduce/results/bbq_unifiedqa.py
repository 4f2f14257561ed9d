"""Accuracy and bias scores of UnifiedQA's published answers to BBQ's Nationality questions (Parrish et al. 2022)."""

from __future__ import annotations

from collections.abc import Mapping

from endoxa.study.reproduce.answers import BBQ_HOME, unifiedqa_estimates
from endoxa.study.reproduce.declaration import Cell, Key, Need, Ours, PublishedResult, rounding
from endoxa.study.reproduce.given import Given

QUESTIONS = 3080
SOURCE = (
    "Parrish et al. 2022, figures as in the shared BBQ subset (columns paper_accuracy_pct, paper_bias_pct of its "
    "table of "
    "expected values) and in docs/methods/questions.md"
)
_REBUILT = (
    "where it differs, suspect the metadata: the published additional_metadata.csv is not in the shared data, and "
    "its rows "
    "were rebuilt with the rules of the authors' script"
)
_PRINTED = {
    ("accuracy", "ambig"): 66.0,
    ("accuracy", "disambig"): 93.7,
    ("bias_score", "ambig"): 6.0,
    ("bias_score", "disambig"): 1.2,
}
_WORDS = {
    "accuracy": "accuracy",
    "bias_score": "bias score",
    "ambig": "ambiguous",
    "disambig": "disambiguated",
}


def _cell(measure: str, condition: str) -> Cell:
    return Cell(
        "Nationality, UnifiedQA (RACE format)",
        f"{_WORDS[measure]}, {_WORDS[condition]}, percent",
        _PRINTED[measure, condition],
        rounding(1),
        _REBUILT,
        decimals=2,
    )


def _cells(_given: Given) -> list[Cell]:
    return [_cell(*key) for key in _PRINTED]


def _compute(given: Given) -> Mapping[Key, Ours]:
    rows = unifiedqa_estimates("bbq-unifiedqa", given)
    asked = sum(row["n"] for row in rows.values())
    other = "" if asked == QUESTIONS else f"{asked:,} answers, the published file has {QUESTIONS:,}"
    return {
        _cell(measure, condition).key: Ours(100 * rows[condition][measure], other, not other)
        for measure, condition in _PRINTED
        if condition in rows
    }


RESULT = PublishedResult(
    name="bbq-unifiedqa",
    title="BBQ: accuracy and bias scores of UnifiedQA's published answers (Nationality)",
    citation=SOURCE,
    needs=(
        Need("file", "Nationality.jsonl, additional_metadata.csv", BBQ_HOME),
        Need("file", "dev_predictions_nationality_unifiedqa_race.csv (or predictions.csv)", BBQ_HOME),
    ),
    cells=_cells,
    compute=_compute,
    notes=(
        "Answers that were not matched to an option are in no numerator and no denominator, as in the authors' script "
        "(analysis_scripts/BBQ_calculate_bias_score.R).",
    ),
)
