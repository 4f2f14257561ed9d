"""Interval and p-value of one method, and the estimate they end in."""

from __future__ import annotations

from dataclasses import dataclass

from endoxa.schema import Estimate
from endoxa.stats.intervals import NAN, Interval

IDENTITIES, WILSON, T, ORDER_STATISTICS, NONCENTRAL_T, PLANNED = (
    "identities",
    "wilson",
    "t",
    "order-statistics",
    "noncentral-t",
    "none",
)
"""Codes of the column `interval` for sentence pairs."""


@dataclass(frozen=True, slots=True)
class Inference:
    """What one method says about a value.

    Attributes:
        interval: its confidence interval.
        p_value: two-sided, against the neutral value; NaN where there is no test.
        method: how both were computed. Up to the first semicolon it names the method and is the same in every
            cell; what follows concerns this cell only ("...; 37 identities").
        code: short name of the interval, see `schema.ESTIMATE_COLUMNS`.
        clusters: independent units that it rests on.
        untestable: why no verdict can rest on it ("4 identities, at least 6 needed"), or empty.
    """

    interval: Interval
    p_value: float
    method: str
    code: str
    clusters: int
    untestable: str = ""


def method_name(method: str) -> str:
    """The method without the remarks on one cell."""
    return method.partition(";")[0]


def estimate(
    name: str, value: float, inference: Inference, *, n: int, neutral: float, confidence: float
) -> Estimate:
    """One row of the estimates, before the correction over its family and the verdict that rests on it."""
    return Estimate(
        name=name,
        value=value,
        low=inference.interval.low,
        high=inference.interval.high,
        confidence=confidence,
        p_value=inference.p_value,
        p_adjusted=NAN,
        n=n,
        neutral=neutral,
        method=inference.method,
        interval=inference.code,
        clusters=inference.clusters,
        reason=inference.untestable,
    )
