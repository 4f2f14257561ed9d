"""How raters compare: any two by correlations and by agreement of their classes, models with people by differences.

A heat map shows the agreement of every two.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from endoxa.instruments.stories.harm.ratings import HIGHEST, LOWEST, PEOPLE, Panel
from endoxa.runs.estimates import HARM_DETAILS, HARM_DIFFERENCES, adjusted, decided
from endoxa.runs.options import Resampling
from endoxa.schema import Progress
from endoxa.schema.harm import CLAIM_COLUMNS, HARM_AGREEMENT_COLUMNS
from endoxa.sources.frames import column_types
from endoxa.stats.crossed import crossed_mean
from endoxa.stats.intervals import NAN, UNDEFINED, effective_number
from endoxa.stats.resampling import Clusters, bootstrap, expanded_interval
from endoxa.stats.signs import fewest_units
from endoxa.stats.verdicts import significance, too_few

CROSSED = "crossed"
"""Code of the interval: people and values are samples."""
RESOLUTION = 0.005
"""Half of the last digit of a rating that is printed."""
BOUNDS = (float(LOWEST - HIGHEST), float(HIGHEST - LOWEST))
UNBALANCED = "one person gave nearly all ratings"
NOTHING_SHARED = "no association was rated by both"

CLAIM_TYPES = column_types(
    CLAIM_COLUMNS,
    texts=("interval", "verdict", "reason", "sampled"),
    counts=("clusters", "base_values", "compared_values"),
)
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


def decide_together(differences: pl.DataFrame, confidence: float) -> pl.DataFrame:
    """Differences with corrected p-values and verdicts.

    What pages say of models in general (`general`), overall and by attribute, is one family; what tables say of single
    models and sides is another.
    """
    numbered = differences.with_row_index("place")
    parts = [
        decided(
            adjusted(numbered.filter(which), family),
            value="delta",
            confidence=confidence,
            resolution=RESOLUTION,
            ends=("delta_low", "delta_high"),
        )
        for family, which in ((HARM_DIFFERENCES, pl.col("general")), (HARM_DETAILS, ~pl.col("general")))
    ]
    return pl.concat(parts).sort("place").drop("place").with_columns(pl.selectors.float().fill_nan(None))


Combine = Callable[[np.ndarray], np.ndarray]
"""Totals, shape (samples, columns), to values of a measure, shape (samples,)."""
_NOTHING = 1e-12
"""Variances below this share of the largest possible are those of constants."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A measure; NaN where undefined."""

    value: float
    low: float
    high: float
    n: int


def measured(
    columns: np.ndarray, combine: Combine, how: Resampling, units: np.ndarray | None = None
) -> Measured:
    """A measure of totals, and its interval.

    Args:
        columns: shape (associations, columns): what each association adds to the totals.
        combine: the measure of totals.
        how: how the interval is made.
        units: code of each association's base value: associations of one are drawn together, and there is no interval
            where a difference could not be tested. Each by itself by default.
    """
    count = len(columns)
    if count == 0:
        return Measured(NAN, NAN, NAN, 0)
    clusters = Clusters.of(np.arange(count) if units is None else units, *columns.T)
    value = float(combine(columns.sum(axis=0, keepdims=True))[0])
    interval = UNDEFINED
    if not np.isnan(value) and (
        units is None or clusters.count >= fewest_units(significance(how.confidence))
    ):
        draws = bootstrap(clusters, lambda totals: combine(totals[:, 1:]), how.resamples, how.seed)
        interval = expanded_interval(draws, clusters, how.confidence)
    return Measured(value, interval.low, interval.high, count)


def ratio(totals: np.ndarray) -> np.ndarray:
    """The second total over the first; NaN where that is 0."""
    base, part = totals[:, 0], totals[:, 1]
    return np.asarray(np.divide(part, base, out=np.full(len(totals), NAN), where=base > 0))


def pearson(x: np.ndarray, y: np.ndarray, how: Resampling, units: np.ndarray | None = None) -> Measured:
    """Pearson's correlation; NaN where one of them does not vary."""
    x, y = x - x.mean() if len(x) else x, y - y.mean() if len(y) else y
    columns = np.column_stack([np.ones_like(x), x, y, x * x, y * y, x * y])
    return measured(columns, _correlation, how, units)


def _correlation(totals: np.ndarray) -> np.ndarray:
    n, x, y, xx, yy, xy = totals.T
    spread_x, spread_y = xx - x * x / n, yy - y * y / n
    varied = (spread_x > _NOTHING * (xx + n)) & (spread_y > _NOTHING * (yy + n))
    product = np.sqrt(np.where(varied, spread_x * spread_y, 1.0))
    return np.where(varied, np.clip((xy - x * y / n) / product, -1, 1), NAN)


def spearman(x: np.ndarray, y: np.ndarray, how: Resampling, units: np.ndarray | None = None) -> Measured:
    """Spearman's rank correlation, ties at their mean rank; NaN where one of them does not vary.

    Every bootstrap sample is ranked anew: its totals are those of the cells of the table of x against y.
    """
    _, of_x = np.unique(x, return_inverse=True)
    _, of_y = np.unique(y, return_inverse=True)
    cells, cell = np.unique(np.column_stack([of_x, of_y]), axis=0, return_inverse=True)
    columns = np.zeros((len(x), len(cells)))
    columns[np.arange(len(x)), cell.ravel()] = 1.0

    def correlation(totals: np.ndarray) -> np.ndarray:
        """Of tables given by the counts of their cells, shape (samples, cells)."""
        ranks = [_mean_ranks(totals, side)[:, side] for side in cells.T]
        x, y = (rank - (totals.sum(axis=1, keepdims=True) + 1) / 2 for rank in ranks)
        moments = [(totals * column).sum(axis=1) for column in (np.ones_like(x), x, y, x * x, y * y, x * y)]
        return _correlation(np.column_stack(moments))

    return measured(columns, correlation, how, units)


def _mean_ranks(totals: np.ndarray, level: np.ndarray) -> np.ndarray:
    """Mean rank of each level, shape (samples, levels), from the counts of cells and the level of each cell."""
    members = np.zeros((len(level), int(level.max()) + 1))
    members[np.arange(len(level)), level] = 1.0
    counts = totals @ members
    return np.asarray(np.cumsum(counts, axis=1) - counts + (counts + 1) / 2)


def agreement(x: np.ndarray, y: np.ndarray, how: Resampling, units: np.ndarray | None = None) -> Measured:
    """Share of associations that two raters classify alike (1 or 0)."""
    return measured(np.column_stack([np.ones_like(x), x == y]), ratio, how, units)


def kappa(x: np.ndarray, y: np.ndarray, how: Resampling, units: np.ndarray | None = None) -> Measured:
    """Cohen's kappa of two classifications (1 or 0); NaN where both use one class only, and the same."""
    return measured(np.column_stack([np.ones_like(x), x, y, x * y]), _kappa, how, units)


def _kappa(totals: np.ndarray) -> np.ndarray:
    n, x, y, xy = totals.T
    observed = (n - x - y + 2 * xy) / n
    chance = (x * y + (n - x) * (n - y)) / n**2
    defined = chance < 1
    return np.where(defined, (observed - chance) / np.where(defined, 1 - chance, 1.0), NAN)


def similarity_order(similarity: np.ndarray) -> list[int]:
    """Order of the rows of a symmetric matrix of similarities between 0 and 1.

    Average linkage of the distances 1 - similarity, leaves in their optimal order (Bar-Joseph, Gifford and Jaakkola
    2001). An undefined similarity (NaN) counts as 0. Fewer than three rows keep theirs.
    """
    count = len(similarity)
    if count < 3:
        return list(range(count))
    from scipy.cluster.hierarchy import leaves_list, linkage

    distances = 1 - np.nan_to_num(similarity, nan=0.0)[np.triu_indices(count, 1)]
    return [int(leaf) for leaf in leaves_list(linkage(distances, method="average", optimal_ordering=True))]


def every_pair(
    names: Sequence[str],
    cells: Mapping[tuple[str, str], Mapping[str, Any]],
    similarity: str,
    prefix: str = "",
) -> list[dict[str, Any]]:
    """A row for every ordered pair, and for each with itself, in an order that brings those together that are alike.

    Args:
        names: what is compared.
        cells: what is known of every pair.
        similarity: which of it says how alike they are; undefined counts as not at all.
        prefix: of the columns that name both sides ("a" and "b").
    """
    alike = np.array([[cells[a, b][similarity] for b in names] for a in names], dtype=float)
    order = [names[place] for place in similarity_order(alike)]
    return [
        {f"{prefix}a": a, f"{prefix}b": b, "place_a": place_a, "place_b": place_b, **cells[a, b]}
        for place_a, a in enumerate(order)
        for place_b, b in enumerate(order)
    ]


def compare(panel: Panel, rater: str, other: str, how: Resampling) -> dict[str, Measured]:
    """Agreement, kappa and correlations of two raters, `ALL_MODELS` among them, over associations that both rated."""
    means, classes = ((of(rater), of(other)) for of in (panel.mean, panel.harmful))
    rated = ~np.isnan(means[0]) & ~np.isnan(means[1])
    units = panel.values("base")[rated]
    return {
        measure.__name__: measure(values[0][rated], values[1][rated], how, units)
        for measure, values in ((agreement, classes), (kappa, classes), (pearson, means), (spearman, means))
    }


def agreement_table(panel: Panel, how: Resampling, progress: Progress = lambda *_: None) -> pl.DataFrame:
    """`schema.harm.HARM_AGREEMENT_COLUMNS`: every two raters, both ways, and each with itself."""
    pairs, units = list(combinations(panel.raters, 2)), panel.values("base")
    classes = {rater: panel.harmful(rater) for rater in panel.raters}
    cells: dict[tuple[str, str], dict[str, Any]] = {}
    for done, (first, other) in enumerate(pairs):
        progress("comparing raters", done, len(pairs))
        rated = ~np.isnan(classes[first]) & ~np.isnan(classes[other])
        alike = agreement(classes[first][rated], classes[other][rated], how, units[rated])
        ends = {"agreement_low": alike.low, "agreement_high": alike.high}
        cells[first, other] = cells[other, first] = {"n": alike.n, "agreement": alike.value, **ends}
    for rater, of_model in classes.items():
        # Full agreement, whose interval would say nothing.
        n = int((~np.isnan(of_model)).sum())
        cells[rater, rater] = {"n": n, "agreement": 1.0 if n else None}
    types = column_types(
        HARM_AGREEMENT_COLUMNS, texts=("rater_a", "rater_b"), counts=("place_a", "place_b", "n")
    )
    rows = every_pair(panel.raters, cells, "agreement", "rater_")
    return pl.DataFrame(rows, schema=types).with_columns(pl.selectors.float().fill_nan(None))
