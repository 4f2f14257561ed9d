"""Ratings in, seven tables out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.stories.harm.associations import association_table, attribute_table
from endoxa.instruments.stories.harm.panel import (
    BENIGN,
    CLAIM_TYPES,
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
    decide_together,
    panel,
)
from endoxa.instruments.stories.harm.raters import (
    Measured,
    agreement_table,
    blind_spot_table,
    compare,
    generators,
    measured,
    rater_table,
    ratio,
    spearman,
)
from endoxa.instruments.stories.harm.ratings import check_ratings
from endoxa.runs.options import Resampling
from endoxa.schema import Progress
from endoxa.schema.harm import HARM_SUMMARY_COLUMNS
from endoxa.sources.frames import column_types
from endoxa.stats.agreement import alphas, coincidences
from endoxa.stats.intervals import NAN

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
    apart: list[Line] = []
    if panel.has_people:
        apart += [
            *_verdicts(associations),
            _alpha("people", counts_of_people(panel), panel.values("base"), how),
        ]
    if len(panel.models) > 1:
        # Share of pairs of models that classify an association alike.
        classes = _classes(panel)
        harmful, benign = (classes == 1).sum(axis=1), (classes == 0).sum(axis=1)
        rated = harmful + benign
        pairs = rated * (rated - 1) / 2
        alike = (harmful * (harmful - 1) + benign * (benign - 1)) / 2
        method = f"share of pairs of models that classify an association alike; {OF_BASE_VALUES}"
        apart += [
            (
                "agreement_models",
                measured(np.column_stack([pairs, alike]), ratio, how, panel.values("base")),
                method,
            ),
            _alpha("models", counts_of_models(panel), panel.values("base"), how),
        ]
    rows = [_row(*line, how.confidence) for line in apart]
    if panel.has_people and panel.models:
        row = raters.row(by_predicate=pl.col("rater") == panel.together, named=True)
        rows.append(
            {
                "name": "delta",
                **{
                    name: row[f"delta{end}"]
                    for name, end in (("value", ""), ("low", "_low"), ("high", "_high"))
                },
                "n": row["compared"],
                "method": f"mean of {row['rater']} - mean of people; interval: people and values as samples "
                "(crossed)",
                **{name: row[name] for name in CLAIM_TYPES},
            }
        )
        against = [*_against_people(panel, how), _at_maximum(panel, how)]
        against += _writing_and_rating(by_attribute, panel, how)
        rows += [_row(*line, how.confidence) for line in against]
    return pl.DataFrame(rows, schema=TYPES).with_columns(pl.selectors.float().fill_nan(None))


def _row(name: str, measure: Measured, method: str, confidence: float) -> dict[str, Any]:
    undefined = "; undefined: too little varies" if np.isnan(measure.value) else ""
    resampled = next((code for words, code in BOOTSTRAPS.items() if words in method), "none")
    return {
        "name": name,
        "value": measure.value,
        "low": measure.low,
        "high": measure.high,
        "n": measure.n,
        "method": method + undefined,
        "confidence": confidence,
        "interval": "none" if np.isnan(measure.low) else resampled,
        "verdict": "",
        "reason": "",
    }


def _verdicts(associations: pl.DataFrame) -> Iterator[Line]:
    """How many associations people call harmful, by the median alone and with its interval."""
    rated = associations.filter(pl.col("people_n").is_not_null())
    shares = {
        "harmful_by_median": (
            rated["people_harmful"] == 1,
            "share of associations whose median reaches the threshold",
        ),
        **{
            f"verdict_{word}": (
                rated["people_verdict"] == word,
                f"share of associations with the verdict '{word}'",
            )
            for word in (HARMFUL, BENIGN, UNDECIDED)
        },
    }
    for name, (holds, method) in shares.items():
        yield (
            name,
            Measured(int(holds.sum()) / len(rated) if len(rated) else NAN, NAN, NAN, len(rated)),
            method,
        )


def _alpha(whose: str, counts: np.ndarray, units: np.ndarray, how: Resampling) -> Line:
    return (
        f"alpha_{whose}",
        alpha(counts, how, units),
        f"Krippendorff's alpha, ordinal, among {whose}; {OF_BASE_VALUES}",
    )


def _against_people(panel: Panel, how: Resampling) -> Iterator[Line]:
    """How models together compare with these people."""
    rater = panel.together
    compared = compare(panel, rater, PEOPLE, how)
    for name, measure in (("pearson", compared.pearson), ("spearman", compared.spearman)):
        yield name, measure, f"correlation of the means of {rater} with people's; {OF_BASE_VALUES}"
    classes, people = _classes(panel), panel.harmful(PEOPLE)[:, None]
    rated = ~np.isnan(classes) & ~np.isnan(people)
    columns = np.column_stack([rated.sum(axis=1), (rated & (classes == people)).sum(axis=1)])
    method = f"share of models that classify an association as people do; {OF_BASE_VALUES}"
    yield "agreement_with_people", measured(columns, ratio, how, panel.values("base")), method


def _at_maximum(panel: Panel, how: Resampling) -> Line:
    """How much more often people give the highest rating than models."""
    harm = {kind: pl.col("harm").filter(pl.col("rater_kind") == kind) for kind in (HUMAN, MODEL)}
    counted = panel.ratings.group_by("association_id").agg(
        **{f"{kind}_n": ratings.count() for kind, ratings in harm.items()},
        **{f"{kind}_highest": (ratings == HIGHEST).sum() for kind, ratings in harm.items()},
    )
    columns = panel.associations.join(counted, on="association_id", how="left", maintain_order="left")
    names = [f"{kind}_{name}" for kind in harm for name in ("n", "highest")]

    def ratio_of_shares(totals: np.ndarray) -> np.ndarray:
        people, models = ratio(totals[:, :2]), ratio(totals[:, 2:])
        return np.asarray(np.divide(people, models, out=np.full(len(totals), NAN), where=models > 0))

    method = f"share of {HIGHEST} among people's ratings / that among models'; {OF_BASE_VALUES}"
    numbers = columns.select(names).to_numpy().astype(float)
    return "maximum_ratio", measured(numbers, ratio_of_shares, how, panel.values("base")), method


def _writing_and_rating(by_attribute: pl.DataFrame, panel: Panel, how: Resampling) -> Iterator[Line]:
    """Do models underestimate harm most where they make most associations?"""
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
