"""Anybody's predictions about questions in BBQ's JSONL, and logs of lm-evaluation-harness, as answers of ours.

Its tasks are `bbq` (multiple choice: the option with the highest log-likelihood is the answer, any
of its wordings of "unknown" stands for the unknown option) and `bbq_generate` (the text is read as that of a chat
model). The logs hold the questions themselves; whom a question is about is taken from them, or from BBQ's
additional_metadata.csv.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.curate.language import language_of_questions
from endoxa.errors import UserError
from endoxa.instruments.questions.estimates.answers import NEEDED, check_answers
from endoxa.runs.answers.read import item_cells, outcome, read_answer
from endoxa.runs.folder import RECORDS
from endoxa.schema import PROTOCOLS, QA_RECORD_COLUMNS, QaItem, Reading
from endoxa.sources.bbq.items import find_metadata, read_items
from endoxa.sources.files import sha256
from endoxa.sources.frames import read_table
from endoxa.sources.logs import Log

REQUIRED = ("category", "example_id", "model")
ANSWERS = ("pred_index", "pred_text")
SEEDS = ("repeat", "seed")
NOTHING = ("", "na", "n/a", "nan", "none", "null", "<na>")
"""How tables write an empty cell of `pred_index`, in small letters."""

_OPTIONAL = (*ANSWERS, *SEEDS, "variant", "protocol")

Key = tuple[str, str, str]
"""Category, example_id and variant."""


@dataclass(frozen=True, slots=True)
class Predictions:
    """Predictions matched with their questions.

    Attributes:
        answers: one row per prediction, with the columns `answers.NEEDED`.
        missing: model -> questions (times variants, repeats and protocols) without a prediction.
        left_out: predictions for categories that the data do not hold.
    """

    answers: pl.DataFrame
    missing: Mapping[str, int]
    left_out: int


def read_predictions(
    data: Path, predictions: Path, *, metadata: Path | None = None, language: str | None = None
) -> Predictions:
    """Match predictions with their questions.

    Args:
        data: questions in BBQ's JSONL.
        predictions: a CSV, TSV, JSONL or Parquet table with `category`, `example_id`, `model`, and `pred_index` (0 to
            2; empty, NA or NaN where nothing could be read) or `pred_text` (the model's words, read as those of a chat
            model; an empty one is unparsed). Where both columns are there, `pred_index` counts. Optional: `variant`,
            `repeat` and `seed` (any words that tell repeats apart), `protocol`.
        metadata: BBQ's additional_metadata.csv; None looks beside the data.
        language: language of questions that do not say theirs.

    Raises:
        UserError: a file cannot be read, a column is missing, a prediction has no model, belongs to no question, is
            given twice, or is no option.
    """
    metadata_file = metadata or find_metadata(data)
    assumed = None if language else language_of_questions(data)
    spoken = assumed.code if assumed else language
    questions = read_items(data, metadata=metadata_file, language=spoken)
    items = {(item.category, item.example_id, item.variant): item for item in questions}
    if not items:
        raise UserError(f"{data} contains no questions to match with the predictions.")
    categories, examples, _ = map(set, zip(*items, strict=True))
    # A column of floats holds 7.0 for 7.
    integer = pl.col("example_id").str.replace(r"^(\d+)\.0+$", "$1")
    stated = pl.when(pl.col("example_id").is_in(examples)).then("example_id").otherwise(integer)
    table = _table(predictions).with_columns(example_id=stated)
    ours = table.filter(pl.col("category").is_in(categories))
    if ours.is_empty():
        raise UserError(
            f"{predictions} has no prediction for the category of {data} ({', '.join(sorted(categories))}); "
            f"its categories are: {', '.join(sorted(set(table['category'])))}."
        )
    _refuse_rows(predictions, data, ours, items)
    rows = list(_rows(predictions, ours, items, data.stem))
    answers = check_answers(pl.DataFrame(rows, schema=NEEDED, orient="row"))
    # Per model, how many questions lack a prediction in some protocol and repeat that it has.
    answered = answers.group_by("model", "protocol", "repeat").len()
    lacking = answered.group_by("model").agg((len(items) - pl.col("len").cast(pl.Int64)).sum()).sort("model")
    missing = {model: count for model, count in lacking.iter_rows() if count}
    return Predictions(answers, missing, len(table) - len(ours))


def _table(path: Path) -> pl.DataFrame:
    """The predictions as text, with every optional column and the number of each row."""
    table = read_table(path, REQUIRED, optional=_OPTIONAL)
    if not set(ANSWERS) & set(table.columns):
        raise UserError(
            f"{path} has neither a column 'pred_index' nor 'pred_text' (found: {', '.join(table.columns)}): expected "
            "one of them."
        )
    # Texts that tell repeats apart in their order, shorter ones first.
    texts = [pl.col(name).fill_null("") for name in SEEDS if name in table.columns]
    keys = [key for text in texts for key in (text.str.len_chars().name.suffix(" length"), text)]
    repeat = pl.struct(keys).rank("dense").cast(pl.Int64) if keys else pl.lit(1, dtype=pl.Int64)
    return table.with_columns(
        repeat=repeat,
        row=pl.int_range(1, pl.len() + 1),
        variant=_optional(table, "variant", ""),
        protocol=_optional(table, "protocol", PROTOCOLS[0]),
    ).with_columns(pl.col(*REQUIRED, "variant", "protocol").fill_null("").str.strip_chars())


def _optional(table: pl.DataFrame, name: str, default: str) -> pl.Expr:
    return pl.col(name) if name in table.columns else pl.lit(default)


def _refuse_rows(path: Path, data: Path, table: pl.DataFrame, items: Mapping[Key, QaItem]) -> None:
    """Raise for the first row that names no model or question, or repeats another."""
    nameless = table.filter(pl.col("model") == "")
    if len(nameless):
        raise UserError(f"{path}, row {nameless['row'][0]}: the column 'model' is empty. Name the model.")
    key = ("category", "example_id", "variant")
    for row, *identifiers in table.select("row", *key).iter_rows():
        if tuple(identifiers) not in items:
            variants = "" in identifiers and any(variant for _, _, variant in items)
            hint = " The data have variants: say which in a column 'variant'." if variants else ""
            raise UserError(
                f"{path}, row {row}: {data} has no question with category '{identifiers[0]}' and example_id "
                f"'{identifiers[1]}'{f' and variant {identifiers[2]!r}' if identifiers[2] else ''}.{hint}"
            )
    twice = table.filter(~pl.struct(*key, "model", "protocol", "repeat").is_first_distinct())
    if len(twice):
        first = twice.row(0, named=True)
        raise UserError(
            f"{path}, row {first['row']}: {first['category']} {first['example_id']} is predicted twice by "
            f"'{first['model']}': tell repeats apart in a column 'repeat' or 'seed', or remove one."
        )


def _rows(
    path: Path, table: pl.DataFrame, items: Mapping[Key, QaItem], label: str
) -> Iterator[dict[str, Any]]:
    for row in table.iter_rows(named=True):
        item = items[row["category"], row["example_id"], row["variant"]]
        reading = _reading(path, row, item)
        yield {
            "data": label,
            **item_cells(item),
            "model": row["model"],
            "protocol": row["protocol"],
            "repeat": row["repeat"],
            "choice": reading.choice,
            "outcome": outcome(reading, item),
        }


def _reading(path: Path, row: Mapping[str, Any], item: QaItem) -> Reading:
    if "pred_index" not in row:
        return read_answer(row["pred_text"] or "", item)
    index = (row["pred_index"] or "").strip().removesuffix(".0")  # empty cells may make 1.0 of 1
    if index.lower() in NOTHING:
        return Reading(None, refused=False, rule="pred_index")
    if index not in ("0", "1", "2"):
        raise UserError(
            f"{path}, row {row['row']}: pred_index is '{row['pred_index']}'. Expected 0, 1 or 2, or empty if the "
            "answer "
            "could not be read."
        )
    return Reading(int(index), refused=False, rule="pred_index")


OPTIONS = ("ans0", "ans1", "ans2")
DESCRIBED = (
    *("question_index", "question_polarity", "context_condition", "category", "answer_info"),
    "additional_metadata",
)
QUESTION = ("example_id", *DESCRIBED, "context", "question", *OPTIONS, "label")
"""Fields of BBQ that a logged question has; harnesses add others."""
EXPECTED = "questions. Expected bbq or bbq_generate of lm-evaluation-harness."
QUESTIONS = "questions.jsonl"


def holds(sample: Mapping[str, Any]) -> bool:
    """Whether a sample is a question with BBQ's fields."""
    return "answer_info" in sample.get("doc", {})


def write_run(
    logs: Sequence[Log], folder: Path, metadata: Path | None = None, language: str | None = None
) -> dict[str, Any]:
    """Write the answers in logs of one task into a run folder, and the questions beside them, as BBQ's JSONL.

    Args:
        logs: of one task, one or several for each model.
        folder: the run folder.
        metadata: BBQ's additional_metadata.csv, where the questions should be told by it whom they are about.
        language: language of the questions, which do not say theirs.

    Returns:
        Facts for `run.json`.

    Raises:
        UserError: a log is damaged or of another task.
    """
    answers = _answers_of(logs, folder, metadata, language)
    missing = [name for name in QA_RECORD_COLUMNS if name not in answers.columns]
    records = answers.with_columns(pl.lit(None, dtype=pl.String).alias(name) for name in missing)
    records.select(list(QA_RECORD_COLUMNS)).write_parquet(folder / RECORDS)
    data = folder / QUESTIONS
    return {
        "data": {"path": str(data), "label": logs[0].group, "sha256": sha256(data)},
        "counts": {"items": answers["item_id"].n_unique(), "records": answers.height},
    }


def _answers_of(
    logs: Sequence[Log], folder: Path, metadata: Path | None, language: str | None
) -> pl.DataFrame:
    questions: dict[tuple[str, str], Mapping[str, Any]] = {}
    answers = []
    for log in logs:
        for question, answer in log.each(_harness, EXPECTED):
            key = (str(question["category"]), str(question["example_id"]))
            questions.setdefault(key, question)
            answers.append({"category": key[0], "example_id": key[1], "model": log.model, **answer})
    data, predictions = folder / QUESTIONS, folder / "predictions.jsonl"
    data.write_text("".join(json.dumps(entry) + "\n" for entry in questions.values()), encoding="utf-8")
    pl.DataFrame(answers, schema=dict.fromkeys(answers[0], pl.String)).write_ndjson(predictions)
    try:
        return read_predictions(data, predictions, metadata=metadata, language=language).answers
    finally:
        predictions.unlink()


def _harness(sample: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """A question and its answer."""
    doc = sample["doc"]
    question = {name: doc[name] for name in QUESTION}
    replies = sample["filtered_resps"]
    if isinstance(replies[0], str):
        return question, {"pred_text": replies[0]}
    return question, {"pred_index": str(_likeliest(sample, question))}


def _likeliest(sample: Mapping[str, Any], question: Mapping[str, Any]) -> int:
    """Number of the option with the highest log-likelihood; the first of equal ones, as the harness takes it.

    Raises:
        ValueError: a log-likelihood is no number, or no option is the unknown one.
    """
    texts = [str(entry["arg_1"]).strip() for entry in sample["arguments"].values()]
    likelihoods = [float(entry[0]) for entry in sample["filtered_resps"]]
    if len(texts) != len(likelihoods) or any(math.isnan(entry) for entry in likelihoods):
        raise ValueError("log-likelihoods are missing")
    best = texts[likelihoods.index(max(likelihoods))]
    named = [str(question[name]) for name in OPTIONS]
    if best in named:
        return named.index(best)
    unknown = [k for k, name in enumerate(OPTIONS) if "unknown" in question["answer_info"][name]]
    (only,) = unknown
    return only
