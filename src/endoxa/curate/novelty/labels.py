"""The cosine from which on two concepts count as the same, chosen by labelled pairs (LACES, section 5.2).

A sheet of pairs to label holds as many from every range of likeness, more ranges around the likely threshold: drawn at
random, nearly all pairs would be plainly unrelated and would say nothing about it. Labellers see the texts alone,
neither the cosine nor its range, in random order.

The cut maximises Youden's J, sensitivity + specificity - 1 (Youden 1950). LACES says that a threshold was calibrated on
256 labelled pairs, not by which criterion. How well the rule does on pairs it was not chosen on comes from repeated
cross-validation in which no text stands on both sides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from endoxa.curate.cells import trimmed, yes_or_no
from endoxa.curate.encoders import Encoder
from endoxa.curate.novelty import Concepts, Kind, Rows, Side, check_inputs, encoded, likeness, normalise
from endoxa.errors import UserError
from endoxa.sources.frames import read_table
from endoxa.stats.intervals import FEWEST_CLUSTERS, NAN, UNDEFINED, Interval, clustered_share

NEEDED = ("text_a", "text_b", "related")
PARTS = ("identity_a", "attribute_a", "identity_b", "attribute_b")
"""Columns that labels of associations have besides, since identity and attribute are compared one by one."""

YES = ("yes", "y", "true", "1", "related")
NO = ("no", "n", "false", "0", "unrelated", "distinct")

Pair = tuple[tuple[str, ...], tuple[str, ...]]
"""Two concepts, each as its compared texts."""


@dataclass(frozen=True, slots=True)
class Labels:
    """Labelled pairs, each once.

    Attributes:
        pairs: the two concepts of each pair.
        related: what people said.
        repeated: rows left out because an earlier one has the same pair, in this order or the other.
        unlabelled: rows without an answer.
        equal: rows of two equal texts, which say nothing about a threshold.
    """

    pairs: tuple[Pair, ...]
    related: npt.NDArray[np.bool_]
    repeated: int = 0
    unlabelled: int = 0
    equal: int = 0

    def cosines(self, encoder: Encoder) -> npt.NDArray[np.float64]:
        """Likeness of each pair, as `novelty.likeness` has it: the smallest cosine of its parts."""
        sides = [
            Concepts("", "", tuple(zip(*side, strict=True)), (), 0) for side in zip(*self.pairs, strict=True)
        ]
        parts = zip(*encoded(sides, encoder), strict=True)
        products = [np.einsum("ij,ij->i", mine, theirs, dtype=np.float64) for mine, theirs in parts]
        return np.asarray(np.round(np.minimum(np.min(products, axis=0), 1.0), 6))


def read_labels(path: Path, kind: Kind = "attribute") -> Labels:
    """The labelled pairs of a table with `text_a`, `text_b` and `related` (yes or no; empty rows are left out).

    Args:
        path: the table; a sheet of `--sheet` that was filled in.
        kind: of the concepts; associations need the columns `PARTS`.

    Raises:
        UserError: the table cannot be read, a text is empty, an answer is neither yes nor no, a pair has both answers,
            two equal texts are called unrelated, or one of the two answers never occurs.
    """
    table = read_table(path, NEEDED)
    if kind == "association" and not set(PARTS) <= set(table.columns):
        raise UserError(
            f"{path} has no columns {', '.join(PARTS)}, which labels of associations need. Have a sheet written with "
            "--sheet, and fill it in."
        )
    labels: dict[frozenset[tuple[str, ...]], tuple[bool, int, Pair]] = {}
    answers = yes_or_no(trimmed(table, ("related",))["related"], path, YES, NO)
    repeated = equal = 0
    for number, (row, answer) in enumerate(zip(table.iter_rows(named=True), answers, strict=True), start=1):
        if answer is None:
            continue
        pair = _pair(path, number, row, kind)
        key = frozenset(pair)
        if len(key) == 1:
            if not answer:
                raise UserError(
                    f"{path}, row {number}: two equal texts are called unrelated. Correct it, or leave the row out."
                )
            equal += 1
        elif key in labels:
            if answer != labels[key][0]:
                raise UserError(
                    f"{path}, row {number}: this pair has the other answer in row {labels[key][1]}. Agree on one "
                    "(endoxa analyze agreement says how far raters agree), and keep one row."
                )
            repeated += 1
        else:
            labels[key] = answer, number, pair
    related = np.array([answer for answer, *_ in labels.values()], dtype=bool)
    if not len(related):
        raise UserError(f"{path} has no labelled pair of two different texts. Fill in the column 'related'.")
    if related.all() or not related.any():
        raise UserError(
            f"{path}: all {len(related)} pairs are labelled {'related' if related.all() else 'unrelated'}. A threshold "
            "needs pairs of both kinds."
        )
    return Labels(tuple(pair for *_, pair in labels.values()), related, repeated, answers.null_count(), equal)


def _pair(path: Path, number: int, row: dict[str, str | None], kind: Kind) -> Pair:
    columns = PARTS if kind == "association" else ("text_a", "text_b")
    cells = [normalise(row[name] or "") for name in columns]
    empty = next((name for name, text in zip(columns, cells, strict=True) if not text), None)
    if empty is not None:
        raise UserError(f"{path}, row {number}, column '{empty}': empty. Expected a text.")
    half = len(cells) // 2
    return tuple(cells[:half]), tuple(cells[half:])


LIKELY = 0.55
"""Where the threshold is expected unless one is given: what AfriStereo published for this encoder (section 3.3.2)."""
PAIRS = 256
"""Pairs that LACES had labelled."""
MOST_CONCEPTS = 2000
"""Concepts of a data set among whose pairs a sheet is drawn; a larger one is sampled."""
NEAR = 0.15
"""Distance from the likely threshold within which ranges are half as wide."""

SHEET_COLUMNS: dict[str, str] = {
    "text_a": "a concept of one data set",
    "text_b": "a concept of another",
    "related": "for you to fill in: yes or no",
    "dataset_a": "where the first comes from",
    "dataset_b": "where the second comes from",
}
"""Columns of the sheet; associations have `identity_a`, `attribute_a`, `identity_b` and `attribute_b` besides."""


def draw_sheet(
    datasets: Sequence[Concepts],
    encoder: Encoder,
    *,
    pairs: int = PAIRS,
    likely: float = LIKELY,
    seed: int = 0,
) -> pl.DataFrame:
    """Pairs of concepts of different data sets to label: columns of `SHEET_COLUMNS`, in random order.

    Args:
        datasets: at least two, with one kind of concept.
        encoder: texts to unit vectors.
        pairs: how many, divided evenly over the ranges of likeness.
        likely: likely threshold, around which ranges are narrower.
        seed: of every draw.

    Raises:
        UserError: fewer than two data sets.
    """
    check_inputs(len(datasets))
    edges = ranges(likely)
    wanted = max(1, round(pairs / len(edges)))
    rng = np.random.default_rng(seed)
    sides = encoded(datasets, encoder)
    pool = pl.concat(
        _pairs(a, b, [_sampled(sides[k], rng) for k in (a, b)], edges, rng)
        for a, b in combinations(range(len(datasets)), 2)
    )
    chosen = pool.sort("key").group_by("range", maintain_order=True).head(wanted)
    rows = [_row(datasets, pair) for pair in chosen.sample(fraction=1, shuffle=True, seed=seed).to_dicts()]
    columns = list(SHEET_COLUMNS) if len(datasets[0].parts) == 1 else [*SHEET_COLUMNS, *PARTS]
    return pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String))


def ranges(likely: float) -> list[float]:
    """Lower ends of the ranges of likeness: a tenth wide, half of that within `NEAR` of the likely threshold."""
    steps = [round(step / 20, 2) for step in range(20)]
    return [step for step in steps if round(step * 20) % 2 == 0 or abs(step - likely) <= NEAR + 1e-9]


def _sampled(side: Side, rng: np.random.Generator) -> tuple[Rows, Side]:
    """At most `MOST_CONCEPTS` concepts of a data set: their rows, and themselves."""
    count = len(side[0])
    rows = np.arange(count) if count <= MOST_CONCEPTS else rng.choice(count, MOST_CONCEPTS, replace=False)
    return rows, tuple(part[rows] for part in side)


def _pairs(
    a: int, b: int, sampled: Sequence[tuple[Rows, Side]], edges: Sequence[float], rng: np.random.Generator
) -> pl.DataFrame:
    """The pairs of two data sets that are not equal, with their range and a random key."""
    (rows, first), (columns, second) = sampled
    cosines = likeness(first, second)
    row, column = np.nonzero(cosines < 1 - 1e-6)
    # Below 0 belongs to the lowest range.
    place = np.maximum(np.digitize(cosines[row, column], edges) - 1, 0)
    pairs = {"range": place, "key": rng.random(len(row)), "row": rows[row], "column": columns[column]}
    return pl.DataFrame(pairs).with_columns(a=a, b=b)


def _row(datasets: Sequence[Concepts], pair: Mapping[str, int]) -> dict[str, str]:
    first, second = datasets[pair["a"]], datasets[pair["b"]]
    sides = [part[pair["row"]] for part in first.parts], [part[pair["column"]] for part in second.parts]
    cells = (*map(": ".join, sides), "", first.dataset, second.dataset)
    row = dict(zip(SHEET_COLUMNS, cells, strict=True))
    return row if len(first.parts) == 1 else row | dict(zip(PARTS, (*sides[0], *sides[1]), strict=True))


FOLDS = 5
REPEATS = 20
FEW = 30
"""Pairs of either answer below which the page warns."""

THRESHOLD_COLUMNS: dict[str, str] = {
    "threshold": "the cut that maximises Youden's J, between two neighbouring cosines; of equal cuts the lowest",
    "youden_j": "sensitivity + specificity - 1 at the cut",
    "sensitivity": "share of the related pairs at or above the cut",
    "specificity": "share of the unrelated pairs below the cut",
    "accuracy": "share of pairs decided as people did, in folds that the cut was not chosen on",
    "accuracy_low": "lower end of its interval (pairs that share texts are resampled together)",
    "accuracy_high": "upper end",
    "n": "labelled pairs, each once",
    "n_related": "of these, related",
    "n_tested": "pairs that some fold tested",
    "texts": "different texts",
    "groups": "groups of pairs that share no text",
    "repeated": "rows left out because an earlier row has the same pair",
    "unlabelled": "rows without an answer",
    "equal": "rows of two equal texts, left out",
}
"""Columns of `FILE_threshold`, one row."""

Numbers = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Codes = npt.NDArray[np.int64]


def cuts(cosine: Numbers, related: Flags) -> pl.DataFrame:
    """Sensitivity, specificity and Youden's J of every cut, from the lowest.

    A cut lies midway between two neighbouring cosines; the first one, at the lowest cosine, calls every pair related.

    Args:
        cosine: of each pair.
        related: what people said of it.
    """
    values, place = np.unique(cosine, return_inverse=True)
    yes = np.bincount(place, related, len(values))
    no = np.bincount(place, ~related, len(values))
    lost = np.concatenate([[0.0], np.cumsum(yes)[:-1]])
    spared = np.concatenate([[0.0], np.cumsum(no)[:-1]])
    sensitivity, specificity = 1 - lost / yes.sum(), spared / no.sum()
    # Whole numbers over one denominator, so that equal cuts are equal.
    j = (spared * yes.sum() - lost * no.sum()) / (yes.sum() * no.sum())
    middle = np.concatenate([values[:1], (values[:-1] + values[1:]) / 2])
    return pl.DataFrame(
        {"threshold": middle, "youden_j": j, "sensitivity": sensitivity, "specificity": specificity}
    )


def best_cut(cosine: Numbers, related: Flags) -> dict[str, float]:
    """The cut of the greatest J, see `cuts`; of equal ones the lowest, which calls the fewest concepts unique."""
    candidates = cuts(cosine, related)
    return candidates.row(int(candidates["youden_j"].to_numpy().argmax()), named=True)


def calibrate(labels: Labels, cosine: Numbers, *, confidence: float = 0.95, seed: int = 0) -> dict[str, Any]:
    """Choose the threshold, and say how well the rule does on pairs it was not chosen on.

    Args:
        labels: the pairs.
        cosine: likeness of each pair (`Labels.cosines`).
        confidence: confidence level of the interval of the accuracy.
        seed: of the folds.

    Returns:
        The columns of `THRESHOLD_COLUMNS`; undefined numbers are NaN.

    Raises:
        UserError: no cut does better than calling every pair related.
    """
    related = labels.related
    best = best_cut(cosine, related)
    if best["youden_j"] <= 0:
        raise UserError(
            "The cosines of related pairs are not higher than those of unrelated ones, so no threshold can be chosen. "
            "Check the labels and --encoder."
        )
    names = {text: number for number, text in enumerate(dict.fromkeys(chain(*labels.pairs)))}
    first, second = np.array([[names[text] for text in pair] for pair in labels.pairs], dtype=np.int64).T
    group = _groups(first, second)
    correct = cross_validated(cosine, related, first, second, seed=seed)
    tested = np.isfinite(correct)
    spread = _accuracy_interval(correct[tested], group[tested], confidence)
    return best | {
        "accuracy": float(correct[tested].mean()) if tested.any() else NAN,
        "accuracy_low": spread.low,
        "accuracy_high": spread.high,
        "n": len(related),
        "n_related": int(related.sum()),
        "n_tested": int(tested.sum()),
        "texts": len(names),
        "groups": int(group.max()) + 1,
        "repeated": labels.repeated,
        "unlabelled": labels.unlabelled,
        "equal": labels.equal,
    }


def cross_validated(
    cosine: Numbers, related: Flags, first: Codes, second: Codes, *, seed: int = 0
) -> Numbers:
    """How often each pair was decided as people did while the cut was chosen on pairs of other texts; NaN where never.

    Every text is put into a fold. A fold tests the pairs both of whose texts are in it, with the cut of the pairs that
    have none there. Texts that hang together through pairs go into one fold, unless they hold more pairs than a fold;
    those are put into folds one by one, and pairs between two folds are then neither tested nor learned from.

    Args:
        cosine: likeness of each pair.
        related: what people said of it.
        first: number of the first text of each pair.
        second: number of the second.
        seed: of the divisions into folds.
    """
    unit = _units(first, second)
    hits, tries = np.zeros(len(cosine)), np.zeros(len(cosine))
    rng = np.random.default_rng(seed)
    for _ in range(REPEATS):
        fold = (rng.permutation(int(unit.max()) + 1) % FOLDS)[unit]
        for left_out in range(FOLDS):
            inside = (fold[first] == left_out) & (fold[second] == left_out)
            outside = (fold[first] != left_out) & (fold[second] != left_out)
            if not inside.any() or len(np.unique(related[outside])) < 2:
                continue
            cut = best_cut(cosine[outside], related[outside])["threshold"]
            hits[inside] += (cosine[inside] >= cut) == related[inside]
            tries[inside] += 1
    share: Numbers = np.divide(hits, tries, out=np.full(len(cosine), NAN), where=tries > 0)
    return share


def _groups(first: Codes, second: Codes) -> Codes:
    """For each pair the number of its group: pairs hang together that share a text, directly or through others."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    texts = int(max(first.max(), second.max())) + 1
    graph = coo_array((np.ones(len(first)), (first, second)), shape=(texts, texts))
    _, label = connected_components(graph, directed=False)
    _, codes = np.unique(label[first], return_inverse=True)
    return codes.astype(np.int64)


def _units(first: Codes, second: Codes) -> Codes:
    """For each text the unit that goes into one fold: its group, or itself where the group is larger than a fold."""
    group, texts = _groups(first, second), int(max(first.max(), second.max())) + 1
    unit_of = np.zeros(texts, dtype=np.int64)
    unit_of[first], unit_of[second] = group, group
    large = np.bincount(group) * FOLDS > max(len(group), FOLDS)
    keys = np.where(large[unit_of], len(large) + np.arange(texts), unit_of)
    return np.unique(keys, return_inverse=True)[1].astype(np.int64)


def _accuracy_interval(correct: Numbers, group: Codes, confidence: float) -> Interval:
    """Groups of pairs that share texts are left out in turn; defined at 0 and 1 too."""
    _, place = np.unique(group, return_inverse=True)
    if len(correct) == 0 or place.max() + 1 < FEWEST_CLUSTERS:
        return UNDEFINED
    return clustered_share(
        np.bincount(place).astype(float), np.bincount(place, correct), float(correct.var()), confidence
    )


def warnings(chosen: Mapping[str, Any]) -> Sequence[str]:
    """What a reader should know before trusting a threshold of `calibrate`."""
    sentences = []
    pairs, related = int(chosen["n"]), int(chosen["n_related"])
    fewest = min(related, pairs - related)
    if fewest < FEW:
        which = "related" if related == fewest else "unrelated"
        sentences.append(
            f"Only {fewest} of {pairs} labelled pairs are {which}; a threshold needs at least {FEW} of "
            "either kind."
        )
    if not np.isfinite(chosen["accuracy_low"]):
        sentences.append("The pairs share too many texts for an interval of the accuracy.")
    return sentences
