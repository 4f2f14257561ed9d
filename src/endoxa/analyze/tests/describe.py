"""What a row of results says about itself: how it was made, and why a value is missing."""

from __future__ import annotations

from math import isnan
from typing import Literal

from endoxa.analyze.tests.bootstrap import METHOD, MIN_UNITS
from endoxa.analyze.tests.settings import Settings
from endoxa.analyze.tests.units import Targets
from endoxa.stats.intervals import Interval


def method(
    whole: tuple[Targets, Targets],
    used: tuple[Targets, Targets],
    unit: Literal["text", "term"],
    settings: Settings,
) -> str:
    """The method; up to the first semicolon it is the same in every row of one analysis."""
    sizes = f"{used[0].count} against {used[1].count} {unit}s"
    if whole[0].count == whole[1].count:
        kept = f"partitions of {sizes}"
    elif settings.unequal == "truncate":
        cut = "X" if whole[0].count > used[0].count else "Y"
        longest = max(one.count for one in whole)
        kept = f"truncated to the first {used[0].count} of {longest} {unit}s of {cut}, partitions of {sizes}"
    else:
        kept = f"fixed-size partitions of {sizes}"
    side = "two-sided" if settings.alternative == "two-sided" else f"one-sided ({settings.alternative})"
    ddof = "ddof 0 (WEFE)" if settings.ddof == "wefe" else "ddof 1"
    return (
        f"{side} permutation test, effect size with {ddof}, {METHOD}; {kept}; {settings.resamples} resamples of "
        f"{unit}s; seed {settings.seed}"
    )


def reason(
    effect: float, kind: str, interval: Interval, used: tuple[Targets, Targets], unit: Literal["text", "term"]
) -> str:
    """Why values are undefined, or an empty string."""
    if isnan(effect):
        return "effect size, interval and p: all targets have the same association, there is no spread"
    reasons = []
    if kind == "undefined":
        reasons.append(f"p: all {unit}s have the same association")
    if isnan(interval.low):
        fewest = min(one.count for one in used)
        reasons.append(
            f"interval: {fewest} {unit}s in a target set, fewer than {MIN_UNITS}"
            if fewest < MIN_UNITS
            else f"interval: the {unit}s of a target set are too much alike to resample"
        )
    return "; ".join(reasons)
