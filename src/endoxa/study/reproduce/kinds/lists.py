"""Numbers from word lists that models sorted to two groups (Bai et al. 2025)."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import polars as pl
from scipy.stats import binom

from endoxa.errors import UserError
from endoxa.instruments.choices.answers import read_words
from endoxa.instruments.choices.items import read_items
from endoxa.schema.choices import ANTI, STEREOTYPE, ChoiceItem
from endoxa.study.reproduce.catalogue import PublishedResult
from endoxa.study.reproduce.declaration import Cell, Key, Ours, Tolerance
from endoxa.study.reproduce.run import Inputs

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
    own, given = [0, 0], [0, 0]
    for word in words:
        agrees = read[word.text].outcome == STEREOTYPE
        group = word.group if agrees else 1 - word.group
        own[group] += agrees
        given[group] += 1
    return (own[0], own[1]), (given[0], given[1])


def _named(text: str, names: set[str]) -> str:
    """The name that stands most often in a text, the longer of two."""
    return max(sorted(names), key=lambda name: (text.lower().count(name.lower()), len(name)))
