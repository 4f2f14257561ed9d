"""Measures of readers with intervals over respondents, for all statements and for parts of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from math import isnan
from pathlib import Path

import numpy as np
import polars as pl

from endoxa.curate.evaluation.gold import Gold
from endoxa.curate.evaluation.learning import learn, read_by_rules
from endoxa.curate.evaluation.scores import COUNTS, MEASURES, Reading, counts
from endoxa.curate.extract import Extraction
from endoxa.curate.extract.lexicon import Lexicon, apply_lexicon
from endoxa.errors import UserError
from endoxa.sources.frames import read_table
from endoxa.stats.resampling import Clusters, bootstrap, expanded_interval

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


RESAMPLES = 2_000

SCHEMA = {
    "reader": pl.String,
    "subset": pl.String,
    "measure": pl.String,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "statements": pl.Int64,
    "units": pl.Int64,
}
"""Columns of the table."""


def read_all(gold: Sequence[Gold], lexicon: Lexicon | None = None) -> list[Reading]:
    """Readings of the extractor's rules, each statement alone, with what a lexicon says on top."""
    return [reading(lexicon, item, pairs) for item, pairs in zip(gold, read_by_rules(gold), strict=True)]


def read_readings(path: Path, gold: Sequence[Gold]) -> list[Reading]:
    """Readings of a table of statements (columns statement_id, identity, attribute, omit), in the order of the gold.

    Raises:
        UserError: a column or a statement of the gold is missing.
    """
    rows: dict[str, list[dict[str, str]]] = {}
    table = read_table(path, ("statement_id", "identity", "attribute", "omit")).fill_null("")
    for row in table.iter_rows(named=True):
        rows.setdefault(row["statement_id"], []).append(row)
    missing = [item.statement_id for item in gold if item.statement_id not in rows]
    if missing:
        raise UserError(
            f"{path} has no statement_id '{missing[0]}' ({len(missing)} missing). Expected a reading of every reviewed "
            "statement."
        )
    return [_reading(rows[item.statement_id]) for item in gold]


def _reading(rows: Sequence[Mapping[str, str]]) -> Reading:
    pairs = tuple((row["identity"], row["attribute"]) for row in rows)
    return Reading(pairs, omit=all(row["omit"].lower() == "true" for row in rows))


def subsets(gold: Sequence[Gold]) -> dict[str, list[int]]:
    """Places of the statements of each part: all, those that reviewers edited or left as they were, by question."""
    questions = dict.fromkeys(item.question.name for item in gold)
    parts = {
        "all": list(range(len(gold))),
        "edited": [place for place, item in enumerate(gold) if item.edited],
        "unedited": [place for place, item in enumerate(gold) if not item.edited],
        **{
            f"question: {name}": [place for place, item in enumerate(gold) if item.question.name == name]
            for name in questions
        },
    }
    return {name: places for name, places in parts.items() if places}


def evaluate(
    gold: Sequence[Gold],
    readings: Mapping[str, Sequence[Reading]],
    *,
    confidence: float = 0.95,
    seed: int = 0,
) -> pl.DataFrame:
    """Every measure of every reader on every part, with intervals from a bootstrap of units.

    Args:
        gold: the reviewed statements.
        readings: for each reader what it makes of them, in their order.
        confidence: of the intervals.
        seed: of the bootstrap.

    Returns:
        a table of `SCHEMA`; a measure whose denominator is 0 has no row, and no interval where there are fewer than
        five units or all resamples agree.
    """
    units = np.unique([item.unit for item in gold], return_inverse=True)[1]
    rows = []
    parts = subsets(gold)
    for reader, read in readings.items():
        table = np.array([counts(item, its) for item, its in zip(gold, read, strict=True)])
        for part, places in parts.items():
            clusters = Clusters.of(units[places], *table[places].T)
            rows += [(reader, part, *row) for row in _rows(clusters, confidence=confidence, seed=seed)]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def _rows(
    clusters: Clusters, *, confidence: float, seed: int
) -> Iterator[tuple[str, float, float | None, float | None, int, int]]:
    """Measure, value, interval, statements and units."""
    totals = clusters.totals.sum(axis=0)[1:]
    drawn = bootstrap(clusters, lambda totals: totals[:, 1:], RESAMPLES, seed)
    statements = int(totals[COUNTS.index("statements")])
    for measure in MEASURES:
        value = float(measure.value(totals))
        if isnan(value):
            continue
        draws = measure.value(drawn) if drawn.ndim > 1 else drawn
        interval = expanded_interval(draws, clusters, confidence)
        ends = (interval.low, interval.high) if interval.defined else (None, None)
        yield measure.name, value, *ends, statements, clusters.count
