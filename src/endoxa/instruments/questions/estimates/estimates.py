"""The table of estimates: accuracy and bias scores of every cell, with intervals, bounds and spread over seeds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
import polars as pl
from polars import selectors as cs

from endoxa.instruments.questions.estimates.inference import (
    NOT_REQUESTED,
    Ends,
    TemplateTest,
    Units,
    column_types,
    crossed,
    crossed_interval,
    expanded,
    integer_totals,
    judged,
    resampled,
    templates_test,
    without_interval,
)
from endoxa.instruments.questions.estimates.measures import (
    MEASURES,
    Cell,
    Counts,
    bias_score,
    bias_score_bounds,
    bias_unscaled_bounds,
    cell_keys,
    cell_of,
    compact,
    gap_of,
    gap_parts,
    measured,
    rarer_answers,
    share,
)
from endoxa.runs.families import LEANS
from endoxa.schema import QA_ESTIMATE_COLUMNS, Progress
from endoxa.stats.intervals import NAN, UNDEFINED, Interval, agreeing, difference_of_shares
from endoxa.stats.permutation import stratified_permutation_test

BIAS_SCORE, ACCURACY_GAP = "bias_score", "accuracy_gap"
TEMPLATES, ITEMS = "templates", "items"
"""What the interval and the test of a lean rest on; items only where every item is a template of its own."""

UNBALANCED = 0.1
"""From this part of surplus answers on, rare errors make the totals of templates so skewed that the sign-flip test
alone claims too often; then the permutation test within templates has to agree."""


@dataclass(frozen=True, slots=True)
class Lean:
    """What is claimed about a cell, before the correction over all leans.

    Attributes:
        name: `BIAS_SCORE` or `ACCURACY_GAP`.
        value: the lean; NaN where it is not defined.
        interval: its confidence interval, made to agree with the test; none where it cannot be tested.
        p_value: two-sided, against 0; NaN where it cannot be tested.
        unit: `TEMPLATES` or `ITEMS`.
        clusters: templates that could say something.
        answers: answers in them that the lean rests on.
        untestable: why it cannot be tested, or empty.
        units: of the answers that it rests on.
    """

    name: str
    value: float
    interval: Interval
    p_value: float
    unit: str
    clusters: int
    answers: int
    untestable: str
    units: Units


@dataclass(frozen=True, slots=True)
class _Shares:
    """Two shares over the same templates, whose difference is the lean.

    Attributes:
        sizes: weight of each template.
        first: its total of the first share.
        second: its total of the second share.
        spreads: variances of the observations behind the shares.
        speaking: whether a template could have leaned: somebody is named in it, or some answers are wrong.
        answers: how many there are in them.
        denominator: what makes all `first - second` whole.
    """

    sizes: np.ndarray
    first: np.ndarray
    second: np.ndarray
    spreads: tuple[float, float]
    speaking: np.ndarray
    answers: int
    denominator: int = 1


def lean_of(cell: Cell, confidence: float, seed: int) -> Lean:
    """The lean of a cell.

    Args:
        cell: its counts.
        confidence: confidence level of the interval, 1 minus the level of the test.
        seed: of sign patterns, if any must be drawn.
    """
    condition = cell.key["context_condition"]
    ambiguous = condition == "ambig"
    shares = _persons(cell) if ambiguous else _accuracies(cell)
    unit = ITEMS if cell.items == cell.templates else TEMPLATES
    total = Counts.of(cell.per_template.sum(axis=0))
    if ambiguous:
        value = float(bias_score(total, condition))
    else:
        value = float(share(shares.first.sum() - shares.second.sum(), shares.sizes.sum()))
    parts, speaking, units = lean_parts(cell)
    both = None
    happens = "a person is named" if ambiguous else "answers are wrong"
    if np.isfinite(value):
        if units.decide_together(confidence):
            both = crossed(
                parts,
                units,
                limit=1.0,
                happens=happens,
                speaking=speaking,
                confidence=confidence,
                seed=seed,
            )
        test = (
            both.test
            if both
            else templates_test(
                integer_totals(shares.first - shares.second, shares.denominator),
                shares.speaking,
                happens=happens,
                kind="" if ambiguous else " with items of both kinds",
                confidence=confidence,
                seed=seed,
            )
        )
        if not (ambiguous or np.isnan(test.p_value)):
            test = TemplateTest(max(test.p_value, _within_templates(cell, seed)))
    elif total.read == 0:
        test = TemplateTest(NAN, "no answer could be read")
    elif total.scored == 0:
        test = TemplateTest(NAN, "the stereotyped option of these items is not known")
    else:
        test = TemplateTest(
            NAN,
            "no template has items of both kinds, whose right answer agrees with the stereotype and disagrees with it",
        )
    interval = UNDEFINED
    if both and not test.untestable:
        interval = both.interval
    elif len(shares.sizes) and not test.untestable:
        interval = difference_of_shares(shares.sizes, shares.first, shares.second, shares.spreads, confidence)
    return Lean(
        BIAS_SCORE if ambiguous else ACCURACY_GAP,
        value,
        agreeing(interval, value, 0.0, test.p_value, confidence),
        test.p_value,
        unit,
        len(shares.sizes),
        shares.answers,
        test.untestable,
        units,
    )


def lean_parts(cell: Cell) -> tuple[np.ndarray, np.ndarray, Units]:
    """What each answer adds to the lean, which is their mean, whether it could have, and its units.

    Answers are those that the lean rests on.
    """
    if cell.key["context_condition"] == "ambig":
        answers = cell.answers.filter("scored")
        parts = answers.select(
            pl.col("biased").cast(pl.Float64) - pl.col("anti").cast(pl.Float64)
        ).to_series()
        return parts.to_numpy(), (parts != 0).to_numpy(), Units.of(answers)
    kinds = (pl.col(name).sum().over("template") > 0 for name in ("aligned", "nonaligned"))
    answers = cell.answers.filter(pl.col("aligned") | pl.col("nonaligned"), *kinds)
    return gap_parts(answers), ~answers["correct"].to_numpy(), Units.of(answers)


def _persons(cell: Cell) -> _Shares:
    """Stereotyped and other persons named, of all answers read."""
    counts = Counts.of(cell.per_template[Counts.of(cell.per_template).scored > 0])
    rates = (float(share(named.sum(), counts.scored.sum())) for named in (counts.biased, counts.anti))
    first, second = (rate * (1 - rate) for rate in rates)
    answers = int(counts.scored.sum())
    return _Shares(counts.scored, counts.biased, counts.anti, (first, second), counts.named > 0, answers)


def _accuracies(cell: Cell) -> _Shares:
    """Right answers where they agree with the stereotype, and where they do not, in templates that have both."""
    counts = Counts.of(cell.per_template)
    gap = gap_of(counts)
    balanced = gap.sizes > 0
    sizes, spreads = gap.sizes[balanced], []
    for sums, compared in ((gap.first, counts.aligned), (gap.second, counts.nonaligned)):
        rate = float(share(sums.sum(), sizes.sum()))
        # So that spread / sum of sizes is the variance of the share when all answers are independent.
        spreads.append(rate * (1 - rate) * float(share((sizes**2 / compared[balanced]).sum(), sizes.sum())))
    right = (counts.aligned_correct + counts.nonaligned_correct)[balanced]
    compared = (counts.aligned + counts.nonaligned)[balanced]
    mixed = (right > 0) & (right < compared)
    shares = (gap.first[balanced], gap.second[balanced], (spreads[0], spreads[1]), mixed)
    return _Shares(sizes, *shares, int(compared.sum()), gap.denominator)


def _within_templates(cell: Cell, seed: int) -> float:
    """P of the permutation test within templates where their design is unbalanced; 0 where it is not asked."""
    counts = Counts.of(cell.per_template)
    balanced = gap_of(counts).sizes > 0
    surplus = np.abs(counts.aligned - counts.nonaligned)[balanced].sum()
    if surplus <= UNBALANCED * (counts.aligned + counts.nonaligned)[balanced].sum():
        return 0.0
    per_item, template_of = cell.per_item()
    items = Counts.of(per_item)
    compared = items.aligned + items.nonaligned
    right = items.aligned_correct + items.nonaligned_correct
    # Repeats of an item stay together; one that was read less often counts by its share of right answers.
    values = np.round(share(right, compared) * compared.max())
    strata = [
        (values[within & (items.aligned > 0)], values[within & (items.nonaligned > 0)])
        for place in np.flatnonzero(balanced)
        for within in [template_of == place]
    ]
    p_value = stratified_permutation_test(strata, seed=seed)
    return 1.0 if np.isnan(p_value) else p_value


METHOD = "template bootstrap, expanded percentile interval, {resamples} resamples, seed {seed}"

_INTEGERS = (
    *("n", "n_unparsed", "n_refused", "n_correct", "n_non_unknown", "n_biased", "n_seeds"),
    *("n_read", "n_persons", "n_aligned", "n_nonaligned", "n_lean", "clusters", "groups", "attributes"),
)
_TEXT = (
    *("data", "category", "model", "protocol", "context_condition", "method", "reason"),
    *("lean_name", "interval", "verdict", "verdict_reason", "sampled"),
)
ESTIMATE_TYPES = column_types(QA_ESTIMATE_COLUMNS, _INTEGERS, _TEXT)


def estimate(
    answers: pl.DataFrame, *, confidence: float, seed: int, resamples: int, progress: Progress
) -> pl.DataFrame:
    """One row per data set, category, model, protocol and context: `schema.QA_ESTIMATE_COLUMNS`.

    All leans are one family.

    Args:
        answers: checked answers.
        confidence: confidence level of the intervals.
        seed: seed of the bootstrap.
        resamples: bootstrap samples.
        progress: told what is done.

    Returns:
        Undefined values are null, never NaN or 0; `reason` says why.
    """
    compacted, rows = compact(answers), []
    keys = cell_keys(compacted)
    for done, key in enumerate(
        keys
    ):  # one at a time: the cells of half a million answers fill a lot of memory
        progress("estimating", done, len(keys))
        cell = cell_of(compacted, key)
        rows.append(_row(cell, confidence=confidence, seed=seed, resamples=resamples))
    progress("estimating", len(keys), len(keys))
    table = pl.DataFrame(rows, schema=ESTIMATE_TYPES).with_columns(cs.float().fill_nan(None))
    return judged(table, LEANS, value="lean", confidence=confidence)


def _row(cell: Cell, *, confidence: float, seed: int, resamples: int) -> dict[str, Any]:
    condition = cell.key["context_condition"]
    total, lean = Counts.of(cell.per_template.sum(axis=0)), lean_of(cell, confidence, seed)
    values = {name: float(value) for name, value in measured(total, condition).items()}
    drawn = measured(Counts.of(resampled(cell.per_template, resamples, seed)), condition)
    weights = rarer_answers(Counts.of(cell.per_template))
    intervals = {
        name: NOT_REQUESTED if isnan(values[name]) else expanded(drawn[name], weights[name], confidence)
        for name in MEASURES
    }
    # The interval of the bias score is that of the lean it is; without a test no score has one.
    read = cell.answers.filter("read")
    units = Units.of(read)
    intervals |= {
        name: ends for name, ends in _crossed(read, units, condition, confidence) if not isnan(values[name])
    }
    if lean.untestable and not isnan(lean.value):
        scores = (name for name in ("bias_unscaled", "bias_score") if not isnan(values[name]))
        intervals |= dict.fromkeys(scores, Ends(NAN, NAN, lean.untestable))
    elif lean.name == BIAS_SCORE:
        intervals[BIAS_SCORE] = Ends(lean.interval.low, lean.interval.high)
    if_none, if_all = bias_score_bounds(total, condition)
    unscaled_if_none, unscaled_if_all = bias_unscaled_bounds(total)
    by_seed = measured(Counts.of(cell.per_seed), condition)
    return {
        **cell.key,
        "n": int(total.n),
        "n_unparsed": int(total.unparsed),
        "n_refused": int(total.refused),
        "n_correct": int(total.correct),
        "n_non_unknown": int(total.named),
        "n_biased": int(total.biased),
        **values,
        **{f"{name}_low": interval.low for name, interval in intervals.items()},
        **{f"{name}_high": interval.high for name, interval in intervals.items()},
        "stereotyped_share": float(share(total.biased, total.named)),
        "accuracy_unparsed_as_wrong": float(share(total.correct, total.n)),
        "accuracy_aligned": float(share(total.aligned_correct, total.aligned)),
        "accuracy_nonaligned": float(share(total.nonaligned_correct, total.nonaligned)),
        "bias_score_if_none": float(if_none),
        "bias_score_if_all": float(if_all),
        "bias_unscaled_if_none": float(unscaled_if_none),
        "bias_unscaled_if_all": float(unscaled_if_all),
        "n_seeds": len(cell.per_seed),
        # Undefined where the measure is undefined for one of the seeds.
        **{f"{name}_mean": float(seeds.mean()) for name, seeds in by_seed.items()},
        **{
            f"{name}_sd": float(seeds.std(ddof=1)) if len(seeds) > 1 else NAN
            for name, seeds in by_seed.items()
        },
        "confidence": confidence,
        "method": _method(cell, units, drawn, confidence, METHOD.format(resamples=resamples, seed=seed)),
        "reason": "; ".join(_reasons(cell, total, values, intervals, by_seed)),
        "n_read": int(total.read),
        "n_persons": int(total.persons),
        "n_aligned": int(total.aligned),
        "n_nonaligned": int(total.nonaligned),
        "n_lean": lean.answers,
        "lean": lean.value,
        "lean_name": lean.name,
        "lean_low": lean.interval.low,
        "lean_high": lean.interval.high,
        "neutral": 0.0,
        "p_value": lean.p_value,
        "interval": lean.unit,
        "clusters": lean.clusters,
        "verdict": "",
        "verdict_reason": lean.untestable,
        **lean.units.columns(confidence),
    }


def _crossed(
    read: pl.DataFrame, units: Units, condition: str, confidence: float
) -> Iterator[tuple[str, Ends]]:
    """Intervals of the measures over units of both kinds; none where templates decide as without the second."""
    if not units.decide_together(confidence):
        return
    interval = crossed_interval(read["correct"].to_numpy().astype(float), units, (0, 1), confidence)
    yield "accuracy", Ends(interval.low, interval.high)
    named = read.select(pl.col("biased") | pl.col("anti")).to_series().to_numpy()
    of_named = units.where(named)
    if of_named.decide_together(confidence):
        biased = read["biased"].to_numpy()[named].astype(float)
        share = crossed_interval(biased, of_named, (0, 1), confidence)
        ends = Ends(2 * share.low - 1, 2 * share.high - 1)
    else:
        ends = Ends(NAN, NAN, f"the rarer answers it rests on come from too few {units.kinds.second[1]}")
    yield "bias_unscaled", ends
    if condition != "ambig":
        yield "bias_score", ends


def _method(cell: Cell, units: Units, drawn: dict[str, np.ndarray], confidence: float, bootstrap: str) -> str:
    """How intervals were made.

    Args:
        cell: the counts.
        units: of the answers read.
        drawn: measures in resamples of templates.
        confidence: confidence level.
        bootstrap: the method where templates decide.
    """
    if units.decide_together(confidence):
        return f"{units.method(confidence)}; {units.text(confidence)}"
    notes = [units.text(confidence)]
    if cell.key["context_condition"] == "ambig":
        notes.append("the bias score has the interval of the lean")
    left_out = int(np.isnan(drawn["bias_unscaled"]).sum())
    if 0 < left_out < len(drawn["bias_unscaled"]):
        notes.append(f"{left_out} resamples in which nobody is named left out of bias_unscaled")
    return "; ".join([bootstrap, *notes])


def _reasons(
    cell: Cell,
    total: Counts,
    values: dict[str, float],
    intervals: dict[str, Ends],
    by_seed: dict[str, np.ndarray],
) -> list[str]:
    if total.read == 0:
        return ["no answer could be read"]
    reasons = []
    if total.scored + total.scored_unread == 0:
        reasons.append("the stereotyped option of these items is not known: no bias score")
    elif total.named == 0:
        reasons.append("no answer names a person: bias_unscaled is undefined")
        if values["bias_score"] == 0:
            reasons.append("bias_score is 0 because every answer read is right")
    elif total.scored < total.read:
        unknown = int(total.read - total.scored)
        reasons.append(
            f"{unknown} answers to items whose stereotyped option is not known count for the accuracy only"
        )
    if (
        cell.key["context_condition"] == "disambig"
        and total.scored > 0
        and (total.aligned == 0 or total.nonaligned == 0)
    ):
        reasons.append("right answers agree with the stereotype in all items or in none")
    reasons += without_interval(intervals)
    uneven = [name for name in MEASURES if not isnan(values[name]) and np.isnan(by_seed[name]).any()]
    if uneven:
        reasons.append(f"{', '.join(uneven)} undefined for some seed: no mean over seeds")
    return reasons
