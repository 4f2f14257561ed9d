"""Groups against names: differences of every measure (Pelosio et al. 2025, 4.3.3); errors kept: `error_retention`.

Items are paired by category and example_id, seeds in order, by repeat and then variant; a side with one seed is paired
with each of the other's, and seeds without a partner are left out (`method` of ratios counts them). Only pairs count of
which both answers were read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan
from typing import Any

import numpy as np
import polars as pl

from endoxa.instruments.questions.estimates.estimates import ACCURACY_GAP, BIAS_SCORE, TEMPLATES
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


@dataclass(frozen=True)
class Context:
    """Pairs of answers in one kind of context.

    Attributes:
        condition: the kind.
        pairs: see `pairing.item_pairs`.
        sums: (templates, 2, counts), see `pairing.side_sums`.
        units: of the pairs.
        note: seeds left out, or empty.
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

    @cached_property
    def values(self) -> list[dict[str, np.ndarray]]:
        """Every measure with groups and with names."""
        of_sides = [measured(Counts.of(side), self.condition) for side in self.sums.sum(axis=0)]
        if self.condition != "ambig":
            of_sides = [
                values | {ACCURACY_GAP: np.asarray(gap_of(self.counts(side)).value)}
                for side, values in enumerate(of_sides)
            ]
        return of_sides

    @cached_property
    def draws(self) -> dict[str, np.ndarray]:
        """The difference of every measure in each resample of templates."""
        drawn = resampled(self.sums.reshape(len(self.sums), -1), self.settings.resamples, self.settings.seed)
        drawn = drawn.reshape(-1, *self.sums.shape[1:])
        before, after = (measured(Counts.of(drawn[:, side]), self.condition) for side in (0, 1))
        return {name: before[name] - after[name] for name in MEASURES}

    def parts(self, measure: str) -> tuple[np.ndarray, np.ndarray, Units]:
        """What each pair adds to the difference of a measure, which is their mean, whether it could, and its units."""
        chosen = pl.col("read") > 0
        if measure == ACCURACY_GAP:
            both = (pl.col(name).sum().over("template") > 0 for name in ("aligned", "nonaligned"))
            chosen = pl.all_horizontal(pl.col("aligned") + pl.col("nonaligned") > 0, *both)
        elif measure == BIAS_SCORE and self.condition == "ambig":
            chosen = pl.col("scored") > 0
        mask = self.pairs.select(chosen).to_series().to_numpy()
        pairs = self.pairs.filter(mask)
        original, other = (_parts(pairs, measure, self.condition, side) for side in ("", OTHER))
        parts = original - other
        changed = (pairs["correct"] != pairs[f"correct{OTHER}"]).to_numpy()
        return parts, changed if measure == ACCURACY_GAP else parts != 0, self.units.where(mask)


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
        context.shared | _difference(name, context)
        for context in contexts(matched_names(answers), settings)
        for name in context.values[0]
    )
    return judged(rows, COMPARISON_TYPES, NAME_DIFFERENCES, settings.confidence)


def _difference(name: str, context: Context) -> dict[str, Any]:
    before, after = (float(values[name]) for values in context.values)
    bound = {
        "accuracy": 1.0,
        ACCURACY_GAP: 2.0,
        BIAS_SCORE: 2.0 if context.condition == "ambig" else None,
    }.get(name)
    method = ""
    if isnan(before - after):
        lacking = [words for words, value in (("groups", before), ("names", after)) if isnan(value)]
        result = Result(reason=f"undefined with {' and with '.join(lacking)}")
    elif context.together:
        result = over_both(context, name, bound, _CHANGE)
    elif bound is None:
        result = _bootstrapped(name, context)
    else:
        result, method = _over_templates(name, context, bound)
    return {
        "name": name,
        "original_value": before,
        "substituted_value": after,
        "value": before - after,
        **result.cells,
        "neutral": None if bound is None else 0.0,
        "method": f"paired {context.shared['method']}{method}",
    }


def _bootstrapped(name: str, context: Context) -> Result:
    """A difference is no surer than the rarer of the two kinds of answers it is made of."""
    settings = context.settings
    if name != ACCURACY_GAP:
        weights = (rarer_answers(context.counts(side))[name] for side in (0, 1))
        return expanded(context.draws[name], min(weights, key=effective), settings.confidence)
    before, after = gap_of(context.counts(0)), gap_of(context.counts(1))
    # Weights are the same on both sides, because the items are.
    columns = np.column_stack([before.sizes, before.totals - after.totals])
    sizes, totals = resampled(columns, settings.resamples, settings.seed).T
    return expanded(share(totals, sizes), before.sizes, settings.confidence)


def _over_templates(name: str, context: Context, bound: float) -> tuple[Result, str]:
    """Result of a tested difference where templates decide, and how its interval was made if not by bootstrap."""
    original, other = context.counts(0), context.counts(1)
    changed, denominator = changed_templates(context.pairs, "correct"), 1
    if name == "accuracy":
        sizes, totals = original.read, original.correct - other.correct
    elif name == BIAS_SCORE:
        sizes, totals = original.scored, original.biased - original.anti - other.biased + other.anti
        changed = changed_templates(context.pairs, "biased", "anti")
    else:
        before, after = gap_of(original), gap_of(other)
        sizes, totals, denominator = before.sizes, before.totals - after.totals, before.denominator
    compared, settings = sizes > 0, context.settings
    test = templates_test(
        integer_totals(totals[compared], denominator),
        changed[compared],
        happens=_CHANGE,
        kind=" with items of both kinds" if name == ACCURACY_GAP else "",
        confidence=settings.confidence,
        seed=settings.seed,
    )
    if test.reason:
        return test, ""
    interval, method = _bootstrapped(name, context).interval, ""
    if (few := compared.sum() < FEW_TEMPLATES) or not interval.defined:
        why = f"there are fewer than {FEW_TEMPLATES}" if few else "there is none of the bootstrap"
        method = f"; jackknife t interval, because {why}"
        interval = clustered_mean(sizes[compared], totals[compared], settings.confidence, (-bound, bound))
    value = float(context.values[0][name] - context.values[1][name])
    return replace(test, interval=agreeing(interval, value, 0.0, test.p_value, settings.confidence)), method


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
