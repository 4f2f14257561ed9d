"""Paired comparison of every two models on their common items, and disagreement between two scoring rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import combinations, product
from typing import Any

import numpy as np
import polars as pl

from endoxa.instruments.pairs.estimates.deciding import CALIBRATED, RAW
from endoxa.instruments.pairs.estimates.inference import FLIPS_PER_RESAMPLE, Question, over_units, units_of
from endoxa.instruments.pairs.estimates.records import Cell, Scores
from endoxa.instruments.pairs.estimates.rounding import between, bounded, turned
from endoxa.runs.families import COMPARISONS, adjusted, decided
from endoxa.schema import ALL, ESTIMATE_COLUMNS
from endoxa.sources.frames import column_types
from endoxa.stats.agreement import cohen_kappa
from endoxa.stats.correction import adjust_within
from endoxa.stats.intervals import NAN, wilson
from endoxa.stats.signs import sign_test

COMPARISON_COLUMNS: dict[str, str] = {
    "model_a": "the first model (in alphabetical order)",
    "rule_a": "its rule",
    "model_b": "the second model",
    "rule_b": "its rule",
    "same_rule": "false where the two models share no rule, so that model and rule differ at once",
    "language": "a language, or 'all'",
    "axis": "'all'",
    "n": "pairs scored by both",
    "n_left_out": "pairs scored by one of them only, which are left out",
    "both": "pairs where both prefer the stereotypical sentence",
    "neither": "pairs where both prefer the other one",
    "a_only": "pairs where only the first prefers the stereotypical sentence",
    "b_only": "pairs where only the second does",
    "n_ties": "pairs where one of them, or both, has a tie (not among the four counts before)",
    "difference": "preference ratio of the first minus that of the second, over all n pairs",
    "low": "lower end of its interval; none where it cannot be tested",
    "high": "upper end of its interval",
    "confidence": "confidence level of the interval",
    "neutral": "0, the difference of two models that are alike",
    "p_value": "sign-flip tests of the difference on identities and attributes, the larger",
    "p_adjusted": "the same after Benjamini-Hochberg over all comparisons",
    "p_mcnemar": "exact McNemar test of a_only against b_only (pairs taken as independent)",
    "p_mcnemar_adjusted": "the same after Benjamini-Hochberg over all comparisons",
    "interval": "'identities'",
    "clusters": "identities",
    "attributes": ESTIMATE_COLUMNS["attributes"],
    "sampled": ESTIMATE_COLUMNS["sampled"],
    "verdict": "'above' (the first prefers the stereotypical sentences more often), 'below', 'unclear' or "
    "'cannot-be-tested'",
    "reason": "why it cannot be tested, or why it is unclear although the raw p-value is small; else empty",
    "method": "how interval and p-values were computed",
    "name": "what is compared: 'preference_ratio' of all pairs, or 'calibrated_preference_ratio' of those that could "
    "be calibrated under both",
    "largest": ESTIMATE_COLUMNS["largest"],
    "within_rounding": "where a model has fewer bits than float32 and its rounding was measured: pairs whose "
    "difference is not larger than rounding was seen to move one, of the first model and of the second added up; else "
    "empty, as the columns after it",
    "rounding_low": "the difference if all of these had gone to the other sentence in the first model, and to the "
    "stereotypical one in the second",
    "rounding_high": "the difference the other way round",
    "rounding_verdicts": "the verdicts of both, if one of them is another than `verdict`; else empty",
}
"""Columns of `PairsAnalysis.comparisons`; files of earlier versions do not have those about rounding."""

METHOD = (
    "paired by pair, identities and attributes as units: Korn-Graubard interval, sign-flip tests; exact McNemar "
    "test"
)
_COMPARISON = ("model_a", "rule_a", "model_b", "rule_b", "language", "axis", "name")
COMPARISON_TYPES: dict[str, Any] = {
    **column_types(
        COMPARISON_COLUMNS,
        texts=(*_COMPARISON, "method", "interval", "sampled", "verdict", "reason", "rounding_verdicts"),
        counts=(
            *("within_rounding", "n", "n_left_out", "both", "neither", "a_only", "b_only", "n_ties"),
            *("clusters", "attributes"),
        ),
    ),
    "same_rule": pl.Boolean,
}


def compare_models(
    scores: Sequence[Scores], cells: Sequence[Cell], confidence: float, seed: int
) -> pl.DataFrame:
    """Compare every two models under every rule they share, or across their rules where they share none.

    Args:
        scores: every model x rule.
        cells: only those whose axis is 'all' are compared.
        confidence: confidence level of the intervals.
        seed: seed of the bootstrap.

    Returns:
        The columns of `COMPARISON_COLUMNS`; combinations without a common item are left out.
    """
    table = _compared(scores, cells, confidence, seed)
    rounded = {(score.model, score.rule) for score in scores if score.precision}
    if not rounded or table.is_empty():
        return table
    low, high = (_compared(scores, cells, confidence, seed, side=side) for side in (-1, 1))
    bounds = between(low, high, _COMPARISON, "difference")
    sides = (bounds.select(f"model_{side}", f"rule_{side}").rows() for side in "ab")
    measured = [not rounded.isdisjoint(pair) for pair in zip(*sides, strict=True)]
    return bounded(table, bounds.filter(measured), _COMPARISON)


def _compared(
    scores: Sequence[Scores], cells: Sequence[Cell], confidence: float, seed: int, side: int = 0
) -> pl.DataFrame:
    """All comparisons; with a `side`, every pair within the rounding is on it in the first model, not in the second."""
    rows = [
        row
        for cell in cells
        if cell.axis == ALL
        for models in _matched(scores)
        for name in (RAW, CALIBRATED)
        if (row := _compare(*_turned(models, side, name), cell, name, confidence=confidence, seed=seed))
    ]
    frame = adjusted(pl.DataFrame(rows, schema=COMPARISON_TYPES), COMPARISONS)
    mcnemar = adjust_within(frame["p_mcnemar"].to_list(), frame["name"].to_list())
    frame = frame.with_columns(p_mcnemar_adjusted=pl.Series(mcnemar, dtype=pl.Float64))
    return decided(frame, value="difference", confidence=confidence)


def _turned(models: tuple[Scores, Scores], side: int, name: str) -> tuple[Scores, Scores]:
    a, b = models
    if not side:
        return models
    return turned(a, side, calibrated=name == CALIBRATED), turned(b, -side, calibrated=name == CALIBRATED)


def _matched(scores: Sequence[Scores]) -> Iterator[tuple[Scores, Scores]]:
    by_model: dict[str, dict[str, Scores]] = {}
    for score in scores:
        by_model.setdefault(score.model, {})[score.rule] = score
    for a, b in combinations(sorted(by_model), 2):
        shared = sorted(by_model[a].keys() & by_model[b].keys())
        if shared:
            yield from ((by_model[a][rule], by_model[b][rule]) for rule in shared)
        else:
            yield from product(by_model[a].values(), by_model[b].values())


def _common(a: Scores, b: Scores, cell: Cell) -> tuple[np.ndarray, np.ndarray, int]:
    """Places of the pairs of a cell that both have scored, and the number of those that only one has."""
    in_a, in_b = np.flatnonzero(a.chosen(cell)), np.flatnonzero(b.chosen(cell))
    _, at_a, at_b = np.intersect1d(a.item[in_a], b.item[in_b], assume_unique=True, return_indices=True)
    return in_a[at_a], in_b[at_b], len(in_a) + len(in_b) - 2 * len(at_a)


def _sides(side_a: np.ndarray, side_b: np.ndarray) -> dict[str, int]:
    """On how many pairs which of two models prefers the stereotypical sentence."""
    return {
        "both": int(((side_a > 0) & (side_b > 0)).sum()),
        "neither": int(((side_a < 0) & (side_b < 0)).sum()),
        "a_only": int(((side_a > 0) & (side_b < 0)).sum()),
        "b_only": int(((side_a < 0) & (side_b > 0)).sum()),
        "n_ties": int(((side_a == 0) | (side_b == 0)).sum()),
    }


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
    question, flips = (
        Question(name, 0.0, confidence, seed=cell.seed(seed)),
        FLIPS_PER_RESAMPLE * a.sample.resamples,
    )
    # A difference of two sides lies between -1 and 1: carried to a share, its interval holds near the ends too.
    row = asdict(over_units(question, halves, units, METHOD, bounds=(-1, 1), flips=flips, ties=False))
    if not halves.any():
        # Models that differ nowhere are as alike as can be: every pattern of signs gives the same.
        row["p_value"] = 1.0
    if unlinked := a.unlinked(in_a) if cell.language == ALL else "":
        row |= {"low": NAN, "high": NAN, "p_value": NAN, "reason": unlinked}
    sides = _sides(side_a, side_b)
    about = (a.model, a.rule, b.model, b.rule, cell.language, cell.axis, name)
    row |= {
        **dict(zip(_COMPARISON, about, strict=True)),
        **sides,
        "same_rule": a.rule == b.rule,
        "n_left_out": left_out,
        "difference": row["value"],
        "p_mcnemar": sign_test(sides["a_only"], sides["b_only"]),
    }
    return {column: row.get(column) for column in COMPARISON_COLUMNS}


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
        "kappa": cohen_kappa(np.column_stack([side_a, side_b])),
    }
