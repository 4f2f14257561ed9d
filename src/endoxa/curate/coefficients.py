"""Chance-corrected agreement of raters by statsmodels: Cohen's kappa (Cohen 1960) and Fleiss' kappa (Fleiss 1971).

NaN where one is not defined. Percent agreement and Krippendorff's alpha: `endoxa.stats.agreement`.
"""

from __future__ import annotations

import numpy as np

NAN = float("nan")


def cohen_kappa(codes: np.ndarray) -> float:
    """Cohen's kappa of two raters, unweighted; NaN where all votes are the same, or there are none.

    Args:
        codes: number of the category that each rater chose, shape (items, 2), no vote missing.
    """
    categories, places = np.unique(codes, return_inverse=True)
    if len(categories) < 2:
        return NAN
    from statsmodels.stats.inter_rater import cohens_kappa

    size = len(categories)
    one, other = places.reshape(codes.shape).T
    table = np.bincount(one * size + other, minlength=size**2).reshape(size, size)
    return float(cohens_kappa(table, return_results=False))


def fleiss_kappa(counts: np.ndarray) -> float:
    """Fleiss' kappa; NaN where all votes are the same, or there are none.

    Args:
        counts: votes per item and category, shape (items, categories), as many votes on every item.
    """
    if _one_category(counts):
        return NAN
    from statsmodels.stats import inter_rater

    return float(inter_rater.fleiss_kappa(counts))


def _one_category(counts: np.ndarray) -> bool:
    """Whether fewer than two categories were voted for."""
    return int((counts.sum(axis=0) > 0).sum()) < 2
