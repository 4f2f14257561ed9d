"""Coefficients of agreement, and Krippendorff's alpha of all bootstrap samples at once.

Votes enter as counts per item and category. For alpha each item adds its coincidences to a matrix (Krippendorff 2011,
"Computing Krippendorff's Alpha-Reliability"), so that a sample of items is a weighted sum. Tests hold alpha to the
published worked examples and to the library krippendorff. A coefficient that is undefined (everybody always votes the
same) is NaN, never 0 or 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from endoxa.registry import Registry
from endoxa.stats.intervals import FEWEST_CLUSTERS, NAN, UNDEFINED, Interval, clustered_share
from endoxa.stats.reliability import jackknife_error
from endoxa.stats.resampling import percentile_interval, times_drawn

Level = Literal["nominal", "ordinal", "interval", "ratio"]
PERCENT = "percent_agreement"
_EQUAL = 1e-9
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")


def alpha(
    counts: np.ndarray,
    level: Level = "nominal",
    values: np.ndarray | None = None,
    weights: np.ndarray | None = None,
) -> float:
    """Krippendorff's alpha; NaN where all votes are the same, or no item has two.

    Args:
        counts: votes per item and category, shape (items, categories); items with fewer than two votes do not count.
        level: level of measurement; for 'ordinal' the categories rise.
        values: the categories as numbers, for 'interval' and 'ratio'.
        weights: how often each item is there, shape (items,); once each by default.
    """
    votes = np.asarray(counts, dtype=float)
    pairs = _per_pair(votes) if weights is None else _per_pair(votes) * weights[:, None]
    total = pairs.T @ votes - np.diag(pairs.sum(axis=0))
    return float(alphas(total[None], level, values)[0])


def coincidences(counts: np.ndarray) -> np.ndarray:
    """What each item adds to the matrix of coincidences, shape (items, categories, categories)."""
    votes = np.asarray(counts, dtype=float)
    pairs = _per_pair(votes)
    return np.asarray(pairs[:, :, None] * votes[:, None, :] - pairs[:, :, None] * np.eye(votes.shape[1]))


def alphas(totals: np.ndarray, level: Level = "nominal", values: np.ndarray | None = None) -> np.ndarray:
    """Alpha of each matrix of coincidences, shape (samples, categories, categories); NaN where undefined."""
    marginal = totals.sum(axis=2)
    distance = _distance(marginal, level, values)
    expected = (marginal[:, :, None] * marginal[:, None, :] * distance).sum(axis=(1, 2))
    observed = (totals * distance).sum(axis=(1, 2)) * (marginal.sum(axis=1) - 1)
    varied = expected > 0
    return np.where(varied, 1 - observed / np.where(varied, expected, 1.0), NAN)


def alpha_interval(
    counts: np.ndarray,
    weights: np.ndarray,
    confidence: float,
    *,
    resamples: int,
    seed: int,
    level: Level = "nominal",
) -> Interval:
    """Percentile bootstrap of items, of which many may have the same votes.

    Args:
        counts: votes per pattern and category, shape (patterns, categories).
        weights: items that have each pattern, shape (patterns,).
        confidence: confidence level.
        resamples: bootstrap samples.
        seed: seed of what is drawn.
        level: level of measurement, 'nominal' or 'ordinal'.

    Returns:
        NaN with fewer than `FEWEST_CLUSTERS` items, where fewer than half of the samples define alpha, or where all
        samples give the same one.
    """
    usable = counts.sum(axis=1) >= 2
    counts, weights = counts[usable], weights[usable]
    items = int(weights.sum())
    if items < FEWEST_CLUSTERS:
        return UNDEFINED
    size = counts.shape[1]
    drawn = times_drawn(weights, resamples, np.random.default_rng(seed))
    totals = drawn @ coincidences(counts).reshape(-1, size * size)
    return percentile_interval(alphas(totals.reshape(-1, size, size), level), confidence)


def agreeing_pairs(counts: np.ndarray, weights: np.ndarray | None = None) -> float:
    """Share of the pairs of votes on one item that are the same, averaged over items (Fleiss 1971, equation 2).

    Args:
        counts: votes per item and category; items with fewer than two votes do not count.
        weights: how often each item is there; once each by default.

    Returns:
        NaN where no item has two votes.
    """
    counted = counts[counts.sum(axis=1) >= 2]
    if not len(counted):
        return NAN
    votes = counted.sum(axis=1)
    alike = (counted * (counted - 1)).sum(axis=1) / (votes * (votes - 1))
    kept = None if weights is None else weights[counts.sum(axis=1) >= 2]
    return float(np.average(alike, weights=kept))


def cohen_kappa(codes: np.ndarray) -> float:
    """Cohen's kappa of two raters, unweighted (Cohen 1960); NaN where all votes are the same, or there are none.

    Args:
        codes: number of the category that each rater chose, shape (items, 2), no vote missing.
    """
    categories, places = np.unique(codes, return_inverse=True)
    if len(categories) < 2:
        return NAN
    from statsmodels.stats.inter_rater import cohens_kappa

    size = len(categories)
    first, second = places.reshape(codes.shape).T
    table = np.bincount(first * size + second, minlength=size**2).reshape(size, size)
    return float(cohens_kappa(table, return_results=False))


def fleiss_kappa(counts: np.ndarray) -> float:
    """Fleiss' kappa (Fleiss 1971); NaN where all votes are the same, or there are none.

    Args:
        counts: votes per item and category, shape (items, categories), as many votes on every item.
    """
    if int((counts.sum(axis=0) > 0).sum()) < 2:
        return NAN
    from statsmodels.stats import inter_rater

    return float(inter_rater.fleiss_kappa(counts))


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient of agreement, as `endoxa analyze agreement` computes it.

    Attributes:
        name: in tables.
        votes: what it is computed from: "pairable", counts per item and category of the items with two votes or more;
            "complete", the same of items with as many votes each; "two raters", the codes of two raters, (items, 2).
        value: from these votes, the level of measurement and the categories as numbers.
        method: who computes it, in words.
        neutral: its value where raters agree as chance would have it; NaN where that depends on the categories.
        graded: whether it uses the level of measurement; others take votes as nominal.
    """

    name: str
    votes: Literal["pairable", "complete", "two raters"]
    value: Callable[[np.ndarray, Level, np.ndarray | None], float]
    method: str
    neutral: float = 0.0
    graded: bool = False


def _builtin() -> tuple[Coefficient, ...]:
    return (
        Coefficient(
            PERCENT,
            "pairable",
            lambda counts, _level, _values: agreeing_pairs(counts),
            "share of agreeing pairs",
            NAN,
        ),
        Coefficient(
            "cohen_kappa",
            "two raters",
            lambda codes, _level, _values: cohen_kappa(codes),
            "statsmodels cohens_kappa",
        ),
        Coefficient(
            "fleiss_kappa",
            "complete",
            lambda counts, _level, _values: fleiss_kappa(counts),
            "statsmodels fleiss_kappa",
        ),
        Coefficient("krippendorff_alpha", "pairable", alpha, "Krippendorff's alpha", graded=True),
    )


def agreement_interval(
    coefficient: Coefficient,
    votes: np.ndarray,
    level: Level,
    values: np.ndarray | None,
    *,
    confidence: float,
    parts: int,
    seed: int = 0,
) -> Interval:
    """Interval of a coefficient over other items that the same raters might have voted on.

    Of percent agreement: Korn and Graubard's, items as units. Of others: Student's t with the jackknife over items,
    once for these items and once with one more, on which all gave the rarest vote; the interval holds both.
    Where a category is rare, or few items have it, chance-corrected agreement rests on a handful of coincidences, of
    which the items seen may hold none (docs/methods/agreement.md has the coverage).

    Args:
        coefficient: what is computed.
        votes: as it takes them, an item a row.
        level: level of measurement.
        values: the categories as numbers.
        confidence: confidence level.
        parts: most items that are left out singly; where more of them have different votes, they are divided into so
            many parts, at random.
        seed: of that division.

    Returns:
        NaN where nothing changes whichever items are left out.
    """
    if coefficient.name == PERCENT:
        size = votes.sum(axis=1)
        alike = (votes * (votes - 1)).sum(axis=1) / (size * (size - 1))
        return clustered_share(np.ones(len(votes)), alike, float(alike.var()), confidence)
    if coefficient.votes == "two raters":
        categories, counts = np.unique(votes, return_counts=True)
        more = np.full((1, votes.shape[1]), categories[counts.argmin()])
    else:
        total = votes.sum(axis=0)
        more = np.zeros((1, votes.shape[1]), dtype=votes.dtype)
        more[0, np.where(total > 0, total, np.inf).argmin()] = int(np.median(votes.sum(axis=1)))
    ends = np.array(
        [
            _jackknife(lambda kept: coefficient.value(kept, level, values), sample, confidence, parts, seed)
            for sample in (votes, np.concatenate([votes, more]))
        ]
    )
    if np.ptp(ends) < _EQUAL:
        return UNDEFINED
    return Interval(max(float(ends[:, 0].min()), -1.0), min(float(ends[:, 1].max()), 1.0))


def _jackknife(
    statistic: Callable[[np.ndarray], float], votes: np.ndarray, confidence: float, parts: int, seed: int
) -> tuple[float, float]:
    """Student's interval with the delete-one (or delete-a-part) jackknife over items, Efron and Tibshirani 1993."""
    from scipy.special import stdtrit

    # Items with the same votes change it alike.
    _, first, pattern = np.unique(votes, axis=0, return_index=True, return_inverse=True)
    if len(first) <= parts:
        number = len(votes)
        left = np.array([statistic(np.delete(votes, item, axis=0)) for item in first])[pattern.ravel()]
    else:
        number = min(len(votes), parts)
        part = np.random.default_rng(seed).permutation(len(votes)) % number
        left = np.array([statistic(votes[part != place]) for place in range(number)])
    # A sample without the only other vote leaves the coefficient undefined.
    error = jackknife_error(left[~np.isnan(left)])
    reach = float(stdtrit(number - 1, (1 + confidence) / 2)) * error if error > 0 else 0.0
    value = statistic(votes)
    return value - reach, value + reach


COEFFICIENTS: Registry[Coefficient] = Registry("coefficient of agreement", "endoxa.coefficients", _builtin)
"""Every coefficient by name; `endoxa.testing.plugins.check_coefficient` checks one."""


def _per_pair(votes: np.ndarray) -> np.ndarray:
    """Votes over the number of votes that each can be paired with; 0 for items with a single vote."""
    size = votes.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(votes, size - 1, out=np.zeros_like(votes), where=size >= 2))


def _distance(marginal: np.ndarray, level: Level, values: np.ndarray | None) -> np.ndarray:
    """Squared distances of the categories, shape (samples or 1, categories, categories)."""
    if level == "nominal":
        return 1 - np.eye(marginal.shape[1])[None]
    if level == "ordinal":
        place = np.cumsum(marginal, axis=1) - marginal / 2
        return np.asarray((place[:, :, None] - place[:, None, :]) ** 2)
    if values is None:
        raise ValueError(f"alpha at the level '{level}' needs the categories as numbers")
    number = np.asarray(values, dtype=float)
    apart = number[:, None] - number[None, :]
    if level == "ratio":
        sums = number[:, None] + number[None, :]
        apart = np.divide(apart, sums, out=np.zeros_like(apart), where=sums != 0)
    return np.asarray((apart**2)[None])
