"""What a comparison contrast, in sentences that are true of the numbers beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan

from endoxa.report.words import count, decimal, listed, plural, signed
from endoxa.stats.verdicts import UNTESTED, too_few
from endoxa.study.compare.changes import Change, detectable
from endoxa.study.compare.contrast import FEWEST_UNITS
from endoxa.study.compare.measures import catalog
from endoxa.study.compare.results import Contrasted, value

NAMES = {
    "preference_ratio": "the share of pairs whose stereotypical sentence is preferred",
    "bias_ambig": "the bias in ambiguous contexts",
    "bias_disambig": "the accuracy gap in disambiguated contexts",
    "accuracy_ambig": "accuracy in ambiguous contexts",
    "accuracy_disambig": "accuracy in disambiguated contexts",
    "answered": "the share of questions answered",
    "refused": "the share of answers that decline",
    "unparsed": "the share of answers that cannot be read",
    "answers_cut_off": "the share of answers cut off at the limit of tokens",
    "answer_words": "the length of answers in words",
    "answer_tokens": "the length of answers in tokens",
    "reasoning_tokens": "the length of thoughts in tokens",
    "strength": "the strength of associations",
    "mean_rating": "the mean rating of harm",
    "rated_harmful": "the share of ratings of 4 or 5",
}
LENGTHS = {
    "answer_words": "answers",
    "answer_tokens": "answers",
    "rating_tokens": "answers",
    "story_words": "writes stories",
}
LOSSES = {"story_refused": "refuses", "story_lost": "loses", "story_cut_off": "does not end"}
ACCURACIES = ("accuracy_ambig", "accuracy_disambig", "answered")
MOST_CLAUSES = 3


def name_of(change: Change) -> str:
    """The measure in words."""
    if change.measure == "effect_size":
        return f"the effect size of {change.identity}"
    return NAMES.get(change.measure, change.measure.replace("_", " "))


def sentence_of(contrast: Contrasted, tests: int, confidence: float, *, several: bool = False) -> str:
    """What changed between two runs, and at what price.

    Args:
        contrast: the two runs.
        tests: how many changes of bias are corrected together.
        confidence: of the intervals.
        several: other runs are compared, too, so that the sentence has to name its run.
    """
    subject = contrast.after.label
    head = f"{contrast.instrument.capitalize()}: " if contrast.instrument else ""
    if contrast.estimates.identical:
        return (
            f"{head}Nothing changed: every score or answer of {subject} is that of {contrast.before.label}."
        )
    claimed = [change for change in contrast.bias if change.clear]
    price = list(_price(contrast.price))
    if claimed:
        rules = len({change.rule for change in contrast.bias}) > 1
        neutral = {measure.name: measure.neutral for measure in catalog(contrast.kind)}
        clauses = [
            f"{_clause(change, confidence, first=not place, rules=rules)}{_side(change, neutral[change.measure])}"
            for place, change in enumerate(claimed[:MOST_CLAUSES])
        ]
        more = len(claimed) - len(clauses)
        parts = [f"{subject} {listed(clauses)}{f' ({count(more)} more below)' if more else ''}"]
    else:
        named = f"in {subject}, " if several else ""
        parts = [named + _nothing(contrast.bias, tests, confidence)]
        if shown := sum(change.clear for change in contrast.estimates.parts):
            of_all = f"of {plural(len(contrast.estimates.parts), 'change')} in parts of the items"
            parts.append(f"{of_all}, {count(shown)} {'is' if shown == 1 else 'are'} shown")
    text = "; ".join([*parts, *(f"it {clause}" for clause in price)])
    return f"{head}{text[0].upper() if not claimed else text[0]}{text[1:]}.{_accuracy_kept(contrast, price)}"


def _accuracy_kept(contrast: Contrasted, price: Sequence[str]) -> str:
    """That no change of accuracy is shown, where there was one to be shown and none is claimed."""
    of_accuracy = [change for change in contrast.price if change.measure in ACCURACIES[:2]]
    if price or not of_accuracy or any(change.verdict == UNTESTED for change in of_accuracy):
        return ""
    return " No change of accuracy is shown." if not any(change.clear for change in of_accuracy) else ""


def _clause(change: Change, confidence: float, *, first: bool, rules: bool) -> str:
    verb = "raises" if change.difference > 0 else "lowers"
    level = f"{100 * confidence:g} % interval " if first else ""
    under = f" under {change.rule}" if rules else ""
    return (
        f"{verb} {name_of(change)}{under} by {decimal(abs(change.difference))} ({level}{_ends(change)}), "
        f"from {value(change.before)} to {value(change.after)}"
    )


def _ends(change: Change) -> str:
    """The interval of the size of a change."""
    low, high = sorted(abs(end) for end in (change.low, change.high))
    if change.low < 0 < change.high:
        return f"{signed(change.low)} to {signed(change.high)}"
    return f"{decimal(low)} to {decimal(high)}"


def _side(change: Change, neutral: float | None) -> str:
    """Whether the value is closer to the neutral one, or on its other side; empty where none is neutral."""
    if neutral is None:
        return ""
    before, after = change.before - neutral, change.after - neutral
    if before * after < 0 and 2 * abs(after) > abs(before):
        return f", on the other side of {neutral:g}"
    where = "closer to" if abs(after) < abs(before) else "further from"
    return f", {where} {neutral:g}"


def _nothing(bias: Sequence[Change], tests: int, confidence: float) -> str:
    """That no change is shown, and how large one could have been found; or that nothing can be tested."""
    tested = [change for change in bias if change.verdict != UNTESTED]
    if not tested:
        present = sorted(
            (change for change in bias if change.n_items), key=lambda change: -abs(change.difference)
        )
        moved = [
            f"{name_of(change)} went from {value(change.before)} to {value(change.after)}"
            for change in present[:MOST_CLAUSES]
        ]
        if len(present) > MOST_CLAUSES:
            moved.append(f"{count(len(present) - MOST_CLAUSES)} more below")
        why = _why(bias) if bias else "the notes below say why"
        text = f"whether the bias changed cannot be tested ({why})"
        return f"{text}: {listed(moved)}" if moved else text
    sizes = {change: size for change in tested if not isnan(size := detectable(change, tests, confidence))}
    text = "no change of bias is shown"
    if not sizes:
        return text
    if len(sizes) > MOST_CLAUSES:
        words = f"{decimal(min(sizes.values()), 2)} to {decimal(max(sizes.values()), 2)} (one by one)"
    else:
        apart = len({change.measure for change in sizes}) > 1
        words = listed(
            [f"{decimal(each, 2)}{f' ({change.measure})' if apart else ''}" for change, each in sizes.items()]
        )
    return f"{text}: the runs could have shown changes of {words} or more in four of five cases"


def _why(bias: Sequence[Change]) -> str:
    """Why none of the measures could be tested."""
    present = [change for change in bias if change.n_items]
    if not present:
        return "no item has a value in both runs"
    if present[0].measure == "effect_size":
        return "fewer than five targets in X or Y, or effect sizes that are not defined"
    few = max(present, key=lambda change: change.n_units)
    if few.n_units < FEWEST_UNITS:
        return too_few(few.n_units, few.unit.partition(" x ")[0].partition(",")[0], FEWEST_UNITS)
    return "the notes below say why"


def _price(price: Sequence[Change]) -> Iterator[str]:
    """Claimed changes of accuracy, of the share answered, and of the length of answers."""
    for change in price:
        if not change.clear:
            continue
        if change.measure in ACCURACIES:
            verb = "costs" if change.difference < 0 else "gains"
            points = f"{100 * abs(change.difference):.1f} points of {name_of(change)}"
            low, high = sorted(100 * abs(end) for end in (change.low, change.high))
            yield f"{verb} {points} ({low:.1f} to {high:.1f})"
        elif change.measure in LENGTHS:
            longer = "longer" if change.difference > 0 else "shorter"
            noun = change.measure.rpartition("_")[2]
            yield f"{LENGTHS[change.measure]} {abs(change.difference):.1f} {noun} {longer}"
        elif change.measure in LOSSES:
            more = "more" if change.difference > 0 else "fewer"
            yield f"{LOSSES[change.measure]} {100 * abs(change.difference):.1f} points {more} of the stories"
