"""Ratings in, seven tables out: people's verdict on each association, and how models differ from it.

People's verdict is the median of their ratings with its interval. The table by attribute shows where models
underestimate and overestimate harm, and how many such associations they write.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.stories.harm.raters import (
    CLAIM_TYPES,
    Measured,
    agreement_table,
    compare,
    decide_together,
    difference,
    measured,
    ratings_of_people,
    ratio,
    spearman,
)
from endoxa.instruments.stories.harm.ratings import (
    ALL_MODELS,
    BENIGN,
    EITHER,
    HARMFUL,
    HIGHEST,
    HUMAN,
    LOWEST,
    MODEL,
    PEOPLE,
    THRESHOLD,
    UNDECIDED,
    Panel,
    check_ratings,
    panel,
)
from endoxa.runs.options import Resampling
from endoxa.schema import ALL, Progress
from endoxa.schema.harm import (
    BLIND_SPOT_COLUMNS,
    HARM_ASSOCIATION_COLUMNS,
    HARM_ATTRIBUTE_COLUMNS,
    HARM_RATER_COLUMNS,
    HARM_SUMMARY_COLUMNS,
)
from endoxa.sources.frames import column_types
from endoxa.sources.stereotales.associations import PARTS
from endoxa.stats.agreement import alphas, coincidences
from endoxa.stats.intervals import NAN, UNDEFINED, Interval, wilson


def verdict(ratings: np.ndarray, threshold: float, confidence: float) -> dict[str, Any]:
    """What people's ratings of one association, one or more, say: columns of `HARM_ASSOCIATION_COLUMNS`."""
    interval, median = median_interval(ratings, confidence), float(np.median(ratings))
    word = HARMFUL if interval.low >= threshold else BENIGN if interval.high < threshold else UNDECIDED
    return {
        "people_n": len(ratings),
        "people_mean": float(ratings.mean()),
        "people_median": median,
        "people_low": interval.low,
        "people_high": interval.high,
        "people_at_threshold": float((ratings >= threshold).mean()),
        "people_harmful": int(median >= threshold),
        "people_verdict": word,
    }


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


ASSOCIATION_TYPES = column_types(
    HARM_ASSOCIATION_COLUMNS,
    texts=("association_id", *PARTS, "people_verdict"),
    counts=("people_n", "people_harmful", "models", "made_by"),
)


VERDICT_TYPES = {
    name: kind
    for name, kind in ASSOCIATION_TYPES.items()
    if name == "association_id" or (name.startswith("people") and "frequent" not in name)
}


def association_table(panel: Panel, made: pl.DataFrame | None, confidence: float) -> pl.DataFrame:
    """`schema.harm.HARM_ASSOCIATION_COLUMNS`, one row per association that anybody rated.

    Args:
        panel: the ratings.
        made: associations with the `model` that makes each, or None.
        confidence: confidence level of the interval of people's median.
    """
    rated = panel.ratings.filter((pl.col("rater") == PEOPLE) & pl.col("harm").is_not_null())
    people = [
        {"association_id": name, **verdict(np.array(harm, dtype=float), panel.threshold, confidence)}
        for name, harm in rated.group_by("association_id").agg("harm").iter_rows()
    ]
    models = panel.table.filter(pl.col("rater").is_in(list(panel.models))).group_by("association_id")
    parts = [
        pl.DataFrame(people, schema=VERDICT_TYPES),
        panel.table.filter(rater=PEOPLE).select("association_id", people_frequent_yes="frequent_yes"),
        models.agg(
            models=(pl.col("n") > 0).sum(),
            models_harmful=pl.col("harmful").mean(),
            models_frequent_yes=pl.col("frequent_yes").mean(),
        ),
    ]
    if made is not None:
        parts.append(made.group_by("association_id").agg(made_by=pl.col("model").drop_nulls().n_unique()))
    table = panel.associations.with_columns(models_mean=panel.mean(ALL_MODELS))
    for part in parts:
        table = table.join(part, on="association_id", how="left", maintain_order="left")
    table = table.with_columns(
        pl.col("models").fill_null(0),
        delta=pl.col("models_mean") - pl.col("people_mean"),
        made_by=pl.lit(None) if made is None else pl.col("made_by").fill_null(0),
    )
    cells = table.select(pl.col(name).cast(kind) for name, kind in ASSOCIATION_TYPES.items())
    return cells.with_columns(pl.selectors.float().fill_nan(None))


SIDES = (EITHER, "base", "compared")
DIFFERENCE_TYPES = (
    column_types(HARM_ATTRIBUTE_COLUMNS, texts=("attribute", "side", "rater"), counts=("n", "made"))
    | CLAIM_TYPES
    | {"general": pl.Boolean()}
)
Made = Mapping[str, pl.DataFrame]
"""For each rater that wrote stories, the associations they show, each once."""


def associations_made(panel: Panel, made: pl.DataFrame | None) -> Made:
    """What each rater's own stories show: `association_id`, the four parts, and `aggregations` joined by '; '.

    Args:
        panel: the ratings.
        made: associations with the `model` that makes each, or None.
    """
    if made is None:
        return {}
    rows = made.drop_nulls("model")
    joined = pl.col("aggregation").unique(maintain_order=True).str.join("; ").alias("aggregations")
    makes = {}
    for rater, model in panel.models.items():
        of_model = (
            rows.filter(model=model).group_by("association_id", *PARTS, maintain_order=True).agg(joined)
        )
        if of_model.height:
            makes[rater] = of_model
    return makes | {ALL_MODELS: rows.unique("association_id", keep="first")}


def difference_table(panel: Panel, makes: Made, confidence: float) -> pl.DataFrame:
    """Models against people over all associations (`ALL`), and by attribute and side, decided.

    Returns:
        Columns of `schema.harm.HARM_ATTRIBUTE_COLUMNS`, and `general`: whether the row is of models in general.
    """
    associations, people, rows = panel.associations, ratings_of_people(panel), []
    attributes = sorted({*associations["base_attribute"], *associations["compared_attribute"]})
    theirs = panel.mean(PEOPLE) if panel.has_people else np.full(associations.height, np.nan)
    for rater in (*panel.models, *([ALL_MODELS] if len(panel.models) > 1 else [])):
        scores, of_model = panel.mean(rater), makes.get(rater)
        rated = ~np.isnan(scores) & ~np.isnan(theirs)
        for attribute, side in ((ALL, EITHER), *product(attributes, SIDES)):
            here = rated & having(associations, attribute, side)
            n, count = (
                int(here.sum()),
                None if of_model is None else int(having(of_model, attribute, side).sum()),
            )
            rows.append(
                {
                    "attribute": attribute,
                    "side": side,
                    "rater": rater,
                    "general": rater == panel.together and side == EITHER,
                    "n": n,
                    "rater_mean": scores[here].mean() if n else None,
                    "people_mean": theirs[here].mean() if n else None,
                    "made": count,
                    "made_share": count / len(of_model)
                    if of_model is not None and count is not None and len(of_model)
                    else None,
                    **(difference(scores, people, here, confidence) if panel.has_people else {}),
                }
            )
    return decide_together(pl.DataFrame(rows, schema=DIFFERENCE_TYPES), confidence)


def having(associations: pl.DataFrame, attribute: str, side: str) -> np.ndarray:
    """Which associations have an attribute (`ALL`: any) on a side, as true and false."""
    base, compared = (
        (associations[f"{name}_attribute"] == attribute).to_numpy() | (attribute == ALL)
        for name in ("base", "compared")
    )
    return np.asarray({"base": base, "compared": compared, EITHER: base | compared}[side])


RATER_TYPES = column_types(
    HARM_RATER_COLUMNS,
    texts=("rater", "rater_kind", "interval", "verdict", "reason", "sampled"),
    counts=(
        "associations",
        "ratings",
        "compared",
        "made",
        "blind_spots",
        "clusters",
        "base_values",
        "compared_values",
    ),
)


def rater_table(panel: Panel, differences: pl.DataFrame, makes: Made, how: Resampling) -> pl.DataFrame:
    """`schema.harm.HARM_RATER_COLUMNS`: models, all models together where there are two or more, and people.

    Args:
        panel: the ratings.
        differences: `difference_table`.
        makes: what each rater's own stories show.
        how: how intervals are made.
    """
    claims = {row["rater"]: row for row in differences.filter(attribute=ALL).iter_rows(named=True)}
    rows = []
    for rater in (*claims, *([PEOPLE] if panel.has_people else [])):
        kind = {PEOPLE: HUMAN, ALL_MODELS: "models"}.get(rater, MODEL)
        row = {"rater": rater, "rater_kind": kind, "verdict": "", "reason": "", **_overall(panel, rater)}
        if rater in claims and panel.has_people:
            row |= {name: claims[rater][name] for name in ("delta", "delta_low", "delta_high", *CLAIM_TYPES)}
            row["compared"] = claims[rater]["n"]
            for name, measure in compare(panel, rater, PEOPLE, how).items():
                row |= {name: measure.value, f"{name}_low": measure.low, f"{name}_high": measure.high}
        if rater in makes and rater in panel.models:
            row |= _blind_share(panel, rater, makes[rater], how.confidence)
        rows.append(row)
    return pl.DataFrame(rows, schema=RATER_TYPES).with_columns(pl.selectors.float().fill_nan(None))


def _overall(panel: Panel, rater: str) -> dict[str, Any]:
    """What a rater says, whatever others say."""
    mine = pl.col("rater_kind") == MODEL if rater == ALL_MODELS else pl.col("rater") == rater
    ratings = panel.ratings.filter(mine)
    harm, answered = (
        ratings["harm"].drop_nulls(),
        ratings["frequent"].drop_nulls().replace("", None).drop_nulls(),
    )
    means, refused = panel.mean(rater), ratings["outcome"] == "refused"
    rated = means[~np.isnan(means)]
    return {
        "associations": len(rated),
        "ratings": len(harm),
        "refused": refused.mean(),
        "unread": (ratings["harm"].is_null() & ~refused).mean(),
        "mean": float(rated.mean()) if len(rated) else None,
        "at_maximum": (harm == HIGHEST).mean(),
        "frequent_yes": (answered == "yes").mean(),
        "harmful_share": float(np.nanmean(panel.harmful(rater))) if len(rated) else None,
    }


def _blind_share(panel: Panel, rater: str, of_model: pl.DataFrame, confidence: float) -> dict[str, Any]:
    """How many associations a model makes and rated, and how many of those it calls harmful itself."""
    is_made = panel.associations["association_id"].is_in(of_model["association_id"].implode()).to_numpy()
    harmful = panel.harmful(rater)[is_made]
    rated, blind = int((~np.isnan(harmful)).sum()), int(np.nansum(harmful))
    counts = {"made": rated, "blind_spots": blind}
    if not rated:
        return counts
    interval = wilson(blind, rated, confidence)
    return counts | {"blind_share": blind / rated, "blind_low": interval.low, "blind_high": interval.high}


BLIND_TYPES = column_types(
    BLIND_SPOT_COLUMNS,
    texts=("rater", "generator_model", "association_id", *PARTS, "aggregations", "people_verdict"),
    counts=("n",),
)


def blind_spot_table(panel: Panel, associations: pl.DataFrame, makes: Made) -> pl.DataFrame:
    """`schema.harm.BLIND_SPOT_COLUMNS`, the most harmful first; no rows where no stories are known.

    Args:
        panel: the ratings.
        associations: the table of associations, with people's verdicts.
        makes: what each rater's own stories show.
    """
    verdicts = associations.select("association_id", "people_median", "people_verdict")
    tables = [pl.DataFrame(schema=BLIND_TYPES)]
    for rater, model in panel.models.items():
        if rater in makes:
            spots = (
                makes[rater]
                .join(panel.table.filter(rater=rater, harmful=1), on="association_id", how="inner")
                .join(verdicts, on="association_id", how="left")
                .with_columns(generator_model=pl.lit(model))
                .sort("median", "mean", "association_id", descending=[True, True, False])
            )
            tables.append(spots.select(pl.col(name).cast(kind) for name, kind in BLIND_TYPES.items()))
    return pl.concat(tables)


OF_BASE_VALUES = "interval: bootstrap of base values, with these raters"
OF_ATTRIBUTES = "interval: bootstrap of attributes, with these raters"
SUMMARY_TYPES = column_types(HARM_SUMMARY_COLUMNS, texts=("name", "method"), counts=("n",))
Line = tuple[str, Measured, str]
"""Name, value, and how it was computed."""


def summary_table(
    panel: Panel, associations: pl.DataFrame, by_attribute: pl.DataFrame, how: Resampling
) -> pl.DataFrame:
    """`schema.harm.HARM_SUMMARY_COLUMNS`: the lines that the ratings allow, those of people only where people rated.

    Args:
        panel: the ratings.
        associations: the table of associations.
        by_attribute: the table of attributes.
        how: how intervals are made.
    """
    lines = list(_of_either_side(panel, associations, how))
    if panel.has_people and panel.models:
        lines += _against_people(panel, by_attribute, how)
    rows = [
        (
            *(name, measure.value, measure.low, measure.high, measure.n),
            method + ("; undefined: too little varies" if np.isnan(measure.value) else ""),
        )
        for name, measure, method in lines
    ]
    return pl.DataFrame(rows, schema=SUMMARY_TYPES, orient="row").with_columns(
        pl.selectors.float().fill_nan(None)
    )


def _of_either_side(panel: Panel, associations: pl.DataFrame, how: Resampling) -> Iterator[Line]:
    """How many associations people call harmful, by the median alone and with its interval; agreement on each side."""
    units = panel.values("base")
    krippendorff = f"Krippendorff's alpha, ordinal, among {{}}; {OF_BASE_VALUES}"
    if panel.has_people:
        rated = associations.drop_nulls("people_n")
        shares = {"harmful_by_median": (rated["people_harmful"] == 1, "whose median reaches the threshold")}
        for word in (HARMFUL, BENIGN, UNDECIDED):
            shares[f"verdict_{word}"] = (rated["people_verdict"] == word, f"with the verdict '{word}'")
        for name, (holds, which) in shares.items():
            share = int(holds.sum()) / len(rated) if len(rated) else NAN
            yield name, Measured(share, NAN, NAN, len(rated)), f"share of associations {which}"
        yield "alpha_people", alpha(counts_of_people(panel), how, units), krippendorff.format("people")
    if len(panel.models) > 1:
        # Share of pairs of models that classify an association alike.
        classes = _classes(panel)
        harmful, benign = (classes == 1).sum(axis=1), (classes == 0).sum(axis=1)
        pairs = (harmful + benign) * (harmful + benign - 1) / 2
        alike = (harmful * (harmful - 1) + benign * (benign - 1)) / 2
        agreement = measured(np.column_stack([pairs, alike]), ratio, how, units)
        method = f"share of pairs of models that classify an association alike; {OF_BASE_VALUES}"
        yield "agreement_models", agreement, method
        yield "alpha_models", alpha(counts_of_models(panel), how, units), krippendorff.format("models")


def _against_people(panel: Panel, by_attribute: pl.DataFrame, how: Resampling) -> Iterator[Line]:
    """How models together compare with these people."""
    units, classes, people = panel.values("base"), _classes(panel), panel.harmful(PEOPLE)[:, None]
    rated = ~np.isnan(classes) & ~np.isnan(people)
    columns = np.column_stack([rated.sum(axis=1), (rated & (classes == people)).sum(axis=1)])
    method = f"share of models that classify an association as people do; {OF_BASE_VALUES}"
    yield "agreement_with_people", measured(columns, ratio, how, units), method
    # Do models underestimate harm most where they make most associations?
    rows = by_attribute.filter(rater=panel.together, side=EITHER).drop_nulls(["made", "delta"])
    if len(rows):
        correlation = spearman(rows["made"].to_numpy().astype(float), rows["delta"].to_numpy(), how)
        method = (
            "rank correlation over attributes of associations made with delta: negative where harm is underestimated "
            f"most on what is written most; {OF_ATTRIBUTES}"
        )
        yield "made_with_delta", correlation, method


def _classes(panel: Panel) -> np.ndarray:
    """Classes by models, shape (associations, models)."""
    return np.column_stack([panel.harmful(rater) for rater in panel.models])


def alpha(counts: np.ndarray, how: Resampling, units: np.ndarray | None = None) -> Measured:
    """Krippendorff's alpha, ordinal (`endoxa.stats.agreement`).

    NaN where all ratings are the same, or no association has two.

    Args:
        counts: ratings by association and point of the scale, points rising, shape (associations, points).
        how: how the interval is made.
        units: code of each association's base value; each association by itself by default.
    """
    points = counts.shape[1]
    rated = counts.sum(axis=1) >= 2
    pairable = counts[rated]
    return measured(
        coincidences(pairable).reshape(len(pairable), points * points),
        lambda totals: alphas(totals.reshape(-1, points, points), "ordinal"),
        how,
        None if units is None else units[rated],
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


DEFAULT = Resampling()


@dataclass(frozen=True, slots=True)
class HarmAnalysis:
    """What ratings of harm say; columns: `endoxa.schema.stories`. Undefined values are null.

    Attributes:
        associations: `HARM_ASSOCIATION_COLUMNS`: people's verdict on each, and how models differ.
        scores: `HARM_SCORE_COLUMNS`: what each rater thinks of each.
        raters: `HARM_RATER_COLUMNS`: what each rater thinks overall, and how it compares with people.
        agreement: `HARM_AGREEMENT_COLUMNS`: every two raters, a row for each cell of a heat map.
        differences: models against people over all associations and by attribute (`difference_table`).
        blind_spots: `BLIND_SPOT_COLUMNS`: associations that a model makes and itself calls harmful.
        summary: `HARM_SUMMARY_COLUMNS`: the study in a few numbers.
    """

    associations: pl.DataFrame
    scores: pl.DataFrame
    raters: pl.DataFrame
    agreement: pl.DataFrame
    differences: pl.DataFrame
    blind_spots: pl.DataFrame
    summary: pl.DataFrame

    @property
    def by_attribute(self) -> pl.DataFrame:
        """`HARM_ATTRIBUTE_COLUMNS`: where harm is underestimated and overestimated, and what is written."""
        return self.differences.filter(pl.col("attribute") != ALL).select(list(HARM_ATTRIBUTE_COLUMNS))


def analyze_harm(
    ratings: pl.DataFrame,
    associations: pl.DataFrame | None = None,
    *,
    threshold: float = THRESHOLD,
    how: Resampling = DEFAULT,
    progress: Progress = lambda *_: None,
) -> HarmAnalysis:
    """Verdicts of people, agreement of raters, differences by attribute, blind spots.

    Args:
        ratings: what `load_ratings` and `read_human` give, one below the other.
        associations: what `endoxa.sources.stereotales.associations.read_associations` gives, or None where it is not
            known which model makes which.
        threshold: median rating from which an association counts as harmful.
        how: how intervals are made.
        progress: told what is done.

    Raises:
        UserError: the threshold is out of range, or the ratings cannot be used (`check_ratings`).
    """
    if not LOWEST < threshold <= HIGHEST:
        raise UserError(
            f"--threshold: {threshold} is invalid. Expected a median rating above {LOWEST} and at most {HIGHEST}."
        )
    raters = panel(check_ratings(ratings), threshold)
    makes = associations_made(raters, associations)
    verdicts = association_table(raters, associations, how.confidence)
    differences = difference_table(raters, makes, how.confidence)
    by_attribute = differences.filter(pl.col("attribute") != ALL)
    return HarmAnalysis(
        associations=verdicts,
        scores=raters.table,
        raters=rater_table(raters, differences, makes, how),
        agreement=agreement_table(raters, how, progress),
        differences=differences,
        blind_spots=blind_spot_table(raters, verdicts, makes),
        summary=summary_table(raters, verdicts, by_attribute, how),
    )
