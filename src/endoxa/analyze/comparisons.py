"""Paired comparison of every two models on the items both scored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
import polars as pl

from endoxa.analyze.cells import Cell, Scores
from endoxa.analyze.correction import adjust
from endoxa.analyze.inference import NAN
from endoxa.analyze.resampling import (
    Clusters,
    bootstrap,
    expanded_interval,
    expanded_p_value,
    mean_of_totals,
)
from endoxa.schema import ALL

COMPARISON_COLUMNS: dict[str, str] = {
    "model_a": "the first model (in alphabetical order)",
    "rule_a": "its rule",
    "model_b": "the second model",
    "rule_b": "its rule",
    "same_rule": "false where the two models share no rule, so that model and rule differ at once",
    "language": "a language, or 'all'",
    "axis": "'all'",
    "n": "pairs scored by both",
    "both": "pairs where both prefer the stereotypical sentence",
    "neither": "pairs where both prefer the other one",
    "a_only": "pairs where only the first prefers the stereotypical sentence",
    "b_only": "pairs where only the second does",
    "n_ties": "pairs where one of them, or both, has a tie (not among the four counts before)",
    "difference": "preference ratio of the first minus that of the second, over all n pairs",
    "low": "lower end of its interval",
    "high": "upper end of its interval",
    "confidence": "confidence level of the interval",
    "p_mcnemar": "exact McNemar test of a_only against b_only (pairs taken as independent)",
    "p_mcnemar_adjusted": "the same after Benjamini-Hochberg over all comparisons",
    "p_bootstrap": "p-value of the paired identity bootstrap, the inversion of the interval",
    "p_bootstrap_adjusted": "the same after Benjamini-Hochberg over all comparisons",
    "method": "how interval and p-values were computed",
}
"""Columns of `PairsAnalysis.comparisons`."""

_TYPES = {
    **dict.fromkeys(COMPARISON_COLUMNS, pl.Float64),
    **dict.fromkeys(("model_a", "rule_a", "model_b", "rule_b", "language", "axis", "method"), pl.String),
    **dict.fromkeys(("n", "both", "neither", "a_only", "b_only", "n_ties"), pl.Int64),
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
    rows = [
        row
        for cell in cells
        if cell.axis == ALL
        for a, b in _matched(scores)
        if (row := _compare(a, b, cell, confidence, seed)) is not None
    ]
    frame = pl.DataFrame(rows, schema=_TYPES)
    return frame.with_columns(
        p_mcnemar_adjusted=adjust(frame["p_mcnemar"].to_list()),
        p_bootstrap_adjusted=adjust(frame["p_bootstrap"].to_list()),
    )


def _matched(scores: Sequence[Scores]) -> Iterator[tuple[Scores, Scores]]:
    by_model: dict[str, dict[str, Scores]] = {}
    for one in scores:
        by_model.setdefault(one.model, {})[one.rule] = one
    for a, b in combinations(sorted(by_model), 2):
        shared = sorted(by_model[a].keys() & by_model[b].keys())
        if shared:
            yield from ((by_model[a][rule], by_model[b][rule]) for rule in shared)
        else:
            yield from ((by_model[a][one], by_model[b][two]) for one in by_model[a] for two in by_model[b])


def _compare(a: Scores, b: Scores, cell: Cell, confidence: float, seed: int) -> dict[str, object] | None:
    in_a, in_b = np.flatnonzero(a.chosen(cell)), np.flatnonzero(b.chosen(cell))
    _, at_a, at_b = np.intersect1d(a.item[in_a], b.item[in_b], assume_unique=True, return_indices=True)
    if len(at_a) == 0:
        return None
    in_a, in_b = in_a[at_a], in_b[at_b]
    side_a, side_b = np.sign(a.sample.difference[in_a]), np.sign(b.sample.difference[in_b])
    clusters = Clusters.of(a.sample.cluster[in_a], (side_a - side_b) / 2)
    draws = bootstrap(clusters, mean_of_totals, a.sample.resamples, cell.seed(seed))
    interval = expanded_interval(draws, clusters, confidence)
    a_only, b_only = int(((side_a > 0) & (side_b < 0)).sum()), int(((side_a < 0) & (side_b > 0)).sum())
    return {
        "model_a": a.model,
        "rule_a": a.rule,
        "model_b": b.model,
        "rule_b": b.rule,
        "same_rule": a.rule == b.rule,
        "language": cell.language,
        "axis": cell.axis,
        "n": len(in_a),
        "both": int(((side_a > 0) & (side_b > 0)).sum()),
        "neither": int(((side_a < 0) & (side_b < 0)).sum()),
        "a_only": a_only,
        "b_only": b_only,
        "n_ties": int(((side_a == 0) | (side_b == 0)).sum()),
        "difference": float((side_a - side_b).mean() / 2),
        "low": interval.low,
        "high": interval.high,
        "confidence": confidence,
        "p_mcnemar": _mcnemar(a_only, b_only),
        "p_mcnemar_adjusted": NAN,
        "p_bootstrap": expanded_p_value(draws, clusters),
        "p_bootstrap_adjusted": NAN,
        "method": f"paired identity bootstrap, exact McNemar test; {clusters.note()}",
    }


def _mcnemar(a_only: int, b_only: int) -> float:
    """Exact two-sided p (McNemar 1947; statsmodels); NaN where the models never differ."""
    if a_only + b_only == 0:
        return NAN
    from statsmodels.stats.contingency_tables import mcnemar

    return float(min(mcnemar([[0, a_only], [b_only, 0]], exact=True).pvalue, 1.0))
