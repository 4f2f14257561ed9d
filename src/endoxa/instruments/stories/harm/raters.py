"""How raters compare: models with people, with their verdicts, any two raters, and what a rater writes itself.

Two raters are compared on the same associations by correlations and by agreement of their classes; a heat map shows
all of them. A model that writes stories is matched with its name as a rater.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.stories.harm.ratings import (
    ALL_MODELS,
    EITHER,
    HIGHEST,
    HUMAN,
    LOWEST,
    MODEL,
    PEOPLE,
    Panel,
)
from endoxa.runs.families import HARM_DETAILS, HARM_DIFFERENCES, adjusted, decided
from endoxa.runs.options import Resampling
from endoxa.schema import ALL, Progress
from endoxa.schema.harm import BLIND_SPOT_COLUMNS, HARM_AGREEMENT_COLUMNS, HARM_RATER_COLUMNS
from endoxa.sources.frames import column_types
from endoxa.sources.stereotales.associations import PARTS
from endoxa.stats.crossed import crossed_mean
from endoxa.stats.intervals import NAN, UNDEFINED, effective_number, wilson
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
    ends = ("delta_low", "delta_high")
    claims = claims_of(raters, by_attribute, together).with_row_index("place")
    done = pl.concat(
        decided(
            adjusted(claims.filter(which), family),
            value="delta",
            confidence=confidence,
            resolution=RESOLUTION,
            ends=ends,
        )
        for family, which in ((HARM_DIFFERENCES, pl.col("general")), (HARM_DETAILS, ~pl.col("general")))
    ).sort("place")
    decisions = done.select(pl.col("p_adjusted", *ends).fill_nan(None), "verdict", "reason")
    return (
        raters.with_columns(decisions.head(raters.height)),
        by_attribute.with_columns(decisions.tail(by_attribute.height)),
    )


def claims_of(raters: pl.DataFrame, by_attribute: pl.DataFrame, together: str) -> pl.DataFrame:
    """Differences of raters, then of attributes, with their `attribute` and whether they are of models in general."""
    columns = ("delta", "delta_low", "delta_high", *CLAIM_TYPES)
    overall, of_attributes = in_general(together)
    return pl.concat(
        [
            raters.select(*columns, general=overall, attribute=pl.lit(ALL)),
            by_attribute.with_columns(general=of_attributes).select(*columns, "general", "attribute"),
        ]
    )


def in_general(together: str) -> tuple[pl.Expr, pl.Expr]:
    """Which rows of the table of raters, and of that of attributes, are about models in general."""
    rater = pl.col("rater") == together
    return rater, rater & (pl.col("side") == EITHER)


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


def mean(values: np.ndarray, how: Resampling) -> Measured:
    """The mean of what is not NaN."""
    defined = values[~np.isnan(values)]
    return measured(np.column_stack([np.ones_like(defined), defined]), ratio, how)


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


AGREEMENT_TYPES = {
    name: pl.String if name.startswith("rater") else pl.Int64 if name[:5] in ("place", "n") else pl.Float64
    for name in HARM_AGREEMENT_COLUMNS
}


Compared = Mapping[str, Measured]
"""Agreement, kappa, Pearson's and Spearman's correlation of two raters, by name."""


def compare(panel: Panel, rater: str, other: str, how: Resampling) -> Compared:
    """Two raters of a panel, `ALL_MODELS` among them, over the associations that both rated."""
    means, classes = ((of(rater), of(other)) for of in (panel.mean, panel.harmful))
    rated = ~np.isnan(means[0]) & ~np.isnan(means[1])
    units = panel.values("base")[rated]
    measures = {"agreement": agreement, "kappa": kappa, "pearson": pearson, "spearman": spearman}
    compared = {}
    for name, measure in measures.items():
        x, y = classes if measure in (agreement, kappa) else means
        compared[name] = measure(x[rated], y[rated], how, units)
    return compared


def columns_of(compared: Compared) -> dict[str, float]:
    """The measures with their intervals, as tables have them."""
    return {
        f"{name}{end}": getattr(measure, part)
        for name, measure in compared.items()
        for part, end in (("value", ""), ("low", "_low"), ("high", "_high"))
    }


def agreement_table(panel: Panel, how: Resampling, progress: Progress = lambda *_: None) -> pl.DataFrame:
    """`schema.harm.HARM_AGREEMENT_COLUMNS`: every two raters, both ways, and each with itself."""
    pairs = list(combinations(panel.raters, 2))
    results: dict[tuple[str, str], dict[str, Any]] = {}
    for done, (first, other) in enumerate(pairs):
        progress("comparing raters", done, len(pairs))
        compared = compare(panel, first, other, how)
        cells = {"n": compared["agreement"].n, **columns_of(compared)}
        results[first, other] = results[other, first] = cells
    for rater in panel.raters:
        # The diagonal: full agreement, whose interval would say nothing.
        means, classes = (values[~np.isnan(values)] for values in (panel.mean(rater), panel.harmful(rater)))
        varies = 1.0 if np.unique(means).size > 1 else None
        results[rater, rater] = {
            "n": len(means),
            "agreement": 1.0 if len(means) else None,
            "kappa": 1.0 if np.unique(classes).size > 1 else None,
            "pearson": varies,
            "spearman": varies,
        }
    rows = every_pair(panel.raters, results, "agreement", "rater_")
    return pl.DataFrame(rows, schema=AGREEMENT_TYPES).with_columns(pl.selectors.float().fill_nan(None))


MADE_TYPES = column_types(
    BLIND_SPOT_COLUMNS,
    texts=("rater", "generator_model", "association_id", *PARTS, "aggregations", "people_verdict"),
    counts=("n",),
)


def generators(panel: Panel, made: pl.DataFrame, aliases: Mapping[str, str]) -> dict[str, str]:
    """For each rater whose stories are in `made`, the name that it has there.

    Args:
        panel: the raters.
        made: associations with the `model` that makes each.
        aliases: names in `made` by names of raters, where they differ.

    Raises:
        UserError: an alias names a rater or a model that is not there.
    """
    writers = set(made["model"].drop_nulls())
    models = set(panel.models.values())
    for rater, writer in aliases.items():
        if rater not in models:
            raise UserError(
                f"--alias: no ratings by a model '{rater}'. Available: {', '.join(sorted(models))}."
            )
        if writer not in writers:
            raise UserError(
                f"--alias: no associations of a model '{writer}'. Available: "
                f"{', '.join(sorted(writers)) or 'no model'}."
            )
    names = {rater: aliases.get(model, model) for rater, model in panel.models.items()}
    return {rater: name for rater, name in names.items() if name in writers}


def made_by(made: pl.DataFrame, generator: str) -> pl.DataFrame:
    """Each association that a model makes once: `association_id`, the four parts, and `aggregations` joined by '; '."""
    rows = made.filter(pl.col("model") == generator)
    parts = [
        name for name in rows.columns if name not in ("association_id", "model", "aggregation", "given_id")
    ]
    joined = pl.col("aggregation").unique(maintain_order=True).str.join("; ").alias("aggregations")
    return rows.group_by("association_id", *parts, maintain_order=True).agg(joined)


def blind_share(panel: Panel, rater: str, makes: pl.DataFrame, confidence: float) -> dict[str, Any]:
    """How many associations a model makes and rated, and how many of those it calls harmful itself."""
    is_made = panel.associations["association_id"].is_in(makes["association_id"].implode()).to_numpy()
    harmful = panel.harmful(rater)[is_made]
    rated = int((~np.isnan(harmful)).sum())
    blind = int(np.nansum(harmful))
    if not rated:
        return {"made": 0, "blind_spots": 0}
    interval = wilson(blind, rated, confidence)
    return {
        "made": rated,
        "blind_spots": blind,
        "blind_share": blind / rated,
        "blind_low": interval.low,
        "blind_high": interval.high,
    }


def blind_spot_table(
    panel: Panel, associations: pl.DataFrame, made: pl.DataFrame | None, names: Mapping[str, str]
) -> pl.DataFrame:
    """`schema.harm.BLIND_SPOT_COLUMNS`, the most harmful first; no rows where no stories are known.

    Args:
        panel: the ratings.
        associations: the table of associations, with people's verdicts.
        made: associations with the `model` that makes each, or None.
        names: for each rater whose stories are in `made`, the name that it has there.
    """
    tables = [pl.DataFrame(schema=MADE_TYPES)]
    if made is None:
        return tables[0]
    verdicts = associations.select("association_id", "people_median", "people_verdict")
    for rater, generator in names.items():
        makes = made_by(made, generator)
        harmful = panel.table.filter((pl.col("rater") == rater) & (pl.col("harmful") == 1))
        spots = (
            makes.join(harmful, on="association_id", how="inner")
            .join(verdicts, on="association_id", how="left")
            .with_columns(generator_model=pl.lit(generator))
            .sort("median", "mean", "association_id", descending=[True, True, False])
        )
        tables.append(spots.select(pl.col(name).cast(kind) for name, kind in MADE_TYPES.items()))
    return pl.concat(tables)


TYPES = (
    column_types(
        HARM_RATER_COLUMNS,
        texts=("rater", "rater_kind"),
        counts=("associations", "ratings", "compared", "made", "blind_spots"),
    )
    | CLAIM_TYPES
    | {"harmful_share": pl.Float64}
)


def rater_table(
    panel: Panel,
    made: pl.DataFrame | None,
    names: Mapping[str, str],
    how: Resampling,
) -> pl.DataFrame:
    """`schema.harm.HARM_RATER_COLUMNS`: models, all models together where there are two or more, and people.

    Verdicts on differences are still open (`decide_together`).

    Args:
        panel: the ratings.
        made: associations with the `model` that makes each, or None.
        names: for each rater whose stories are in `made`, the name that it has there.
        how: how intervals are made.
    """
    rows = []
    people = ratings_of_people(panel)
    for rater in panel.raters:
        ratings = panel.ratings.filter(pl.col("rater") == rater)
        kind = HUMAN if rater == PEOPLE else MODEL
        row = {"rater": rater, "rater_kind": kind, **_overall(panel, rater, ratings)}
        if rater != PEOPLE:
            row |= _with_people(panel, people, rater, how)
        if made is not None and rater in names:
            row |= blind_share(panel, rater, made_by(made, names[rater]), how.confidence)
        rows.append(row)
    if len(panel.models) > 1:
        models = panel.ratings.filter(pl.col("rater_kind") == MODEL)
        row = {"rater": ALL_MODELS, "rater_kind": "models", **_overall(panel, ALL_MODELS, models)}
        rows.insert(len(panel.models), row | _with_people(panel, people, ALL_MODELS, how))
    return pl.DataFrame(rows, schema=TYPES).with_columns(pl.selectors.float().fill_nan(None))


def _overall(panel: Panel, rater: str, ratings: pl.DataFrame) -> dict[str, Any]:
    """What a rater says, whatever others say."""
    harm, frequent = ratings["harm"].drop_nulls(), ratings["frequent"].drop_nulls()
    answered = frequent.filter(frequent != "")
    means = panel.mean(rater)
    rated = means[~np.isnan(means)]
    refused = (ratings["outcome"] == "refused").mean()
    unread = (ratings["harm"].is_null() & (ratings["outcome"] != "refused")).mean()
    return {
        "associations": len(rated),
        "ratings": len(harm),
        "refused": refused,
        "unread": unread,
        "mean": float(rated.mean()) if len(rated) else None,
        "at_maximum": (harm == HIGHEST).mean(),
        "frequent_yes": (answered == "yes").mean(),
        "harmful_share": float(np.nanmean(panel.harmful(rater))) if len(rated) else None,
    }


def _with_people(panel: Panel, people: Ratings, rater: str, how: Resampling) -> dict[str, Any]:
    """How a model compares with people; nothing where no person rated."""
    if not panel.has_people:
        return {}
    compared = compare(panel, rater, PEOPLE, how)
    every = np.ones(panel.associations.height, dtype=bool)
    claim = difference(panel.mean(rater), people, every, how.confidence)
    return {"compared": compared["agreement"].n, **claim, **columns_of(compared)}
