"""Groups against names: differences of every measure, and the error retention ratio (Pelosio et al. 2025, 4.3.3).

Items are paired by category and example_id, seeds in order, by repeat and then variant; a side with one seed is paired
with each of the other's, and seeds without a partner are left out (`method` of ratios counts them). Only pairs count of
which both answers were read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isnan, sqrt
from typing import Any

import numpy as np
import polars as pl
from polars import selectors as cs

from endoxa.errors import UserError
from endoxa.instruments.questions.estimates.crossing import SECOND, Units, crossed, crossed_interval
from endoxa.instruments.questions.estimates.estimates import ACCURACY_GAP, TEMPLATES
from endoxa.instruments.questions.estimates.inference import (
    FEW_TEMPLATES,
    NOT_REQUESTED,
    Ends,
    TemplateTest,
    check_settings,
    column_types,
    effective,
    expanded,
    integer_totals,
    judged,
    resampled,
    templates_test,
    without_interval,
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
    matched_sides,
    side_sums,
    unpaired_seeds,
)
from endoxa.runs.families import NAME_DIFFERENCES, RETENTION
from endoxa.schema import QA_DIFFERENCE_COLUMNS, RETENTION_COLUMNS
from endoxa.stats.intervals import (
    NAN,
    UNDEFINED,
    Interval,
    agreeing,
    clustered_mean,
    effective_number,
    jackknife_variance,
)

_INTEGERS = ("n_items", "n_seeds", "n_left_out", "clusters", "groups", "attributes")
_TEXTS = (
    *("model", "protocol", "context_condition", "original", "substituted", "measure", "method", "reason"),
    *("interval", "verdict", "verdict_reason", "sampled"),
)
DIFFERENCE_TYPES = column_types(QA_DIFFERENCE_COLUMNS, _INTEGERS, _TEXTS)
RETENTION_TYPES = column_types(RETENTION_COLUMNS, _INTEGERS, _TEXTS)

_CHANGE = "answers change with names"
METHOD = "template bootstrap, expanded percentile interval, {resamples} resamples, seed {seed}; {templates} templates"


@dataclass(frozen=True, slots=True)
class _Settings:
    confidence: float
    seed: int
    resamples: int


@dataclass(frozen=True, slots=True)
class _Context:
    """Pairs of answers in one kind of context.

    Attributes:
        condition: the kind.
        pairs: see `pairing.item_pairs`.
        sums: (templates, 2, counts), see `pairing.side_sums`.
        note: seeds left out, or empty.
        units: of the pairs.
        shared: cells of all rows about them.
        method: how intervals are made.
        settings: of the intervals.
    """

    condition: str
    pairs: pl.DataFrame
    sums: np.ndarray
    units: Units
    note: str
    shared: dict[str, Any]
    method: str
    settings: _Settings

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


def _contexts(matched: Sequence[tuple[Side, Side]], settings: _Settings) -> Iterator[_Context]:
    def named(first: str, second: str) -> str:
        return first if first == second else f"{first} -> {second}"

    for original, substituted in matched:
        pairs = item_pairs(original, substituted)
        note, lonely = unpaired_seeds(original, substituted), left_out(original, substituted, pairs)
        for (condition,), part in sorted(pairs.partition_by("context_condition", as_dict=True).items()):
            templates, units = part["template"].n_unique(), Units.of(part)
            shared = {
                "model": named(original.model, substituted.model),
                "protocol": named(original.protocol, substituted.protocol),
                "context_condition": condition,
                "original": original.data,
                "substituted": substituted.data,
                "confidence": settings.confidence,
                "n_items": part.select(ITEM).n_unique(),
                "n_left_out": lonely.get(str(condition), 0),
                "interval": TEMPLATES,
                "clusters": templates,
                "verdict": "",
                **units.columns(settings.confidence),
            }
            method = METHOD.format(resamples=settings.resamples, seed=settings.seed, templates=templates)
            if units.decide_together(settings.confidence):
                method = f"{units.method(settings.confidence)}; {units.text(settings.confidence)}"
            sums = side_sums(part, "template")
            yield _Context(str(condition), part, sums, units, note, shared, method, settings)


# ---------------------------------------------------------------------------- differences


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
        context.shared | _difference(measure, context)
        for context in _contexts(matched_names(answers), settings)
        for measure in _measures(context)
    ]
    table = pl.DataFrame(rows, schema=DIFFERENCE_TYPES).with_columns(cs.float().fill_nan(None))
    return judged(table, NAME_DIFFERENCES, value="difference", confidence=confidence)


def _measures(context: _Context) -> Iterator[_Measure]:
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


def _difference(measure: _Measure, context: _Context) -> dict[str, Any]:
    before, after = measure.values
    test, ends, method = TemplateTest(NAN), NOT_REQUESTED, f"paired {context.method}"
    if isnan(before - after):
        test = TemplateTest(NAN, "" if measure.sums is None else "the difference is not defined")
    elif context.together:
        test, ends = _over_both(
            context, measure.name, None if measure.sums is None else measure.sums.bound, _CHANGE
        )
    else:
        test, ends, other_method = _over_templates(measure, context.settings)
        method += other_method
    lacking = [words for words, value in (("groups", before), ("names", after)) if isnan(value)]
    reasons = [f"undefined with {' and with '.join(lacking)}"] if lacking else []
    reasons += without_interval({"difference": ends})
    return {
        "measure": measure.name,
        "original_value": before,
        "substituted_value": after,
        "difference": before - after,
        "low": ends.low,
        "high": ends.high,
        "method": method,
        "neutral": NAN if measure.sums is None else 0.0,
        "p_value": test.p_value,
        "verdict_reason": test.untestable,
        "reason": "; ".join(reasons),
    }


def _over_templates(measure: _Measure, settings: _Settings) -> tuple[TemplateTest, Ends, str]:
    """Test and interval of a difference where templates decide, and how the interval was made if not by bootstrap."""
    sums, confidence, test = measure.sums, settings.confidence, TemplateTest(NAN)
    if sums is not None:
        test = templates_test(
            integer_totals(sums.totals, sums.denominator),
            sums.speaking,
            happens=_CHANGE,
            kind=" with items of both kinds" if measure.name == ACCURACY_GAP else "",
            confidence=confidence,
            seed=settings.seed,
        )
    ends = expanded(measure.draws, measure.weights, confidence)
    if test.untestable:
        ends = Ends(NAN, NAN, test.untestable)
    if sums is None or isnan(test.p_value):
        return test, ends, ""
    interval, method, few = Interval(ends.low, ends.high), "", len(sums.sizes) < FEW_TEMPLATES
    if few or not interval.defined:
        why = f"there are fewer than {FEW_TEMPLATES}" if few else "there is none of the bootstrap"
        method = f"; jackknife t interval, because {why}"
        interval = clustered_mean(sums.sizes, sums.totals, confidence, (-sums.bound, sums.bound))
    before, after = measure.values
    interval = agreeing(interval, before - after, 0.0, test.p_value, confidence)
    return test, Ends(interval.low, interval.high, "" if interval.defined else ends.why), method


def _over_both(
    context: _Context, measure: str, bound: float | None, happens: str
) -> tuple[TemplateTest, Ends]:
    """Test and interval of a difference where units of the second kind decide too; of a ratio the interval alone."""
    parts, changed, units = context.parts(measure)
    settings = context.settings
    if bound is None:
        interval = crossed_interval(parts, units, None, settings.confidence)
        why = "" if interval.defined else "all templates and groups give the same value"
        return TemplateTest(NAN), Ends(interval.low, interval.high, why)
    both = crossed(
        parts,
        units,
        limit=bound,
        happens=happens,
        speaking=changed,
        confidence=settings.confidence,
        seed=settings.seed,
    )
    return both.test, both.ends


# ---------------------------------------------------------------------------- error retention


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
    table = _ratios(matched_sides(original, substituted), _Settings(confidence, seed, resamples))
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
    return _ratios(matched_names(answers), _Settings(confidence, seed, resamples))


def together(tables: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Tables of ratios below one another, corrected as one family."""
    table = pl.concat(tables).with_columns(
        # Verdicts are decided anew: only what cannot be tested keeps its reason.
        verdict_reason=pl.when(pl.col("p_value").is_null()).then("verdict_reason").otherwise(pl.lit(""))
    )
    return judged(table, RETENTION, value="ratio", confidence=table["confidence"][0])


def _ratios(matched: Sequence[tuple[Side, Side]], settings: _Settings) -> pl.DataFrame:
    rows = [context.shared | _ratio(context) for context in _contexts(matched, settings)]
    table = pl.DataFrame(rows, schema=RETENTION_TYPES).with_columns(cs.float().fill_nan(None))
    return judged(table, RETENTION, value="ratio", confidence=settings.confidence)


def _ratio(context: _Context) -> dict[str, Any]:
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


def _ratio_over_both(context: _Context, ratio: float) -> tuple[TemplateTest, Interval]:
    """Test and interval of a ratio where units of the second kind decide too."""
    test, _ = _over_both(context, "accuracy", 1.0, "answers change between right and wrong")
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
