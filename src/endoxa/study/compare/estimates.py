"""Changes from items that both runs have: the paired contrasts of the gate, and means of lengths and tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np
import polars as pl

from endoxa.schema import ALL
from endoxa.schema.finish import LENGTH
from endoxa.stats.intervals import NAN
from endoxa.stats.verdicts import NO_QUESTION, UNTESTED
from endoxa.study.compare.changes import Change, paired_test
from endoxa.study.gate.contrast import FEWEST_UNITS
from endoxa.study.gate.decision import Values
from endoxa.study.gate.measures import Measure, Paired, same_answers
from endoxa.study.gate.questions import question_units
from endoxa.study.gate.run import MOST_LEFT_OUT, untested

REFUSED = Measure("refused", None, "answers that declined, over questions asked", "higher")
UNPARSED = Measure(
    "unparsed",
    None,
    "answers in which no option could be read and that did not decline, over questions asked",
    "higher",
)
CUT_OFF = Measure(
    "answers_cut_off",
    None,
    "answers that ended at the limit of tokens, read or not, over questions asked",
    "higher",
)
WORDS = Measure("answer_words", None, "words of an answer", "more")
TOKENS = Measure(
    "answer_tokens", None, "tokens of an answer as the provider counts them, thoughts included", "more"
)
THOUGHT_TOKENS = Measure(
    "reasoning_tokens", None, "tokens of thoughts among them, where the provider counts these", "more"
)
COST = Measure("cost_usd", None, "US dollars of the whole run, where its prices are known", "more")
OF_PRICE = (REFUSED, UNPARSED, CUT_OFF, WORDS, TOKENS, THOUGHT_TOKENS, COST)


def change_of(cell: Paired, confidence: float, identity: str = ALL) -> Change:
    """The change of one measure on the items of a cell, before correction.

    The difference is a mean of one difference per item, with the test and the bounds of the gate.

    Args:
        cell: both runs on the same items.
        confidence: of the interval.
        identity: the identity that the items are about, or 'all'.
    """
    kind: Literal["bias", "price"] = "bias" if cell.measure.neutral is not None else "price"
    head = (cell.measure.name, cell.rule, cell.axis, identity, cell.baseline, cell.candidate)
    if cell.values is None:
        return Change(*head, NAN, NAN, NAN, NAN, NAN, UNTESTED, 0, 0, cell.units[0], kind)
    values = cell.values
    attribute = values.attribute
    if identity != ALL and attribute is None:
        # Of one identity, attributes that never recur are a sample of one item each.
        attribute = np.arange(len(values.cluster))
    difference = values.candidate - values.baseline
    result = paired_test(difference, (values.cluster, attribute), confidence, reach=values.reach)
    units, unit = _about(cell, result.sampled, attribute)
    if identity == ALL and cell.numbers[1] < FEWEST_UNITS:
        # Attributes alone would speak for identities that nobody asked about.
        units, unit = cell.numbers[1], cell.units[0]
    low = high = p_value = NAN
    if cell.identical:
        low = high = 0.0
        p_value = 1.0
    elif units >= FEWEST_UNITS and not untested(cell, MOST_LEFT_OUT):
        low, high, p_value = result.interval.low, result.interval.high, result.p_value
    verdict = UNTESTED if np.isnan(p_value) else NO_QUESTION
    return Change(
        *head,
        float(difference.mean()),
        low,
        high,
        p_value,
        NAN,
        verdict,
        len(values.cluster),
        units,
        unit,
        kind,
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


def price_of_answers(joined: pl.DataFrame, protocol: str, confidence: float) -> Iterator[Change]:
    """Refusals, answers without an option or cut off, words and tokens of the answers to the same questions."""
    units = question_units(joined)
    for measure, column, word in (
        (REFUSED, "outcome", "refused"),
        (UNPARSED, "outcome", "unparsed"),
        (CUT_OFF, "finish", LENGTH),
    ):
        if column not in joined.columns:
            continue
        first, second = (
            (joined[f"{column}{side}"].fill_null("") == word).to_numpy().astype(float)
            for side in ("", "_other")
        )
        if measure is CUT_OFF and not (first.any() or second.any()):
            continue
        values = Values(first, second, units[0], directed=True, attribute=units[1])
        same = bool((first == second).all() and same_answers(joined["answer"], joined["answer_other"]))
        cell = Paired(measure, protocol, ALL, values, 0, same, ("templates", "groups"))
        yield change_of(cell, confidence)
    for measure, column, came in (
        (WORDS, "answer", "answer"),
        (TOKENS, "completion_tokens", "completion_tokens"),
        (THOUGHT_TOKENS, "reasoning_tokens", "completion_tokens"),
    ):
        if {f"{column}_other", f"{came}_other"} <= set(joined.columns):
            before, after = (_lengths(joined, column + side, came + side) for side in ("", "_other"))
            counted = np.isfinite(before) & np.isfinite(after)
            if np.nansum(before) and np.nansum(after) and counted.any():
                lengths = before[counted], after[counted]
                of_lengths = units[0][counted], units[1][counted]
                yield mean_change(measure, protocol, lengths, of_lengths, confidence)


def _lengths(joined: pl.DataFrame, column: str, came: str) -> np.ndarray:
    """Words of answers, or tokens; NaN where `came` says that no answer came, or that nobody counted."""
    counted, arrived = (
        pl.col(name).str.count_matches(r"\S+") if joined.schema[name] == pl.String else pl.col(name)
        for name in (column, came)
    )
    lengths = pl.when(arrived > 0).then(counted.cast(pl.Float64)).otherwise(NAN)
    return joined.select(lengths.fill_null(NAN)).to_series().to_numpy()


def mean_change(
    measure: Measure,
    rule: str,
    values: Sequence[np.ndarray],
    units: tuple[np.ndarray, np.ndarray],
    confidence: float,
) -> Change:
    """The change of a mean of anything."""
    before, after = values
    result = paired_test(after - before, units, confidence, reach=None)
    first, second = (len(np.unique(codes)) for codes in units)
    number = second if result.sampled == "second" else first
    names = {"first": "templates", "second": "groups"}
    unit = names.get(result.sampled, f"templates x {second} groups")
    low, high, p_value = result.interval.low, result.interval.high, result.p_value
    return Change(
        measure.name,
        rule,
        ALL,
        ALL,
        float(before.mean()),
        float(after.mean()),
        float((after - before).mean()),
        low,
        high,
        p_value,
        NAN,
        UNTESTED if np.isnan(p_value) else NO_QUESTION,
        len(before),
        number,
        unit,
        "price",
    )


def fact(measure: Measure, before: float, after: float) -> Change:
    """What two runs took as a whole: no estimate, so nothing is tested."""
    nothing = (NAN, NAN, NAN, NAN)
    head = (measure.name, ALL, ALL, ALL, before, after, after - before)
    return Change(*head, *nothing, NO_QUESTION, 0, 0, "", "price")
