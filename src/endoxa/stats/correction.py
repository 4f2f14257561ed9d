"""Benjamini-Hochberg over a family of tests."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np


def adjust(p_values: Sequence[float] | np.ndarray) -> np.ndarray:
    """Benjamini-Hochberg (1995) adjusted p-values (statsmodels); NaN stays NaN and counts for nothing."""
    p = np.asarray(p_values, dtype=float)
    adjusted = np.full(len(p), np.nan)
    defined = ~np.isnan(p)
    if defined.any():
        from statsmodels.stats.multitest import multipletests

        adjusted[defined] = multipletests(p[defined], method="fdr_bh")[1]
    return adjusted


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
