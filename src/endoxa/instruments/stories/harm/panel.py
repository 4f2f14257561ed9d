"""Ratings as a panel: one number and one class per rater and association."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from endoxa.runs.families import HARM_DETAILS, HARM_DIFFERENCES, adjusted, decided
from endoxa.schema import ALL
from endoxa.schema.harm import HARM_SCORE_COLUMNS
from endoxa.sources.stereotales.associations import PARTS
from endoxa.stats.crossed import crossed_mean
from endoxa.stats.intervals import NAN, effective_number
from endoxa.stats.signs import fewest_units
from endoxa.stats.verdicts import significance, too_few

PEOPLE = "people"
"""All people together, as one rater."""
ALL_MODELS = "all models"
"""The mean over models, as one rater."""
MODEL, HUMAN = "model", "human"
"""Kinds of raters."""
HARMFUL, BENIGN, UNDECIDED = "harmful", "benign", "undecided"
"""Verdicts of people."""
THRESHOLD = 4.0
"""Median rating from which an association is harmful (Le Jeune et al. 2026, "Harmful association definition")."""
LOWEST, HIGHEST = 1, 5
"""Ends of the scale."""
EITHER = "either"


@dataclass(frozen=True, slots=True)
class Panel:
    """All raters on all associations; arrays have shape (associations, raters), NaN where one did not rate.

    Attributes:
        ratings: the ratings one by one, `rater` being one of `raters`.
        associations: `association_id` and the four parts, in the order of their names.
        raters: models in alphabetical order, then `PEOPLE` where people rated.
        models: for each rater that is a model its name as the command line had it.
        means: means of ratings.
        medians: their medians.
        threshold: median from which an association counts as harmful.
        table: `schema.harm.HARM_SCORE_COLUMNS`.
    """

    ratings: pl.DataFrame
    associations: pl.DataFrame
    raters: tuple[str, ...]
    models: Mapping[str, str]
    means: np.ndarray
    medians: np.ndarray
    threshold: float
    table: pl.DataFrame

    @property
    def has_people(self) -> bool:
        """Whether people rated."""
        return PEOPLE in self.raters

    def values(self, side: str) -> np.ndarray:
        """Code of the 'base' or 'compared' value of each association: associations that share one are alike."""
        names = pl.struct(f"{side}_attribute", f"{side}_value")
        return self.associations.select(names.rank("dense")).to_series().to_numpy()

    @property
    def together(self) -> str:
        """The rater that stands for models in general: all of them, the only one, or '' where none rated."""
        return ALL_MODELS if len(self.models) > 1 else next(iter(self.models), "")

    def mean(self, rater: str) -> np.ndarray:
        """Mean rating of each association; of `ALL_MODELS` the mean over models of their means."""
        return self._column(rater, self.means, np.nanmean)

    def median(self, rater: str) -> np.ndarray:
        """Median rating of each association; of `ALL_MODELS` the median over models of their medians."""
        return self._column(rater, self.medians, np.nanmedian)

    def harmful(self, rater: str) -> np.ndarray:
        """1 where the median reaches the threshold, 0 where it does not, NaN where there is none."""
        median = self.median(rater)
        return np.where(np.isnan(median), np.nan, median >= self.threshold)

    def _column(self, rater: str, values: np.ndarray, over: Callable[..., Any]) -> np.ndarray:
        if rater != ALL_MODELS:
            return np.asarray(values[:, self.raters.index(rater)])
        of_models = values[:, [k for k, name in enumerate(self.raters) if name != PEOPLE]]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # an association that no model rated stays NaN
            return np.asarray(over(of_models, axis=1))


def panel(ratings: pl.DataFrame, threshold: float) -> Panel:
    """The panel of checked ratings.

    A model that was asked in several languages is a rater for each, "NAME [CODE]".
    """
    several = pl.col("language").n_unique().over("rater", "rater_kind") > 1
    in_language = pl.when(several).then(pl.format("{} [{}]", "rater", "language")).otherwise("rater")
    person = pl.col("rater_kind") == HUMAN
    named = ratings.with_columns(
        model=pl.col("rater"), rater=pl.when(person).then(pl.lit(PEOPLE)).otherwise(in_language)
    )
    associations = (
        ratings.select("association_id", *PARTS).unique("association_id", keep="first").sort("association_id")
    )
    models = dict(named.filter(~person).select("rater", "model").unique().sort("rater").iter_rows())
    raters = (*models, PEOPLE) if named["rater_kind"].eq(HUMAN).any() else tuple(models)
    # What each rater thinks of each association.
    frequent = pl.col("frequent").filter(pl.col("frequent") != "")
    scores = named.group_by("association_id", "rater", "rater_kind").agg(
        n=pl.col("harm").count().cast(pl.Int64),
        mean=pl.col("harm").mean(),
        median=pl.col("harm").median(),
        frequent_yes=(frequent == "yes").mean(),
        frequent_n=frequent.count().cast(pl.Int64),
    )
    classified = scores.with_columns(harmful=(pl.col("median") >= threshold).cast(pl.Int64))
    table = classified.select(*HARM_SCORE_COLUMNS).sort("association_id", "rater_kind", "rater")
    means, medians = (_matrix(table, name, associations, raters) for name in ("mean", "median"))
    return Panel(named, associations, raters, models, means, medians, threshold, table)


def _matrix(
    table: pl.DataFrame, name: str, associations: pl.DataFrame, raters: tuple[str, ...]
) -> np.ndarray:
    """A column of the table as associations x raters, NaN where there is no number."""
    rows = {key: place for place, key in enumerate(associations["association_id"])}
    columns = {rater: place for place, rater in enumerate(raters)}
    matrix = np.full((len(rows), len(columns)), np.nan)
    for association, rater, value in table.select("association_id", "rater", name).iter_rows():
        if value is not None:
            matrix[rows[association], columns[rater]] = value
    return matrix


CROSSED = "crossed"
"""Code of the interval: people and values are samples."""
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
    "base_values": pl.Int64,
    "compared_values": pl.Int64,
    "sampled": pl.String,
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
        base_value: code of the association's base value.
        compared_value: code of its compared value.
    """

    association: np.ndarray
    person: np.ndarray
    mean: np.ndarray
    count: np.ndarray
    base_value: np.ndarray
    compared_value: np.ndarray


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
    place = rated["place"].to_numpy().astype(np.int64)
    return Ratings(
        place,
        person,
        rated["mean"].to_numpy().astype(float),
        rated["count"].to_numpy().astype(float),
        panel.values("base")[place],
        panel.values("compared")[place],
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
    item, base, compared = (
        codes[here] for codes in (people.association, people.base_value, people.compared_value)
    )
    needed = fewest_units(significance(confidence))
    per_compared = np.unique(compared[np.unique(item, return_index=True)[1]], return_counts=True)[1]
    # Few compared values are no sample: what is said holds with these.
    sampled = effective_number(per_compared) >= needed
    crossed = crossed_mean(
        scores[item] - people.mean[here],
        item,
        people.person[here],
        confidence=confidence,
        bounds=BOUNDS,
        counts=people.count[here],
        groups=(base, compared) if sampled else (base,),
    )
    untestable = "" if crossed.items else NOTHING_SHARED
    untestable = untestable or too_few(crossed.raters, "people", needed)
    untestable = untestable or too_few(crossed.items, "base values", needed)
    if not untestable and np.isnan(crossed.p_value):
        untestable = UNBALANCED
    return {
        "delta": crossed.value,
        "delta_low": crossed.interval.low,
        "delta_high": crossed.interval.high,
        "neutral": 0.0,
        "p_value": NAN if untestable else crossed.p_value,
        "confidence": confidence,
        "interval": CROSSED,
        "clusters": crossed.raters,
        "clusters_effective": crossed.effective,
        "base_values": crossed.items,
        "compared_values": len(per_compared),
        "sampled": "none" if untestable else "both" if sampled else "base values",
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
            table.select(*columns, general=stands, attribute=attribute)
            for table, stands, attribute in zip(
                (raters, by_attribute), general, (pl.lit(ALL), pl.col("attribute")), strict=True
            )
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
    decisions = done.select(pl.col("p_adjusted", *ends).fill_nan(None), "verdict", "reason")
    return (
        raters.with_columns(decisions.head(raters.height)),
        by_attribute.with_columns(decisions.tail(by_attribute.height)),
    )


def in_general(together: str) -> tuple[pl.Expr, pl.Expr]:
    """Which rows of the table of raters, and of that of attributes, are about models in general."""
    rater = pl.col("rater") == together
    return rater, rater & (pl.col("side") == EITHER)
