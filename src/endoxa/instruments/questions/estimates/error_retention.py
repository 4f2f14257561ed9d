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
from polars import selectors as cs

from endoxa.errors import UserError
from endoxa.instruments.questions.estimates.inference import (
    FEW_TEMPLATES,
    NOT_REQUESTED,
    SECOND,
    TemplateTest,
    check_settings,
    column_types,
    crossed_interval,
    effective,
    expanded,
    judged,
    resampled,
    templates_test,
    without_interval,
)
from endoxa.instruments.questions.estimates.measures import (
    Counts,
    share,
)
from endoxa.instruments.questions.estimates.names import (
    INTEGERS,
    TEXTS,
    Context,
    Settings,
    contexts,
    over_both,
)
from endoxa.instruments.questions.estimates.pairing import (
    OTHER,
    Side,
    changed_templates,
    matched_names,
    matched_sides,
    side_sums,
)
from endoxa.runs.families import RETENTION
from endoxa.schema import RETENTION_COLUMNS
from endoxa.stats.intervals import (
    NAN,
    UNDEFINED,
    Interval,
    agreeing,
    effective_number,
    jackknife_variance,
)

RETENTION_TYPES = column_types(RETENTION_COLUMNS, INTEGERS, TEXTS)


def retention(
    original: pl.DataFrame,
    substituted: pl.DataFrame,
    *,
    confidence: float = 0.95,
    seed: int = 0,
    resamples: int = 2000,
) -> pl.DataFrame:
    """(1 - accuracy with names) / (1 - accuracy with groups), for every model and protocol present on both sides.

    Where the two sides have no model in common and one each, these are compared; protocols likewise. So any two can
    be, by filtering the answers first.

    Args:
        original: checked answers about one data set, with the groups.
        substituted: checked answers about the same items, with the names.
        confidence: confidence level.
        seed: seed of the bootstrap, which resamples the same templates on both sides.
        resamples: bootstrap samples.

    Returns:
        `schema.RETENTION_COLUMNS`, one row per model, protocol and context; undefined values are null.

    Raises:
        UserError: a side holds several data sets, nothing can be paired, or one item has different right answers.
    """
    check_settings(confidence, seed, resamples)
    for side in (original, substituted):
        if side["data"].n_unique() != 1:
            raise UserError("Error retention compares two data sets. Give one on each side.")
    table = _ratios(matched_sides(original, substituted), Settings(confidence, seed, resamples))
    if table.is_empty():
        raise UserError(
            f"'{original['data'][0]}' and '{substituted['data'][0]}' have no answers of one model under one protocol "
            "to the same items, so error retention cannot be computed."
        )
    return table


def retention_of_names(
    answers: pl.DataFrame, *, confidence: float, seed: int, resamples: int
) -> pl.DataFrame:
    """The ratios of every data set without names against every one with names of the same items; one family.

    Takes and returns what `retention` does, for each model and protocol present in both; no rows where there is
    no such pair.
    """
    return _ratios(matched_names(answers), Settings(confidence, seed, resamples))


def together(tables: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Tables of ratios below one another, corrected as one family."""
    table = pl.concat(tables).with_columns(
        # Verdicts are decided anew: only what cannot be tested keeps its reason.
        verdict_reason=pl.when(pl.col("p_value").is_null()).then("verdict_reason").otherwise(pl.lit(""))
    )
    return judged(table, RETENTION, value="ratio", confidence=table["confidence"][0])


def _ratios(matched: Sequence[tuple[Side, Side]], settings: Settings) -> pl.DataFrame:
    rows = [context.shared | _ratio(context) for context in contexts(matched, settings)]
    table = pl.DataFrame(rows, schema=RETENTION_TYPES).with_columns(cs.float().fill_nan(None))
    return judged(table, RETENTION, value="ratio", confidence=settings.confidence)


def _ratio(context: Context) -> dict[str, Any]:
    settings, per_template = context.settings, wrong_answers(context.sums)
    drawn = resampled(per_template, settings.resamples, settings.seed)
    ratios = share(drawn[:, 2], drawn[:, 1])
    # The ratio is no surer than the rarer of the two kinds of errors it is made of.
    weights = min(per_template[:, 1], per_template[:, 2], key=effective)
    interval = expanded(ratios, weights, settings.confidence)
    count, wrong_original, wrong_substituted = per_template.sum(axis=0)
    by_seed = wrong_answers(side_sums(context.pairs, "number"))
    seeds = share(by_seed[:, 2], by_seed[:, 1])
    ratio = float(share(wrong_substituted, wrong_original))
    # There are as many errors with names as with groups: a ratio of 1 is a difference of 0.
    test = templates_test(
        context.counts(0).correct - context.counts(1).correct,
        changed_templates(context.pairs, "correct"),
        happens="answers change between right and wrong",
        confidence=settings.confidence,
        seed=settings.seed,
    )
    if isnan(ratio):
        test = TemplateTest(NAN, "no error with groups: there is none to be retained")
    ends, other_method = Interval(interval.low, interval.high), ""
    if context.together and not isnan(ratio):
        test, ends = _ratio_over_both(context, ratio)
        interval = NOT_REQUESTED if ends.defined else replace(interval, why=test.untestable)
    elif test.untestable:
        ends, interval = UNDEFINED, replace(interval, why=test.untestable)
    elif np.isfinite([ratio, test.p_value]).all():
        ends, other_method = _of_templates(per_template, ends, effective(weights), settings.confidence)
        interval = NOT_REQUESTED if ends.defined else interval
    agreed = agreeing(ends, ratio, 1.0, test.p_value, settings.confidence)
    undefined = int(np.isnan(ratios).sum())
    without = f"{undefined} resamples without an error left out" if undefined and not context.together else ""
    reasons = ["no error with groups: there is none to be retained"]
    if not isnan(ratio):
        reasons = without_interval({"ratio": interval})
        if np.isnan(seeds).any():
            reasons.append("no error with groups under some seed: no mean over seeds")
    return {
        "error_original": wrong_original / count,
        "error_substituted": wrong_substituted / count,
        "ratio": ratio,
        "low": agreed.low,
        "high": agreed.high,
        "ratio_mean": float(seeds.mean()),
        "ratio_sd": float(seeds.std(ddof=1)) if len(seeds) > 1 else NAN,
        "n_seeds": len(seeds),
        "method": "; ".join(filter(None, (context.method, without, context.note, other_method))),
        "reason": "; ".join(reasons),
        "neutral": 1.0,
        "p_value": test.p_value,
        "verdict_reason": test.untestable,
    }


def _ratio_over_both(context: Context, ratio: float) -> tuple[TemplateTest, Interval]:
    """Test and interval of a ratio where units of the second kind decide too."""
    test, _ = over_both(context, "accuracy", 1.0, "answers change between right and wrong")
    before, after = ((1 - context.pairs[f"correct{side}"]).to_numpy() for side in ("", OTHER))
    linear = ratio + (after - ratio * before) / before.mean()
    interval = crossed_interval(linear, context.units, None, context.settings.confidence)
    if not interval.defined:
        per_unit = (wrong_answers(side_sums(context.pairs, name)) for name in ("template", SECOND))
        interval = _others(min(per_unit, key=len), context.settings.confidence)
    return test, UNDEFINED if test.untestable else Interval(max(interval.low, 0.0), interval.high)


def wrong_answers(sums: np.ndarray) -> np.ndarray:
    """(groups, 3): pairs, errors with groups, errors with names.

    Args:
        sums: see `pairing.side_sums`.
    """
    sides = [Counts.of(side) for side in np.moveaxis(sums, 1, 0)]
    return np.column_stack([sides[0].read, *(side.read - side.correct for side in sides)])


def _of_templates(
    per_template: np.ndarray, bootstrapped: Interval, clusters: float, confidence: float
) -> tuple[Interval, str]:
    """The interval that a verdict goes with, and how it was made where the bootstrap did not."""
    if not bootstrapped.defined:
        interval = _others(per_template, confidence)
        return interval, "interval of templates that are alike, because there is none of the bootstrap"
    if len(per_template) < FEW_TEMPLATES:
        interval = jackknifed(per_template, clusters, confidence)
        if interval.defined:
            return interval, f"jackknife t interval, because there are fewer than {FEW_TEMPLATES}"
    return bootstrapped, ""


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
