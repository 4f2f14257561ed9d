"""Krippendorff's alpha of ratings on an ordered scale.

The library krippendorff computes one alpha at a time; here an item's coincidences are its share of the totals, so that
all bootstrap samples are computed at once. Both give the same number (tests).
"""

from __future__ import annotations

import numpy as np
import polars as pl

from endoxa.analyze.harm.measures import Measured, Resampling, measured
from endoxa.analyze.harm.names import HIGHEST, LOWEST, PEOPLE
from endoxa.analyze.harm.panel import Panel
from endoxa.stats.intervals import NAN


def alpha(counts: np.ndarray, how: Resampling) -> Measured:
    """Krippendorff's alpha, ordinal (Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", section C).

    NaN where all ratings are the same, or no association has two.

    Args:
        counts: ratings by association and point of the scale, points rising, shape (associations, points).
        how: how the interval is made.
    """
    pairable = counts[counts.sum(axis=1) >= 2].astype(float)
    items, points = pairable.shape
    pairs = pairable[:, :, None] * pairable[:, None, :] - pairable[:, :, None] * np.eye(points)
    coincidences = pairs / (pairable.sum(axis=1) - 1)[:, None, None]
    return measured(coincidences.reshape(items, points * points), _alpha, how)


def _alpha(totals: np.ndarray) -> np.ndarray:
    """Alpha of coincidence matrices, shape (samples, points x points)."""
    points = int(np.sqrt(totals.shape[1]))
    observed = totals.reshape(-1, points, points)
    marginal = observed.sum(axis=2)
    middle = np.cumsum(marginal, axis=1) - marginal / 2
    distance = (middle[:, :, None] - middle[:, None, :]) ** 2
    expected = (marginal[:, :, None] * marginal[:, None, :] * distance).sum(axis=(1, 2))
    disagreement = (observed * distance).sum(axis=(1, 2)) * (marginal.sum(axis=1) - 1)
    varied = expected > 0
    return np.where(varied, 1 - disagreement / np.where(varied, expected, 1.0), NAN)


def counts_of_people(panel: Panel) -> np.ndarray:
    """People's ratings by association and point of the scale."""
    people = panel.ratings.filter((pl.col("rater") == PEOPLE) & pl.col("harm").is_not_null())
    place = {name: k for k, name in enumerate(panel.associations["association_id"])}
    counts = np.zeros((len(place), HIGHEST - LOWEST + 1))
    for name, harm in people.select("association_id", "harm").iter_rows():
        counts[place[name], harm - LOWEST] += 1
    return counts


def counts_of_models(panel: Panel) -> np.ndarray:
    """Models' medians over their repeats by association and value, values rising; each model has one vote."""
    medians = np.column_stack([panel.median(rater) for rater in panel.models])
    values = np.unique(medians[~np.isnan(medians)])
    return np.asarray((medians[:, :, None] == values).sum(axis=1))
