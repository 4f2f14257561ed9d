"""Whether people rate what is said of their own group otherwise than what is said of others (LACES, 5.1).

For each sentiment: the mean of in-group and of out-group ratings, and their difference. The raw difference also holds
which associations were rated from where, and that people of some groups give higher ratings to everything. Verdicts
are therefore of the difference within associations and within raters (`endoxa.stats.crossed.crossed_contrast`), both
as samples. Where the export has propensities, means weighted by 1/propensity (Hajek) stand beside the raw ones: they
correct for which cards were drawn, not for who came.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.report.words import decimal, plural
from endoxa.runs.estimates import LENIENCY, adjusted, decided
from endoxa.stats.crossed import crossed_contrast
from endoxa.stats.intervals import NAN
from endoxa.stats.resampling import Clusters, expanded_interval, times_drawn
from endoxa.stats.signs import fewest_units
from endoxa.stats.verdicts import UNTESTED, significance

ALL, UNSTATED = "all", "not stated"
IN, OUT, DIFFERENCE = "in-group", "out-group", "difference"

CELL_COLUMNS: dict[str, str] = {
    "sentiment": "sentiment of the associations, or 'all'",
    "perspective": "'in-group', 'out-group', or 'difference' (in-group minus out-group)",
    "n": "ratings",
    "raters": "people who gave them; 0 where no rating says who gave it",
    "pairs": "associations they are of",
    "mean": "mean rating, or the difference of means",
    "low": "lower end of its interval, raters and associations resampled",
    "high": "upper end",
    "weighted_mean": "the same weighted by 1/propensity (Hajek), of ratings that have one",
    "p_value": "of the adjusted difference against 0, raters and associations as samples",
    "p_adjusted": "adjusted over sentiments (Benjamini-Hochberg)",
    "neutral": "0 for differences",
    "verdict": "of `adjusted`: 'above' (in-group ratings are higher), 'below', 'unclear', 'cannot-be-tested'",
    "reason": "why it cannot be tested, or what the correction changed",
    "adjusted": "difference within associations, and within raters where `within` is 'raters' (rows 'difference')",
    "adjusted_low": "lower end of its interval, raters and associations as samples",
    "adjusted_high": "upper end",
    "raters_compared": "raters who rated from both sides; of raters who rated from one side, those on the smaller one",
    "pairs_compared": "associations rated from both sides",
    "within": "'raters': raters are compared with themselves; 'associations': with others on the same associations",
    "sampled": "'both', or 'raters' where fewer than six associations are taken as they are; 'none'",
}
NO_RATERS = "no rating says who gave it"
WITHIN_RATERS, WITHIN_ASSOCIATIONS = "raters", "associations"
BOTH, RATERS, NOBODY = "both", "raters", "none"
_NUMBERS = ("low", "high", "p_value", "adjusted", "adjusted_low", "adjusted_high")


@dataclass(frozen=True, slots=True)
class Leniency:
    """What `analyze_leniency` found.

    Attributes:
        cells: columns of `CELL_COLUMNS`.
        left_out: ratings that do not say whether their rater is of the group.
    """

    cells: pl.DataFrame
    left_out: int


def analyze_leniency(
    ratings: pl.DataFrame, *, confidence: float = 0.95, resamples: int = 2000, seed: int = 0
) -> Leniency:
    """Means by perspective and sentiment, and their differences.

    Args:
        ratings: columns of `reading.COLUMNS`.
        confidence: confidence level of the intervals and verdicts.
        resamples: samples of raters and associations behind the interval of each mean.
        seed: of what is drawn.

    Raises:
        UserError: no rating says whether its rater is of the group.
    """
    rated = ratings.drop_nulls("in_group").with_columns(sentiment=pl.col("sentiment").replace({"": UNSTATED}))
    if rated.is_empty():
        raise UserError("No rating says whether its rater is one of the people rated (column in_group).")
    if not (rated["rater"] == "").all():
        unnamed = pl.format("?{}", pl.int_range(pl.len()))
        rated = rated.with_columns(rater=pl.when(pl.col("rater") == "").then(unnamed).otherwise("rater"))
    sentiments = rated["sentiment"].unique().sort().to_list()
    parts = [ALL, *sentiments] if len(sentiments) > 1 else [ALL]
    rows = [
        row
        for name in parts
        for row in _rows(
            name, rated if name == ALL else rated.filter(sentiment=name), confidence, resamples, seed
        )
    ]
    cells = pl.DataFrame(rows, infer_schema_length=None).with_columns(
        neutral=pl.when(pl.col("perspective") == DIFFERENCE).then(0.0)
    )
    ends = [f"{name}{end}" for name in ("", "adjusted_") for end in ("low", "high")]
    cells = decided(
        adjusted(cells, LENIENCY), value="adjusted", confidence=confidence, resolution=0.0005, ends=ends
    )
    return Leniency(cells.select(list(CELL_COLUMNS)), ratings.height - rated.height)


def basis(row: Mapping[str, Any]) -> str:
    """What an adjusted difference rests on, and the raw one; or why it has no test."""
    if row["verdict"] == UNTESTED:
        return f"cannot be tested ({row['reason']})."
    raters = plural(int(row["raters_compared"]), "rater")
    pairs = plural(int(row["pairs_compared"]), "association")
    compared = f"{raters} compared with themselves"
    if row["within"] == WITHIN_ASSOCIATIONS:
        compared = f"raters compared with others, {raters} on the smaller side"
    compared += (
        f", with these {pairs} only" if row["sampled"] == RATERS else f"; {pairs} rated from both sides"
    )
    return f"{compared}. Raw difference {decimal(row['mean'], 2)}."


def _rows(
    sentiment: str, part: pl.DataFrame, confidence: float, resamples: int, seed: int
) -> Iterator[dict[str, Any]]:
    """In-group, out-group and their difference.

    Where no rating names its rater there are means alone: nobody knows which ratings are of one person.
    """
    inside = part["in_group"].to_numpy()
    sides = [part.filter(pl.Series(which)) for which in (inside, ~inside)]
    named = (part["rater"] != "").any()
    means = [float(side["rating"].to_numpy().mean()) if side.height else NAN for side in sides]
    weighted = [_weighted(side) if named else NAN for side in sides]
    draws = _resampled(part, inside, resamples, seed) if named else np.empty((0, 2))
    for perspective, rows, mean, weight, drawn in zip(
        (IN, OUT, DIFFERENCE),
        (*sides, part),
        (*means, means[0] - means[1]),
        (*weighted, weighted[0] - weighted[1]),
        (*draws.T, draws[:, 0] - draws[:, 1]),
        strict=True,
    ):
        yield {
            **dict.fromkeys(_NUMBERS, NAN),
            **dict.fromkeys(("raters_compared", "pairs_compared")),
            **dict.fromkeys(("reason", "within", "sampled"), ""),
            "sentiment": sentiment,
            "perspective": perspective,
            "n": rows.height,
            "raters": rows["rater"].n_unique() if named else 0,
            "pairs": rows.select("identity", "attribute").n_unique(),
            "mean": mean,
            "weighted_mean": weight,
            **(_interval(rows, drawn, confidence) if named and not isnan(mean) else {}),
            **(_compared(part, inside, confidence) if perspective == DIFFERENCE else {}),
        }


def _codes(part: pl.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Code of the rater and of the association of each rating, from 0."""
    ranks = part.select(
        pl.col("rater").rank("dense") - 1, pair=pl.struct("identity", "attribute").rank("dense") - 1
    )
    return ranks["rater"].to_numpy(), ranks["pair"].to_numpy()


def _resampled(part: pl.DataFrame, inside: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """In-group and out-group mean in samples of raters and of associations (Owen 2007), shape (resamples, 2)."""
    raters, pairs = _codes(part)
    random = np.random.default_rng(seed)
    drawn = [times_drawn(np.ones(code.max() + 1), resamples, random) for code in (raters, pairs)]
    columns = np.column_stack([inside, ~inside]).astype(float)
    columns = np.column_stack([columns, columns * part["rating"].to_numpy()[:, None]])
    totals = np.array(
        [(of_raters[raters] * of_pairs[pairs]) @ columns for of_raters, of_pairs in zip(*drawn, strict=True)]
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(totals[:, 2:] / totals[:, :2])


def _interval(part: pl.DataFrame, draws: np.ndarray, confidence: float) -> dict[str, float]:
    """Expanded percentiles, at the effective number of raters or of associations, whichever is less."""
    clusters = [Clusters.of(code) for code in _codes(part)]
    interval = expanded_interval(draws, min(clusters, key=lambda units: units.effective), confidence)
    return {"low": interval.low, "high": interval.high}


def _weighted(part: pl.DataFrame) -> float:
    """Hajek mean of the ratings with a propensity; NaN where there are none."""
    drawn = part.drop_nulls("propensity")
    if drawn.is_empty():
        return NAN
    weights = 1 / drawn["propensity"].to_numpy()
    return float(np.average(drawn["rating"].to_numpy(), weights=weights))


def _compared(part: pl.DataFrame, inside: np.ndarray, confidence: float) -> dict[str, Any]:
    """The adjusted difference with its test; the reason where there is none."""
    if (part["rater"] == "").all():
        return {"sampled": NOBODY, "reason": NO_RATERS}
    if inside.all() or not inside.any():
        return {"sampled": NOBODY, "reason": "no ratings of one of the two perspectives"}
    rating = part["rating"].to_numpy()
    needed, span = fewest_units(significance(confidence)), float(np.ptp(rating))
    contrast = crossed_contrast(
        rating, inside, *_codes(part), needed=needed, confidence=confidence, bounds=(-span, span)
    )
    reason = ""
    if contrast.raters < needed:
        reason = f"{contrast.raters} raters of one perspective, at least {needed} needed"
    elif not contrast.items:
        reason = "no association was rated from both perspectives"
    return {
        "p_value": NAN if reason else contrast.p_value,
        "reason": reason,
        "adjusted": contrast.value,
        "adjusted_low": contrast.interval.low,
        "adjusted_high": contrast.interval.high,
        "raters_compared": contrast.raters,
        "pairs_compared": contrast.items,
        "within": WITHIN_RATERS if contrast.within else WITHIN_ASSOCIATIONS,
        "sampled": NOBODY if reason else BOTH if contrast.items >= needed else RATERS,
    }
