"""Groups against names: differences of every measure (Pelosio et al. 2025, 4.3.3); errors kept: `error_retention`.

Items are paired by category and example_id, seeds in order, by repeat and then variant; a side with one seed is paired
with each of the other's, and seeds without a partner are left out (`method` of ratios counts them). Only pairs count of
which both answers were read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
import polars as pl

from endoxa.instruments.questions.estimates.estimates import ACCURACY_GAP, TEMPLATES
from endoxa.instruments.questions.estimates.inference import (
    FEW_TEMPLATES,
    Result,
    Settings,
    Units,
    column_types,
    crossed,
    crossed_interval,
    effective,
    expanded,
    integer_totals,
    judged,
    resampled,
    templates_test,
)
from endoxa.instruments.questions.estimates.measures import (
    COUNTED,
    MEASURES,
    Counts,
    gap_of,
    gap_parts,
    measured,
    rarer_answers,
    share,
)
from endoxa.instruments.questions.estimates.pairing import (
    ITEM,
    OTHER,
    Side,
    changed_templates,
    item_pairs,
    left_out,
    matched_names,
    side_sums,
    unpaired_seeds,
)
from endoxa.runs.families import NAME_DIFFERENCES
from endoxa.schema import QA_COMPARISON_COLUMNS
from endoxa.stats.intervals import agreeing, clustered_mean

COMPARISON_TYPES = column_types(QA_COMPARISON_COLUMNS)
_CHANGE = "answers change with names"


@dataclass(frozen=True, slots=True)
class Context:
    """Pairs of answers in one kind of context.

    Attributes:
        condition: the kind.
        pairs: see `pairing.item_pairs`.
        sums: (templates, 2, counts), see `pairing.side_sums`.
        note: seeds left out, or empty.
        units: of the pairs.
        shared: cells of all rows about them.
        settings: of the intervals.
    """

    condition: str
    pairs: pl.DataFrame
    sums: np.ndarray
    units: Units
    note: str
    shared: dict[str, Any]
    settings: Settings

    @property
    def together(self) -> bool:
        """Whether units of the second kind decide with templates, or in their place."""
        return self.units.decide_together(self.settings.confidence)

    def counts(self, side: int) -> Counts:
        """Per template, what was counted on one side: 0 with groups, 1 with names."""
        return Counts.of(self.sums[:, side])

    def parts(self, measure: str) -> tuple[np.ndarray, np.ndarray, Units]:
        """What each pair adds to the difference of a measure, which is their mean, whether it could, and its units."""
        chosen = np.ones(len(self.pairs), dtype=bool)
        if measure == ACCURACY_GAP:
            both = (pl.col(name).sum().over("template") > 0 for name in ("aligned", "nonaligned"))
            compared = pl.col("aligned") + pl.col("nonaligned") > 0
            chosen = self.pairs.select(pl.all_horizontal(compared, *both)).to_series().to_numpy()
        elif measure == "bias_score" and self.condition == "ambig":
            chosen = (self.pairs["scored"] > 0).to_numpy()
        pairs = self.pairs.filter(chosen)
        original, other = (_parts(pairs, measure, self.condition, side) for side in ("", OTHER))
        parts = original - other
        changed = (pairs["correct"] != pairs[f"correct{OTHER}"]).to_numpy()
        return parts, changed if measure == ACCURACY_GAP else parts != 0, self.units.where(chosen)


def contexts(matched: Sequence[tuple[Side, Side]], settings: Settings) -> Iterator[Context]:
    """Matched answers by kind of context, with the cells that rows about them share."""

    def named(first: str, second: str) -> str:
        return first if first == second else f"{first} -> {second}"

    for original, substituted in matched:
        pairs = item_pairs(original, substituted)
        note, lonely = unpaired_seeds(original, substituted), left_out(original, substituted, pairs)
        for (condition,), part in sorted(pairs.partition_by("context_condition", as_dict=True).items()):
            units = Units.of(part)
            shared = {
                "model": named(original.model, substituted.model),
                "protocol": named(original.protocol, substituted.protocol),
                "context_condition": condition,
                "original": original.data,
                "substituted": substituted.data,
                "confidence": settings.confidence,
                "n": part.select(ITEM).n_unique(),
                "n_left_out": lonely.get(str(condition), 0),
                "interval": TEMPLATES,
                **units.columns(settings.confidence, settings.method),
            }
            yield Context(str(condition), part, side_sums(part, "template"), units, note, shared, settings)


def _parts(pairs: pl.DataFrame, measure: str, condition: str, side: str) -> np.ndarray:
    """What each answer of one side adds to a measure; a ratio is linearised."""
    counted = pairs.select("template", **{name: pl.col(f"{name}{side}").cast(pl.Float64) for name in COUNTED})
    if measure == "accuracy":
        return counted["correct"].to_numpy()
    if measure == ACCURACY_GAP:
        return gap_parts(counted)
    biased, named = counted["biased"].to_numpy(), (counted["biased"] + counted["anti"]).to_numpy()
    if measure == "bias_score" and condition == "ambig":
        return np.asarray(2 * biased - named)
    score = 2 * biased.sum() / named.sum() - 1
    return np.asarray(score + (2 * biased - (score + 1) * named) / named.mean())


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


def differences(answers: pl.DataFrame, settings: Settings) -> pl.DataFrame:
    """Each measure with the groups minus the same with names, over the items that were read in both data sets.

    Answers are paired as for `retention`. Templates are drawn with replacement, and each enters with its answers in
    both data sets; what makes the questions of a template easy or hard in both cancels. Accuracies, ambiguous bias
    scores and accuracy gaps are sums over templates, so that their differences have an exact sign-flip test; all of
    these are one family. Of unscaled and disambiguated bias scores nothing is claimed.

    Args:
        answers: checked answers.
        settings: of intervals and tests.

    Returns:
        `schema.QA_COMPARISON_COLUMNS`, a row per model, protocol, context and measure of every pair of a data set
        without names and one with names; undefined values are null.
    """
    rows = (
        context.shared | _difference(measure, context)
        for context in contexts(matched_names(answers), settings)
        for measure in _measures(context)
    )
    return judged(rows, COMPARISON_TYPES, NAME_DIFFERENCES, settings.confidence)


def _measures(context: Context) -> Iterator[_Measure]:
    """The published measures, and the accuracy gap of disambiguated contexts."""
    sums, settings = context.sums, context.settings
    drawn = resampled(sums.reshape(len(sums), -1), settings.resamples, settings.seed)
    drawn = drawn.reshape(-1, *sums.shape[1:])
    values = [measured(Counts.of(side), context.condition) for side in sums.sum(axis=0)]
    draws = [measured(Counts.of(drawn[:, side]), context.condition) for side in (0, 1)]
    weights = [rarer_answers(context.counts(side)) for side in (0, 1)]
    original, other = context.counts(0), context.counts(1)
    corrected = changed_templates(context.pairs, "correct")
    tested = {"accuracy": _Sums(original.read, original.correct - other.correct, corrected, 1.0)}
    if context.condition == "ambig":
        compared, named = original.scored > 0, changed_templates(context.pairs, "biased", "anti")
        totals = original.biased - original.anti - other.biased + other.anti
        tested["bias_score"] = _Sums(original.scored[compared], totals[compared], named[compared])
    for name in MEASURES:
        yield _Measure(
            name,
            (float(values[0][name]), float(values[1][name])),
            draws[0][name] - draws[1][name],
            # A difference is no surer than the rarer of the two kinds of answers it is made of.
            min((side[name] for side in weights), key=effective),
            tested.get(name),
        )
    if context.condition != "ambig":
        before, after = gap_of(original), gap_of(other)
        # Weights are the same on both sides, because the items are.
        columns = np.column_stack([before.sizes, before.totals - after.totals])
        of_gap = resampled(columns, settings.resamples, settings.seed)
        sizes, totals = columns[before.sizes > 0].T
        yield _Measure(
            ACCURACY_GAP,
            (before.value, after.value),
            share(of_gap[:, 1], of_gap[:, 0]),
            before.sizes,
            _Sums(sizes, totals, corrected[before.sizes > 0], 2.0, before.denominator),
        )


def _difference(measure: _Measure, context: Context) -> dict[str, Any]:
    before, after = measure.values
    other_method = ""
    if isnan(before - after):
        lacking = [words for words, value in (("groups", before), ("names", after)) if isnan(value)]
        result = Result(reason=f"undefined with {' and with '.join(lacking)}")
    elif context.together:
        bound = None if measure.sums is None else measure.sums.bound
        result = over_both(context, measure.name, bound, _CHANGE)
    else:
        result, other_method = _over_templates(measure, context.settings)
    return {
        "name": measure.name,
        "original_value": before,
        "substituted_value": after,
        "value": before - after,
        **result.cells,
        "neutral": None if measure.sums is None else 0.0,
        "method": f"paired {context.shared['method']}{other_method}",
    }


def _over_templates(measure: _Measure, settings: Settings) -> tuple[Result, str]:
    """Result of a difference where templates decide, and how its interval was made if not by bootstrap."""
    sums, confidence = measure.sums, settings.confidence
    drawn = expanded(measure.draws, measure.weights, confidence)
    if sums is None:
        return drawn, ""
    test = templates_test(
        integer_totals(sums.totals, sums.denominator),
        sums.speaking,
        happens=_CHANGE,
        kind=" with items of both kinds" if measure.name == ACCURACY_GAP else "",
        confidence=confidence,
        seed=settings.seed,
    )
    if test.reason:
        return test, ""
    interval, method, few = drawn.interval, "", len(sums.sizes) < FEW_TEMPLATES
    if few or not interval.defined:
        why = f"there are fewer than {FEW_TEMPLATES}" if few else "there is none of the bootstrap"
        method = f"; jackknife t interval, because {why}"
        interval = clustered_mean(sums.sizes, sums.totals, confidence, (-sums.bound, sums.bound))
    before, after = measure.values
    return Result(agreeing(interval, before - after, 0.0, test.p_value, confidence), test.p_value), method


def over_both(context: Context, measure: str, bound: float | None, happens: str) -> Result:
    """Result of a difference where units of the second kind decide too; of a ratio the interval alone."""
    parts, changed, units = context.parts(measure)
    settings = context.settings
    if bound is None:
        interval = crossed_interval(parts, units, None, settings.confidence)
        return Result(
            interval, reason="" if interval.defined else "all templates and groups give the same value"
        )
    return crossed(
        parts,
        units,
        limit=bound,
        happens=happens,
        speaking=changed,
        confidence=settings.confidence,
        seed=settings.seed,
    )
