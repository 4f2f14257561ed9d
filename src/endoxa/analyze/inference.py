"""Interval and p-value of one method, and the estimate they end in."""

from __future__ import annotations

from dataclasses import dataclass

from endoxa.schema import Estimate

NAN = float("nan")


@dataclass(frozen=True, slots=True)
class Interval:
    """Both ends of a confidence interval; NaN where it is not defined."""

    low: float
    high: float


UNDEFINED = Interval(NAN, NAN)


@dataclass(frozen=True, slots=True)
class Inference:
    """What one method says about a value.

    Attributes:
        interval: its confidence interval.
        p_value: two-sided, against the neutral value; NaN where there is no test.
        method: how both were computed. Up to the first semicolon it names the method and is the same in every
            cell; what follows concerns this cell only ("...; 37 identities").
    """

    interval: Interval
    p_value: float
    method: str


def method_name(method: str) -> str:
    """The method without the remarks on one cell: the key of a family of corrections."""
    return method.partition(";")[0]


def estimate(
    name: str, value: float, inference: Inference, *, n: int, neutral: float, confidence: float
) -> Estimate:
    """One row of the estimates, before the correction over its family."""
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
    )
