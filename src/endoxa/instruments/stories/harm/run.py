"""Ratings in, seven tables out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.stories.harm.associations import association_table, attribute_table
from endoxa.instruments.stories.harm.differences import decide_together
from endoxa.instruments.stories.harm.panel import HIGHEST, LOWEST, THRESHOLD, panel
from endoxa.instruments.stories.harm.raters import agreement_table, blind_spot_table, generators, rater_table
from endoxa.instruments.stories.harm.ratings import check_ratings
from endoxa.instruments.stories.harm.summary import summary_table
from endoxa.runs.options import Resampling
from endoxa.schema import Progress

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
