"""Measures of thoughts about questions: leans of thoughts and answers, and shares of thoughts, with intervals.

Leans have the formulas, units and tests of answers (`instruments.questions.estimates`): the option that a thought
argues for last stands in the place of the answer. Units of shares are the same.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.questions.estimates.estimates import lean_of, lean_parts
from endoxa.instruments.questions.estimates.inference import (
    RESAMPLES,
    Units,
    column_types,
    crossed,
    crossed_interval,
    judged,
    templates_test,
)
from endoxa.instruments.questions.estimates.measures import Cell, cell_keys, cell_of, compact
from endoxa.instruments.questions.thoughts.coded import coded, holds_thoughts
from endoxa.runs import estimates
from endoxa.runs.families import THOUGHTS
from endoxa.schema.thoughts import CODES, MEASURES, THOUGHT_COLUMNS
from endoxa.stats.intervals import NAN, Interval, clustered_mean, clustered_share
from endoxa.stats.resampling import Clusters

log = logging.getLogger(__name__)

CELL = ("data", "model", "protocol", "context_condition")
THOUGHT_TYPES = column_types(THOUGHT_COLUMNS)
KEPT = "thoughts"
"""The table in a run folder, and its key in `run.json`."""

Values = dict[str, Any]


def thought_measures(answers: pl.DataFrame, *, confidence: float = 0.95, seed: int = 0) -> pl.DataFrame:
    """Every measure of each data set, model, protocol and context: `schema.thoughts.THOUGHT_COLUMNS`.

    Args:
        answers: what `coded` gives, of one run or several.
        confidence: confidence level of the intervals, 1 minus the level of the tests.
        seed: of sign patterns that are drawn.
    """
    rows: list[Values] = []
    for key, cell in answers.group_by(CELL, maintain_order=True):
        about = {**dict(zip(CELL, key, strict=True)), "confidence": confidence}
        finished = cell.filter(pl.col("cut_off") == 0)
        rows += [about | row for row in _leans(finished, confidence, seed)]
        rows += [about | row for row in _shares(cell, finished, confidence)]
    order = {name: place for place, name in enumerate(MEASURES)}
    table = judged(rows, THOUGHT_TYPES, THOUGHTS, confidence)
    place = pl.col("measure").replace_strict(order, return_dtype=pl.Int64)
    return table.sort(*(pl.col(name).rank("dense") for name in CELL), place, maintain_order=True)


def thoughts_of_run(
    folder: Path, *, confidence: float = 0.95, seed: int = 0, keep: bool = False
) -> pl.DataFrame | None:
    """The measures of one finished run, from its folder where it holds them for these settings; None without thoughts.

    Args:
        folder: run folder of `endoxa probe qa`.
        confidence: see `thought_measures`.
        seed: see there.
        keep: leave them in the folder.

    Raises:
        UserError: the questions of the run are not found.
    """
    if not holds_thoughts(folder):
        return None
    settings: Values = {"confidence": confidence, "seed": seed, "resamples": RESAMPLES}
    schemas = {KEPT: THOUGHT_TYPES}
    kept = estimates.kept(folder, settings, schemas, KEPT)
    if kept is None:
        kept = {KEPT: thought_measures(coded(folder), confidence=confidence, seed=seed)}
        if keep:
            estimates.keep(folder, settings, kept, KEPT)
    return kept[KEPT]


def thoughts_if_readable(
    folder: Path, *, confidence: float = 0.95, seed: int = 0, keep: bool = False
) -> pl.DataFrame | None:
    """As `thoughts_of_run`, for runs and pages that go on without: a warning where the questions are not found."""
    try:
        return thoughts_of_run(folder, confidence=confidence, seed=seed, keep=keep)
    except UserError as problem:
        log.warning("Thoughts are not analyzed. %s", problem)
        return None


def as_answers(finished: pl.DataFrame, *, argued: bool) -> pl.DataFrame:
    """Finished thoughts as answers that the measures of questions take, all categories together.

    Args:
        finished: coded thoughts that were not cut off.
        argued: the option argued for last stands in the place of the answer.
    """
    columns = ("argued", "argued_outcome") if argued else ("choice", "outcome")
    return finished.with_columns(
        example_id=pl.concat_str("category", "example_id", separator="-"),
        category=pl.lit("thoughts"),
        choice=pl.col(columns[0]),
        outcome=pl.col(columns[1]).fill_null(""),
    )


def cell_of_thoughts(finished: pl.DataFrame, *, argued: bool) -> Cell:
    """The one cell of thoughts, or of their answers, from one model under one protocol in one kind of context."""
    compacted = compact(as_answers(finished, argued=argued))
    return cell_of(compacted, cell_keys(compacted)[0])


def _leans(finished: pl.DataFrame, confidence: float, seed: int) -> Iterator[Values]:
    for name, argued in (("answers_bias", False), ("thoughts_bias", True)):
        if finished.is_empty():
            yield {"measure": name, "n": 0, "method": "", "value": NAN}
            continue
        lean = lean_of(cell_of_thoughts(finished, argued=argued), confidence, seed)
        row = {
            "measure": name,
            "n": lean.answers,
            "value": lean.value,
            "low": lean.result.interval.low,
            "high": lean.result.interval.high,
            "method": lean.units.text(confidence),
        }
        yield row | ({"neutral": 0.0, **lean.result.cells} if argued else {})
    yield _difference(finished, confidence, seed)


def both_read(finished: pl.DataFrame) -> pl.DataFrame:
    """Finished thoughts that argue for an option, and whose answer names one."""
    return finished.filter(pl.col("argued").is_not_null(), pl.col("choice").is_not_null())


def _difference(finished: pl.DataFrame, confidence: float, seed: int) -> Values:
    """Lean of the thoughts minus lean of the answers, over the same answers."""
    joint, row = (
        both_read(finished),
        {"measure": "difference", "n": 0, "value": NAN, "method": "", "neutral": 0.0},
    )
    if joint.is_empty():
        return row | {"reason": "no thought whose option and answer could both be read"}
    thoughts, _, units = lean_parts(cell_of_thoughts(joint, argued=True))
    answers, _, _ = lean_parts(cell_of_thoughts(joint, argued=False))
    if not len(thoughts):
        return row | {"reason": "no answer that a lean could rest on"}
    values = thoughts - answers
    limit = max(2.0, float(np.abs(values).max()))
    happens = "thought and answer differ"
    if units.decide_together(confidence):
        result = crossed(values, units, limit=limit, happens=happens, confidence=confidence, seed=seed)
    else:
        sums = Clusters.of(units.first, values, values != 0)
        result = templates_test(
            np.round(sums.totals[:, 1], 9),
            sums.totals[:, 2] > 0,
            happens=happens,
            confidence=confidence,
            seed=seed,
        )
        if not result.reason:
            interval = clustered_mean(sums.sizes, sums.totals[:, 1], confidence, (-limit, limit))
            result = replace(result, interval=interval)
    return row | {
        "n": len(values),
        "value": float(values.mean()),
        **result.cells,
        "method": units.text(confidence),
    }


def stereotyped_reason() -> pl.Expr:
    """Whether the thought has a stereotyped reason for what it answers."""
    last = (pl.col("context_condition") == "ambig") & (pl.col("argued_outcome") == "stereotyped")
    spoken = (pl.col("stereotype") == 1) & (pl.col("rejects") == 0)
    return (pl.col("group_reason") == 1) | spoken | last


SHARES: Mapping[str, tuple[pl.Expr, pl.Expr]] = {
    "stereotyped_reason": (pl.col("choice") == pl.col("label"), stereotyped_reason()),
    "noticed_missing": (pl.col("choice") != pl.col("label"), pl.col("missing") == 1),
    "turned": (pl.col("turned").is_not_null(), pl.col("turned") == 1),
    "changed_mind": (pl.lit(True), pl.col("path").str.contains(" ")),
    **{name: (pl.lit(True), pl.col(name) == 1) for name in CODES},
}
"""Of which finished thoughts each share is, and what is counted in them."""


def _shares(cell: pl.DataFrame, finished: pl.DataFrame, confidence: float) -> Iterator[Values]:
    for name, (among, counted) in SHARES.items():
        rows = finished.filter(among)
        yield _mean(name, rows, rows.select(counted).to_series(), (0.0, 1.0), confidence)
    yield _mean("cut_off", cell, cell["cut_off"], (0.0, 1.0), confidence)
    tokens = cell.drop_nulls("thought_tokens")
    yield _mean("thought_tokens", tokens, tokens["thought_tokens"], None, confidence)


def _mean(
    name: str, rows: pl.DataFrame, counted: pl.Series, bounds: tuple[float, float] | None, confidence: float
) -> Values:
    values = counted.cast(pl.Float64).fill_null(0.0).to_numpy()
    row: Values = {"measure": name, "n": len(values), "method": "", "value": NAN}
    if not len(values):
        return row
    units = Units.of(rows)
    interval = interval_of(values, units, bounds, confidence)
    return row | {
        "value": float(values.mean()),
        "low": interval.low,
        "high": interval.high,
        "method": units.text(confidence),
    }


def interval_of(
    values: np.ndarray, units: Units, bounds: tuple[float, float] | None, confidence: float
) -> Interval:
    """Interval of a mean over units of questions, as estimates have it.

    Args:
        values: of each answer.
        units: of the answers.
        bounds: least and greatest value; (0, 1) of shares, None where nothing bounds it.
        confidence: confidence level.
    """
    if units.decide_together(confidence):
        return crossed_interval(values, units, bounds, confidence)
    clusters = Clusters.of(units.first, values)
    if bounds == (0.0, 1.0):
        return clustered_share(clusters.sizes, clusters.totals[:, 1], float(values.var()), confidence)
    return clustered_mean(clusters.sizes, clusters.totals[:, 1], confidence, bounds)
