"""Effects of single associations on a common scale, and the reliability of each instrument."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from endoxa.runs.families import SINGLE_ASSOCIATIONS, adjusted, decided
from endoxa.schema.convergence import EFFECT_COLUMNS, RELIABILITY_COLUMNS
from endoxa.stats.reliability import reliability, split_half
from endoxa.study.convergence.parts import Measured, check_parts, identity_codes, measured

_TEXT = ("model", "instrument", "association_id", "identity", "verdict", "reason")
EFFECT_TYPES: dict[str, type[pl.DataType]] = {
    name: pl.String if name in _TEXT else pl.Int64 if name == "n_parts" else pl.Float64
    for name in EFFECT_COLUMNS
}
RELIABILITY_TYPES: dict[str, type[pl.DataType]] = {
    name: pl.String if name in _TEXT else pl.Int64 if name.startswith("n_") else pl.Float64
    for name in RELIABILITY_COLUMNS
}
CONSTANT = "all values of this model and instrument are the same"
SINGLE_PART = "the association has one part, and so have all others: no standard error"
NO_SPREAD = "the parts of each association are the same: no standard error"


def effects(parts: pl.DataFrame, confidence: float = 0.95) -> pl.DataFrame:
    """Standardised effect of every association under every instrument, with its test.

    An effect is the mean over the parts of the association, divided by the standard deviation of all single parts of
    the same model and instrument. Nothing is subtracted: 0 stays the neutral value. The scale is that of single
    measurements and not of the means, so that an instrument does not seem stronger for having more parts.

    Args:
        parts: columns of `schema.convergence.PART_COLUMNS`.
        confidence: confidence level of intervals and verdicts.

    Returns:
        Columns of `schema.convergence.EFFECT_COLUMNS`.

    Raises:
        UserError: the table cannot be used.
    """
    return effect_table(measured(check_parts(parts)), confidence)


def effect_table(sources: Sequence[Measured], confidence: float) -> pl.DataFrame:
    """`effects` of what was measured."""
    rows = [row for source in sources for row in _effect_rows(source, confidence)]
    table = adjusted(pl.DataFrame(rows, schema=EFFECT_TYPES), SINGLE_ASSOCIATIONS)
    return decided(table, value="effect", confidence=confidence).select(list(EFFECT_TYPES)).fill_nan(None)


def _effect_rows(source: Measured, confidence: float) -> Iterator[dict[str, Any]]:
    from scipy.special import stdtr, stdtrit

    scores, nan = source.scores, float("nan")
    scale = source.scale or nan
    effect = scores.mean / scale
    error = np.sqrt(scores.within / scores.parts) / scale
    # A rounding error is no spread.
    has_error = bool(scores.freedom) and scores.within > (1e-12 * (1 + np.abs(scores.mean).max())) ** 2
    reason = (
        CONSTANT
        if not source.scale
        else SINGLE_PART
        if not scores.freedom
        else ""
        if has_error
        else NO_SPREAD
    )
    reach = float(stdtrit(scores.freedom, (1 + confidence) / 2)) if has_error else nan
    for k, (association, identity) in enumerate(zip(source.associations, source.identities, strict=True)):
        tested = has_error and not reason
        yield {
            "model": source.model,
            "instrument": source.instrument,
            "association_id": association,
            "identity": identity,
            "n_parts": int(scores.parts[k]),
            "value": float(scores.mean[k]),
            "scale": source.scale,
            "effect": float(effect[k]),
            "se": float(error[k]) if tested else nan,
            "low": float(effect[k] - reach * error[k]) if tested else nan,
            "high": float(effect[k] + reach * error[k]) if tested else nan,
            "confidence": confidence,
            "p_value": float(2 * stdtr(scores.freedom, -abs(effect[k] / error[k]))) if tested else nan,
            "p_adjusted": nan,
            "neutral": 0.0,
            "verdict": "",
            "reason": reason,
        }


def reliabilities(parts: pl.DataFrame, confidence: float = 0.95, seed: int = 0) -> pl.DataFrame:
    """Reliability of the effects of every model and instrument.

    Args:
        parts: columns of `schema.convergence.PART_COLUMNS`.
        confidence: confidence level of the intervals.
        seed: seed of the random halves.

    Returns:
        Columns of `schema.convergence.RELIABILITY_COLUMNS`.

    Raises:
        UserError: the table cannot be used.
    """
    return reliability_table(measured(check_parts(parts)), confidence, seed)


def reliability_table(sources: Sequence[Measured], confidence: float, seed: int) -> pl.DataFrame:
    """`reliabilities` of what was measured."""
    rows = [_reliability_row(source, confidence, seed) for source in sources]
    return pl.DataFrame(rows, schema=RELIABILITY_TYPES).fill_nan(None)


def _reliability_row(source: Measured, confidence: float, seed: int) -> dict[str, Any]:
    measured = reliability(source.scores, identity_codes(source.identities), confidence)
    halves = (
        np.array([np.nan])
        if measured.reason
        else split_half(source.unit, source.part, source.value, splits=100, seed=seed)
    )
    defined = halves[np.isfinite(halves)]
    return {
        "model": source.model,
        "instrument": source.instrument,
        "n_associations": len(source.associations),
        "n_identities": len(set(source.identities)),
        "n_halved": measured.units,
        "parts": float(np.median(source.scores.parts)),
        "reliability": measured.value,
        "low": measured.interval.low,
        "high": measured.interval.high,
        "split_half": float(defined.mean()) if len(defined) else float("nan"),
        "reason": measured.reason,
    }
