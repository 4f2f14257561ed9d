"""Models against people: differences of ratings, with people and associations both as samples, and their verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from endoxa.instruments.stories.harm.panel import EITHER, HIGHEST, LOWEST, PEOPLE, Panel
from endoxa.runs.families import HARM_DETAILS, HARM_DIFFERENCES, adjusted, decided
from endoxa.stats.crossed import crossed_mean
from endoxa.stats.intervals import NAN
from endoxa.stats.signs import fewest_units
from endoxa.stats.verdicts import significance, too_few

CROSSED = "crossed"
"""Code of the interval: people and associations are both samples."""
RESOLUTION = 0.005
"""Half of the last digit of a rating that is printed."""
BOUNDS = (float(LOWEST - HIGHEST), float(HIGHEST - LOWEST))
UNBALANCED = "one person gave nearly all ratings"
NOTHING_SHARED = "no association was rated by both"

CLAIM_TYPES: dict[str, type[pl.DataType]] = {
    "neutral": pl.Float64,
    "p_value": pl.Float64,
    "p_adjusted": pl.Float64,
    "confidence": pl.Float64,
    "interval": pl.String,
    "clusters": pl.Int64,
    "clusters_effective": pl.Float64,
    "verdict": pl.String,
    "reason": pl.String,
}
"""Columns of a difference that may be claimed, behind its value and interval."""


@dataclass(frozen=True, slots=True)
class Ratings:
    """People's ratings, one entry for each association and person.

    Attributes:
        association: place of the association in the panel.
        person: code of the person.
        mean: mean of the person's ratings of it.
        count: how many there are (one, but for repeats).
    """

    association: np.ndarray
    person: np.ndarray
    mean: np.ndarray
    count: np.ndarray


def ratings_of_people(panel: Panel) -> Ratings:
    """People's ratings with who gave them; empty where no person rated."""
    places = pl.DataFrame({"association_id": panel.associations["association_id"]}).with_row_index("place")
    rated = (
        panel.ratings.filter((pl.col("rater") == PEOPLE) & pl.col("harm").is_not_null())
        .group_by("association_id", "model")
        .agg(mean=pl.col("harm").mean(), count=pl.len())
        .join(places, on="association_id")
        .sort("place", "model")
    )
    _, person = np.unique(rated["model"].to_numpy().astype(str), return_inverse=True)
    return Ratings(
        rated["place"].to_numpy().astype(np.int64),
        person,
        rated["mean"].to_numpy().astype(float),
        rated["count"].to_numpy().astype(float),
    )


def difference(scores: np.ndarray, people: Ratings, which: np.ndarray, confidence: float) -> dict[str, Any]:
    """Scores less people's ratings over some associations.

    Args:
        scores: a model's score of each association of the panel, NaN where it has none.
        people: people's ratings.
        which: associations that count, as true and false.
        confidence: confidence level.

    Returns:
        The columns `delta` (the mean over associations), its interval and those of `CLAIM_TYPES`, not yet corrected and
        decided.
    """
    here = (which & ~np.isnan(scores))[people.association]
    item = people.association[here]
    found = crossed_mean(
        scores[item] - people.mean[here],
        item,
        people.person[here],
        confidence=confidence,
        bounds=BOUNDS,
        counts=people.count[here],
    )
    needed = fewest_units(significance(confidence))
    untestable = "" if found.items else NOTHING_SHARED
    untestable = untestable or too_few(found.raters, "people", needed)
    untestable = untestable or too_few(found.items, "associations", needed)
    if not untestable and np.isnan(found.p_value):
        untestable = UNBALANCED
    return {
        "delta": found.value,
        "delta_low": found.interval.low,
        "delta_high": found.interval.high,
        "neutral": 0.0,
        "p_value": NAN if untestable else found.p_value,
        "confidence": confidence,
        "interval": CROSSED,
        "clusters": found.raters,
        "clusters_effective": found.effective,
        "reason": untestable,
    }


def decide_together(
    raters: pl.DataFrame, by_attribute: pl.DataFrame, together: str, confidence: float
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Both tables with corrected p-values and verdicts.

    What pages say of models in general, overall and by attribute, is one family; what tables say of single models and
    sides is another.

    Args:
        raters: the table of raters.
        by_attribute: the table of attributes.
        together: the rater that stands for models in general.
        confidence: confidence level of the verdicts.
    """
    general = in_general(together)
    ends = ("delta_low", "delta_high")
    columns = ["delta", *ends, *CLAIM_TYPES]
    claims = pl.concat(
        [
            table.select(*columns, general=stands)
            for table, stands in zip((raters, by_attribute), general, strict=True)
        ]
    ).with_row_index("place")
    done = pl.concat(
        [
            decided(
                adjusted(claims.filter(which), family),
                value="delta",
                confidence=confidence,
                resolution=RESOLUTION,
                ends=ends,
            )
            for family, which in ((HARM_DIFFERENCES, pl.col("general")), (HARM_DETAILS, ~pl.col("general")))
        ]
    ).sort("place")
    found = done.select(pl.col("p_adjusted", *ends).fill_nan(None), "verdict", "reason")
    return (
        raters.with_columns(found.head(raters.height)),
        by_attribute.with_columns(found.tail(by_attribute.height)),
    )


def in_general(together: str) -> tuple[pl.Expr, pl.Expr]:
    """Which rows of the table of raters, and of that of attributes, are about models in general."""
    rater = pl.col("rater") == together
    return rater, rater & (pl.col("side") == EITHER)
