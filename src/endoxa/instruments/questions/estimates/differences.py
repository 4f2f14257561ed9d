"""Differences between a data set with the groups and the same with names (Pelosio et al. 2025, Figures 5 and 6)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
import polars as pl
from polars import selectors as cs

from endoxa.instruments.questions.estimates.estimates import ACCURACY_GAP, TEMPLATES
from endoxa.instruments.questions.estimates.inference import (
    FEW_TEMPLATES,
    NOT_REQUESTED,
    Ends,
    TemplateTest,
    effective,
    expanded,
    integer_totals,
    judged,
    resampled,
    templates_test,
    without_interval,
)
from endoxa.instruments.questions.estimates.measures import (
    MEASURES,
    Counts,
    gap_of,
    measured,
    rarer_answers,
    share,
)
from endoxa.instruments.questions.estimates.pairing import (
    ITEM,
    Side,
    changed_templates,
    item_pairs,
    left_out,
    matched_names,
    side_sums,
)
from endoxa.runs.families import NAME_DIFFERENCES
from endoxa.schema import QA_DIFFERENCE_COLUMNS
from endoxa.stats.intervals import NAN, Interval, agreeing, clustered_mean

_INTEGERS = ("n_items", "n_left_out", "clusters")
_TEXT = (
    *("model", "protocol", "context_condition", "original", "substituted", "measure", "method", "reason"),
    *("interval", "verdict", "verdict_reason"),
)
DIFFERENCE_TYPES: dict[str, type[pl.DataType]] = {
    name: pl.Int64 if name in _INTEGERS else pl.String if name in _TEXT else pl.Float64
    for name in QA_DIFFERENCE_COLUMNS
}


@dataclass(frozen=True, slots=True)
class _Settings:
    confidence: float
    seed: int
    resamples: int


@dataclass(frozen=True, slots=True)
class _Sums:
    """A difference as a sum over templates.

    Attributes:
        sizes: weight of each template.
        totals: what it adds to the difference.
        speaking: whether it could have made one: some answer is another one with names.
        bound: the greatest difference.
        denominator: what makes all totals whole.
    """

    sizes: np.ndarray
    totals: np.ndarray
    speaking: np.ndarray
    bound: float = 2.0
    denominator: int = 1


@dataclass(frozen=True, slots=True)
class _Measure:
    """One measure on both sides.

    Attributes:
        name: of `MEASURES`, or `ACCURACY_GAP`.
        values: with the groups, with the names.
        draws: their difference in each resample.
        weights: per cluster, the answers that the measure lives on.
        sums: what templates add to the difference; None for a ratio, of which nothing is claimed.
    """

    name: str
    values: tuple[float, float]
    draws: np.ndarray
    weights: np.ndarray
    sums: _Sums | None


def differences(answers: pl.DataFrame, *, confidence: float, seed: int, resamples: int) -> pl.DataFrame:
    """Each measure with the groups minus the same with names, over the items that were read in both data sets.

    Answers are paired as for `retention`. Templates are drawn with replacement, and each enters with its answers in
    both data sets; what makes the questions of a template easy or hard in both cancels. Accuracies, ambiguous bias
    scores and accuracy gaps are sums over templates, so that their differences have an exact sign-flip test; all of
    these are one family. Of unscaled and disambiguated bias scores nothing is claimed.

    Args:
        answers: checked answers.
        confidence: confidence level.
        seed: seed of the bootstrap.
        resamples: bootstrap samples.

    Returns:
        `schema.QA_DIFFERENCE_COLUMNS`, a row per model, protocol, context and measure of every pair of a data set
        without names and one with names; undefined values are null.
    """
    settings = _Settings(confidence, seed, resamples)
    rows = [
        row
        for original, substituted in matched_names(answers)
        for row in _rows(original, substituted, settings)
    ]
    table = pl.DataFrame(rows, schema=DIFFERENCE_TYPES).with_columns(cs.float().fill_nan(None))
    return judged(table, NAME_DIFFERENCES, value="difference", confidence=confidence)


def _rows(original: Side, substituted: Side, settings: _Settings) -> Iterator[dict[str, Any]]:
    pairs = item_pairs(original, substituted)
    lonely = left_out(original, substituted, pairs)
    for (condition,), part in sorted(pairs.partition_by("context_condition", as_dict=True).items()):
        templates = part["template"].n_unique()
        shared = {
            "model": original.model,
            "protocol": original.protocol,
            "context_condition": condition,
            "original": original.data,
            "substituted": substituted.data,
            "confidence": settings.confidence,
            "n_items": part.select(ITEM).n_unique(),
            "n_left_out": lonely.get(str(condition), 0),
            "interval": TEMPLATES,
            "clusters": templates,
        }
        method = (
            f"paired template bootstrap, expanded percentile interval, {settings.resamples} resamples, seed "
            f"{settings.seed}; {templates} templates"
        )
        for measure in _measures(part, str(condition), settings):
            row = _row(measure, settings)
            yield {**shared, **row, "method": f"{method}{row['method']}"}


def _measures(part: pl.DataFrame, condition: str, settings: _Settings) -> Iterator[_Measure]:
    """The published measures, and the accuracy gap of disambiguated contexts."""
    sums = side_sums(part, "template")
    drawn = resampled(sums.reshape(len(sums), -1), settings.resamples, settings.seed)
    drawn = drawn.reshape(-1, *sums.shape[1:])
    values = [measured(Counts.of(side), condition) for side in sums.sum(axis=0)]
    draws = [measured(Counts.of(drawn[:, side]), condition) for side in (0, 1)]
    weights = [rarer_answers(Counts.of(sums[:, side])) for side in (0, 1)]
    tested = dict(_tested(part, condition))
    for name in MEASURES:
        yield _Measure(
            name,
            (float(values[0][name]), float(values[1][name])),
            draws[0][name] - draws[1][name],
            # A difference is no surer than the rarer of the two kinds of answers it is made of.
            min((side[name] for side in weights), key=effective),
            tested.get(name),
        )
    if condition != "ambig":
        yield _gap(sums, tested[ACCURACY_GAP], settings)


def _tested(part: pl.DataFrame, condition: str) -> Iterator[tuple[str, _Sums]]:
    """Measures that are sums over templates."""
    templates = side_sums(part, "template")
    original, other = (Counts.of(templates[:, side]) for side in (0, 1))
    corrected = changed_templates(part, "correct")
    yield "accuracy", _Sums(original.read, original.correct - other.correct, corrected, 1.0)
    if condition == "ambig":
        named = changed_templates(part, "biased", "anti")
        totals = original.biased - original.anti - other.biased + other.anti
        compared = original.scored > 0
        yield "bias_score", _Sums(original.scored[compared], totals[compared], named[compared])
    else:
        before, after = gap_of(original), gap_of(other)
        balanced = before.sizes > 0
        totals = (before.totals - after.totals)[balanced]
        yield (
            ACCURACY_GAP,
            _Sums(before.sizes[balanced], totals, corrected[balanced], 2.0, before.denominator),
        )


def _gap(sums: np.ndarray, tested: _Sums, settings: _Settings) -> _Measure:
    """The accuracy gap: its weights are the same on both sides, because the items are."""
    before, after = (gap_of(Counts.of(sums[:, side])) for side in (0, 1))
    columns = np.column_stack([before.sizes, before.totals - after.totals])
    drawn = resampled(columns, settings.resamples, settings.seed)
    return _Measure(
        ACCURACY_GAP, (before.value, after.value), share(drawn[:, 1], drawn[:, 0]), before.sizes, tested
    )


def _row(measure: _Measure, settings: _Settings) -> dict[str, Any]:
    before, after = measure.values
    difference = before - after
    test = _test(measure.sums, difference, measure.name, settings)
    ends = NOT_REQUESTED
    if not isnan(difference):
        ends = expanded(measure.draws, measure.weights, settings.confidence)
        if test.untestable:
            ends = Ends(NAN, NAN, test.untestable)
    interval, method = Interval(ends.low, ends.high), ""
    if measure.sums is not None and not isnan(test.p_value):
        few = len(measure.sums.sizes) < FEW_TEMPLATES
        if few or not interval.defined:
            bounds = (-measure.sums.bound, measure.sums.bound)
            why = f"there are fewer than {FEW_TEMPLATES}" if few else "there is none of the bootstrap"
            method = f"; jackknife t interval, because {why}"
            interval = clustered_mean(measure.sums.sizes, measure.sums.totals, settings.confidence, bounds)
        interval = agreeing(interval, difference, 0.0, test.p_value, settings.confidence)
    return {
        "measure": measure.name,
        "original_value": before,
        "substituted_value": after,
        "difference": difference,
        "low": interval.low,
        "high": interval.high,
        "method": method,
        "neutral": NAN if measure.sums is None else 0.0,
        "p_value": test.p_value,
        "verdict": "",
        "verdict_reason": test.untestable,
        "reason": "; ".join(_reasons(before, after, NOT_REQUESTED if interval.defined else ends)),
    }


def _test(sums: _Sums | None, difference: float, name: str, settings: _Settings) -> TemplateTest:
    if sums is None:
        return TemplateTest(NAN)
    if isnan(difference):
        return TemplateTest(NAN, "the difference is not defined")
    return templates_test(
        integer_totals(sums.totals, sums.denominator),
        sums.speaking,
        happens="answers change with names",
        kind=" with items of both kinds" if name == ACCURACY_GAP else "",
        confidence=settings.confidence,
        seed=settings.seed,
    )


def _reasons(before: float, after: float, ends: Ends) -> list[str]:
    lacking = [words for words, value in (("groups", before), ("names", after)) if isnan(value)]
    undefined = [f"undefined with {' and with '.join(lacking)}"] if lacking else []
    return [*undefined, *without_interval({"difference": ends})]
