"""The table of associations: people's verdict on each, and how models differ from it.

People's verdict is the median of their ratings with its interval. The table by attribute shows where models
underestimate and overestimate harm, and how many such associations they write.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import polars as pl

from endoxa.instruments.stories.harm.panel import (
    ALL_MODELS,
    BENIGN,
    CLAIM_TYPES,
    EITHER,
    HARMFUL,
    PEOPLE,
    UNDECIDED,
    Panel,
    Ratings,
    difference,
    ratings_of_people,
)
from endoxa.instruments.stories.harm.raters import made_by
from endoxa.schema.harm import HARM_ASSOCIATION_COLUMNS, HARM_ATTRIBUTE_COLUMNS
from endoxa.sources.frames import column_types
from endoxa.sources.stereotales.associations import PARTS
from endoxa.stats.intervals import NAN, UNDEFINED, Interval


@dataclass(frozen=True, slots=True)
class Verdict:
    """What people's ratings of one association say.

    Attributes:
        median: their median.
        interval: its interval; NaN where there are too few ratings for one.
        at_threshold: share of ratings at the threshold or above.
        p_harmful: probability that more than half of the population would rate it so.
        word: `HARMFUL`, `BENIGN` or `UNDECIDED`.
    """

    median: float
    interval: Interval
    at_threshold: float
    p_harmful: float
    word: str


def verdict(ratings: np.ndarray, threshold: float, confidence: float) -> Verdict:
    """The verdict of one or more ratings."""
    interval = median_interval(ratings, confidence)
    above = int((ratings >= threshold).sum())
    word = UNDECIDED
    if interval.low >= threshold:
        word = HARMFUL
    elif interval.high < threshold:
        word = BENIGN
    return Verdict(
        median=float(np.median(ratings)),
        interval=interval,
        at_threshold=above / len(ratings),
        p_harmful=majority_probability(above, len(ratings)),
        word=word,
    )


def median_interval(values: np.ndarray, confidence: float) -> Interval:
    """Interval of the median between two order statistics, whose ranks are binomial with chance 1/2.

    It needs no assumption on the distribution and covers at least as often as it says, more where ratings tie (David
    and Nagaraja 2003, "Order Statistics", section 7.1). NaN where even the smallest and the largest value together do
    not reach the confidence: fewer than 6 ratings at 95 %.
    """
    rank = lowest_rank(len(values), confidence)
    if rank < 1:
        return UNDEFINED
    ordered = np.sort(values)
    return Interval(float(ordered[rank - 1]), float(ordered[len(ordered) - rank]))


@cache
def lowest_rank(count: int, confidence: float) -> int:
    """Rank of the lower end among `count` values; 0 where there is none."""
    from scipy.stats import binom

    below = binom.cdf(np.arange(count + 1), count, 0.5)
    return int(np.searchsorted(below, (1 - confidence) / 2, side="right"))


@cache
def majority_probability(above: int, count: int) -> float:
    """Probability that the share behind `above` of `count` is over one half, under Jeffreys' prior Beta(1/2, 1/2)."""
    if count == 0:
        return NAN
    from scipy.stats import beta

    return float(beta.sf(0.5, above + 0.5, count - above + 0.5))


TYPES = column_types(
    HARM_ASSOCIATION_COLUMNS,
    texts=("association_id", *PARTS, "people_verdict"),
    counts=("people_n", "people_harmful", "models", "made_by"),
)


def association_table(panel: Panel, made: pl.DataFrame | None, confidence: float) -> pl.DataFrame:
    """`schema.harm.HARM_ASSOCIATION_COLUMNS`, one row per association that anybody rated.

    Args:
        panel: the ratings.
        made: associations with the `model` that makes each, or None.
        confidence: confidence level of the interval of people's median.
    """
    people = _people(panel, confidence)
    makers: Mapping[str, int] = {}
    if made is not None:
        counted = made.group_by("association_id").agg(pl.col("model").drop_nulls().n_unique())
        makers = dict(counted.iter_rows())
    of_models = _models(panel)
    of_people = dict(panel.table.filter(rater=PEOPLE).select("association_id", "frequent_yes").iter_rows())
    rows = [
        {
            **association,
            **people.get(name, {}),
            **of_models[name],
            "people_frequent_yes": of_people.get(name),
            "made_by": makers.get(name, 0) if made is not None else None,
        }
        for association in panel.associations.iter_rows(named=True)
        for name in (association["association_id"],)
    ]
    table = pl.DataFrame(rows, schema=TYPES).with_columns(delta=pl.col("models_mean") - pl.col("people_mean"))
    return table.with_columns(pl.selectors.float().fill_nan(None))


def _people(panel: Panel, confidence: float) -> dict[str, dict[str, Any]]:
    """People's verdict by association."""
    rated = panel.ratings.filter((pl.col("rater") == PEOPLE) & pl.col("harm").is_not_null())
    result: dict[str, dict[str, Any]] = {}
    for name, several in rated.group_by("association_id").agg("harm").iter_rows():
        values = np.array(several, dtype=float)
        verdict_of = verdict(values, panel.threshold, confidence)
        result[name] = {
            "people_n": len(values),
            "people_mean": float(values.mean()),
            "people_median": verdict_of.median,
            "people_low": verdict_of.interval.low,
            "people_high": verdict_of.interval.high,
            "people_at_threshold": verdict_of.at_threshold,
            "p_harmful": verdict_of.p_harmful,
            "people_harmful": int(verdict_of.median >= panel.threshold),
            "people_verdict": verdict_of.word,
        }
    return result


def _models(panel: Panel) -> dict[str, dict[str, Any]]:
    """What models say of each association."""
    names = list(panel.models)
    means = panel.mean(ALL_MODELS)
    table = panel.table.filter(pl.col("rater").is_in(names))
    by_name = {
        name: (count, harmful, frequent)
        for name, count, harmful, frequent in table.group_by("association_id")
        .agg((pl.col("n") > 0).sum(), pl.col("harmful").mean(), pl.col("frequent_yes").mean())
        .iter_rows()
    }
    result: dict[str, dict[str, Any]] = {}
    for place, name in enumerate(panel.associations["association_id"]):
        count, harmful, frequent = by_name.get(name, (0, None, None))
        result[name] = {
            "models": count,
            "models_mean": float(means[place]),
            "models_harmful": harmful,
            "models_frequent_yes": frequent,
        }
    return result


SIDES = (EITHER, "base", "compared")
ATTRIBUTE_TYPES = (
    column_types(HARM_ATTRIBUTE_COLUMNS, texts=("attribute", "side", "rater"), counts=("n", "made"))
    | CLAIM_TYPES
)


def attribute_table(
    panel: Panel, made: pl.DataFrame | None, names: Mapping[str, str], confidence: float
) -> pl.DataFrame:
    """`schema.harm.HARM_ATTRIBUTE_COLUMNS`: every attribute, side, and model, and all models together.

    Verdicts are still open (`decide_together`).

    Args:
        panel: the ratings.
        made: associations with the `model` that makes each, or None.
        names: for each rater whose stories are in `made`, the name that it has there.
        confidence: confidence level of the intervals.
    """
    raters = [*panel.models, *([ALL_MODELS] if len(panel.models) > 1 else [])]
    people = ratings_of_people(panel)
    rows = [
        row for rater in raters for row in _rows(panel, people, rater, _made(made, names, rater), confidence)
    ]
    return pl.DataFrame(rows, schema=ATTRIBUTE_TYPES).with_columns(pl.selectors.float().fill_nan(None))


def attributes_of(associations: pl.DataFrame) -> list[str]:
    """All attributes on either side, in alphabetical order."""
    return sorted({*associations["base_attribute"], *associations["compared_attribute"]})


def having(associations: pl.DataFrame, attribute: str, side: str) -> np.ndarray:
    """Which associations have an attribute on a side, as true and false."""
    base, compared = (
        (associations[f"{name}_attribute"] == attribute).to_numpy() for name in ("base", "compared")
    )
    return np.asarray({"base": base, "compared": compared, EITHER: base | compared}[side])


def _made(made: pl.DataFrame | None, names: Mapping[str, str], rater: str) -> pl.DataFrame | None:
    """The associations that a rater makes, each once; None where its stories are not known."""
    if made is None or (rater != ALL_MODELS and rater not in names):
        return None
    if rater != ALL_MODELS:
        return made_by(made, names[rater])
    return made.filter(pl.col("model").is_not_null()).unique("association_id", keep="first")


def _rows(
    panel: Panel, people: Ratings, rater: str, makes: pl.DataFrame | None, confidence: float
) -> Iterator[dict[str, Any]]:
    scores = panel.mean(rater)
    theirs = panel.mean(PEOPLE) if panel.has_people else np.full_like(scores, np.nan)
    rated = ~np.isnan(scores) & ~np.isnan(theirs)
    for attribute in attributes_of(panel.associations):
        for side in SIDES:
            here = rated & having(panel.associations, attribute, side)
            n = int(here.sum())
            claim = difference(scores, people, here, confidence) if panel.has_people else {}
            count = None if makes is None else int(having(makes, attribute, side).sum())
            yield {
                "attribute": attribute,
                "side": side,
                "rater": rater,
                "n": n,
                "rater_mean": scores[here].mean() if n else None,
                "people_mean": theirs[here].mean() if n else None,
                "made": count,
                "made_share": count / len(makes)
                if count is not None and makes is not None and len(makes)
                else None,
                **claim,
            }
