"""Measures of readers with intervals over respondents, for all statements and for parts of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from pathlib import Path

import numpy as np
import polars as pl

from endoxa.curate.evaluation.gold import Gold
from endoxa.curate.evaluation.learning import read_by_rules
from endoxa.curate.evaluation.scores import COUNTS, MEASURES, Reading, counts
from endoxa.curate.evaluation.validation import reading
from endoxa.curate.extract.lexicon import Lexicon
from endoxa.errors import UserError
from endoxa.sources.frames import read_table
from endoxa.stats.resampling import Clusters, bootstrap, expanded_interval

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
