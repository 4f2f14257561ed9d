"""What may be claimed from an estimate. Decided here once; pages, tables, terminal and API only show it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import isfinite, isnan
from typing import Literal

import numpy as np

Verdict = Literal["above", "below", "unclear", "cannot-be-tested", ""]
ABOVE: Verdict = "above"
BELOW: Verdict = "below"
UNCLEAR: Verdict = "unclear"
UNTESTED: Verdict = "cannot-be-tested"
NO_QUESTION: Verdict = ""
"""Of an estimate that has no neutral value: it says nothing for or against a bias."""

VERDICTS: tuple[Verdict, ...] = (ABOVE, BELOW, UNCLEAR, UNTESTED)
CLEAR: tuple[Verdict, ...] = (ABOVE, BELOW)

RESOLUTION = 0.0005
"""Half of the last digit that pages print of shares (0.1 %) and scores (0.001): less is no difference to a reader."""

CORRECTED = "not after correction for the number of tests"
TOO_SMALL = "the difference is smaller than the digits shown"
UNCLAIMED = "shown without a claim"
AGAINST = "the estimate lies against the direction that was tested"

Alternative = Literal["greater", "less", "two-sided"]


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict and why it is not another one.

    Attributes:
        verdict: one of `VERDICTS`, or empty where nothing was asked.
        reason: why it cannot be tested, or why it is unclear although the raw p-value is small; else empty.
    """

    verdict: Verdict
    reason: str = ""


def significance(confidence: float) -> float:
    """The two-sided level of the tests that belong to intervals of this confidence: 0.05 for 0.95."""
    return round(1 - confidence, 12)


def decide(
    value: float,
    neutral: float,
    p_value: float,
    p_adjusted: float,
    *,
    alpha: float = 0.05,
    untestable: str = "",
    resolution: float = RESOLUTION,
    alternative: Alternative = "two-sided",
) -> Decision:
    """The rule of all verdicts.

    1. Without a neutral value nothing is asked.
    2. It cannot be tested if a reason says so (too few clusters, every pair a tie), or if the value or a p-value is
       missing.
    3. It is `above` or `below` if the p-value is at most `alpha` after correction over its family, and the value
       differs from the neutral one by more than the digits that are printed.
    4. Else it is `unclear`.

    Args:
        value: the estimate.
        neutral: value of an unbiased model, NaN where there is none.
        p_value: of the test of `neutral` against `alternative`.
        p_adjusted: after correction over the family.
        alpha: level of the test.
        untestable: why no test can be trusted, or empty.
        resolution: half of the last printed digit, in the unit of the value.
        alternative: what the p-values test; 'greater' can only end `above`, 'less' only `below`, else `unclear`.
    """
    if isnan(neutral):
        return Decision(NO_QUESTION)
    if untestable or not (isfinite(value) and isfinite(p_value) and isfinite(p_adjusted)):
        return Decision(UNTESTED, untestable or "no p-value is defined")
    if p_adjusted > alpha + 1e-12:
        return Decision(UNCLEAR, CORRECTED if p_value <= alpha + 1e-12 else "")
    if abs(value - neutral) < resolution:
        return Decision(UNCLEAR, TOO_SMALL)
    if alternative == ("less" if value > neutral else "greater"):
        return Decision(UNCLEAR, AGAINST)
    return Decision(ABOVE if value > neutral else BELOW)


def too_few(units: int, noun: str, needed: int, which: str = "") -> str:
    """'4 identities, at least 6 needed'; empty where there are enough.

    Args:
        units: clusters that say anything, those whose total is not zero.
        noun: what they are, in the plural; perhaps two nouns joined by ' or '.
        needed: fewest with which the test can reach its level.
        which: what is said of them behind the noun (" that lean at all").
    """
    if units >= needed:
        return ""
    singular = {"identities": "identity", "people": "person"}
    nouns = [
        singular.get(each, each.removesuffix("s")) if units == 1 else each for each in noun.split(" or ")
    ]
    return f"{units} {' or '.join(nouns)}{which}, at least {needed} needed"


def adjust(p_values: Sequence[float] | np.ndarray, *, dependent: bool = False) -> np.ndarray:
    """Adjusted p-values; NaN stays NaN and counts for nothing.

    The functions of scipy and statsmodels take a millisecond for a family, which is most of the time where there are
    tens of thousands of families of twenty.

    Args:
        p_values: of one family.
        dependent: Benjamini and Yekutieli (2001), for any dependence, instead of Benjamini and Hochberg (1995).
    """
    p = np.asarray(p_values, dtype=float)
    adjusted = np.full(len(p), np.nan)
    defined = np.flatnonzero(~np.isnan(p))
    order = defined[np.argsort(p[defined])]
    ranks = np.arange(1, len(order) + 1)
    # Rounded as statsmodels and, for dependence, scipy do.
    by, bh = p[order] * (len(order) / ranks) * (1 / ranks).sum(), p[order] / (ranks / len(order))
    scaled = by if dependent else bh
    adjusted[order] = np.minimum.accumulate(scaled[::-1])[::-1].clip(0, 1)
    return adjusted


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values of a family that hold the chance of one false finding (Holm 1979); NaN counts for nothing.

    The function of statsmodels collects garbage at each call: a quarter of a second once a page has been drawn.
    """
    p = np.asarray(p_values, dtype=float)
    adjusted = np.full(len(p), np.nan)
    defined = np.flatnonzero(~np.isnan(p))
    order = defined[np.argsort(p[defined])]
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(len(order), 0, -1)).clip(0, 1)
    return [float(value) for value in adjusted]


def adjust_within(p_values: Sequence[float], families: Sequence[Hashable]) -> np.ndarray:
    """The same within each family; `families` names the one of each p-value."""
    p = np.asarray(p_values, dtype=float)
    members: dict[Hashable, list[int]] = {}
    for index, family in enumerate(families):
        members.setdefault(family, []).append(index)
    adjusted = np.full(len(p), np.nan)
    for indices in members.values():
        adjusted[indices] = adjust(p[indices])
    return adjusted
