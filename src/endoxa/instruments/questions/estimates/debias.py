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
    expanded,
    judged,
    percentile,
    resampled,
    templates_test,
    without_interval,
)
from endoxa.instruments.questions.estimates.measures import ITEM_NAME, scaled, share
from endoxa.instruments.questions.estimates.pairing import Asked, asked_of
from endoxa.runs.families import SELF_DEBIASING
from endoxa.schema import DEBIAS_COLUMNS, PROTOCOLS
from endoxa.stats.intervals import NAN, Interval, agreeing, clustered_mean
from endoxa.stats.verdicts import CLEAR

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
    own = parts(totals)
    return templates_test(own, own != 0, happens="persons are named", confidence=confidence, seed=seed)


def change_test(baseline: np.ndarray, other: np.ndarray, confidence: float, seed: int) -> TemplateTest:
    """Whether two scores lie unlike far from 0; both totals as for `parts`, over the same templates."""
    one, two = parts(baseline), parts(other)
    tests = [
        templates_test(own, own != 0, happens=happens, confidence=confidence, seed=seed)
        for own, happens in ((one - two, "answers change"), (one + two, "persons are named"))
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
    one = parts(baseline)
    sums, value = one, float(one.sum())
    if other is not None:
        two = parts(other)
        sums = np.sign(one.sum()) * one - np.sign(two.sum()) * two
        value = abs(float(one.sum())) - abs(float(two.sum()))
    if not bootstrapped.defined and np.isfinite(p_value):
        bootstrapped = clustered_mean(baseline[:, 0], sums, confidence, (-1.0, 1.0))
    return agreeing(bootstrapped, value, 0.0, p_value, confidence)


REPLICATES = 1000
"""Bootstrap replicates over items, as LACES has them."""

BY_ITEM = "item bootstrap as published, percentile interval"
BY_TEMPLATE = "template bootstrap, expanded percentile interval"
"""How `method` begins in the two kinds of rows."""

_WHOLE = ("n_evaluated", "n_dropped", "n_unread", "n_correct", "n_non_unknown", "n_biased", "clusters")
_TEXT = ("data", "model", "protocol", "method", "reason", "interval", "verdict", "verdict_reason")
DEBIAS_TYPES: dict[str, type[pl.DataType]] = {
    name: pl.Int64 if name in _WHOLE else pl.String if name in _TEXT else pl.Float64
    for name in DEBIAS_COLUMNS
}


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
    asked = grouped(answers, ("data", "model", "protocol"))
    several = asked.group_by("data", "model").len().filter(pl.col("len") > 1)
    rows = [
        {**row, "confidence": confidence}
        for data, model in several.sort("data", "model").select("data", "model").iter_rows()
        for row in _rows(asked_of(data, model, answers.filter(data=data, model=model)), methods)
    ]
    table = pl.DataFrame(rows, schema=DEBIAS_TYPES).with_columns(cs.float().fill_nan(None))
    return _judged(table, confidence)


def _judged(table: pl.DataFrame, confidence: float) -> pl.DataFrame:
    """The verdicts: on the score of a baseline, on the change of distance of another protocol."""
    asked = pl.when(protocol=PROTOCOLS[0]).then("bias_score").otherwise("distance_change")
    found = judged(table.with_columns(asked=asked), SELF_DEBIASING, value="asked", confidence=confidence)
    away = pl.col("verdict").is_in(CLEAR) & (pl.col("protocol") == PROTOCOLS[0])
    bases = found.filter(away).select("data", "model", of=pl.col("bias_score").abs())
    with_base = found.join(bases, on=["data", "model"], how="left", maintain_order="left")
    return with_base.with_columns(distance_share=pl.col("distance_change") / pl.col("of")).select(
        list(DEBIAS_TYPES)
    )


def _rows(asked: Asked, methods: tuple[_Method, ...]) -> list[dict[str, Any]]:
    rows, places = [], range(len(asked.protocols))
    for method in methods:
        totals = asked.totals(method.cluster)
        flat = resampled(totals.reshape(len(totals), 4 * len(asked.protocols)), method.resamples, method.seed)
        draws = bias_scores(flat.reshape(-1, *totals.shape[1:]))
        shared = {
            "method": f"{method.text}, {method.resamples} resamples, seed {method.seed}; {len(totals)} {method.unit}",
            "interval": method.unit,
            "clusters": len(totals),
            "verdict": "",
            "verdict_reason": "",
        }
        rows += [{**shared, **_row(asked, place, totals, draws, method)} for place in places]
    return rows


def _row(asked: Asked, place: int, totals: np.ndarray, draws: np.ndarray, method: _Method) -> dict[str, Any]:
    values = _values(asked, place, bias_scores(totals.sum(axis=0)))
    ends = _ends(asked, place, totals, draws, method)
    found = {name: interval for name, interval in ends.items() if not isnan(values[name])}
    verdict: dict[str, Any] = {}
    if method.unit == TEMPLATES:
        verdict = _test(asked, place, totals, values, method)
        p_value = verdict.get("p_value", NAN)
        if verdict["verdict_reason"] and asked.baseline is not None:
            found = {name: Ends(NAN, NAN, verdict["verdict_reason"]) for name in found}
        else:
            found |= _agreed(asked, place, totals, found, p_value=p_value, confidence=method.confidence)
    return {
        **_counts(asked, place, totals),
        **values,
        **{f"{name}_low": interval.low for name, interval in found.items()},
        **{f"{name}_high": interval.high for name, interval in found.items()},
        "reason": "; ".join([*_reasons(asked, place, totals, values), *without_interval(found)]),
        **verdict,
    }


def _test(
    asked: Asked, place: int, totals: np.ndarray, values: dict[str, float], method: _Method
) -> dict[str, Any]:
    """The test of the baseline's score, or of the change of distance of another protocol."""
    if asked.baseline is None:
        return {"neutral": 0.0, "verdict_reason": "there is no baseline to compare with"}
    own, base = totals[:, place], totals[:, asked.baseline]
    if isnan(values[_judged_column(asked, place)]):
        test = TemplateTest(NAN, "the score is not defined under one of the protocols")
    elif place == asked.baseline:
        test = score_test(own, method.confidence, method.seed)
    else:
        test = change_test(base, own, method.confidence, method.seed)
    return {"neutral": 0.0, "p_value": test.p_value, "verdict_reason": test.untestable}


def _agreed(
    asked: Asked,
    place: int,
    totals: np.ndarray,
    found: Mapping[str, Ends],
    *,
    p_value: float,
    confidence: float,
) -> dict[str, Ends]:
    """The interval that the verdict is about, made to agree with its test; nothing where there is none."""
    name = _judged_column(asked, place)
    if asked.baseline is None or name not in found:
        return {}
    bootstrapped = Interval(found[name].low, found[name].high)
    other = None if place == asked.baseline else totals[:, place]
    interval = interval_of_change(totals[:, asked.baseline], other, bootstrapped, p_value, confidence)
    return {name: Ends(interval.low, interval.high)} if interval.defined else {}


def _judged_column(asked: Asked, place: int) -> str:
    """What the verdict is about."""
    return "bias_score" if place == asked.baseline else "distance_change"


def bias_scores(totals: np.ndarray) -> np.ndarray:
    """(1 - accuracy) (2 n_biased / n_non_unknown - 1) with the accuracy over all items evaluated (LACES, 5.3).

    Args:
        totals: (..., 4): evaluated, right, naming a person, naming the stereotyped option.

    Returns:
        (...); NaN where no person is named, but 0 where every answer is right (`measures.scaled`).
    """
    evaluated, right, person, biased = np.moveaxis(totals, -1, 0)
    return scaled(share(right, evaluated), 2 * share(biased, person) - 1)


def _counts(asked: Asked, place: int, totals: np.ndarray) -> dict[str, Any]:
    evaluated, right, person, biased = totals[:, place].sum(axis=0).astype(int)
    return {
        "data": asked.data,
        "model": asked.model,
        "protocol": asked.protocols[place],
        "n_evaluated": evaluated,
        "n_dropped": asked.dropped,
        "n_unread": asked.unread.get(asked.protocols[place], 0),
        "n_correct": right,
        "n_non_unknown": person,
        "n_biased": biased,
    }


def _values(asked: Asked, place: int, scores: np.ndarray) -> dict[str, float]:
    """The score and, but for the baseline itself, how much lower than the baseline's it is."""
    values = {"bias_score": float(scores[place])}
    if asked.baseline not in (None, place):
        base, own = float(scores[asked.baseline]), float(scores[place])
        values |= {"reduction": base - own, "distance_change": abs(base) - abs(own)}
        values["reduction_share"] = float(share(np.array(base - own), np.array(base)))
    return values


def _ends(
    asked: Asked, place: int, totals: np.ndarray, draws: np.ndarray, method: _Method
) -> dict[str, Ends]:
    """Intervals of the score and of its reduction, which is taken within each resample."""
    person, baseline = totals[:, :, 2], asked.baseline
    found = {"bias_score": method.interval(draws[:, place], person[:, place])}
    if baseline in (None, place):
        return found
    saved, either = draws[:, baseline] - draws[:, place], person[:, place] + person[:, baseline]
    found["reduction"] = method.interval(saved, either)
    nearer = np.abs(draws[:, baseline]) - np.abs(draws[:, place])
    found["distance_change"] = method.interval(nearer, either)
    found["reduction_share"] = _share_ends(
        method.interval(draws[:, baseline], person[:, baseline]),
        method.interval(share(saved, draws[:, baseline]), either),
    )
    return found


def _share_ends(of_baseline: Ends, of_share: Ends) -> Ends:
    """Those of the share only where the baseline is surely biased: else it may be anything."""
    if of_baseline.why:
        return replace(of_baseline, why=f"of the baseline's bias score, {of_baseline.why}")
    if of_baseline.low <= 0 <= of_baseline.high:
        return Ends(NAN, NAN, "the baseline may well be without bias")
    return of_share


def _reasons(asked: Asked, place: int, totals: np.ndarray, values: dict[str, float]) -> list[str]:
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
    if asked.baseline is None:
        reasons.append("there is no baseline to compare with")
    elif isnan(values.get("reduction", 0)) and not isnan(values["bias_score"]):
        reasons.append("the bias score of the baseline is undefined: no reduction")
    elif isnan(values.get("reduction_share", 0)) and not isnan(values["reduction"]):
        reasons.append("the bias score of the baseline is 0: there is no share of it")
    if asked.unknown:
        reasons.append(f"{asked.unknown} answers to items whose stereotyped option is not known are not used")
    return reasons
