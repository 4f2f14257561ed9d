"""Name-based BBQ: accuracy, bias scores and error retention of six models (tables 1 to 6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import sqrt
from typing import TYPE_CHECKING, Any

from endoxa.errors import UserError
from endoxa.study.reproduce.answers import answers_in, estimates, standings
from endoxa.study.reproduce.declaration import Cell, Key, Need, Ours, PublishedResult, Tolerance
from endoxa.study.reproduce.given import Given, Standing
from endoxa.study.reproduce.tables import printed

if TYPE_CHECKING:
    import polars as pl

NAME = "names-bbq"
QUESTIONS = 3080
MODELS = {
    "GPT-4o": ("GPT-4o", "openai/gpt-4o-2024-08-06", "gpt-4o-2024-08-06"),
    "GPT-4o-mini": ("GPT-4o-mini", "openai/gpt-4o-mini-2024-07-18", "gpt-4o-mini-2024-07-18"),
    "Claude Sonnet": ("Claude Sonnet", "anthropic/claude-3-sonnet-20240229", "claude-3-sonnet-20240229-v1.0"),
    "Claude Haiku": ("Claude Haiku", "anthropic/claude-3-haiku-20240307", "claude-3-haiku-20240307-v1.0"),
    "Gemini-1.5-pro": ("Gemini-1.5-pro", "gemini-1.5-pro-002"),
    "Gemini-1.5-flash": ("Gemini-1.5-flash", "gemini-1.5-flash-002"),
}
"""Models and their versions (appendix C, table 7)."""
MEASURES = {
    "1": ("accuracy", "ambig"),
    "2": ("accuracy", "disambig"),
    "3": ("bias_score", "ambig"),
    "4": ("bias_score", "disambig"),
    "5": ("bias_unscaled", "ambig"),
}
SIDES = {"Nationality": "nationality", "Name": "names"}
CONTEXTS = {"ambig": "Ambiguous", "disambig": "Disambiguated"}
_DRAWN = (
    "answers are drawn at temperature 1; prompts, names and the reading of answers are ours, of which the paper prints "
    "examples only"
)
_WHY = (
    "twice the printed standard deviation of a difference of two runs (answers are drawn), and the rounding"
)


def _cells(_given: Given) -> list[Cell]:
    return list(_printed())


def _printed() -> Iterator[Cell]:
    rows = {(row["table"], row["model"], row["column"]): row for row in printed("names_bbq").to_dicts()}
    for (table, model, column), row in rows.items():
        if table in MEASURES:
            width = 2 * sqrt(2) * float(row["sd"]) + 0.0005
        else:
            width = _retained(rows, "1" if column == "Ambiguous" else "2", model, float(row["value"])) + 0.005
        yield Cell(
            f"Table {table}",
            f"{model}, {column}",
            float(row["value"]),
            Tolerance(width, _WHY),
            _DRAWN,
            decimals=3,
        )


def _retained(
    rows: Mapping[tuple[str, str, str], dict[str, str]], table: str, model: str, ratio: float
) -> float:
    """Two standard deviations of a difference of two ratios, from the printed ones of the accuracies (delta method)."""
    parts = [rows[table, model, side] for side in SIDES]
    relative = sum((float(one["sd"]) / (1 - float(one["value"]))) ** 2 for one in parts)
    return 2 * sqrt(2) * ratio * sqrt(relative)


def _compute(given: Given) -> Mapping[Key, Ours]:
    sides = {
        side: answers_in(
            given, name, (f"{name}.jsonl", f"{name.capitalize()}.jsonl"), (f"predictions_{name}.csv",)
        )
        for side, name in SIDES.items()
    }
    answered = {side: one for side, one in sides.items() if one is not None}
    if not answered:
        raise UserError(
            f"{NAME} needs answers: run folders 'nationality' and 'names' of endoxa probe qa in {given.data}, or "
            "Nationality.jsonl with predictions_nationality.csv and names.jsonl with predictions_names.csv."
        )
    models = standings((name for one in answered.values() for name in one["model"].unique()), MODELS, given)
    found = {one.key: Ours(None, "no answers of this model were given") for one in _printed()}
    for side, answers in answered.items():
        found |= dict(_measured(side, answers, models, given))
    if len(answered) == len(SIDES):
        found |= dict(_retention(answered["Nationality"], answered["Name"], models, given))
    return found


def _measured(
    side: str, answers: pl.DataFrame, models: Mapping[str, Standing], given: Given
) -> Iterator[tuple[Key, Ours]]:
    other = _other(answers)
    for row in estimates(answers, given).iter_rows(named=True):
        one = models[row["model"]]
        for table, (measure, condition) in MEASURES.items():
            if row["context_condition"] == condition:
                yield (f"Table {table}", f"{one.label}, {side}"), _ours(row[f"{measure}_mean"], one, other)


def _retention(
    original: pl.DataFrame, substituted: pl.DataFrame, models: Mapping[str, Standing], given: Given
) -> Iterator[tuple[Key, Ours]]:
    from endoxa.instruments.questions.estimates import retention

    other = _other(original) or _other(substituted)
    table = retention(
        _labelled(original, "nationality"), _labelled(substituted, "names"), seed=given.seed, resamples=100
    )
    for row in table.iter_rows(named=True):
        # Where each side has one model, and not the same, the ratio is of both.
        one = models.get(row["model"], Standing(row["model"], row["model"], genuine=False))
        yield (
            ("Table 6", f"{one.label}, {CONTEXTS[row['context_condition']]}"),
            _ours(row["ratio_mean"], one, other),
        )


def _labelled(answers: pl.DataFrame, label: str) -> pl.DataFrame:
    import polars as pl

    return answers.with_columns(data=pl.lit(label))


def _other(answers: pl.DataFrame) -> str:
    """Why answers are not to the paper's questions; empty where their number is right."""
    asked = answers.select("category", "example_id").unique().height
    return "" if asked == QUESTIONS else f"{asked:,} questions, the paper asked {QUESTIONS:,}"


def _ours(value: Any, one: Standing, other: str) -> Ours:
    return Ours(value, "; ".join(text for text in (one.why, other) if text), one.genuine and not other)


RESULT = PublishedResult(
    name=NAME,
    title="Name-based BBQ: accuracy, bias scores and error retention of six models (tables 1 to 6)",
    citation="Pelosio et al. 2025 (Obscured but Not Erased), 5, tables 1 to 6",
    needs=(
        Need(
            "predictions",
            "run folders `nationality` and `names` of endoxa probe qa; or Nationality.jsonl with "
            "predictions_nationality.csv and "
            "names.jsonl with predictions_names.csv (category, example_id, variant, model, seed, pred_index or "
            "pred_text)",
            "endoxa build names and endoxa probe qa (needs keys of the providers; some of the models are retired)",
        ),
    ),
    cells=_cells,
    compute=_compute,
    models=MODELS,
    notes=(
        "Means over seeds are compared. The printed standard deviations decide the tolerances and are not compared "
        "themselves; those of "
        "table 6 follow from tables 1 and 2.",
    ),
)
