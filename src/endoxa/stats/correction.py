"""Benjamini-Hochberg, Benjamini-Yekutieli and Holm over a family of tests."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np


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
