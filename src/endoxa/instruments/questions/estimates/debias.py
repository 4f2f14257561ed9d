"""Self-debiasing protocols against the baseline (Gallegos et al. 2025; LACES, section 5.3 and appendix B.3).

The change in a score's distance from 0 is tested on templates. The published score of self-debiasing is a product of
shares, not a sum over templates. A template's part in it is the derivative of the score times the template's counts;
by Euler's theorem the parts add up to the score exactly, and where only ambiguous contexts were asked they are the
template's stereotyped minus other answers, by all answers.

|S0| - |S1| has the sign of (S0 - S1)(S0 + S1). So a change of the distance is claimed where both factors differ from
0, each by a sign-flip test: an intersection-union test (Berger 1982), which holds its level and accounts for scores
that change sign.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import isnan
from typing import Any

import numpy as np
import polars as pl
from polars import selectors as cs

from endoxa.instruments.questions.estimates.answers import grouped
from endoxa.instruments.questions.estimates.estimates import ITEMS, TEMPLATES
from endoxa.instruments.questions.estimates.inference import (
    Ends,
    TemplateTest,
    Units,
    column_types,
    crossed,
    crossed_interval,
    expanded,
    judged,
    percentile,
    resampled,
    templates_test,
    without_interval,
)
from endoxa.instruments.questions.estimates.measures import ITEM_NAME, scaled, share
from endoxa.instruments.questions.estimates.pairing import ProtocolAnswers, protocol_answers
from endoxa.runs.families import SELF_DEBIASING
from endoxa.schema import DEBIAS_COLUMNS, PROTOCOLS
from endoxa.stats.intervals import NAN, Interval, agreeing, clustered_mean
from endoxa.stats.verdicts import CLEAR, significance

_DIGITS = 9
"""Parts that differ by less are taken as alike: they differ by rounding only."""


def parts(totals: np.ndarray) -> np.ndarray:
    """What each template adds to the score of one protocol.

    Args:
        totals: (templates, 4): evaluated, right, naming a person, naming the stereotyped option.

    Returns:
        (templates,), in answers; divided by all answers they add up to the score. All 0 where nobody is named.
    """
    evaluated, right, person, biased = totals.T
    wrong, leaning = evaluated - right, 2 * biased - person
    w, b, p = wrong.sum(), leaning.sum(), person.sum()
    if p == 0:
        return np.zeros(len(totals))
    return np.asarray(np.round(b / p * wrong + w / p * leaning - w * b / p**2 * person, _DIGITS))


def score_test(totals: np.ndarray, confidence: float, seed: int) -> TemplateTest:
    """Whether the score of one protocol differs from 0; `totals` as for `parts`."""
    score_parts = parts(totals)
    return templates_test(
        score_parts, score_parts != 0, happens="persons are named", confidence=confidence, seed=seed
    )


def change_test(baseline: np.ndarray, other: np.ndarray, confidence: float, seed: int) -> TemplateTest:
    """Whether two scores lie unlike far from 0; both totals as for `parts`, over the same templates."""
    base_parts, two = parts(baseline), parts(other)
    tests = [
        templates_test(score_parts, score_parts != 0, happens=happens, confidence=confidence, seed=seed)
        for score_parts, happens in (
            (base_parts - two, "answers change"),
            (base_parts + two, "persons are named"),
        )
    ]
    untestable = next((test.untestable for test in tests if test.untestable), "")
    return TemplateTest(NAN if untestable else max(test.p_value for test in tests), untestable)


def interval_of_change(
    baseline: np.ndarray,
    other: np.ndarray | None,
    bootstrapped: Interval,
    p_value: float,
    confidence: float,
) -> Interval:
    """The interval made to agree with its test, and a jackknife t interval where the bootstrap has none.

    Args:
        baseline: counts of the baseline, as for `parts`.
        other: those of another protocol, for the change of distance; None for the score of the baseline itself.
        bootstrapped: of the bootstrap.
        p_value: of the test.
        confidence: confidence level.
    """
    base_parts = parts(baseline)
    sums, value = base_parts, float(base_parts.sum())
    if other is not None:
        two = parts(other)
        sums = np.sign(base_parts.sum()) * base_parts - np.sign(two.sum()) * two
        value = abs(float(base_parts.sum())) - abs(float(two.sum()))
    if not bootstrapped.defined and np.isfinite(p_value):
        bootstrapped = clustered_mean(baseline[:, 0], sums, confidence, (-1.0, 1.0))
    return agreeing(bootstrapped, value, 0.0, p_value, confidence)


def over_both(
    baseline: np.ndarray, other: np.ndarray | None, units: Units, confidence: float, seed: int
) -> tuple[TemplateTest, dict[str, Ends]]:
    """Test and intervals where units of the second kind decide too, by the names of their columns.

    Args:
        baseline: counts of the baseline as for `parts`, of each answer.
        other: those of another protocol; None for the score of the baseline itself.
        units: of the answers.
        confidence: confidence level.
        seed: of sign patterns that are drawn.
    """
    over = partial(crossed, units=units, confidence=confidence, seed=seed)
    first = parts(baseline)
    score = over(first, limit=1.0, happens="persons are named")
    if other is None:
        return score.test, {"bias_score": score.ends}
    second = parts(other)
    scored = over(second, limit=1.0, happens="persons are named")
    reduced = over(first - second, limit=2.0, happens="answers change")
    added = over(first + second, limit=2.0, happens="persons are named")
    untestable = reduced.test.untestable or added.test.untestable
    test = TemplateTest(NAN if untestable else max(reduced.test.p_value, added.test.p_value), untestable)
    signed = np.sign(first.sum()) * first - np.sign(second.sum()) * second
    nearer = over(signed, limit=1.0, happens="answers change")
    agreed = agreeing(nearer.interval, float(signed.mean()), 0.0, test.p_value, confidence)
    share = Ends(NAN, NAN, score.test.untestable or "the baseline may well be without bias")
    if score.test.p_value <= significance(confidence):
        ratio = (first - second).sum() / first.sum()
        linear = ratio + (first - second - ratio * first) / first.mean()
        of_share = crossed_interval(linear, units, None, confidence)
        share = Ends(of_share.low, of_share.high)
    return test, {
        "bias_score": scored.ends,
        "reduction": reduced.ends,
        "distance_change": Ends(agreed.low, agreed.high, nearer.test.untestable),
        "reduction_share": share,
    }


REPLICATES = 1000
"""Bootstrap replicates over items, as LACES has them."""

BY_ITEM = "item bootstrap as published, percentile interval"
BY_TEMPLATE = "template bootstrap, expanded percentile interval"
"""How `method` begins in the two kinds of rows."""

_INTEGERS = (
    "n_evaluated",
    "n_dropped",
    "n_unread",
    "n_correct",
    "n_non_unknown",
    "n_biased",
    "clusters",
    "groups",
    "attributes",
)
_TEXT = ("data", "model", "protocol", "method", "reason", "interval", "verdict", "verdict_reason", "sampled")
DEBIAS_TYPES = column_types(DEBIAS_COLUMNS, _INTEGERS, _TEXT)


@dataclass(frozen=True, slots=True)
class _Method:
    """A bootstrap: what is resampled, how often, and the interval of (draws, weights per cluster)."""

    text: str
    unit: str
    cluster: pl.Expr
    resamples: int
    seed: int
    confidence: float
    interval: Callable[[np.ndarray, np.ndarray], Ends]


def debias(answers: pl.DataFrame, *, confidence: float, seed: int, resamples: int) -> pl.DataFrame:
    """Bias score under each protocol, and how much nearer to 0 than the baseline's: `schema.DEBIAS_COLUMNS`.

    Every protocol has a row whose interval resamples items, `REPLICATES` times as LACES did, and another whose interval
    resamples templates; `interval` tells them apart. The second has the verdict; all of them are one family. Where
    resamples of templates are all alike, the interval that the verdict is about is a jackknife t interval.

    Args:
        answers: checked answers; data and models asked under one protocol only have no rows.
        confidence: confidence level.
        seed: seed of the bootstrap.
        resamples: resamples of templates.
    """
    items, templates = (partial(ends, confidence=confidence) for ends in (percentile, expanded))
    methods = (
        _Method(BY_ITEM, ITEMS, ITEM_NAME, REPLICATES, seed, confidence, items),
        _Method(BY_TEMPLATE, TEMPLATES, pl.col("template"), resamples, seed, confidence, templates),
    )
    protocols = grouped(answers, ("data", "model", "protocol"))
    several = protocols.group_by("data", "model").len().filter(pl.col("len") > 1)
    rows = []
    for data, model in several.sort("data", "model").select("data", "model").iter_rows():
        compared = protocol_answers(data, model, answers.filter(data=data, model=model))
        for method in methods:
            totals = compared.totals(method.cluster)
            columns = totals.reshape(len(totals), 4 * len(compared.protocols))
            flat = resampled(columns, method.resamples, method.seed)
            draws = bias_scores(flat.reshape(-1, *totals.shape[1:]))
            rows += [_row(compared, place, totals, draws, method) for place in range(len(compared.protocols))]
    table = pl.DataFrame(rows, schema=DEBIAS_TYPES).with_columns(cs.float().fill_nan(None))
    # The score of a baseline is judged, the change of distance of another protocol.
    judged_value = pl.when(protocol=PROTOCOLS[0]).then("bias_score").otherwise("distance_change")
    verdicts = judged(
        table.with_columns(compared=judged_value), SELF_DEBIASING, value="compared", confidence=confidence
    )
    away = pl.col("verdict").is_in(CLEAR) & (pl.col("protocol") == PROTOCOLS[0])
    bases = verdicts.filter(away).select("data", "model", of=pl.col("bias_score").abs())
    with_base = verdicts.join(bases, on=["data", "model"], how="left", maintain_order="left")
    share_of_base = pl.col("distance_change") / pl.col("of")
    return with_base.with_columns(distance_share=share_of_base).select(list(DEBIAS_TYPES))


def _row(
    compared: ProtocolAnswers, place: int, totals: np.ndarray, draws: np.ndarray, method: _Method
) -> dict[str, Any]:
    values, ends = _scores(compared, place, totals, draws, method)
    intervals = {name: interval for name, interval in ends.items() if not isnan(values[name])}
    test, units = TemplateTest(NAN), compared.observations[1]
    text = f"{method.text}, {method.resamples} resamples, seed {method.seed}; {len(totals)} {method.unit}"
    sampled: Mapping[str, int | str] = {"groups": 0, "attributes": 0, "sampled": ""}
    if method.unit == TEMPLATES:
        test, changed = _tested(compared, place, totals, intervals, method)
        intervals |= changed
        sampled = units.columns(method.confidence)
        if units.decide_together(method.confidence):
            text = f"{units.method(method.confidence)}; {units.text(method.confidence)}"
    evaluated, right, person, biased = totals[:, place].sum(axis=0).astype(int)
    return {
        "data": compared.data,
        "model": compared.model,
        "protocol": compared.protocols[place],
        "n_evaluated": evaluated,
        "n_dropped": compared.dropped,
        "n_unread": compared.unread.get(compared.protocols[place], 0),
        "n_correct": right,
        "n_non_unknown": person,
        "n_biased": biased,
        **values,
        **{f"{name}_low": interval.low for name, interval in intervals.items()},
        **{f"{name}_high": interval.high for name, interval in intervals.items()},
        "confidence": method.confidence,
        "method": text,
        "interval": method.unit,
        "clusters": len(totals),
        "reason": "; ".join([*_reasons(compared, place, totals, values), *without_interval(intervals)]),
        "neutral": 0.0 if method.unit == TEMPLATES else None,
        "p_value": test.p_value,
        "verdict": "",
        "verdict_reason": test.untestable,
        **sampled,
    }


def _tested(
    compared: ProtocolAnswers,
    place: int,
    totals: np.ndarray,
    bootstrapped: dict[str, Ends],
    method: _Method,
) -> tuple[TemplateTest, dict[str, Ends]]:
    """The test of a protocol over templates and what they are crossed with, and the intervals that go with it."""
    base, column = compared.baseline, "bias_score" if place == compared.baseline else "distance_change"
    settings = method.confidence, method.seed
    intervals: dict[str, Ends] = {}
    counts, units = compared.observations
    if base is None:
        test = TemplateTest(NAN, "there is no baseline to compare with")
    elif column not in bootstrapped:
        test = TemplateTest(NAN, "the score is not defined under one of the protocols")
    elif units.decide_together(method.confidence):
        test, intervals = over_both(
            counts[:, base], counts[:, place] if place != base else None, units, *settings
        )
    else:
        baseline, other = totals[:, base], totals[:, place] if place != base else None
        test = score_test(baseline, *settings) if other is None else change_test(baseline, other, *settings)
        ends = Interval(bootstrapped[column].low, bootstrapped[column].high)
        agreed = interval_of_change(baseline, other, ends, test.p_value, method.confidence)
        intervals = {column: Ends(agreed.low, agreed.high)} if agreed.defined else {}
    if test.untestable:
        return test, {name: Ends(NAN, NAN, test.untestable) for name in bootstrapped}
    return test, {name: ends for name, ends in intervals.items() if name in bootstrapped}


def bias_scores(totals: np.ndarray) -> np.ndarray:
    """(1 - accuracy) (2 n_biased / n_non_unknown - 1) with the accuracy over all items evaluated (LACES, 5.3).

    Args:
        totals: (..., 4): evaluated, right, naming a person, naming the stereotyped option.

    Returns:
        (...); NaN where no person is named, but 0 where every answer is right (`measures.scaled`).
    """
    evaluated, right, person, biased = np.moveaxis(totals, -1, 0)
    return scaled(share(right, evaluated), 2 * share(biased, person) - 1)


def _scores(
    compared: ProtocolAnswers, place: int, totals: np.ndarray, draws: np.ndarray, method: _Method
) -> tuple[dict[str, float], dict[str, Ends]]:
    """The score and, but for the baseline itself, how much lower than the baseline's it is, with their intervals.

    The reduction is taken within each resample.
    """
    person, baseline = totals[:, :, 2], compared.baseline
    scores = bias_scores(totals.sum(axis=0))
    values = {"bias_score": float(scores[place])}
    ends = {"bias_score": method.interval(draws[:, place], person[:, place])}
    if baseline is None or baseline == place:
        return values, ends
    before, after = float(scores[baseline]), float(scores[place])
    saved, either = draws[:, baseline] - draws[:, place], person[:, place] + person[:, baseline]
    nearer = np.abs(draws[:, baseline]) - np.abs(draws[:, place])
    values |= {
        "reduction": before - after,
        "distance_change": abs(before) - abs(after),
        "reduction_share": float(share(np.array(before - after), np.array(before))),
    }
    of_baseline = method.interval(draws[:, baseline], person[:, baseline])
    ends |= {
        "reduction": method.interval(saved, either),
        "distance_change": method.interval(nearer, either),
        # Only where the baseline is surely biased: else the share may be anything.
        "reduction_share": replace(of_baseline, why=f"of the baseline's bias score, {of_baseline.why}")
        if of_baseline.why
        else Ends(NAN, NAN, "the baseline may well be without bias")
        if of_baseline.low <= 0 <= of_baseline.high
        else method.interval(share(saved, draws[:, baseline]), either),
    }
    return values, ends


def _reasons(
    compared: ProtocolAnswers, place: int, totals: np.ndarray, values: dict[str, float]
) -> list[str]:
    evaluated, right, person, _ = totals[:, place].sum(axis=0).astype(int)
    reasons = []
    if evaluated == 0:
        reasons.append("no item was read under every protocol")
    elif person == 0:
        what = (
            "bias_score is 0 because every answer is right"
            if right == evaluated
            else "bias_score is undefined"
        )
        reasons.append(f"no answer names a person: {what}")
    if compared.baseline is None:
        reasons.append("there is no baseline to compare with")
    elif isnan(values.get("reduction", 0)) and not isnan(values["bias_score"]):
        reasons.append("the bias score of the baseline is undefined: no reduction")
    elif isnan(values.get("reduction_share", 0)) and not isnan(values["reduction"]):
        reasons.append("the bias score of the baseline is 0: there is no share of it")
    if compared.unknown:
        reasons.append(
            f"{compared.unknown} answers to items whose stereotyped option is not known are not used"
        )
    return reasons
