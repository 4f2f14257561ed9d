"""Ratings in, seven tables out: people's verdict on each association, and how models differ from it.

People's verdict is the median of their ratings with its interval. The table by attribute shows where models
underestimate and overestimate harm, and how many such associations they write.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.stories.harm.raters import (
    CLAIM_TYPES,
    Measured,
    Ratings,
    agreement_table,
    blind_spot_table,
    compare,
    decide_together,
    difference,
    generators,
    made_by,
    measured,
    rater_table,
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
from endoxa.schema import Progress
from endoxa.schema.harm import HARM_ASSOCIATION_COLUMNS, HARM_ATTRIBUTE_COLUMNS, HARM_SUMMARY_COLUMNS
from endoxa.sources.frames import column_types
from endoxa.sources.stereotales.associations import PARTS
from endoxa.stats.agreement import alphas, coincidences
from endoxa.stats.intervals import NAN, UNDEFINED, Interval


def verdict(ratings: np.ndarray, threshold: float, confidence: float) -> dict[str, Any]:
    """What people's ratings of one association, one or more, say: columns of `HARM_ASSOCIATION_COLUMNS`."""
    interval, median = median_interval(ratings, confidence), float(np.median(ratings))
    above = int((ratings >= threshold).sum())
    word = HARMFUL if interval.low >= threshold else BENIGN if interval.high < threshold else UNDECIDED
    return {
        "people_n": len(ratings),
        "people_mean": float(ratings.mean()),
        "people_median": median,
        "people_low": interval.low,
        "people_high": interval.high,
        "people_at_threshold": above / len(ratings),
        "p_harmful": majority_probability(above, len(ratings)),
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


@cache
def majority_probability(above: int, count: int) -> float:
    """Probability that the share behind `above` of `count` is over one half, under Jeffreys' prior Beta(1/2, 1/2)."""
    if count == 0:
        return NAN
    from scipy.stats import beta

    return float(beta.sf(0.5, above + 0.5, count - above + 0.5))


ASSOCIATION_TYPES = column_types(
    HARM_ASSOCIATION_COLUMNS,
    texts=("association_id", *PARTS, "people_verdict"),
    counts=("people_n", "people_harmful", "models", "made_by"),
)


VERDICT_TYPES = {
    name: kind
    for name, kind in ASSOCIATION_TYPES.items()
    if name in ("association_id", "p_harmful") or (name.startswith("people") and "frequent" not in name)
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


TYPES = column_types(HARM_SUMMARY_COLUMNS, texts=("name", "method"), counts=("n",)) | CLAIM_TYPES
OF_BASE_VALUES = "interval: bootstrap of base values, with these raters"
OF_ATTRIBUTES = "interval: bootstrap of attributes, with these raters"
BOOTSTRAPS = {OF_BASE_VALUES: "base-values", OF_ATTRIBUTES: "attributes"}
Line = tuple[str, Measured, str]
"""Name, value, and how it was computed."""


def summary_table(
    panel: Panel,
    associations: pl.DataFrame,
    raters: pl.DataFrame,
    by_attribute: pl.DataFrame,
    how: Resampling,
) -> pl.DataFrame:
    """The lines that the ratings allow, those of people only where people rated.

    Args:
        panel: the ratings.
        associations: the table of associations.
        raters: the table of raters, decided.
        by_attribute: the table of attributes.
        how: how intervals are made.
    """
    rows = [_row(*line, how.confidence) for line in _of_either_side(panel, associations, how)]
    if panel.has_people and panel.models:
        row = raters.row(by_predicate=pl.col("rater") == panel.together, named=True)
        ends = {"value": row["delta"], "low": row["delta_low"], "high": row["delta_high"]}
        method = f"mean of {row['rater']} - mean of people; interval: people and values as samples (crossed)"
        claim = {name: row[name] for name in CLAIM_TYPES}
        rows.append({"name": "delta", "n": row["compared"], "method": method, **ends, **claim})
        rows += [_row(*line, how.confidence) for line in _against_people(panel, by_attribute, how)]
    return pl.DataFrame(rows, schema=TYPES).with_columns(pl.selectors.float().fill_nan(None))


def _row(name: str, measure: Measured, method: str, confidence: float) -> dict[str, Any]:
    undefined = "; undefined: too little varies" if np.isnan(measure.value) else ""
    resampled = next((code for words, code in BOOTSTRAPS.items() if words in method), "none")
    return {
        "name": name,
        **{part: getattr(measure, part) for part in ("value", "low", "high", "n")},
        "method": method + undefined,
        "confidence": confidence,
        "interval": "none" if np.isnan(measure.low) else resampled,
        "verdict": "",
        "reason": "",
    }


def _of_either_side(panel: Panel, associations: pl.DataFrame, how: Resampling) -> Iterator[Line]:
    """How many associations people call harmful, by the median alone and with its interval; agreement on each side."""
    units = panel.values("base")
    krippendorff = "Krippendorff's alpha, ordinal, among"
    if panel.has_people:
        rated = associations.drop_nulls("people_n")
        shares = {"harmful_by_median": (rated["people_harmful"] == 1, "whose median reaches the threshold")}
        for word in (HARMFUL, BENIGN, UNDECIDED):
            shares[f"verdict_{word}"] = (rated["people_verdict"] == word, f"with the verdict '{word}'")
        for name, (holds, which) in shares.items():
            share = int(holds.sum()) / len(rated) if len(rated) else NAN
            yield name, Measured(share, NAN, NAN, len(rated)), f"share of associations {which}"
        among = alpha(counts_of_people(panel), how, units)
        yield "alpha_people", among, f"{krippendorff} people; {OF_BASE_VALUES}"
    if len(panel.models) > 1:
        # Share of pairs of models that classify an association alike.
        classes = _classes(panel)
        harmful, benign = (classes == 1).sum(axis=1), (classes == 0).sum(axis=1)
        pairs = (harmful + benign) * (harmful + benign - 1) / 2
        alike = (harmful * (harmful - 1) + benign * (benign - 1)) / 2
        agreement = measured(np.column_stack([pairs, alike]), ratio, how, units)
        method = f"share of pairs of models that classify an association alike; {OF_BASE_VALUES}"
        yield "agreement_models", agreement, method
        among = alpha(counts_of_models(panel), how, units)
        yield "alpha_models", among, f"{krippendorff} models; {OF_BASE_VALUES}"


def _against_people(panel: Panel, by_attribute: pl.DataFrame, how: Resampling) -> Iterator[Line]:
    """How models together compare with these people."""
    rater, units = panel.together, panel.values("base")
    compared = compare(panel, rater, PEOPLE, how)
    for name in ("pearson", "spearman"):
        method = f"correlation of the means of {rater} with people's; {OF_BASE_VALUES}"
        yield name, compared[name], method
    classes, people = _classes(panel), panel.harmful(PEOPLE)[:, None]
    rated = ~np.isnan(classes) & ~np.isnan(people)
    columns = np.column_stack([rated.sum(axis=1), (rated & (classes == people)).sum(axis=1)])
    method = f"share of models that classify an association as people do; {OF_BASE_VALUES}"
    yield "agreement_with_people", measured(columns, ratio, how, units), method
    method = f"share of {HIGHEST} among people's ratings / that among models'; {OF_BASE_VALUES}"
    yield "maximum_ratio", measured(_at_maximum(panel), _ratio_of_shares, how, units), method
    # Do models underestimate harm most where they make most associations?
    rows = by_attribute.filter(rater=rater, side=EITHER).drop_nulls(["made", "delta"])
    if len(rows):
        correlation = spearman(rows["made"].to_numpy().astype(float), rows["delta"].to_numpy(), how)
        method = (
            "rank correlation over attributes of associations made with delta: negative where harm is underestimated "
            f"most on what is written most; {OF_ATTRIBUTES}"
        )
        yield "made_with_delta", correlation, method


def _at_maximum(panel: Panel) -> np.ndarray:
    """Ratings of each association, and how many of them are the highest, of people and then of models."""
    harm = [pl.col("harm").filter(pl.col("rater_kind") == kind) for kind in (HUMAN, MODEL)]
    numbers = [number for ratings in harm for number in (ratings.count(), (ratings == HIGHEST).sum())]
    counted = panel.ratings.group_by("association_id").agg(
        number.alias(str(place)) for place, number in enumerate(numbers)
    )
    rows = panel.associations.join(counted, on="association_id", how="left", maintain_order="left")
    return rows.select(map(str, range(4))).to_numpy().astype(float)


def _ratio_of_shares(totals: np.ndarray) -> np.ndarray:
    people, models = ratio(totals[:, :2]), ratio(totals[:, 2:])
    return np.asarray(np.divide(people, models, out=np.full(len(totals), NAN), where=models > 0))


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


NO_ALIASES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class HarmAnalysis:
    """What ratings of harm say; columns: `endoxa.schema.stories`. Undefined values are null.

    Attributes:
        associations: `HARM_ASSOCIATION_COLUMNS`: people's verdict on each, and how models differ.
        scores: `HARM_SCORE_COLUMNS`: what each rater thinks of each.
        raters: `HARM_RATER_COLUMNS`: what each rater thinks overall, and how it compares with people.
        agreement: `HARM_AGREEMENT_COLUMNS`: every two raters, a row for each cell of a heat map.
        by_attribute: `HARM_ATTRIBUTE_COLUMNS`: where harm is underestimated and overestimated, and what is written.
        blind_spots: `BLIND_SPOT_COLUMNS`: associations that a model makes and itself calls harmful.
        summary: `HARM_SUMMARY_COLUMNS`: the study in a few numbers.
    """

    associations: pl.DataFrame
    scores: pl.DataFrame
    raters: pl.DataFrame
    agreement: pl.DataFrame
    by_attribute: pl.DataFrame
    blind_spots: pl.DataFrame
    summary: pl.DataFrame


def analyze_harm(
    ratings: pl.DataFrame,
    associations: pl.DataFrame | None = None,
    *,
    threshold: float = THRESHOLD,
    confidence: float = 0.95,
    seed: int = 0,
    resamples: int = 2000,
    aliases: Mapping[str, str] = NO_ALIASES,
    progress: Progress = lambda *_: None,
) -> HarmAnalysis:
    """Verdicts of people, agreement of raters, differences by attribute, blind spots.

    Args:
        ratings: what `load_ratings` and `read_human` give, one below the other.
        associations: what `endoxa.sources.stereotales.associations.read_associations` gives, or None where it is not
            known which model makes which.
        threshold: median rating from which an association counts as harmful.
        confidence: confidence level of all intervals.
        seed: seed of everything that is drawn.
        resamples: bootstrap samples per interval.
        aliases: names that raters have among the models of `associations`, where they differ.
        progress: told what is done.

    Raises:
        UserError: a setting is out of range, or the ratings cannot be used (`check_ratings`).
    """
    _check_settings(threshold, confidence, seed, resamples)
    how = Resampling(confidence, resamples, seed)
    raters = panel(check_ratings(ratings), threshold)
    names = {} if associations is None else generators(raters, associations, aliases)
    verdicts = association_table(raters, associations, confidence)
    compared, by_attribute = decide_together(
        rater_table(raters, associations, names, how),
        attribute_table(raters, associations, names, confidence),
        raters.together,
        confidence,
    )
    return HarmAnalysis(
        associations=verdicts,
        scores=raters.table,
        raters=compared,
        agreement=agreement_table(raters, how, progress),
        by_attribute=by_attribute,
        blind_spots=blind_spot_table(raters, verdicts, associations, names),
        summary=summary_table(raters, verdicts, compared, by_attribute, how),
    )


def _check_settings(threshold: float, confidence: float, seed: int, resamples: int) -> None:
    """Raise UserError where a number is out of range."""
    if not LOWEST < threshold <= HIGHEST:
        raise UserError(
            f"--threshold: {threshold} is invalid. Expected a median rating above {LOWEST} and at most {HIGHEST}."
        )
    if not 0 < confidence < 1:
        raise UserError(f"The confidence must lie between 0 and 1, for example 0.95, not {confidence}.")
    if resamples < 100:
        raise UserError(f"At least 100 bootstrap samples are needed, not {resamples}; 2000 is the default.")
    if seed < 0:
        raise UserError(f"The seed must not be negative ({seed} was given).")
