"""Numbers from answers to questions: run folders of `probe qa`, or questions with a table of predictions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import polars as pl

from endoxa.errors import UserError
from endoxa.sources.frames import read_table, write_table
from endoxa.study.reproduce.catalogue import PublishedResult
from endoxa.study.reproduce.declaration import EXACT, Cell, Key, Ours, Tolerance
from endoxa.study.reproduce.run import Inputs, ModelMatch, spelled

_LETTER = re.compile(r"\b[abc]\b", re.IGNORECASE)
RESAMPLES = 100
"""Few: intervals are not compared with any print, but for those of `debiasing`, where the tolerance allows for it."""
_CONDITIONS = {"ambig": "ambiguous", "disambig": "disambiguated"}
_COUNTS = ("n", "n_unparsed", "n_correct", "n_non_unknown", "n_biased")
_SHARES = (
    *("accuracy", "accuracy_unparsed_as_wrong", "bias_unscaled", "bias_score"),
    *("accuracy_aligned", "accuracy_nonaligned"),
)


def first_letter(answer: str) -> int | None:
    """Place of the first standalone A, B or C in any case (LACES, appendix B.3); None where there is none.

    Only to reproduce the paper: "A friend of mine" is read as A. `endoxa probe qa` reads answers with care.
    """
    match = _LETTER.search(answer)
    return None if match is None else "abc".index(match[0].lower())


def _estimates(declared: PublishedResult, inputs: Inputs) -> dict[str, dict[str, Any]]:
    """Estimates of published answers to published questions, by context."""
    from endoxa.instruments.questions.estimates import analyze_qa, read_predictions

    questions = declared.need(inputs, "Nationality.jsonl")
    metadata = declared.need(inputs, "additional_metadata.csv")
    predictions = declared.need(inputs, *declared.settings["predictions"])
    answers = read_predictions(questions, predictions, metadata=metadata).answers
    analysis = analyze_qa(answers, seed=inputs.seed, resamples=RESAMPLES)
    rows = {
        row["context_condition"]: {**row, "n": row["n_asked"]}
        for row in analysis.counts.iter_rows(named=True)
    }
    for row in analysis.estimates.iter_rows(named=True):
        of_context = rows[row["context_condition"]]
        of_context[row["name"]] = row["value"]
        if row["name"] == "accuracy":
            of_context["accuracy_unparsed_as_wrong"] = row["bound_low"]
    return rows


def predictions(declared: PublishedResult, inputs: Inputs) -> Mapping[Key, Ours]:
    """Accuracy and bias score of published answers, in percent."""
    rows = _estimates(declared, inputs)
    number, published = sum(row["n"] for row in rows.values()), declared.settings["answers"]
    other = "" if number == published else f"{number:,} answers, the published file has {published:,}"
    return {
        (
            declared.settings["table"],
            f"{measure.replace('_', ' ')}, {_CONDITIONS[condition]}, percent",
        ): Ours.unless(100 * row[measure], other)
        for measure in ("accuracy", "bias_score")
        for condition, row in rows.items()
    }


def expected_predictions_cells(declared: PublishedResult, inputs: Inputs) -> Iterator[Cell]:
    """Counts and scores that an independent program expects."""
    path = declared.need(inputs, declared.settings["expected"], where=declared.settings["reference"])
    digits = Tolerance(1e-9, "printed with 10 digits")
    for row in read_table(path, ("context_condition", *_COUNTS, *_SHARES)).iter_rows(named=True):
        for name in (*_COUNTS, *_SHARES):
            if row[name]:
                tolerance = EXACT if name in _COUNTS else digits
                yield Cell(row["context_condition"], name, float(row[name]), tolerance)


def expected_predictions(declared: PublishedResult, inputs: Inputs) -> Mapping[Key, Ours]:
    """Counts and scores of published answers."""
    return {
        (condition, name): Ours(row[name])
        for condition, row in _estimates(declared, inputs).items()
        for name in (*_COUNTS, *_SHARES)
        if row.get(name) is not None
    }


def model_matches(
    names: Iterable[str], models: Mapping[str, tuple[str, ...]], inputs: Inputs
) -> dict[str, ModelMatch]:
    """The published model that the answers of each model stand for: by --model LABEL=NAME, else by its own name.

    Raises:
        UserError: a model of --model has no answers, or two models stand for one.
    """
    answered = sorted(set(names))
    stated = {spelled(model.model, answered): model for model in inputs.models}
    matches: dict[str, ModelMatch] = {}
    for name in answered:
        label = next((label for label, ids in models.items() if spelled(name, ids) in ids), None)
        matches[name] = stated.get(name) or ModelMatch(label or name, name, label is not None)
    for model in inputs.models:
        if spelled(model.model, matches) not in matches:
            raise UserError(
                f"--model {model.model}: there are no answers of it. The answers are of: {', '.join(matches)}."
            )
    labels = [match.label for match in matches.values()]
    for name, match in matches.items():
        if labels.count(match.label) > 1:
            raise UserError(
                f"The answers of {name} and of another model both stand for {match.label}. Keep one of them."
            )
    return matches


def _other_questions(number: int, declared: PublishedResult) -> str:
    """Why answers are not to the paper's questions; empty where their number is right."""
    published = declared.settings["questions"]
    return "" if number == published else f"{number:,} questions, the paper asked {published:,}"


def _answers_in(
    inputs: Inputs, name: str, questions: tuple[str, ...], predictions: tuple[str, ...]
) -> pl.DataFrame | None:
    """Answers of one data set: a run folder NAME, or a file of questions with one of predictions; None without them."""
    from endoxa.instruments.questions.estimates import load_answers, read_predictions

    folder = inputs.find(f"{name}/run.json")
    if folder is not None:
        inputs.find(f"{name}/records.parquet")
        return load_answers([folder.parent])
    asking, answering = inputs.find(*questions), inputs.find(*predictions)
    return None if asking is None or answering is None else read_predictions(asking, answering).answers


def retention(declared: PublishedResult, inputs: Inputs) -> Mapping[Key, Ours]:
    """Accuracy and bias scores with groups and with names, and the share of errors that names retain."""
    from endoxa.instruments.questions.estimates import analyze_qa
    from endoxa.instruments.questions.estimates import retention as error_retention

    settings = declared.settings
    sides = {
        side: _answers_in(
            inputs, name, (f"{name}.jsonl", f"{name.capitalize()}.jsonl"), (f"predictions_{name}.csv",)
        )
        for side, name in settings["sides"].items()
    }
    answers = {side: frame for side, frame in sides.items() if frame is not None}
    if not answers:
        raise UserError(
            f"{declared.name} needs answers: run folders 'nationality' and 'names' of endoxa probe qa in "
            f"{inputs.data}, "
            "or Nationality.jsonl with predictions_nationality.csv and names.jsonl with predictions_names.csv."
        )
    matches = model_matches(
        (name for frame in answers.values() for name in frame["model"].unique(maintain_order=True)),
        declared.models,
        inputs,
    )
    cells = declared.uncomputed(inputs, "no answers of this model were given")
    others = {
        side: _other_questions(frame.select("category", "example_id").unique().height, declared)
        for side, frame in answers.items()
    }
    for side, frame in answers.items():
        estimates = analyze_qa(frame, seed=inputs.seed, resamples=RESAMPLES).estimates
        for row in estimates.iter_rows(named=True):
            model = matches[row["model"]]
            for table, (measure, condition) in settings["measures"].items():
                if (row["name"], row["context_condition"]) == (measure, condition):
                    cell = f"{model.label}, {side}"
                    mean, sd = (Ours.unless(row[each], model.why, others[side]) for each in ("mean", "sd"))
                    cells[f"Table {table}", cell] = mean
                    cells[f"Table {table}", f"{cell}, standard deviation"] = (
                        Ours(None, "it needs two runs or more") if row["sd"] is None else sd
                    )
    if len(answers) == len(sides):
        original, substituted = (
            answers[side].with_columns(data=pl.lit(name)) for side, name in settings["sides"].items()
        )
        table = error_retention(original, substituted, seed=inputs.seed, resamples=RESAMPLES)
        for row in table.iter_rows(named=True):
            # Where each side has one model, and not the same, the ratio is of both.
            model = matches.get(row["model"], ModelMatch(row["model"], row["model"], genuine=False))
            key = "Table 6", f"{model.label}, {_CONDITIONS[row['context_condition']].capitalize()}"
            cells[key] = Ours.unless(row["mean"], model.why, next(filter(None, others.values()), ""))
    return cells


def debiasing(declared: PublishedResult, inputs: Inputs) -> Mapping[Key, Ours]:
    """Bias scores under three protocols with their intervals, and how many questions were evaluated and dropped."""
    from endoxa.instruments.questions.estimates import analyze_qa

    letters: dict[str, str] = declared.settings["protocols"]
    answers = _debiasing_answers(declared, inputs)
    other = _other_questions(answers["item_id"].n_unique(), declared)
    analysis = analyze_qa(answers, seed=inputs.seed, resamples=RESAMPLES)
    rows = analysis.debias.filter(interval="items", name="bias_score")
    if rows.is_empty():
        raise UserError(
            f"{declared.name}: every model was asked under one protocol only. Give answers under {', '.join(letters)}."
        )
    matches = model_matches(answers["model"].unique(maintain_order=True), declared.models, inputs)
    cells = declared.uncomputed(inputs, lambda cell: f"no answers of {cell.cell.split(', ')[1]}")
    scores, numbers = declared.settings["tables"]
    for row in rows.iter_rows(named=True):
        model = matches[row["model"]]
        name = f"{letters.get(row['protocol'], row['protocol'])}, {model.label}"
        for key, column in (
            ((scores, name), "value"),
            ((scores, f"{name}, interval, low"), "low"),
            ((scores, f"{name}, interval, high"), "high"),
            ((numbers, f"N (evaluated), {model.label}"), "n"),
            ((numbers, f"Dropped, {model.label}"), "n_dropped"),
        ):
            cells[key] = Ours.unless(row[column], model.why, other)
    return cells


def _debiasing_answers(declared: PublishedResult, inputs: Inputs) -> pl.DataFrame:
    """Checked answers: a run folder `run`, or questions and predictions; words are read by the paper's rule."""
    from endoxa.instruments.questions.estimates import load_answers, read_predictions

    folder = inputs.find("run/run.json")
    if folder is not None:
        return load_answers([folder.parent])
    questions = declared.need(inputs, "questions.jsonl")
    path = declared.need(inputs, "predictions.csv")
    table = read_table(path, ("category", "example_id", "model", "protocol"))
    if "pred_text" in table.columns and "pred_index" not in table.columns:
        letters = [first_letter(text or "") for text in table["pred_text"]]
        path = inputs.out / "runs" / "read.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_table(table.with_columns(pred_index=pl.Series(letters, dtype=pl.Int64)), path)
    return read_predictions(questions, path).answers
