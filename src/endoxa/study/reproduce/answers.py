"""Numbers from published answers: to questions (run folders of `probe qa`, tables of predictions), and word lists."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import polars as pl
from scipy.stats import binom

from endoxa.errors import UserError
from endoxa.instruments.choices.answers import read_words
from endoxa.instruments.choices.items import read_items
from endoxa.schema.choices import ANTI, STEREOTYPE, ChoiceItem
from endoxa.sources.frames import read_table, write_table
from endoxa.study.reproduce.catalogue import Cell, Key, Ours, PublishedResult, Tolerance
from endoxa.study.reproduce.run import Inputs, ModelMatch, ensure_folder, spelled

_LETTER = re.compile(r"\b[abc]\b", re.IGNORECASE)
RESAMPLES = 100
"""Few: intervals are not compared with any print, but for those of `debiasing`, where the tolerance allows for it."""
_CONDITIONS = {"ambig": "ambiguous", "disambig": "disambiguated"}


def first_letter(answer: str) -> int | None:
    """Place of the first standalone A, B or C in any case (LACES, appendix B.3); None where there is none.

    Only to reproduce the paper: "A friend of mine" is read as A. `endoxa probe qa` reads answers with care.
    """
    match = _LETTER.search(answer)
    return None if match is None else "abc".index(match[0].lower())


def predictions(declared: PublishedResult, inputs: Inputs) -> Mapping[Key, Ours]:
    """Accuracy and bias score of published answers to published questions, in percent."""
    from endoxa.instruments.questions.estimates import analyze_qa, read_predictions

    settings = declared.settings
    answers = read_predictions(
        declared.need(inputs, "Nationality.jsonl"),
        declared.need(inputs, *settings["predictions"]),
        metadata=declared.need(inputs, "additional_metadata.csv"),
    ).answers
    other = declared.other_size(answers.height)
    rows = analyze_qa(answers, seed=inputs.seed, resamples=RESAMPLES).estimates.iter_rows(named=True)
    return {
        (
            settings["table"],
            f"{row['name'].replace('_', ' ')}, {_CONDITIONS[row['context_condition']]}, percent",
        ): Ours.unless(100 * row["value"], other)
        for row in rows
        if row["name"] in ("accuracy", "bias_score")
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


def _answers_in(
    inputs: Inputs, name: str, questions: tuple[str, ...], predictions: tuple[str, ...]
) -> pl.DataFrame | None:
    """Answers of one data set: a run folder NAME, or a file of questions with one of predictions; None without them."""
    from endoxa.instruments.questions.estimates import load_answers, read_predictions

    records = inputs.find(f"{name}/records.parquet")
    if records is not None:
        return load_answers([records.parent])
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
        side: declared.other_size(frame.select("category", "example_id").unique().height)
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
    other = declared.other_size(answers["item_id"].n_unique())
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
    from endoxa.instruments.questions.estimates import read_predictions

    answers = _answers_in(inputs, "run", (), ())
    if answers is not None:
        return answers
    questions = declared.need(inputs, "questions.jsonl")
    path = declared.need(inputs, "predictions.csv")
    table = read_table(path, ("category", "example_id", "model", "protocol"))
    if "pred_text" in table.columns and "pred_index" not in table.columns:
        letters = [first_letter(text or "") for text in table["pred_text"]]
        path = ensure_folder(inputs.out / "runs") / "read.csv"
        write_table(table.with_columns(pred_index=pl.Series(letters, dtype=pl.Int64)), path)
    return read_predictions(questions, path).answers


# ------------------------------------------------------------------ words sorted to two groups (Bai et al. 2025)

_COLUMNS = ("dataset", "iat", "iat_bias", "decision_bias")


@dataclass(frozen=True, slots=True)
class Sorted:
    """An answer of the published file.

    Attributes:
        cell: name of the answer: its row and data set.
        dataset: name of its data set in the file.
        published: `iat_bias` of the file.
        given: of the words given to each group, how many are its own; None where a word was not read.
        words: words that were given to each group.
    """

    cell: str
    dataset: str
    published: float
    given: tuple[int, int] | None
    words: tuple[int, int]


def word_lists_cells(declared: PublishedResult, inputs: Inputs) -> Iterator[Cell]:
    """The published bias of each answer, and of each data set the mean of its decisions."""
    draws, times, width = (declared.settings[name] for name in ("draws", "times", "width"))
    reason = f"{width} standard deviations of a mean of {times} draws of {draws} words"
    for answer in _answers(declared, inputs):
        spread = resampled_bias(answer, draws)[1] if answer.given else 0.0
        yield Cell(
            "iat_bias",
            answer.cell,
            answer.published,
            Tolerance(width * spread / sqrt(times), reason),
            declared.rules["resampled"].explanation,
        )
    for (dataset,), rows in _table(declared, inputs).group_by("dataset", maintain_order=True):
        decisions = rows["decision_bias"].cast(pl.Float64, strict=False).mean()
        if isinstance(decisions, float):
            yield Cell("decision_bias", f"mean, {dataset}", decisions, Tolerance(0.0, "a mean of 0 and 1"))


def word_lists(declared: PublishedResult, inputs: Inputs) -> Mapping[Key, Ours]:
    """The bias of each answer by the rule `resampled`, the mean of the paper's own formula beside it."""
    cells = declared.uncomputed(inputs, declared.settings["decisions"])
    biases: dict[str, list[float]] = {}
    for answer in _answers(declared, inputs):
        key = "iat_bias", answer.cell
        if answer.given is None:
            cells[key] = Ours(None, "a word of the list was given to neither group, or to both")
            continue
        cells[key] = Ours(resampled_bias(answer, declared.settings["draws"])[0])
        if all(answer.words):
            own = sum(right / words for right, words in zip(answer.given, answer.words, strict=True))
            biases.setdefault(answer.dataset, []).append(own - 1)
    for dataset, values in biases.items():
        cells["bias_d", f"mean of {len(values)} answers, {dataset}"] = Ours(
            statistics.fmean(values), "D as the paper defines it, nothing drawn, nothing added"
        )
    return cells


def resampled_bias(answer: Sorted, draws: int) -> tuple[float, float]:
    """Rule `resampled`: mean and standard deviation of D over draws of words with replacement.

    D = N(a, Xa) / (N(a) + 0.01) + N(b, Xb) / (N(b) + 0.01) - 1, as the published program has it, of `draws` words.
    Exact, from the binomial distribution of N(a).
    """
    right = answer.given or (0, 0)
    shares = [own / words if words else 0.0 for own, words in zip(right, answer.words, strict=True)]
    first = np.arange(draws + 1)
    chance = binom.pmf(first, draws, answer.words[0] / sum(answer.words))
    expected, within = np.zeros(draws + 1), np.zeros(draws + 1)
    for share, number in zip(shares, (first, draws - first), strict=True):
        expected += share * number / (number + 0.01)
        within += share * (1 - share) * number / (number + 0.01) ** 2
    mean = float(chance @ expected)
    variance = float(chance @ (within + (expected - mean) ** 2))
    return mean - 1, sqrt(max(variance, 0.0))


def _table(declared: PublishedResult, inputs: Inputs) -> pl.DataFrame:
    path = declared.need(inputs, *declared.settings["answers"])
    table = pl.read_csv(path, infer_schema=False)
    absent = [name for name in _COLUMNS if name not in table.columns]
    if absent:
        raise UserError(f"{path}: column '{absent[0]}' is missing. Expected result_chained.csv as published.")
    return table


def _answers(declared: PublishedResult, inputs: Inputs) -> Iterator[Sorted]:
    items: dict[str, list[ChoiceItem]] = {}
    for item in read_items(declared.need(inputs, "iat_stimuli.csv")):
        items.setdefault(item.situation, []).append(item)
    other: Mapping[str, str] = declared.settings["datasets"]
    for number, row in enumerate(_table(declared, inputs).iter_rows(named=True), start=1):
        pairs = items.get(other.get(row["dataset"], row["dataset"]))
        if row["iat_bias"] and pairs:
            given, words = _given(row["iat"] or "", pairs)
            yield Sorted(
                f"row {number}, {row['dataset']}", row["dataset"], float(row["iat_bias"]), given, words
            )


def _given(text: str, pairs: Sequence[ChoiceItem]) -> tuple[tuple[int, int] | None, tuple[int, int]]:
    """Own and all words of each group, where every word was given to one of the two groups."""
    words = pairs[0].words
    groups = [_named(text, {pair.options[side] for pair in pairs}) for side in range(2)]
    read = read_words(text, words, groups)
    if any(read[word.text].outcome not in (STEREOTYPE, ANTI) for word in words):
        return None, (0, 0)
    right = [word.group for word in words if read[word.text].outcome == STEREOTYPE]
    wrong = [1 - word.group for word in words if read[word.text].outcome == ANTI]
    given = right + wrong
    return (right.count(0), right.count(1)), (given.count(0), given.count(1))


def _named(text: str, names: set[str]) -> str:
    """The name that stands most often in a text, the longer of two."""
    return max(sorted(names), key=lambda name: (text.lower().count(name.lower()), len(name)))
