"""Verdicts in tables about questions, whose column `reason` says why a value or an interval is missing."""

from __future__ import annotations

import polars as pl

from endoxa.analyze.families import Family, adjusted, decided


def judged(table: pl.DataFrame, family: Family, *, value: str, confidence: float) -> pl.DataFrame:
    """The table with `p_adjusted`, `verdict` and `verdict_reason`, by the one rule.

    Args:
        table: columns `neutral`, `p_value` and those three; `verdict_reason` says why a row cannot be tested.
        family: the tests that are corrected together.
        value: name of the column that is compared with `neutral`.
        confidence: confidence level of the intervals, which is that of the verdicts.
    """
    corrected = adjusted(table, family).with_columns(pl.col("p_adjusted").fill_nan(None))
    asked = corrected.select(value, "neutral", "p_value", "p_adjusted", reason="verdict_reason")
    found = decided(asked, value=value, confidence=confidence)
    return corrected.with_columns(verdict=found["verdict"], verdict_reason=found["reason"])
