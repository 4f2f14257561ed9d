"""The error retention ratio: errors with names over errors with groups (Pelosio et al. 2025, 4.3.3).

Items and seeds are paired as in `names`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isnan, sqrt
from typing import Any

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.questions.estimates.inference import (
    FEW_TEMPLATES,
    RESAMPLES,
    SECOND,
    Result,
    Settings,
    crossed_interval,
    effective,
    expanded,
    judged,
    resampled,
    templates_test,
)
from endoxa.instruments.questions.estimates.measures import Counts, share
from endoxa.instruments.questions.estimates.names import COMPARISON_TYPES, Context, contexts, over_both
from endoxa.instruments.questions.estimates.pairing import (
    OTHER,
    Side,
    changed_templates,
    matched_names,
    matched_sides,
    side_sums,
)
from endoxa.runs.families import RETENTION
from endoxa.stats.intervals import UNDEFINED, Interval, agreeing, effective_number, jackknife_variance

RATIO = "error_retention"
NO_ERROR = "no error with groups: there is none to be retained"
_CHANGE = "answers change between right and wrong"


def retention(
    original: pl.DataFrame,
    substituted: pl.DataFrame,
    *,
    confidence: float = 0.95,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> pl.DataFrame:
    """(1 - accuracy with names) / (1 - accuracy with groups), for every model and protocol present on both sides.

    Where the two sides have no model in common and one each, these are compared; protocols likewise. So any two can
    be, by filtering the answers first.

    Args:
        original: checked answers about one data set, with the groups.
        substituted: checked answers about the same items, with the names; of several data sets each is compared.
        confidence: confidence level.
        seed: seed of the bootstrap, which resamples the same templates on both sides.
        resamples: bootstrap samples.

    Returns:
        `schema.QA_COMPARISON_COLUMNS`, a row per model, protocol, context and substituted data set, one family;
        undefined values are null.

    Raises:
        UserError: `original` holds several data sets, nothing can be paired, or one item has different right answers.
    """
    if original["data"].n_unique() != 1:
        raise UserError("Error retention compares with one data set. Give one as the original.")
    parts = sorted(substituted.partition_by("data", as_dict=True).items())
    matched = [sides for _, answers in parts for sides in matched_sides(original, answers)]
    table = _ratios(matched, Settings(confidence, seed, resamples))
    for (data,), _ in parts:
        if data not in table["substituted"]:
            raise UserError(
                f"'{original['data'][0]}' and '{data}' have no answers of one model under one protocol to the same "
                "items, so error retention cannot be computed."
            )
    return table


def retention_of_names(answers: pl.DataFrame, settings: Settings) -> pl.DataFrame:
    """The ratios of every data set without names against every one with names of the same items; one family.

    Returns what `retention` does, for each model and protocol present in both; no rows where there is no such pair.
    """
    return _ratios(matched_names(answers), settings)


def _ratios(matched: Sequence[tuple[Side, Side]], settings: Settings) -> pl.DataFrame:
    rows = (context.shared | _ratio(context) for context in contexts(matched, settings))
    return judged(rows, COMPARISON_TYPES, RETENTION, settings.confidence)


def _ratio(context: Context) -> dict[str, Any]:
    per_template, by_seed = wrong_answers(context.sums), wrong_answers(side_sums(context.pairs, "number"))
    count, wrong_original, wrong_substituted = per_template.sum(axis=0)
    ratio, seeds = float(share(wrong_substituted, wrong_original)), share(by_seed[:, 2], by_seed[:, 1])
    result, methods = Result(reason=NO_ERROR), [context.note]
    if context.together and not isnan(ratio):
        result = _over_both(context, ratio)
    elif not isnan(ratio):
        result, methods = _over_templates(context, per_template, ratio)
    if np.isnan(seeds).any() and not isnan(ratio):
        methods.append("no error with groups under some seed: no mean over seeds")
    return {
        "name": RATIO,
        "original_value": wrong_original / count,
        "substituted_value": wrong_substituted / count,
        "value": ratio,
        **result.cells,
        "mean": float(seeds.mean()),
        "sd": float(seeds.std(ddof=1)) if len(seeds) > 1 else None,
        "seeds": len(seeds),
        "method": "; ".join(filter(None, (context.shared["method"], *methods))),
        "neutral": 1.0,
    }


def _over_templates(context: Context, per_template: np.ndarray, ratio: float) -> tuple[Result, list[str]]:
    """Result where templates decide, and notes on its method."""
    settings = context.settings
    # There are as many errors with names as with groups: a ratio of 1 is a difference of 0.
    test = templates_test(
        context.counts(0).correct - context.counts(1).correct,
        changed_templates(context.pairs, "correct"),
        happens=_CHANGE,
        confidence=settings.confidence,
        seed=settings.seed,
    )
    drawn = resampled(per_template, settings.resamples, settings.seed)
    ratios = share(drawn[:, 2], drawn[:, 1])
    undefined = int(np.isnan(ratios).sum())
    notes = [f"{undefined} resamples without an error left out" if undefined else "", context.note]
    if test.reason:
        return test, notes
    # The ratio is no surer than the rarer of the two kinds of errors it is made of.
    weights, confidence = min(per_template[:, 1], per_template[:, 2], key=effective), settings.confidence
    interval = expanded(ratios, weights, confidence).interval
    if not interval.defined:
        interval = _others(per_template, confidence)
        notes.append("interval of templates that are alike, because there is none of the bootstrap")
    elif len(per_template) < FEW_TEMPLATES:
        left_out = jackknifed(per_template, effective(weights), confidence)
        if left_out.defined:
            interval = left_out
            notes.append(f"jackknife t interval, because there are fewer than {FEW_TEMPLATES}")
    return replace(test, interval=agreeing(interval, ratio, 1.0, test.p_value, confidence)), notes


def _over_both(context: Context, ratio: float) -> Result:
    """Result where units of the second kind decide too."""
    test, confidence = over_both(context, "accuracy", 1.0, _CHANGE), context.settings.confidence
    if test.reason:
        return test
    before, after = ((1 - context.pairs[f"correct{side}"]).to_numpy() for side in ("", OTHER))
    linear = ratio + (after - ratio * before) / before.mean()
    interval = crossed_interval(linear, context.units, None, confidence)
    if not interval.defined:
        per_unit = (wrong_answers(side_sums(context.pairs, name)) for name in ("template", SECOND))
        interval = _others(min(per_unit, key=len), confidence)
    interval = Interval(max(interval.low, 0.0), interval.high)
    return replace(test, interval=agreeing(interval, ratio, 1.0, test.p_value, confidence))


def wrong_answers(sums: np.ndarray) -> np.ndarray:
    """(groups, 3): pairs, errors with groups, errors with names.

    Args:
        sums: see `pairing.side_sums`.
    """
    sides = [Counts.of(side) for side in np.moveaxis(sums, 1, 0)]
    return np.column_stack([sides[0].read, *(side.read - side.correct for side in sides)])


def jackknifed(per_template: np.ndarray, clusters: float, confidence: float) -> Interval:
    """T interval of the ratio when whole templates are left out in turn, with clusters - 1 degrees of freedom.

    Not defined where one template has all errors with groups.
    """
    from scipy.special import stdtrit

    before, after = per_template[:, 1], per_template[:, 2]
    if before.max() == before.sum():
        return UNDEFINED
    reach = float(stdtrit(max(clusters - 1, 1.0), (1 + confidence) / 2)) * sqrt(
        jackknife_variance(before, after)
    )
    ratio = float(after.sum() / before.sum())
    return Interval(max(ratio - reach, 0.0), ratio + reach)


def _others(per_template: np.ndarray, confidence: float) -> Interval:
    """Interval of the ratio where templates seen say nothing of how they vary: the others may hold anything.

    At most a share of 1 - (alpha / 2)^(1 / clusters) of all templates are unlike those seen
    (`stats.intervals.alike`); in these every answer is wrong on one side and right on the other.
    """
    others = 1 - ((1 - confidence) / 2) ** (1 / effective_number(per_template[:, 0]))
    _, before, after = per_template.sum(axis=0) / per_template[:, 0].sum() * (1 - others)
    return Interval(after / (before + others), (after + others) / before)
