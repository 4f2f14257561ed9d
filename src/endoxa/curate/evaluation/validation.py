"""Cross-validation by respondent of what is learned from corrections, and its learning curve."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

import numpy as np
import polars as pl

from endoxa.curate.evaluation.gold import Gold
from endoxa.curate.evaluation.learning import learn, read_by_rules
from endoxa.curate.evaluation.scores import COUNTS, MEASURES, Reading, counts
from endoxa.curate.extract import Extraction
from endoxa.curate.extract.lexicon import Lexicon, apply_lexicon

FOLDS = 5
STEPS = (0.25, 0.5, 0.75, 1.0)
"""Shares of the other units that a lexicon is learned from."""
ORDERS = 5
"""Random orders of units that each point of the curve averages over."""

CURVE_MEASURES = ("both", "both_loose", "equivalence", "pair_f1_loose", "omission_precision")
CURVE_SCHEMA = {"subset": pl.String, "measure": pl.String, "units": pl.Float64, "value": pl.Float64}
"""Columns of the curve: units that the lexicon was learned from (mean over folds), and the measure on the others."""


def fold_of(unit: str, seed: int = 0) -> int:
    """The fold of a unit, by its name alone, so that further units move nobody."""
    return sha256(f"{seed}:{unit}".encode()).digest()[0] % FOLDS


def cross_validated(gold: Sequence[Gold], seed: int = 0) -> list[Reading]:
    """Readings with a lexicon learned from the units of the other folds."""
    rules = read_by_rules(gold)
    readings_by_place: dict[int, Reading] = {}
    for fold in range(FOLDS):
        others = [place for place, item in enumerate(gold) if fold_of(item.unit, seed) != fold]
        lexicon = _learned(gold, rules, others)
        for place, item in enumerate(gold):
            if fold_of(item.unit, seed) == fold:
                readings_by_place[place] = reading(lexicon, item, rules[place])
    return [readings_by_place[place] for place in range(len(gold))]


def learning_curve(gold: Sequence[Gold], seed: int = 0) -> pl.DataFrame:
    """Measures of held-out units against the number of units that a lexicon was learned from; 0 are the rules alone."""
    rules = read_by_rules(gold)
    rows: list[tuple[str, str, float, float]] = []
    for step in (0.0, *STEPS):
        tables, sizes = [], []
        for order in range(ORDERS if 0 < step < 1 else 1):
            table, size = _scores_of_unseen(gold, rules, step, seed, order)
            tables.append(table)
            sizes.append(size)
        rows += _points(gold, tables, float(np.mean(sizes)))
    return pl.DataFrame(rows, schema=CURVE_SCHEMA, orient="row")


def _scores_of_unseen(
    gold: Sequence[Gold], rules: Sequence[Sequence[Extraction]], step: float, seed: int, order: int
) -> tuple[np.ndarray, float]:
    """Counts of every statement, read with what some units of other folds teach; mean number of these units."""
    units = list(dict.fromkeys(item.unit for item in gold))
    ranks = np.random.default_rng([seed, order]).permutation(len(units))
    table, sizes = np.zeros((len(gold), len(COUNTS))), []
    for fold in range(FOLDS):
        inside = [units[rank] for rank in ranks if fold_of(units[rank], seed) != fold]
        chosen = set(inside[: round(step * len(inside))])
        sizes.append(len(chosen))
        lexicon = _learned(gold, rules, [place for place, item in enumerate(gold) if item.unit in chosen])
        for place, item in enumerate(gold):
            if fold_of(item.unit, seed) == fold:
                table[place] = counts(item, reading(lexicon, item, rules[place]))
    return table, float(np.mean(sizes))


def _points(
    gold: Sequence[Gold], tables: Sequence[np.ndarray], size: float
) -> list[tuple[str, str, float, float]]:
    edited = np.array([item.edited for item in gold])
    parts = {"all": np.ones(len(gold), dtype=bool), "edited": edited, "unedited": ~edited}
    points = []
    for name, part in parts.items():
        for measure in MEASURES:
            if measure.name in CURVE_MEASURES:
                values = [float(measure.value(table[part].sum(axis=0))) for table in tables]
                points.append((name, measure.name, size, float(np.mean(values))))
    return [point for point in points if not np.isnan(point[3])]


def _learned(gold: Sequence[Gold], rules: Sequence[Sequence[Extraction]], places: Sequence[int]) -> Lexicon:
    return learn([gold[place] for place in places], [rules[place] for place in places])


def reading(lexicon: Lexicon | None, item: Gold, pairs: Sequence[Extraction]) -> Reading:
    """The reading of a statement, given what the rules made of it, with what a lexicon says on top."""
    reading = apply_lexicon(lexicon, item.statement, pairs, item.question, item.country) if lexicon else pairs
    return as_reading(reading)


def as_reading(pairs: Sequence[Extraction]) -> Reading:
    """What is compared of extracted pairs; an answer that could not be read is no pair and no proposal."""
    return Reading(
        tuple((pair.identity, pair.attribute) for pair in pairs),
        omit=bool(pairs) and all(pair.omit for pair in pairs),
    )
