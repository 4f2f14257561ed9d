"""Paired comparison of every two models on their common items, and disagreement between two scoring rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from endoxa.instruments.pairs.estimates.inference import (
    CALIBRATED,
    FLIPS_PER_RESAMPLE,
    RAW,
    Question,
    over_units,
    units_of,
)
from endoxa.instruments.pairs.estimates.records import Cell, Scores
from endoxa.runs.estimates import COMPARISONS, adjusted, decided
from endoxa.schema import ALL, ESTIMATE_COLUMNS
from endoxa.sources.frames import column_types
from endoxa.stats.intervals import NAN, wilson

COMPARISON_COLUMNS: dict[str, str] = {
    "model_a": "the first model (in alphabetical order)",
    "model_b": "the second model",
    "rule": "a rule of both",
    "language": "a language, or 'all'",
    "axis": "'all'",
    "name": "what is compared: 'preference_ratio' of all pairs, or 'calibrated_preference_ratio' of those that could "
    "be calibrated under both",
    "n_left_out": "pairs scored by one of them only, which are left out",
    "both": "pairs where both prefer the stereotypical sentence",
    "neither": "pairs where both prefer the other one",
    "a_only": "pairs where only the first prefers the stereotypical sentence",
    "b_only": "pairs where only the second does",
    "n_ties": "pairs where one of them, or both, has a tie (not among the four counts before)",
    "value": "preference ratio of the first minus that of the second, over all n pairs",
    **{
        name: ESTIMATE_COLUMNS[name]
        for name in (
            *("low", "high", "confidence", "p_value", "p_adjusted", "n", "neutral", "method", "interval"),
            *("clusters", "attributes", "sampled", "verdict", "reason", "largest"),
        )
    },
}
"""Columns of `PairsAnalysis.comparisons`."""

METHOD = "paired by pair, identities and attributes as units: Korn-Graubard interval, sign-flip tests"
COMPARED = ("model_a", "model_b", "rule", "language", "axis")
"""What a comparison is about."""
COMPARISON_TYPES = column_types(
    COMPARISON_COLUMNS,
    texts=(*COMPARED, "name", "method", "interval", "sampled", "verdict", "reason"),
    counts=("n", "n_left_out", "both", "neither", "a_only", "b_only", "n_ties", "clusters", "attributes"),
)


def compare_models(
    scores: Sequence[Scores], cells: Sequence[Cell], confidence: float, seed: int
) -> pl.DataFrame:
    """Compare every two models under every rule they share.

    Args:
        scores: every model x rule, sorted by both.
        cells: only those whose axis is 'all' are compared.
        confidence: confidence level of the intervals.
        seed: seed of the bootstrap.

    Returns:
        The columns of `COMPARISON_COLUMNS`; combinations without a common item are left out.
    """
    rows = [
        row
        for cell in cells
        if cell.axis == ALL
        for a, b in combinations(scores, 2)
        if a.rule == b.rule
        for name in (RAW, CALIBRATED)
        if (row := _compare(a, b, cell, name, confidence=confidence, seed=seed))
    ]
    table = pl.DataFrame(rows, schema=COMPARISON_TYPES)
    return decided(adjusted(table, COMPARISONS), confidence=confidence)


def _common(a: Scores, b: Scores, cell: Cell) -> tuple[np.ndarray, np.ndarray, int]:
    """Places of the pairs of a cell that both have scored, and the number of those that only one has."""
    in_a, in_b = np.flatnonzero(a.chosen(cell)), np.flatnonzero(b.chosen(cell))
    _, at_a, at_b = np.intersect1d(a.item[in_a], b.item[in_b], assume_unique=True, return_indices=True)
    return in_a[at_a], in_b[at_b], len(in_a) + len(in_b) - 2 * len(at_a)


def _compare(
    a: Scores, b: Scores, cell: Cell, name: str, *, confidence: float, seed: int
) -> dict[str, object] | None:
    in_a, in_b, left_out = _common(a, b, cell)
    values_a, values_b = (
        score.sample.difference[chosen]
        - (score.sample.neutral_difference[chosen] if name == CALIBRATED else 0)
        for score, chosen in ((a, in_a), (b, in_b))
    )
    kept = ~np.isnan(values_a + values_b)
    if not kept.any():
        return None
    in_a, side_a, side_b = in_a[kept], np.sign(values_a[kept]), np.sign(values_b[kept])
    identity, attribute = units_of(a.sample)
    units, halves = (identity[in_a], attribute[in_a]), (side_a - side_b) / 2
    question = Question(name, 0.0, confidence, seed=cell.seed(seed))
    flips = FLIPS_PER_RESAMPLE * a.sample.resamples
    # A difference of two sides lies between -1 and 1: carried to a share, its interval holds near the ends too.
    row = asdict(over_units(question, halves, units, METHOD, bounds=(-1, 1), flips=flips, ties=False))
    if not halves.any():
        # Models that differ nowhere are as alike as can be: every pattern of signs gives the same.
        row["p_value"] = 1.0
    if unlinked := a.unlinked(in_a) if cell.language == ALL else "":
        row |= {"low": NAN, "high": NAN, "p_value": NAN, "reason": unlinked}
    about = (a.model, b.model, a.rule, cell.language, cell.axis)
    row |= {
        **dict(zip(COMPARED, about, strict=True)),
        "n_left_out": left_out,
        "both": int(((side_a > 0) & (side_b > 0)).sum()),
        "neither": int(((side_a < 0) & (side_b < 0)).sum()),
        "a_only": int(((side_a > 0) & (side_b < 0)).sum()),
        "b_only": int(((side_a < 0) & (side_b > 0)).sum()),
        "n_ties": int(((side_a == 0) | (side_b == 0)).sum()),
    }
    return {column: row[column] for column in COMPARISON_COLUMNS}


FLIP_COLUMNS: dict[str, str] = {
    "model": "the model",
    "rule_a": "one rule",
    "rule_b": "another rule",
    "language": "a language, or 'all'",
    "axis": "an axis, or 'all'",
    "n": "pairs scored under both rules",
    "flips": "pairs that prefer one sentence under one rule and the other under the other",
    "ties": "pairs that are a tie under one of the rules and not under the other (no flips)",
    "share": "flips / n",
    "low": "lower end of its Wilson interval",
    "high": "upper end of its Wilson interval",
}
"""Columns of `PairsAnalysis.flips`."""

FLIP_TYPES: dict[str, Any] = column_types(
    FLIP_COLUMNS, texts=("model", "rule_a", "rule_b", "language", "axis"), counts=("n", "flips", "ties")
)


def rule_flips(scores: Sequence[Scores], cells: Sequence[Cell], confidence: float) -> pl.DataFrame:
    """Count flips for every model and every two of its rules, in every cell where both scored a pair.

    Returns:
        The columns of `FLIP_COLUMNS`.
    """
    rows = [
        row
        for a, b in combinations(scores, 2)
        if a.model == b.model
        for cell in cells
        if (row := _flips(a, b, cell, confidence)) is not None
    ]
    return pl.DataFrame(rows, schema=FLIP_TYPES)


def _flips(a: Scores, b: Scores, cell: Cell, confidence: float) -> dict[str, object] | None:
    in_a, in_b, _ = _common(a, b, cell)
    n = len(in_a)
    if n == 0:
        return None
    side_a, side_b = np.sign(a.sample.difference[in_a]), np.sign(b.sample.difference[in_b])
    flips = int((side_a * side_b < 0).sum())
    interval = wilson(flips, n, confidence)
    about = {"model": a.model, "rule_a": a.rule, "rule_b": b.rule, "language": cell.language}
    return {
        **about,
        "axis": cell.axis,
        "n": n,
        "flips": flips,
        "ties": int(((side_a == 0) != (side_b == 0)).sum()),
        "share": flips / n,
        "low": interval.low,
        "high": interval.high,
    }
