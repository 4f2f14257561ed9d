"""Verdicts about questions, and the exact test behind every one: totals of templates keep or change their sign."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from endoxa.runs.families import Family, adjusted, decided
from endoxa.stats.intervals import NAN
from endoxa.stats.signs import fewest_units, sign_flip_test
from endoxa.stats.verdicts import significance

_LARGEST_DENOMINATOR = 10_000
"""With a larger one, sums take longer than drawing signs."""


@dataclass(frozen=True, slots=True)
class TemplateTest:
    """What a sign-flip test on templates says.

    Attributes:
        p_value: two-sided; NaN where it cannot be tested.
        untestable: why it cannot be tested, or empty.
    """

    p_value: float
    untestable: str = ""


def templates_test(
    totals: np.ndarray,
    speaking: np.ndarray,
    *,
    happens: str,
    confidence: float,
    seed: int,
    kind: str = "",
) -> TemplateTest:
    """Test whether the sum of totals differs from 0.

    A template speaks if its total could have been another: somebody is named in it, an answer has changed. Where none
    does, every pattern of signs gives the same sum, so p is 1. Where fewer do than the test needs to reach its level
    (its least p is 2 / 2^templates), nothing can be tested.

    Args:
        totals: of each template, symmetric about 0 under the hypothesis.
        speaking: whether each template speaks.
        happens: what happens in templates that speak ("a person is named").
        confidence: 1 minus the level of the test.
        seed: of sign patterns, if any must be drawn.
        kind: which templates count (" with items of both kinds"), or empty for all.
    """
    needed, templates, found = fewest_units(significance(confidence)), len(totals), int(speaking.sum())
    noun = "template" if templates == 1 else "templates"
    if templates < needed:
        return TemplateTest(NAN, f"{templates} {noun}{kind}, at least {needed} needed")
    if found == 0:
        return TemplateTest(1.0)
    if found < needed:
        return TemplateTest(NAN, f"{happens} in only {found} of {templates} {noun}, at least {needed} needed")
    p_value = sign_flip_test(totals, seed=seed)
    return TemplateTest(1.0 if np.isnan(p_value) else p_value)


def whole(totals: np.ndarray, denominator: int = 1) -> np.ndarray:
    """The totals times what makes them whole, because for whole totals the test is exact however many there are."""
    return np.round(totals * denominator) if denominator <= _LARGEST_DENOMINATOR else np.round(totals, 9)


def judged(table: pl.DataFrame, family: Family, *, value: str, confidence: float) -> pl.DataFrame:
    """The table with `p_adjusted`, `verdict` and `verdict_reason`, by the one rule.

    In tables about questions `reason` says why a value or an interval is missing, so that verdicts have their own.

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
