"""Groups against names: differences of every measure, and how many errors remain (Pelosio et al. 2025, 4.3.3).

Items are paired by category and example_id, seeds in order, by repeat and then variant; a side with one seed is paired
with each of the other's, and seeds without a partner are left out. Only pairs count of which both answers were read;
items that were read on one side only are dropped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan, sqrt
from typing import Any

import numpy as np
import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.questions.estimates.answers import is_read
from endoxa.instruments.questions.estimates.estimates import ACCURACY_GAP, BIAS_SCORE, TEMPLATES
from endoxa.instruments.questions.estimates.inference import (
    BUILT,
    FEW_TEMPLATES,
    RESAMPLES,
    SECOND,
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
    unit_columns,
)
from endoxa.instruments.questions.estimates.measures import (
    COUNTED,
    ITEM_NAME,
    MEASURES,
    Counts,
    counted,
    gap_of,
    gap_parts,
    measured,
    rarer_answers,
    share,
)
from endoxa.runs.estimates import NAME_DIFFERENCES, RETENTION
from endoxa.schema import QA_COMPARISON_COLUMNS
from endoxa.stats.intervals import (
    UNDEFINED,
    Interval,
    agreeing,
    clustered_mean,
    effective_number,
    jackknife_variance,
)

ITEM = ("category", "example_id")
OTHER = "_other"
"""Behind the names of what was counted in the substituted answer."""

_TRUTH = ("context_condition", "label")


@dataclass(frozen=True, slots=True)
class Side:
    """Answers of one model under one protocol; `number` is their seed's number, by repeat and then variant."""

    model: str
    protocol: str
    data: str
    answers: pl.DataFrame

    @property
    def seeds(self) -> int:
        """How many seeds there are."""
        return self.answers["number"].n_unique()


def paired_labels(answers: pl.DataFrame) -> list[tuple[str, str]]:
    """Labels of (a data set without names, one with names of the same items), sorted.

    Items are the same where category, example_id, context and right option are; one that differs in the last two
    tells that two data sets only happen to number their items alike.
    """
    if answers["data"].n_unique() < 2:
        return []
    marked = answers.select("data", *ITEM, *_TRUTH, named=pl.col("variant") != "").unique()
    plain, named = marked.filter(~pl.col("named")), marked.filter("named")
    shared = (
        plain.join(named, on=ITEM, suffix=OTHER)
        .filter(pl.col("data") != pl.col(f"data{OTHER}"))
        .group_by("data", "data_other")
        .agg(unlike=unlike().any())
    )
    return sorted(shared.filter(~pl.col("unlike")).select("data", "data_other").iter_rows())


def unlike() -> pl.Expr:
    """Whether two joined answers are about different questions: another context, or another right option."""
    return pl.any_horizontal(pl.col(name) != pl.col(f"{name}{OTHER}") for name in _TRUTH)


def matched_names(answers: pl.DataFrame) -> list[tuple[Side, Side]]:
    """The sides of every data set without names and one with names, for the models and protocols of both."""
    matched, compared = [], ["model", "protocol"]
    for original, substituted in paired_labels(answers):
        unnamed, named = answers.filter(data=original), answers.filter(data=substituted)
        matched += matched_sides(
            unnamed.join(named, on=compared, how="semi"), named.join(unnamed, on=compared, how="semi")
        )
    return matched


def matched_sides(original: pl.DataFrame, substituted: pl.DataFrame) -> list[tuple[Side, Side]]:
    """The sides that are compared, sorted by model and protocol."""
    matched = []
    for model, other_model in _common(original, substituted, "model"):
        unnamed, named = original.filter(model=model), substituted.filter(model=other_model)
        for protocol, other_protocol in _common(unnamed, named, "protocol"):
            matched.append(
                (_side(unnamed.filter(protocol=protocol)), _side(named.filter(protocol=other_protocol)))
            )
    return matched


def _common(original: pl.DataFrame, other: pl.DataFrame, column: str) -> list[tuple[str, str]]:
    left, right = set(original[column]), set(other[column])
    if not left & right and len(left) == len(right) == 1:
        return [(left.pop(), right.pop())]
    return [(value, value) for value in sorted(left & right)]


def _side(answers: pl.DataFrame) -> Side:
    order = pl.struct("repeat", pl.col("variant").str.len_chars().alias("length"), "variant").rank("dense")
    first = answers.row(0, named=True)
    return Side(first["model"], first["protocol"], first["data"], answers.with_columns(number=order))


def item_pairs(original: Side, substituted: Side) -> pl.DataFrame:
    """One row per item and pair of seeds of which both answers were read.

    Returns:
        `number` of the pair of seeds, `category`, `example_id`, `item`, `context_condition`, `template` and
        `inference.unit_columns` of the original, and what was counted in either answer: the names of
        `measures.COUNTED` for the original, those with `OTHER` behind them for the substituted one. The stereotyped
        option is known where both sides say the same.

    Raises:
        UserError: an item has another context or right option on the other side.
    """
    by_seed = original.seeds > 1 and substituted.seeds > 1
    keep = ["number", "item_id", *ITEM, *_TRUTH, "template", "choice", "outcome", "target", "unknown"]
    unnamed, named = (
        side.answers.filter(is_read()).select(*keep, **unit_columns(side.answers.columns))
        for side in (original, substituted)
    )
    paired = unnamed.join(named, on=[*ITEM, *(["number"] if by_seed else [])], suffix=OTHER)
    if not by_seed and original.seeds == 1:
        paired = paired.with_columns(number=f"number{OTHER}")
    others = paired.filter(unlike())
    if len(others):
        row = others.row(0, named=True)
        raise UserError(
            f"Item {row['example_id']} of category '{row['category']}' has a different correct answer in "
            f"'{substituted.data}' than in '{original.data}': error retention needs the same items."
        )
    keys = paired.select("number", *ITEM, "context_condition", "template", SECOND, BUILT, item=ITEM_NAME)
    return pl.concat([keys, _counted(paired, ""), _counted(paired, OTHER)], how="horizontal")


def _counted(paired: pl.DataFrame, side: str) -> pl.DataFrame:
    """What is counted in the answers of one side."""
    with_target = (pl.col("target") == pl.col(f"target{OTHER}")).fill_null(value=False)
    side_answers = paired.select(
        "label",
        "context_condition",
        target=pl.when(with_target).then(f"target{side}"),
        **{name: f"{name}{side}" for name in ("item_id", "choice", "outcome", "unknown")},
    )
    return side_answers.select(
        expression.cast(pl.Int64).alias(f"{name}{side}") for name, expression in counted().items()
    )


def left_out(original: Side, substituted: Side, pairs: pl.DataFrame) -> dict[str, int]:
    """Items of each kind of context that were read on one side only."""
    read = pl.concat(
        side.answers.filter(is_read()).select("context_condition", *ITEM) for side in (original, substituted)
    ).unique()
    lonely = read.join(pairs, on=["context_condition", *ITEM], how="anti")
    counts: dict[str, int] = dict(lonely.group_by("context_condition").len().iter_rows())
    return counts


def side_sums(pairs: pl.DataFrame, by: str) -> np.ndarray:
    """(groups, 2, counts): what was counted on either side, groups sorted, counts in the order of `COUNTED`."""
    columns = [f"{name}{side}" for side in ("", OTHER) for name in COUNTED]
    summed = pairs.group_by(by).agg(pl.col(columns).sum()).sort(by).select(columns)
    return summed.to_numpy().astype(float).reshape(-1, 2, len(COUNTED))


def changed_templates(pairs: pl.DataFrame, *names: str) -> np.ndarray:
    """Per template, sorted, whether what is counted under one of these names differs in some pair."""
    unlike = pl.any_horizontal(pl.col(name) != pl.col(f"{name}{OTHER}") for name in names).any()
    return pairs.group_by("template").agg(unlike=unlike).sort("template")["unlike"].to_numpy()


COMPARISON_TYPES = column_types(QA_COMPARISON_COLUMNS)
_CHANGE = "answers change with names"


@dataclass(frozen=True)
class Context:
    """Pairs of answers in one kind of context.

    Attributes:
        condition: the kind.
        pairs: see `item_pairs`.
        sums: (templates, 2, counts), see `side_sums`.
        units: of the pairs.
        shared: cells of all rows about them.
        settings: of the intervals.
    """

    condition: str
    pairs: pl.DataFrame
    sums: np.ndarray
    units: Units
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
            paired_cells = (pl.col(name).sum().over("template") > 0 for name in ("aligned", "nonaligned"))
            chosen = pl.all_horizontal(pl.col("aligned") + pl.col("nonaligned") > 0, *paired_cells)
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
        lonely = left_out(original, substituted, pairs)
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
            yield Context(str(condition), part, side_sums(part, "template"), units, shared, settings)


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


RATIO = "error_retention"
NO_ERROR = "no error with groups: there is none to be retained"
_TURN = "answers change between right and wrong"


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
    methods: list[str] = []
    result = Result(reason=NO_ERROR)
    if context.together and not isnan(ratio):
        result = _ratio_over_both(context, ratio)
    elif not isnan(ratio):
        result, methods = _ratio_over_templates(context, per_template, ratio)
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
        "method": "; ".join((context.shared["method"], *methods)),
        "neutral": 1.0,
    }


def _ratio_over_templates(
    context: Context, per_template: np.ndarray, ratio: float
) -> tuple[Result, list[str]]:
    """Result where templates decide, and notes on its method."""
    settings = context.settings
    # There are as many errors with names as with groups: a ratio of 1 is a difference of 0.
    test = templates_test(
        context.counts(0).correct - context.counts(1).correct,
        changed_templates(context.pairs, "correct"),
        happens=_TURN,
        confidence=settings.confidence,
        seed=settings.seed,
    )
    drawn = resampled(per_template, settings.resamples, settings.seed)
    ratios = share(drawn[:, 2], drawn[:, 1])
    undefined = int(np.isnan(ratios).sum())
    notes = [f"{undefined} resamples without an error left out"] if undefined else []
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


def _ratio_over_both(context: Context, ratio: float) -> Result:
    """Result where units of the second kind decide too."""
    test, confidence = over_both(context, "accuracy", 1.0, _TURN), context.settings.confidence
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
        sums: see `side_sums`.
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
