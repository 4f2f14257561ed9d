"""Four coefficients of agreement, each from its counts; NaN where one is not defined.

Percent agreement, Cohen's kappa (Cohen 1960), Fleiss' kappa (Fleiss 1971) and Krippendorff's alpha (Krippendorff
2011, "Computing Krippendorff's Alpha-Reliability"); kappas by statsmodels, alpha by the library krippendorff.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from endoxa.errors import UserError

Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")

NAN = float("nan")


def percent_agreement(counts: np.ndarray) -> float:
    """Share of the pairs of votes on one item that are the same, averaged over items (Fleiss 1971, equation 2).

    Args:
        counts: votes per item and category, shape (items, categories), two votes or more per item.
    """
    votes = counts.sum(axis=1)
    return float(((counts * (counts - 1)).sum(axis=1) / (votes * (votes - 1))).mean()) if len(counts) else NAN


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


def krippendorff_alpha(counts: np.ndarray, domain: np.ndarray, level: Level) -> float:
    """Krippendorff's alpha; NaN where all votes are the same, or no item has two.

    Args:
        counts: votes per item and category, shape (items, categories); items with fewer than two votes do not count.
        domain: the categories as numbers, rising.
        level: level of measurement.

    Raises:
        UserError: the library krippendorff is missing.
    """
    counts = counts[counts.sum(axis=1) >= 2]
    if _one_category(counts):
        return NAN
    try:
        import krippendorff
    except ImportError as error:
        raise UserError(
            "Krippendorff's alpha needs the library krippendorff. Install it with: pip install 'endoxa[curate]'"
        ) from error
    return float(krippendorff.alpha(value_counts=counts, value_domain=domain, level_of_measurement=level))


def _one_category(counts: np.ndarray) -> bool:
    """Whether fewer than two categories were voted for."""
    return int((counts.sum(axis=0) > 0).sum()) < 2
