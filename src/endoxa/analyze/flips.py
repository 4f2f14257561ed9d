"""How many pairs change sides between two scoring rules of one model."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import polars as pl

from endoxa.analyze.cells import Cell, Scores
from endoxa.stats.intervals import NAN, wilson

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
    "kappa": "Cohen's kappa of the two rules' verdicts (stereotypical, tie, other)",
}
"""Columns of `PairsAnalysis.flips`."""

FLIP_TYPES: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(FLIP_COLUMNS, pl.Float64),
    **dict.fromkeys(("model", "rule_a", "rule_b", "language", "axis"), pl.String),
    **dict.fromkeys(("n", "flips", "ties"), pl.Int64),
}


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
    in_a, in_b = np.flatnonzero(a.chosen(cell)), np.flatnonzero(b.chosen(cell))
    _, at_a, at_b = np.intersect1d(a.item[in_a], b.item[in_b], assume_unique=True, return_indices=True)
    n = len(at_a)
    if n == 0:
        return None
    side_a = np.sign(a.sample.difference[in_a[at_a]])
    side_b = np.sign(b.sample.difference[in_b[at_b]])
    flips = int((side_a * side_b < 0).sum())
    interval = wilson(flips, n, confidence)
    return {
        "model": a.model,
        "rule_a": a.rule,
        "rule_b": b.rule,
        "language": cell.language,
        "axis": cell.axis,
        "n": n,
        "flips": flips,
        "ties": int(((side_a == 0) != (side_b == 0)).sum()),
        "share": flips / n,
        "low": interval.low,
        "high": interval.high,
        "kappa": cohen_kappa(side_a, side_b),
    }


def cohen_kappa(side_a: np.ndarray, side_b: np.ndarray) -> float:
    """Cohen's kappa (1960) of two lists of sides in -1, 0 and 1; NaN where chance alone would agree fully.

    Written out because statsmodels' version computes a standard error that divides by zero for small tables.
    """
    sides = np.array([-1.0, 0.0, 1.0])
    observed = float((side_a == side_b).mean())
    expected = sum(float((side_a == side).mean() * (side_b == side).mean()) for side in sides)
    return NAN if np.isclose(expected, 1.0) else (observed - expected) / (1 - expected)
