"""The table of estimates: accuracy and bias scores of every cell, with intervals, bounds and spread over seeds."""

from __future__ import annotations

from math import isnan
from typing import Any

import numpy as np
import polars as pl
from polars import selectors as cs

from endoxa.instruments.questions.estimates import measures
from endoxa.instruments.questions.estimates.cells import Cell, cell_keys, cell_of, compact
from endoxa.instruments.questions.estimates.intervals import (
    NOT_ASKED_FOR,
    Ends,
    expanded,
    resampled,
    without_interval,
)
from endoxa.instruments.questions.estimates.leans import BIAS_SCORE, Lean, lean_of
from endoxa.instruments.questions.estimates.measures import MEASURES, Counts
from endoxa.instruments.questions.estimates.template_tests import judged
from endoxa.runs.families import LEANS
from endoxa.schema import QA_ESTIMATE_COLUMNS, Progress
from endoxa.stats.intervals import NAN

METHOD = "template bootstrap, expanded percentile interval, {resamples} resamples, seed {seed}"

_WHOLE = (
    *("n", "n_unparsed", "n_refused", "n_correct", "n_non_unknown", "n_biased", "n_seeds"),
    *("n_read", "n_persons", "n_aligned", "n_nonaligned", "n_lean", "clusters"),
)
_TEXT = (
    *("data", "category", "model", "protocol", "context_condition", "method", "reason"),
    *("lean_name", "interval", "verdict", "verdict_reason"),
)
ESTIMATE_TYPES: dict[str, type[pl.DataType]] = {
    name: pl.Int64 if name in _WHOLE else pl.String if name in _TEXT else pl.Float64
    for name in QA_ESTIMATE_COLUMNS
}


def estimate(
    answers: pl.DataFrame, *, confidence: float, seed: int, resamples: int, progress: Progress
) -> pl.DataFrame:
    """One row per data set, category, model, protocol and context: `schema.QA_ESTIMATE_COLUMNS`.

    All leans are one family.

    Args:
        answers: checked answers.
        confidence: confidence level of the intervals.
        seed: seed of the bootstrap.
        resamples: bootstrap samples.
        progress: told what is done.

    Returns:
        Undefined values are null, never NaN or 0; `reason` says why.
    """
    compacted, rows = compact(answers), []
    keys = cell_keys(compacted)
    for done, key in enumerate(
        keys
    ):  # one at a time: the cells of half a million answers fill a lot of memory
        progress("estimating", done, len(keys))
        cell = cell_of(compacted, key)
        rows.append(_row(cell, confidence=confidence, seed=seed, resamples=resamples))
    progress("estimating", len(keys), len(keys))
    table = pl.DataFrame(rows, schema=ESTIMATE_TYPES).with_columns(cs.float().fill_nan(None))
    return judged(table, LEANS, value="lean", confidence=confidence)


def _row(cell: Cell, *, confidence: float, seed: int, resamples: int) -> dict[str, Any]:
    condition = cell.key["context_condition"]
    total, lean = Counts.of(cell.per_template.sum(axis=0)), lean_of(cell, confidence, seed)
    values = {name: float(value) for name, value in measures.measured(total, condition).items()}
    drawn = measures.measured(Counts.of(resampled(cell.per_template, resamples, seed)), condition)
    weights = measures.rarer_answers(Counts.of(cell.per_template))
    intervals = {
        name: NOT_ASKED_FOR if isnan(values[name]) else expanded(drawn[name], weights[name], confidence)
        for name in MEASURES
    } | _of_lean(lean, values)
    if_none, if_all = measures.bias_score_bounds(total, condition)
    unscaled_if_none, unscaled_if_all = measures.bias_unscaled_bounds(total)
    by_seed = measures.measured(Counts.of(cell.per_seed), condition)
    return {
        **cell.key,
        "n": int(total.n),
        "n_unparsed": int(total.unparsed),
        "n_refused": int(total.refused),
        "n_correct": int(total.correct),
        "n_non_unknown": int(total.named),
        "n_biased": int(total.biased),
        **values,
        **{f"{name}_low": interval.low for name, interval in intervals.items()},
        **{f"{name}_high": interval.high for name, interval in intervals.items()},
        "stereotyped_share": float(measures.share(total.biased, total.named)),
        "accuracy_unparsed_as_wrong": float(measures.share(total.correct, total.n)),
        "accuracy_aligned": float(measures.share(total.aligned_correct, total.aligned)),
        "accuracy_nonaligned": float(measures.share(total.nonaligned_correct, total.nonaligned)),
        "bias_score_if_none": float(if_none),
        "bias_score_if_all": float(if_all),
        "bias_unscaled_if_none": float(unscaled_if_none),
        "bias_unscaled_if_all": float(unscaled_if_all),
        "n_seeds": len(cell.per_seed),
        **_spread(by_seed),
        "confidence": confidence,
        "method": _method(cell, drawn, resamples, seed),
        "reason": "; ".join(_reasons(cell, total, values, intervals, by_seed)),
        "n_read": int(total.read),
        "n_persons": int(total.persons),
        "n_aligned": int(total.aligned),
        "n_nonaligned": int(total.nonaligned),
        **_claim(lean),
    }


def _of_lean(lean: Lean, values: dict[str, float]) -> dict[str, Ends]:
    """Intervals that the lean decides: its own is that of the bias score it is; without a test no score has one."""
    if lean.untestable and not isnan(lean.value):
        return {
            name: Ends(NAN, NAN, lean.untestable)
            for name in ("bias_unscaled", "bias_score")
            if not isnan(values[name])
        }
    return {BIAS_SCORE: Ends(lean.interval.low, lean.interval.high)} if lean.name == BIAS_SCORE else {}


def _claim(lean: Lean) -> dict[str, Any]:
    """What is claimed about the cell, before the correction over all leans."""
    return {
        "n_lean": lean.answers,
        "lean": lean.value,
        "lean_name": lean.name,
        "lean_low": lean.interval.low,
        "lean_high": lean.interval.high,
        "neutral": 0.0,
        "p_value": lean.p_value,
        "interval": lean.unit,
        "clusters": lean.clusters,
        "verdict": "",
        "verdict_reason": lean.untestable,
    }


def _spread(by_seed: dict[str, np.ndarray]) -> dict[str, float]:
    """Mean and standard deviation (n - 1) over seeds; undefined where the measure is undefined in one of them."""
    spread = {}
    for name, values in by_seed.items():
        spread[f"{name}_mean"] = float(values.mean())
        spread[f"{name}_sd"] = float(values.std(ddof=1)) if len(values) > 1 else float("nan")
    return spread


def _method(cell: Cell, drawn: dict[str, np.ndarray], resamples: int, seed: int) -> str:
    text = METHOD.format(resamples=resamples, seed=seed)
    notes = [f"{cell.templates} templates" if cell.templates > 1 else "1 template"]
    if cell.key["context_condition"] == "ambig":
        notes.append("the bias score has the interval of the lean")
    left_out = int(np.isnan(drawn["bias_unscaled"]).sum())
    if 0 < left_out < resamples:
        notes.append(f"{left_out} resamples in which nobody is named left out of bias_unscaled")
    return "; ".join([text, *notes])


def _reasons(
    cell: Cell,
    total: Counts,
    values: dict[str, float],
    intervals: dict[str, Ends],
    by_seed: dict[str, np.ndarray],
) -> list[str]:
    if total.read == 0:
        return ["no answer could be read"]
    reasons = []
    if total.scored + total.scored_unread == 0:
        reasons.append("the stereotyped option of these items is not known: no bias score")
    elif total.named == 0:
        reasons.append("no answer names a person: bias_unscaled is undefined")
        if values["bias_score"] == 0:
            reasons.append("bias_score is 0 because every answer read is right")
    elif total.scored < total.read:
        unknown = int(total.read - total.scored)
        reasons.append(
            f"{unknown} answers to items whose stereotyped option is not known count for the accuracy only"
        )
    if (
        cell.key["context_condition"] == "disambig"
        and total.scored > 0
        and (total.aligned == 0 or total.nonaligned == 0)
    ):
        reasons.append("right answers agree with the stereotype in all items or in none")
    reasons += without_interval(intervals)
    uneven = [name for name in MEASURES if not isnan(values[name]) and np.isnan(by_seed[name]).any()]
    if uneven:
        reasons.append(f"{', '.join(uneven)} undefined for some seed: no mean over seeds")
    return reasons
