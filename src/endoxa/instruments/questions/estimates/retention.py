"""Error retention ratio between two sets of answers to the same items (Pelosio et al. 2025, section 4.3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isnan, sqrt
from typing import Any

import numpy as np
import polars as pl
from polars import selectors as cs

from endoxa.errors import UserError
from endoxa.instruments.questions.estimates.estimates import TEMPLATES
from endoxa.instruments.questions.estimates.inference import (
    FEW_TEMPLATES,
    NOT_REQUESTED,
    Ends,
    TemplateTest,
    check_settings,
    effective,
    expanded,
    judged,
    resampled,
    templates_test,
    without_interval,
)
from endoxa.instruments.questions.estimates.measures import Counts, share
from endoxa.instruments.questions.estimates.pairing import (
    ITEM,
    Side,
    changed_templates,
    item_pairs,
    left_out,
    matched_names,
    matched_sides,
    side_sums,
    unpaired_seeds,
)
from endoxa.runs.families import RETENTION
from endoxa.schema import RETENTION_COLUMNS
from endoxa.stats.intervals import UNDEFINED, Interval, agreeing, effective_number, jackknife_variance

_INTEGERS = ("n_items", "n_seeds", "n_left_out", "clusters")
_TEXT = (
    *("model", "protocol", "context_condition", "original", "substituted", "method", "reason"),
    *("interval", "verdict", "verdict_reason"),
)
RETENTION_TYPES: dict[str, type[pl.DataType]] = {
    name: pl.Int64 if name in _INTEGERS else pl.String if name in _TEXT else pl.Float64
    for name in RETENTION_COLUMNS
}


def retention(
    original: pl.DataFrame,
    substituted: pl.DataFrame,
    *,
    confidence: float = 0.95,
    seed: int = 0,
    resamples: int = 2000,
) -> pl.DataFrame:
    """(1 - accuracy with names) / (1 - accuracy with groups), for every model and protocol present on both sides.

    Items are paired by category and example_id, seeds in order, by repeat and then variant; a side with one seed is
    paired with each of the other's, and seeds without a partner are left out (`method` counts them). Only pairs count
    of which both answers were read. Where the two sides have no model in common and one each, these are compared;
    protocols likewise. So any two can be, by filtering the answers first.

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
    table = _table(
        matched_sides(original, substituted), confidence=confidence, seed=seed, resamples=resamples
    )
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
    return _table(matched_names(answers), confidence=confidence, seed=seed, resamples=resamples)


def _table(matched: list[tuple[Side, Side]], *, confidence: float, seed: int, resamples: int) -> pl.DataFrame:
    rows = [
        {**row, "confidence": confidence}
        for original, other in matched
        for row in _rows(original, other, confidence=confidence, seed=seed, resamples=resamples)
    ]
    table = pl.DataFrame(rows, schema=RETENTION_TYPES).with_columns(cs.float().fill_nan(None))
    return judged(table, RETENTION, value="ratio", confidence=confidence)


def together(tables: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Tables of ratios below one another, corrected as one family."""
    table = pl.concat(tables).with_columns(
        # Verdicts are decided anew: only what cannot be tested keeps its reason.
        verdict_reason=pl.when(pl.col("p_value").is_null()).then("verdict_reason").otherwise(pl.lit(""))
    )
    return judged(table, RETENTION, value="ratio", confidence=table["confidence"][0])


def _rows(
    original: Side, substituted: Side, *, confidence: float, seed: int, resamples: int
) -> list[dict[str, Any]]:
    pairs = item_pairs(original, substituted)
    note, lonely = unpaired_seeds(original, substituted), left_out(original, substituted, pairs)
    return [
        {
            "model": _named(original.model, substituted.model),
            "protocol": _named(original.protocol, substituted.protocol),
            "context_condition": condition,
            "original": original.data,
            "substituted": substituted.data,
            "n_left_out": lonely.get(str(condition), 0),
            **_row(part, note, confidence=confidence, seed=seed, resamples=resamples),
        }
        for (condition,), part in sorted(pairs.partition_by("context_condition", as_dict=True).items())
    ]


def _named(original: str, substituted: str) -> str:
    return original if original == substituted else f"{original} -> {substituted}"


def _row(pairs: pl.DataFrame, note: str, *, confidence: float, seed: int, resamples: int) -> dict[str, Any]:
    per_template, test = _sums(pairs, "template"), _test(pairs, confidence, seed)
    drawn = resampled(per_template, resamples, seed)
    ratios = share(drawn[:, 2], drawn[:, 1])
    # The ratio is no surer than the rarer of the two kinds of errors it is made of.
    weights = min(per_template[:, 1], per_template[:, 2], key=effective)
    interval = expanded(ratios, weights, confidence)
    count, wrong_original, wrong_substituted = per_template.sum(axis=0)
    by_seed = _sums(pairs, "number")
    seeds = share(by_seed[:, 2], by_seed[:, 1])
    ratio = float(share(wrong_substituted, wrong_original))
    if isnan(ratio):
        test = TemplateTest(float("nan"), "no error with groups: there is none to be retained")
    ends, other_method = Interval(interval.low, interval.high), ""
    if test.untestable:
        ends, interval = UNDEFINED, replace(interval, why=test.untestable)
    elif np.isfinite([ratio, test.p_value]).all():
        ends, other_method = _of_templates(per_template, ends, effective(weights), confidence)
        interval = NOT_REQUESTED if ends.defined else interval
    agreed = agreeing(ends, ratio, 1.0, test.p_value, confidence)
    undefined = int(np.isnan(ratios).sum())
    method = f"template bootstrap, expanded percentile interval, {resamples} resamples, seed {seed}"
    without = f"{undefined} resamples without an error left out" if undefined else ""
    notes = filter(None, (f"{len(per_template)} templates", without, note, other_method))
    return {
        "n_items": pairs.select(ITEM).n_unique(),
        "error_original": wrong_original / count,
        "error_substituted": wrong_substituted / count,
        "ratio": ratio,
        "low": agreed.low,
        "high": agreed.high,
        "ratio_mean": float(seeds.mean()),
        "ratio_sd": float(seeds.std(ddof=1)) if len(seeds) > 1 else float("nan"),
        "n_seeds": len(seeds),
        "method": "; ".join([method, *notes]),
        "reason": "; ".join(_reasons(ratio, interval, seeds)),
        "neutral": 1.0,
        "p_value": test.p_value,
        "interval": TEMPLATES,
        "clusters": pairs["template"].n_unique(),
        "verdict": "",
        "verdict_reason": test.untestable,
    }


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


def _test(pairs: pl.DataFrame, confidence: float, seed: int) -> TemplateTest:
    """Whether there are as many errors with names as with groups: a ratio of 1 is a difference of 0."""
    templates = side_sums(pairs, "template")
    right, right_named = (Counts.of(templates[:, side]).correct for side in (0, 1))
    return templates_test(
        right - right_named,
        changed_templates(pairs, "correct"),
        happens="answers change between right and wrong",
        confidence=confidence,
        seed=seed,
    )


def _sums(pairs: pl.DataFrame, by: str) -> np.ndarray:
    """(groups, 3): pairs, errors with groups, errors with names; groups sorted."""
    sides = [Counts.of(side) for side in np.moveaxis(side_sums(pairs, by), 1, 0)]
    return np.column_stack([sides[0].read, *(side.read - side.correct for side in sides)])


def _reasons(ratio: float, interval: Ends, seeds: np.ndarray) -> list[str]:
    if isnan(ratio):
        return ["no error with groups: there is none to be retained"]
    reasons = without_interval({"ratio": interval})
    if np.isnan(seeds).any():
        reasons.append("no error with groups under some seed: no mean over seeds")
    return reasons
