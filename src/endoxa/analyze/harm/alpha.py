"""Krippendorff's alpha of ratings on an ordered scale, its interval by drawing associations anew."""

from __future__ import annotations

import numpy as np
import polars as pl

from endoxa.analyze.harm.measures import Measured, Resampling, measured
from endoxa.analyze.harm.names import HIGHEST, LOWEST, PEOPLE
from endoxa.analyze.harm.panel import Panel
from endoxa.stats.agreement import alphas, coincidences


def alpha(counts: np.ndarray, how: Resampling) -> Measured:
    """Krippendorff's alpha, ordinal (`endoxa.stats.agreement`).

    NaN where all ratings are the same, or no association has two.

    Args:
        counts: ratings by association and point of the scale, points rising, shape (associations, points).
        how: how the interval is made.
    """
    points = counts.shape[1]
    pairable = counts[counts.sum(axis=1) >= 2]
    return measured(
        coincidences(pairable).reshape(len(pairable), points * points),
        lambda totals: alphas(totals.reshape(-1, points, points), "ordinal"),
        how,
    )


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
