"""Whether people rate what is said of their own group otherwise than what is said of others (LACES, 5.1).

For each sentiment: the mean of in-group and of out-group ratings, and their difference. Raters are a sample, and each
gives many ratings, so intervals resample raters. Beside the raw difference stands that of a mixed model with raters and
associations as crossed random effects: raw means also differ because other associations are rated, the model compares
within raters and associations. Where the export has propensities, means weighted by 1/propensity (Hajek) stand beside
the raw ones: they correct for which cards were drawn, not for who came.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.runs.families import LENIENCY, adjusted, decided
from endoxa.stats.crossed import fit_crossed
from endoxa.stats.resampling import Clusters, bootstrap, expanded_interval, expanded_p_value

ALL, UNSTATED = "all", "not stated"
IN, OUT, DIFFERENCE = "in-group", "out-group", "difference"

CELL_COLUMNS: dict[str, str] = {
    "sentiment": "sentiment of the associations, or 'all'",
    "perspective": "'in-group', 'out-group', or 'difference' (in-group minus out-group)",
    "n": "ratings",
    "raters": "people who gave them",
    "pairs": "associations they are of",
    "mean": "mean rating, or the difference of means",
    "low": "lower end of its interval, raters resampled",
    "high": "upper end",
    "weighted_mean": "the same weighted by 1/propensity (Hajek), of ratings that have one",
    "model": "difference in a mixed model with raters and associations as crossed effects (rows 'difference')",
    "model_low": "lower end of its interval",
    "model_high": "upper end",
    "p_value": "of the raw difference against 0, raters resampled",
    "p_adjusted": "adjusted over sentiments (Benjamini-Hochberg)",
    "neutral": "0 for differences",
    "verdict": "'above': in-group ratings are higher; 'below'; 'unclear'; 'cannot-be-tested'",
    "reason": "why it cannot be tested, or what the correction changed",
}
SHARE_COLUMNS: dict[str, str] = {
    "sentiment": "sentiment of the associations, or 'all'",
    "perspective": "'in-group' or 'out-group'",
    "rating": "a rating",
    "n": "how many of them",
    "share": "of the ratings of this sentiment and perspective",
}
TOPIC_COLUMNS: dict[str, str] = {
    "topic": "topic of the associations",
    "in_group": "ratings by people of the group",
    "out_group": "ratings by others",
    "share_in": "in_group over both",
}
FEWEST_RATERS = 6
"""Raters of each perspective below which a difference is not tested."""


@dataclass(frozen=True, slots=True)
class Leniency:
    """What `analyze_leniency` found.

    Attributes:
        cells: columns of `CELL_COLUMNS`.
        shares: columns of `SHARE_COLUMNS`: the distribution of ratings.
        topics: columns of `TOPIC_COLUMNS`; empty where no topic is known.
        left_out: ratings that do not say whether their rater is of the group.
    """

    cells: pl.DataFrame
    shares: pl.DataFrame
    topics: pl.DataFrame
    left_out: int


@dataclass(frozen=True, slots=True)
class _How:
    confidence: float
    resamples: int
    seed: int


def analyze_leniency(
    ratings: pl.DataFrame, *, confidence: float = 0.95, resamples: int = 2000, seed: int = 0
) -> Leniency:
    """Means by perspective and sentiment, and their differences.

    Args:
        ratings: columns of `reading.COLUMNS`.
        confidence: confidence level of the intervals and verdicts.
        resamples: samples of raters behind each interval.
        seed: of what is drawn.

    Raises:
        UserError: no rating says whether its rater is of the group, or who the rater is.
    """
    rated = ratings.drop_nulls("in_group").with_columns(sentiment=pl.col("sentiment").replace({"": UNSTATED}))
    if rated.is_empty():
        raise UserError("No rating says whether its rater is one of the people rated (column in_group).")
    if (rated["rater"] == "").all():
        raise UserError("No rating says who gave it (column rater), so raters cannot be resampled.")
    rated = rated.with_columns(
        rater=pl.when(pl.col("rater") == "").then(pl.format("?{}", pl.int_range(pl.len()))).otherwise("rater")
    )
    how = _How(confidence, resamples, seed)
    sentiments = rated["sentiment"].unique().sort().to_list()
    parts = [ALL, *sentiments] if len(sentiments) > 1 else [ALL]
    rows = [
        row
        for name in parts
        for row in _rows(name, rated if name == ALL else rated.filter(sentiment=name), how)
    ]
    cells = pl.DataFrame(rows, infer_schema_length=None).with_columns(
        neutral=pl.when(pl.col("perspective") == DIFFERENCE).then(0.0)
    )
    cells = decided(adjusted(cells, LENIENCY), value="mean", confidence=confidence, resolution=0.0005)
    return Leniency(
        cells=cells.select(list(CELL_COLUMNS)),
        shares=_shares(rated, parts),
        topics=_topics(rated),
        left_out=ratings.height - rated.height,
    )


def _rows(sentiment: str, part: pl.DataFrame, how: _How) -> Iterator[dict[str, Any]]:
    """In-group, out-group and their difference."""
    inside = part["in_group"].to_numpy()
    for perspective, which in ((IN, inside), (OUT, ~inside)):
        yield _mean_row(sentiment, perspective, part.filter(pl.Series(which)), how)
    yield _difference_row(sentiment, part, inside, how)


def _described(sentiment: str, perspective: str, part: pl.DataFrame) -> dict[str, Any]:
    blank = dict.fromkeys(("model", "model_low", "model_high", "p_value", "weighted_mean"), float("nan"))
    return {
        **blank,
        "sentiment": sentiment,
        "perspective": perspective,
        "n": part.height,
        "raters": part["rater"].n_unique(),
        "pairs": part.select("identity", "attribute").n_unique(),
        "reason": "",
    }


def _mean_row(sentiment: str, perspective: str, part: pl.DataFrame, how: _How) -> dict[str, Any]:
    row = _described(sentiment, perspective, part)
    if part.is_empty():
        return {**row, "mean": float("nan"), "low": float("nan"), "high": float("nan")}
    clusters = Clusters.of(part["rater"].to_numpy(), part["rating"].to_numpy())
    draws = bootstrap(clusters, lambda totals: totals[:, 1] / totals[:, 0], how.resamples, how.seed)
    interval = expanded_interval(draws, clusters, how.confidence)
    mean = float(np.mean(part["rating"].to_numpy()))
    return {**row, "mean": mean, "low": interval.low, "high": interval.high, "weighted_mean": _weighted(part)}


def _weighted(part: pl.DataFrame) -> float:
    """Hajek mean of the ratings with a propensity; NaN where there are none."""
    drawn = part.drop_nulls("propensity")
    if drawn.is_empty():
        return float("nan")
    weights = 1 / drawn["propensity"].to_numpy()
    return float(np.average(drawn["rating"].to_numpy(), weights=weights))


def _difference_row(sentiment: str, part: pl.DataFrame, inside: np.ndarray, how: _How) -> dict[str, Any]:
    row = _described(sentiment, DIFFERENCE, part)
    rating = part["rating"].to_numpy()
    insiders, others = (part.filter(pl.Series(which)) for which in (inside, ~inside))
    few = min(insiders["rater"].n_unique(), others["rater"].n_unique())
    if insiders.is_empty() or others.is_empty():
        row |= dict.fromkeys(("mean", "low", "high"), float("nan"))
        return {**row, "reason": "no ratings of one of the two perspectives"}
    clusters = Clusters.of(part["rater"].to_numpy(), inside * rating, inside, ~inside * rating, ~inside)
    with np.errstate(divide="ignore", invalid="ignore"):
        draws = bootstrap(
            clusters,
            lambda total: total[:, 1] / total[:, 2] - total[:, 3] / total[:, 4],
            how.resamples,
            how.seed,
        )
    interval = expanded_interval(draws, clusters, how.confidence)
    return {
        **row,
        **_modelled(part, inside, how.confidence),
        "mean": float(rating[inside].mean() - rating[~inside].mean()),
        "low": interval.low,
        "high": interval.high,
        "weighted_mean": _weighted(insiders) - _weighted(others),
        "p_value": expanded_p_value(draws, clusters),
        "reason": f"{few} raters of one perspective, at least {FEWEST_RATERS} needed"
        if few < FEWEST_RATERS
        else "",
    }


def _modelled(part: pl.DataFrame, inside: np.ndarray, confidence: float) -> dict[str, float]:
    """The difference in the mixed model; nothing where it cannot be fitted."""
    pairs = part.select(pl.struct("identity", "attribute").rank("dense")).to_series().to_numpy()
    raters = part["rater"].rank("dense").to_numpy()
    x = np.column_stack([np.ones(part.height), inside])
    try:
        fit = fit_crossed(part["rating"].to_numpy(), x, raters, pairs)
    except (ValueError, np.linalg.LinAlgError):
        return {}
    low, high = fit.interval(1, confidence)
    return {"model": float(fit.coefficients[1]), "model_low": low, "model_high": high}


def _shares(rows: pl.DataFrame, parts: list[str]) -> pl.DataFrame:
    """How often each rating was given, by sentiment and perspective."""
    perspective = pl.when("in_group").then(pl.lit(IN)).otherwise(pl.lit(OUT))
    named = rows.with_columns(perspective=perspective)
    overall = named.with_columns(sentiment=pl.lit(ALL))
    rows_all = pl.concat([overall, named]) if len(parts) > 1 else overall
    counted = rows_all.group_by("sentiment", "perspective", "rating").len("n")
    return (
        counted.with_columns(share=pl.col("n") / pl.col("n").sum().over("sentiment", "perspective"))
        .sort("sentiment", "perspective", "rating")
        .select(list(SHARE_COLUMNS))
    )


def _topics(rows: pl.DataFrame) -> pl.DataFrame:
    """Ratings from within and from outside by topic, the topic with the most ratings from within first."""
    inside = pl.col("in_group").sum().cast(pl.Int64)
    counted = (
        rows.filter(pl.col("topic") != "")
        .group_by("topic", maintain_order=True)
        .agg(in_group=inside, out_group=pl.len().cast(pl.Int64) - inside)
    )
    shared = counted.with_columns(share_in=pl.col("in_group") / (pl.col("in_group") + pl.col("out_group")))
    return shared.sort("share_in", "topic", descending=[True, False]).select(list(TOPIC_COLUMNS))
