"""What changed between two runs of the same items: the estimate of a change, and what may be claimed of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from math import inf, isfinite, isnan
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl

from endoxa.instruments.association_tests.estimates.effect_size import MIN_UNITS
from endoxa.report.inputs import EMBEDDINGS, HARM, PAIRS, QUESTIONS
from endoxa.runs.instrument import Kind, Measure
from endoxa.schema import ALL
from endoxa.schema.headline import plain
from endoxa.stats.intervals import NAN
from endoxa.stats.two_way import Sampled, two_way
from endoxa.stats.verdicts import CLEAR, CORRECTED, NO_QUESTION, UNCLEAR, UNTESTED, decide, significance
from endoxa.study.compare.association_tests import test_items
from endoxa.study.compare.contrast import FEWEST_UNITS, Contrast, Difference, sampled_units
from endoxa.study.compare.decision import EffectSizes
from endoxa.study.compare.items import Items, declared_items
from endoxa.study.compare.measures import COST, Paired, declared, untested
from endoxa.study.compare.pairs import pair_items, rounding_notes
from endoxa.study.compare.questions import question_items
from endoxa.study.compare.ratings import rating_items
from endoxa.study.compare.runs import Side

POWER = 0.8
"""Chance with which a change of the size that is named would have been shown."""


@dataclass(frozen=True, slots=True)
class Change:
    """Change of one measure between two runs, over the items of both.

    Attributes:
        measure: its name.
        rule: scoring rule of pairs, protocol of questions, pooling of association tests.
        axis: an axis or category, or 'all'.
        identity: an identity, or 'all'.
        before: value in the first run.
        after: value in the second.
        difference: after minus before.
        low: lower end of its interval; NaN where there is none.
        high: upper end.
        p_value: two-sided, against no change; NaN where nothing can be or need be tested.
        p_adjusted: after Holm's correction over what is shown together.
        verdict: 'above' (it rises), 'below' (it falls), 'unclear' or 'cannot-be-tested'; empty of what is a fact
            and no estimate (money).
        n_items: items of both runs.
        n_units: units that are taken as a sample.
        unit: what they are ("templates x 7 groups").
        kind: a measure of bias, or the price of a change.
    """

    measure: str
    rule: str
    axis: str
    identity: str
    before: float
    after: float
    difference: float = NAN
    low: float = NAN
    high: float = NAN
    p_value: float = NAN
    p_adjusted: float = NAN
    verdict: str = UNTESTED
    n_items: int = 0
    n_units: int = 0
    unit: str = ""
    kind: Kind = "bias"

    def with_test(self, low: float, high: float, p_value: float) -> Change:
        """With its interval and p-value, before correction; NaN where nothing can be tested."""
        verdict = UNTESTED if isnan(p_value) else NO_QUESTION
        return replace(self, low=low, high=high, p_value=p_value, verdict=verdict)

    @property
    def reasoned(self) -> dict[str, Any]:
        """The row with the reason of its verdict, for `endoxa.report.claims`."""
        held = self.verdict == UNCLEAR and (self.low > 0 or self.high < 0)
        return self.row | {"reason": CORRECTED if held else ""}

    @property
    def clear(self) -> bool:
        """Whether a change is claimed."""
        return self.verdict in CLEAR

    @property
    def row(self) -> dict[str, Any]:
        """What tables and JSON say of it; undefined numbers are None."""
        return {name: plain(value) for name, value in asdict(self).items()}


@dataclass(frozen=True, slots=True)
class Estimates:
    """What changed between two runs.

    Attributes:
        changes: of every measure, over all items.
        parts: measures of bias by axis and identity.
        items: the items that changed sides: `item_id`, `rule`, `axis`, `identity`, `before`, `after`, `direction`
            ("towards" the stereotype, "away" or "neither"; of ratings "higher" or "lower"), and what the instrument
            has to show of them.
        notes: what was left out.
        identical: every score or answer is the same in both.
    """

    changes: tuple[Change, ...]
    parts: tuple[Change, ...]
    items: pl.DataFrame
    notes: tuple[str, ...]
    identical: bool


def two_sided(contrast: Difference, confidence: float) -> tuple[float, float, float]:
    """Both ends of the interval of a change, and its two-sided p-value: the test of the gate, so that the two agree."""
    tail = significance(confidence) / 2
    p_value = min(2 * contrast.p_below(0.0), 2 * contrast.p_above(0.0), 1.0)
    return contrast.lower(tail), contrast.upper(tail), p_value


def paired_test(
    difference: np.ndarray,
    units: tuple[np.ndarray, np.ndarray | None],
    confidence: float,
    *,
    reach: float,
    seed: int = 0,
) -> tuple[float, float, float, Sampled]:
    """Both ends of the interval of a mean difference, its two-sided p-value, and which units are samples.

    All are NaN where there are too few units.

    Where nothing bounds the difference of an item (lengths, tokens, money), which no gate tests, units keep or change
    their sign (`endoxa.stats.two_way`): a few of them that change a lot are then no claim.

    Args:
        difference: of each item, after minus before.
        units: codes of each item's units of both kinds; None where units of the second kind never recur.
        confidence: of the interval.
        reach: the largest difference of an item, infinite where nothing bounds it.
        seed: of sign flips.
    """
    first, second = units
    sampled, kinds = sampled_units(first, second)
    if max(len(np.unique(codes)) for codes in kinds) < FEWEST_UNITS:
        return NAN, NAN, NAN, "none"
    if reach < inf:
        return *two_sided(Contrast.of(difference, kinds, reach), confidence), sampled
    second = np.arange(len(first)) if second is None else second
    result = two_way(difference, first, second, neutral=0.0, confidence=confidence, seed=seed)
    if not result.informative:
        return 0.0, 0.0, 1.0, sampled
    return result.interval.low, result.interval.high, result.p_value, result.sampled


def change_of(cell: Paired, confidence: float, identity: str = ALL) -> Change:
    """The change of one measure on the items of a cell, before correction.

    The difference is a mean of one difference per item, with the test and the bounds of the gate.

    Args:
        cell: both runs on the same items.
        confidence: of the interval.
        identity: the identity that the items are about, or 'all'.
    """
    values, kind = cell.values, cell.measure.kind
    if isinstance(values, EffectSizes):
        return _effect_change(cell, values, confidence)
    head = (cell.measure.name, cell.rule, cell.axis, identity, cell.baseline, cell.candidate)
    if values is None:
        return Change(*head, unit=cell.units[0], kind=kind)
    attribute = values.attribute
    if identity != ALL and attribute is None:
        # Of one identity, attributes that never recur are a sample of one item each.
        attribute = np.arange(len(values.cluster))
    difference = values.candidate - values.baseline
    *test, sampled = paired_test(difference, (values.cluster, attribute), confidence, reach=values.reach)
    units, unit = _about(cell, sampled, attribute)
    if identity == ALL and cell.numbers[1] < FEWEST_UNITS:
        # Attributes alone would speak for identities that nobody asked about.
        units, unit = cell.numbers[1], cell.units[0]
    change = Change(
        *head, float(difference.mean()), n_items=len(difference), n_units=units, unit=unit, kind=kind
    )
    if untested(cell) or (units < FEWEST_UNITS and not cell.identical):
        return change
    return change.with_test(*((0.0, 0.0, 1.0) if cell.identical else test))


def _effect_change(cell: Paired, values: EffectSizes, confidence: float) -> Change:
    """The change of an effect size, the targets a sample and the attributes as they are."""
    head = (cell.measure.name, cell.rule, values.axis, cell.axis, *values.means)
    difference, (items, units, _) = cell.candidate - cell.baseline, values.numbers
    change = Change(*head, difference, n_items=items, n_units=units, unit=values.unit)
    # One that could show nothing must not take from the level of the others.
    enough = values.deciding >= MIN_UNITS
    if cell.identical:
        return change.with_test(0.0, 0.0, 1.0 if enough else NAN)
    contrast = values.contrasts.by_signs[1, 1] if values.contrasts and enough else None
    return (
        change.with_test(*two_sided(contrast, confidence)) if contrast and contrast.error(0.0) > 0 else change
    )


def _about(cell: Paired, sampled: str, attribute: np.ndarray | None) -> tuple[int, str]:
    """How many units decide, and what they are."""
    first, second = cell.numbers[1], 0 if attribute is None else len(np.unique(attribute))
    if sampled == "second":
        alone = first < 2 and cell.units[0] == "identities"
        return second, cell.units[1] if alone else f"{cell.units[1]}, with these {first} {cell.units[0]} only"
    if not second or second == cell.numbers[0]:
        return first, cell.units[0]
    if sampled == "first":
        return first, f"{cell.units[0]}, with these {second} {cell.units[1]} only"
    return first, f"{cell.units[0]} x {second} {cell.units[1]}"


def fact(measure: Measure, before: float, after: float) -> Change:
    """What two runs took as a whole: no estimate, so nothing is tested."""
    head = (measure.name, ALL, ALL, ALL, before, after, after - before)
    return Change(*head, verdict=NO_QUESTION, kind="price")


def judged(
    changes: Sequence[Change], confidence: float, method: Literal["holm", "fdr_bh"] = "holm"
) -> tuple[Change, ...]:
    """The changes with adjusted p-values (over all of them) and verdicts.

    Those without a p-value keep the verdict they have, and count for nothing.

    Args:
        changes: the changes.
        confidence: of the claims.
        method: of correction: Holm (1979), or Benjamini and Hochberg (1995).
    """
    from endoxa.stats.verdicts import adjust, holm

    judgements = list(changes)
    p_values = [change.p_value for change in changes]
    for place, p_adjusted in enumerate(holm(p_values) if method == "holm" else map(float, adjust(p_values))):
        if isfinite(p_adjusted):
            change = changes[place]
            alpha = significance(confidence)
            decision = decide(change.difference, 0.0, change.p_value, p_adjusted, alpha=alpha)
            judgements[place] = replace(change, p_adjusted=p_adjusted, verdict=decision.verdict)
    return tuple(judgements)


def detectable(change: Change, tests: int, confidence: float) -> float:
    """The smallest change that the runs could have shown with `POWER`; NaN without an interval.

    From the interval, whose half length is a quantile times the standard error, with the level that the strictest step
    of Holm's correction asks for. Where no item changed, the interval holds what could have been there: its end.

    Args:
        change: with an interval.
        tests: how many are corrected together.
        confidence: of the interval.
    """
    from scipy.special import ndtri

    if isnan(change.low) or change.low == change.high:
        return float("nan")
    level = significance(confidence)
    half = max(change.high - change.difference, change.difference - change.low)
    reach = float(ndtri(1 - level / 2 / max(tests, 1)) + ndtri(POWER)) / float(ndtri(1 - level / 2))
    return half * reach


def items_of(sides: tuple[Side, Side], rules: Sequence[str], human: Path | None = None) -> Items:
    """The items of two runs of any instrument but stories.

    Args:
        sides: both runs.
        rules: scoring rules or protocols; empty takes all that both runs have.
        human: people's ratings of harm, for runs of ratings of harm; else None.

    Raises:
        UserError: the runs have no rule or item in common, or hold other items.
    """
    kind = sides[0].run.kind
    if kind == HARM:
        return rating_items(sides, human)
    if declaration := declared(kind):
        return declared_items(sides, rules, declaration)
    return {PAIRS: pair_items, QUESTIONS: question_items, EMBEDDINGS: test_items}[kind](sides, rules)


def compare_items(sides: tuple[Side, Side], rules: Sequence[str], confidence: float) -> Estimates:
    """What changed between two runs whose items are a table.

    Raises:
        UserError: the runs have no rule or item in common, or hold other items.
    """
    items = items_of(sides, rules)
    cells = cells_of(items)
    changes = [change_of(cell, confidence) for cell in cells]
    costs = [_cost(side) for side in sides if side.run.kind == QUESTIONS]
    names = str(sides[0].run.folder), str(sides[1].run.folder)

    def verdicts(cells: Iterable[Paired]) -> list[str]:
        together = [change_of(cell, confidence) for cell in cells]
        return [change.verdict for change in judged(together, confidence)]

    return Estimates(
        (*changes, *([fact(COST, *costs)] if costs and None not in costs else [])),  # type: ignore[arg-type]
        tuple(_parts(items, confidence)),
        items.changed(),
        (*items.notes, *left_out(cells), *rounding_notes(cells, names, verdicts)),
        bool(items.frame["same"].all()),
    )


def cells_of(items: Items) -> list[Paired]:
    """Every measure of a comparison under every rule, as far as an item is for it."""
    cells = [
        items.cell(measure, items.of(rule, axis), rule, axis)
        for rule in items.rules
        for axis in items.wholes
        for measure in items.measures
        if measure.use != "gate" and measure.name in items.frame.columns
    ]
    return [cell for cell in cells if cell.values is not None or cell.left_out]


def left_out(cells: Iterable[Paired]) -> list[str]:
    """A note on each measure that is not tested because too many items have no value in one of the runs."""
    return [f"Not tested, {cell.name}: {reason}." for cell in cells if (reason := untested(cell))]


def _parts(items: Items, confidence: float) -> Iterator[Change]:
    """Measures of bias by axis and by identity."""
    biased = [each for each in items.measures if each.kind == "bias" and each.use != "gate"]
    for rule in items.rules:
        for axis, identity, rows in items.parts(rule):
            for measure in biased:
                cell = items.cell(measure, rows, rule, axis)
                if cell.values is not None:
                    yield change_of(cell, confidence, identity)


def _cost(side: Side) -> float | None:
    usage = side.run.facts.get("usage")
    used = usage.get(side.name) if isinstance(usage, dict) else None
    dollars = used.get("cost_usd") if isinstance(used, dict) else None
    return float(dollars) if isinstance(dollars, int | float) else None
