"""Which topics people disagree about: the variance of the ratings of each association (LACES, 4.2 and 4.3).

Associations with two ratings or more are split into a low and a high group at a quantile of their variance. For each
topic the share of both groups is compared: the relative change is (share_high - share_low) / share_low, in percent.

The paper says 80 % and 20 %, not what becomes of ties. Variances of few ratings take few values, so many associations
lie exactly at the quantile. Here the high group holds what lies *above* it, and ties stay in the low group; both shares
are stated. A second way, `ties="split"`, orders equal variances at random (by the seed) until the shares are exact.

Verdicts do not rest on that change, for two reasons. Ratings near an end of the scale cannot vary much, so a topic that
everybody knows would look undisputed: each association is compared with those of about the same mean and number of
ratings (`excess`). And one word said of many identities is no independent witness for each: topics are permuted over
words, each with all of its associations (`endoxa.stats.permutation.units_by_group_test`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.runs.estimates import CONTROVERSY, adjusted, decided
from endoxa.stats.permutation import units_by_group_test
from endoxa.stats.resampling import drawn_units, percentile_interval
from endoxa.stats.verdicts import too_few

Ties = Literal["low", "split"]

TOPIC_COLUMNS: dict[str, str] = {
    "topic": "the topic; 'none' where an association has none",
    "n_low": "associations of the topic in the low group",
    "n_high": "in the high group",
    "share_low": "n_low over all of the low group",
    "share_high": "n_high over all of the high group",
    "relative_change": "percent: 100 (share_high - share_low) / share_low; undefined where share_low is 0",
    "low": "lower end of its interval: percentiles over samples of words, split anew in each",
    "high": "upper end; empty where it has none",
    "p_value": "of `rank` against 0.5: topics permuted over words, two-sided",
    "p_adjusted": "adjusted over all topics (Benjamini-Hochberg)",
    "neutral": "0: the relative change of a topic as common among the disputed as among the others",
    "verdict": "of `rank`: 'above': more disputed; 'below': less; 'unclear'; 'cannot-be-tested'",
    "reason": "why it cannot be tested, or what the correction changed",
    "words": "attributes of the topic, each with all of its associations",
    "rank": "mean rank of their variances (0 to 1) beyond what is usual at that mean and number of ratings, plus 0.5",
}
PAIR_COLUMNS: dict[str, str] = {
    "identity": "the people it is said of",
    "attribute": "what is said of them",
    "n": "ratings",
    "mean": "their mean",
    "variance": "their variance, divided by n (on five points: 0 to 4)",
    "group": "'low' or 'high'",
    "topic": "the topic, or 'none'",
}
NO_TOPIC = "none"
FEWEST = 6
"""Words of a topic, and of all others, below which it is not tested."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """What `analyze_disagreement` found.

    Attributes:
        topics: columns of `TOPIC_COLUMNS`, the most disputed first.
        pairs: columns of `PAIR_COLUMNS`, the greatest variance first.
        threshold: the variance at the quantile.
        ties: associations exactly at the threshold.
        left_out: associations with one rating.
        skewness: of the variances: third standardised moment (population, g1).
        skewness_adjusted: the same with the correction for small samples (G1), as pandas and spreadsheets give it.
        zero: share of associations whose ratings are all the same.
        third_quartile: variance below which three quarters lie.
    """

    topics: pl.DataFrame
    pairs: pl.DataFrame
    threshold: float
    ties: int
    left_out: int
    skewness: float
    skewness_adjusted: float
    zero: float
    third_quartile: float

    @property
    def high(self) -> int:
        """Associations in the high group."""
        return self.pairs.filter(group="high").height


def analyze_disagreement(
    ratings: pl.DataFrame,
    *,
    quantile: float = 0.8,
    ties: Ties = "low",
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Disagreement:
    """Variances, groups, and the relative change of every topic.

    Args:
        ratings: columns of `reading.COLUMNS`.
        quantile: share of associations in the low group, as far as ties allow.
        ties: see the module.
        confidence: confidence level of the intervals and verdicts.
        resamples: samples of words behind each interval.
        seed: of what is drawn.

    Raises:
        UserError: fewer than two associations have two ratings.
    """
    pairs = _pairs(ratings)
    kept = pairs.filter(pl.col("n") >= 2)
    if kept.height < 2:
        raise UserError(
            f"Only {kept.height} of {pairs.height} associations have two ratings or more. Disagreement needs at least "
            "two such associations."
        )
    variance = kept["variance"].to_numpy()
    rng = np.random.default_rng(seed)
    split = partial(_split, quantile=quantile, ties=ties, rng=rng)
    threshold, high = split(variance)
    grouped = kept.with_columns(group=pl.Series(np.where(high, "high", "low")))
    names, codes = np.unique(grouped["topic"].to_numpy(), return_inverse=True)
    words = np.unique(grouped["attribute"].to_numpy(), return_inverse=True)[1]
    drawn = _resampled(codes, words, variance, resamples=resamples, split=split, rng=rng)
    ends = _ends(drawn, confidence)
    topics = _topics(names, codes, high).with_columns(
        _tested(codes, words, excess(kept), high, seed), low=ends[:, 0], high=ends[:, 1]
    )
    from scipy.stats import skew

    varies = np.ptp(variance) > 0
    return Disagreement(
        topics=_decided(topics, confidence)
        .select(list(TOPIC_COLUMNS))
        .sort("relative_change", descending=True, nulls_last=True, maintain_order=True),
        pairs=grouped.sort("variance", "n", descending=True, maintain_order=True).select(list(PAIR_COLUMNS)),
        threshold=threshold,
        ties=int((variance == threshold).sum()),
        left_out=pairs.height - kept.height,
        skewness=float(skew(variance)) if varies else float("nan"),
        skewness_adjusted=float(skew(variance, bias=False)) if varies and len(variance) > 2 else float("nan"),
        zero=float((variance == 0).mean()),
        third_quartile=float(np.quantile(variance, 0.75)),
    )


def _pairs(ratings: pl.DataFrame) -> pl.DataFrame:
    """One row for each association. Its topic is that of its ratings, the most frequent one where they differ."""
    topic = pl.col("topic").replace({"": NO_TOPIC})
    return (
        ratings.group_by("identity", "attribute", maintain_order=True)
        .agg(
            n=pl.len(),
            mean=pl.col("rating").mean(),
            variance=pl.col("rating").var(ddof=0),
            topic=topic.mode().sort().first(),
        )
        .with_columns(variance=pl.col("variance").round(12))  # equal ratings give exactly equal variances
    )


def _split(
    variance: np.ndarray, quantile: float, ties: Ties, rng: np.random.Generator
) -> tuple[float, np.ndarray]:
    """The variance at the quantile (an observed one), and who lies in the high group."""
    threshold = float(np.quantile(variance, quantile, method="inverted_cdf"))
    if ties == "low":
        return threshold, variance > threshold
    order = np.lexsort((rng.random(len(variance)), variance))
    high = np.zeros(len(variance), dtype=bool)
    high[order[round(quantile * len(variance)) :]] = True
    return threshold, high


def _topics(names: np.ndarray, codes: np.ndarray, high: np.ndarray) -> pl.DataFrame:
    counts = _counts(codes, high, len(names))
    numbers = dict(zip(("n_low", "n_high"), counts, strict=True))
    shares = dict(zip(("share_low", "share_high"), _shares(counts), strict=True))
    return pl.DataFrame({"topic": names.astype(str), **numbers, **shares, "relative_change": _change(counts)})


def _counts(codes: np.ndarray, high: np.ndarray, topics: int) -> np.ndarray:
    """Associations of each topic in the low and in the high group, shape (2, topics)."""
    return np.stack([np.bincount(codes[which], minlength=topics) for which in (~high, high)])


def _shares(counts: np.ndarray) -> np.ndarray:
    return np.asarray(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1))


def _change(counts: np.ndarray) -> np.ndarray:
    """Relative change in percent; NaN where the topic is in neither group, infinite where only in the high one."""
    share_low, share_high = _shares(counts)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(100 * (share_high - share_low) / share_low)


def excess(pairs: pl.DataFrame) -> np.ndarray:
    """Rank of the variance of each association (0 to 1) beyond what is usual at its mean and number of ratings.

    What is usual is a cubic in the mean, with a level for each number of ratings, fitted to the ranks by least squares:
    variances are small near both ends of a scale, and differ more where ratings are few. Variances are divided by one
    less than the number of ratings.

    Args:
        pairs: columns `n`, `mean`, `variance`.
    """
    from scipy.stats import rankdata

    n, mean = pairs["n"].to_numpy(), pairs["mean"].to_numpy()
    rank = rankdata(pairs["variance"].to_numpy() * n / (n - 1)) / (len(n) + 1)
    curve = np.vander(mean - mean.mean(), 4)[:, :3]
    usual = np.column_stack([curve, n[:, None] == np.unique(n)])
    return np.asarray(rank - usual @ np.linalg.lstsq(usual, rank)[0])


def _tested(
    codes: np.ndarray, words: np.ndarray, beyond: np.ndarray, high: np.ndarray, seed: int
) -> pl.DataFrame:
    """Columns `rank`, `words`, `p_value` and `reason` of each topic."""
    # A word with associations of several topics is one unit in each.
    units, place = np.unique(np.stack([words, codes]), axis=1, return_inverse=True)
    value = np.bincount(place.ravel(), beyond) / np.bincount(place.ravel())
    of_topic = units[1]
    number = np.bincount(of_topic)
    enough = (number >= FEWEST) & (len(value) - number >= FEWEST)
    p_values = units_by_group_test(value, of_topic, seed=seed)
    return pl.DataFrame(
        {
            "words": number,
            "rank": 0.5 + np.bincount(of_topic, value) / number,
            "p_value": np.where(enough, p_values, np.nan),
            "reason": [
                "no association lies above the quantile"
                if not high.any()
                else too_few(int(min(count, len(value) - count)), "words", FEWEST)
                for count in number
            ],
        }
    )


def _resampled(
    codes: np.ndarray,
    words: np.ndarray,
    variance: np.ndarray,
    *,
    resamples: int,
    split: Callable[[np.ndarray], tuple[float, np.ndarray]],
    rng: np.random.Generator,
) -> np.ndarray:
    """Relative changes in samples of words drawn with replacement and split anew, shape (resamples, topics)."""
    topics = int(codes.max()) + 1
    drawn = np.empty((resamples, topics))
    count = int(words.max()) + 1
    for number, sample in enumerate(drawn_units(count, resamples, rng)):
        chosen = np.repeat(np.arange(len(words)), np.bincount(sample, minlength=count)[words])
        (_, high), resampled = split(variance[chosen]), codes[chosen]
        drawn[number] = _change(_counts(resampled, high, topics))
    return drawn


def _ends(drawn: np.ndarray, confidence: float) -> np.ndarray:
    """Percentile intervals; an end is NaN where it is not bounded, both where half of the samples say nothing."""
    # Samples without the topic in the low group are infinite: they may only be an open end.
    intervals = [
        percentile_interval(column, confidence, method="inverted_cdf", constant=True) for column in drawn.T
    ]
    ends = np.array([(interval.low, interval.high) for interval in intervals]).reshape(-1, 2)
    return np.where(np.isfinite(ends), ends, np.nan)


def _decided(topics: pl.DataFrame, confidence: float) -> pl.DataFrame:
    """The topics with adjusted p-values and verdicts; undefined numbers are null."""
    p_value = pl.when(pl.col("reason") == "").then("p_value")
    tested = topics.with_columns(neutral=pl.lit(0.0), p_value=p_value)
    corrected = adjusted(tested, CONTROVERSY)
    value = pl.col("rank") - 0.5
    verdicts = decided(corrected.with_columns(value=value), confidence=confidence, resolution=0.0)
    finite = [
        pl.when(pl.col(name).is_finite()).then(name)
        for name in ("relative_change", "low", "high", "p_adjusted")
    ]
    return verdicts.with_columns(*finite)
