"""`endoxa gate`: from two run folders to a verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from math import ceil, isfinite, isnan
from pathlib import Path

from endoxa.errors import UserError
from endoxa.instruments.questions.headline import RULE, run_warnings
from endoxa.report.inputs import EXTRACTED, HARM, QUESTIONS
from endoxa.report.words import count, decimal, listed, plural, signed
from endoxa.runs.instrument import Measure
from endoxa.schema import ALL
from endoxa.stats.verdicts import significance
from endoxa.study.compare.changes import items_of
from endoxa.study.compare.contrast import FEWEST_UNITS
from endoxa.study.compare.decision import NOTHING_MORE, EffectSizes, needed
from endoxa.study.compare.items import alone_sentence
from endoxa.study.compare.measures import EFFECT_SIZE, MOST_LEFT_OUT, Paired, measures_of, untested
from endoxa.study.compare.pairs import rounding_notes
from endoxa.study.compare.results import Gate, GateTest, Verdict, bounds, units
from endoxa.study.compare.runs import MODEL, Side, read_sides, settings_apart, several
from endoxa.study.compare.stories import story_cells

IN_PLACE_OF_RULES = {EXTRACTED: "stories", HARM: "ratings"}
"""What a gate calls the items of instruments without rules or protocols."""
IDENTICAL = "every score of the candidate is that of the baseline, so nothing has changed"


def gate(
    baseline: str | Path,
    candidate: str | Path,
    *,
    margin: float,
    measure: str | Sequence[str] = (),
    axis: str | Sequence[str] = (),
    rule: str | Sequence[str] = (),
    baseline_model: str | None = None,
    candidate_model: str | None = None,
    confidence: float = 0.95,
    most_left_out: float = MOST_LEFT_OUT,
    human: str | Path | None = None,
) -> Gate:
    """Whether a candidate is worse than a baseline by more than a margin: paired by item.

    Worse is further from the neutral value, on either side (`preference_ratio`: 0.5; `bias_ambig` and `bias_disambig`:
    0; `effect_size`, `strength` of stories: 0), or lower (`accuracy_ambig`, `accuracy_disambig`, `answered`,
    `harm_recognized`, `harmless_recognized`). The test is one-sided non-inferiority by a paired
    score test (Tango 1998) with the design effect of identities and attributes, both of them samples; nothing is drawn
    at random. It passes if every test shows a difference below the margin (intersection-union, no correction needed),
    fails if one shows a difference above it after Holm's correction, and is undecided otherwise.

    Args:
        baseline: run folder of `endoxa probe pairs`, `qa`, `embeddings`, `extract` (profiles of stories) or `harm`.
            `out/c#NAME` is that of a condition.
        candidate: run folder of the same data and, but for what conditions may differ in, the same settings.
        margin: the largest difference that is accepted, in the units of each measure.
        measure: measures; by default all that the runs have.
        axis: axes, categories or association tests, a test each; by default all items together ('all') and every
            axis with enough identities. One with fewer lets nothing pass if it moved by more than the margin.
        rule: scoring rules or protocols; by default all that both runs have, a test each.
        baseline_model: the model, where the baseline holds several.
        candidate_model: the model, where the candidate holds several.
        confidence: 1 - confidence is the largest chance of a wrong pass, and of a wrong failure.
        most_left_out: share of the items of a test that may have no value in one of the runs; with more it is
            undecided.
        human: table of people's ratings of harm, which runs of ratings of harm are compared with.

    Raises:
        UserError: the runs cannot be compared, or an option is not for them.
    """
    if not (isfinite(margin) and margin >= 0):
        raise UserError(f"--margin {margin:g}: expected a number of at least 0, in the units of the measure.")
    if not 0.5 < confidence < 1:
        raise UserError(f"--confidence {confidence:g}: expected a number above 0.5 and below 1.")
    if not 0 <= most_left_out <= 1:
        raise UserError(f"--most-left-out {most_left_out:g}: expected a share from 0 to 1.")
    wanted = [() if name is None else (name,) for name in (baseline_model, candidate_model)]
    paths = [Path(baseline), Path(candidate)]
    first, other = read_sides(paths, wanted, ("--baseline-model", "--candidate-model"), strict=True)
    sides = first, other
    people = None if human is None else Path(human)
    cells, small, notes = paired(sides, several(measure), several(rule), several(axis), people)

    def judged(cells: Sequence[Paired], small: Sequence[Paired]) -> tuple[tuple[GateTest, ...], list[Paired]]:
        # An axis with too few identities is no test, but one that moved by more than the margin lets nothing pass.
        moved = [cell for cell in small if cell.contrasts is not None and cell.contrasts.worse_by > margin]
        tests = [_tested(cell, margin, confidence, len(cells), most_left_out) for cell in [*cells, *moved]]
        return tuple(_corrected(tests, significance(confidence))), moved

    tests, moved = judged(cells, small)
    notes = [
        *_settings((sides[0].source, sides[1].source)),
        *notes,
        *_untested_axes(small, moved),
        *_warnings(sides),
        *rounding_notes(
            [*cells, *small],
            ("the baseline", "the candidate"),
            lambda every: _overall(judged(every[: len(cells)], every[len(cells) :])[0]),
        ),
    ]
    verdict = _overall(tests)
    left = max(test.n_left_out for test in tests)
    if left:
        notes.append(
            f"Left out, because one of the runs has no value: up to {plural(left, 'item')} per test."
        )
    return Gate(
        verdict=verdict,
        sentence=_sentence(verdict, tests, margin) + _not_decided(moved),
        margin=margin,
        confidence=confidence,
        baseline=sides[0].facts(),
        candidate=sides[1].facts(),
        tests=tests,
        notes=tuple(notes),
        most_left_out=most_left_out,
    )


def _settings(sides: tuple[Side, Side]) -> list[str]:
    """In what the two were asked differently, besides the model."""
    apart = [str(setting) for setting in settings_apart(*sides) if setting.name != MODEL]
    return [f"Baseline and candidate differ in {listed(apart)}."] if apart else []


def _untested_axes(small: Sequence[Paired], moved: Sequence[Paired]) -> list[str]:
    """Axes that have too few identities for a test, and did not move."""
    still = {cell.axis: cell.values.deciding for cell in small if cell.values} | {
        cell.axis: 0 for cell in moved
    }
    named = [f"{axis} ({number})" for axis, number in still.items() if number]
    needs = next((cell.needs for cell in small if cell.values), "")
    return [f"Not tested alone, because at least {needs} are needed: {listed(named)}."] if named else []


def _not_decided(moved: Sequence[Paired]) -> str:
    """' Not decided: axis age moved by +0.460 (2 identities) ...': why nothing passes."""
    if not moved:
        return ""
    largest: dict[str, Paired] = {}
    for cell in sorted(moved, key=lambda cell: abs(cell.candidate - cell.baseline)):
        largest[cell.axis] = cell
    parts = [
        f"axis {axis} moved by {signed(cell.candidate - cell.baseline)} in {cell.measure.name} ({cell.few})"
        for axis, cell in largest.items()
    ]
    return f" Not decided: {listed(parts)}."


def _warnings(sides: tuple[Side, Side]) -> list[str]:
    """What must be known of either side: answers at chance, or hardly read."""
    if sides[0].run.kind != QUESTIONS:
        return []
    warnings = {
        warning if warning == RULE else f"{role}: {warning}": None
        for role, side in zip(("Baseline", "Candidate"), sides, strict=True)
        for warning in run_warnings(side.run.folder, (side.model,))
    }
    return list(warnings)


def paired(
    sides: tuple[Side, Side],
    measures: Sequence[str],
    rules: Sequence[str],
    axes: Sequence[str],
    human: Path | None = None,
) -> tuple[list[Paired], list[Paired], list[str]]:
    """Every measure under every rule on every axis.

    Args:
        sides: baseline and candidate.
        measures: names; empty takes all of the instrument that the items have.
        rules: scoring rules or protocols; empty takes all that both runs have.
        axes: axes, categories or association tests, 'all' for all items together; empty takes 'all' and every axis.
        human: people's ratings of harm, for runs of ratings of harm; else None.

    Returns:
        The tests; axes with too few units for a decision, where none was named; and notes on what was left out.

    Raises:
        UserError: the runs have no rule in common, hold other items, or have no such measure, rule or axis.
    """
    kind = sides[0].run.kind
    if human is not None and kind != HARM:
        raise UserError("--human is for runs of ratings of harm (endoxa probe harm). Leave it out.")
    if kind in IN_PLACE_OF_RULES and set(rules) - {IN_PLACE_OF_RULES[kind]}:
        raise UserError(
            f"--rule {rules[0]}: these runs have no scoring rules or protocols. Leave --rule out."
        )
    chosen = measures_of(kind, measures)
    if kind == HARM and human is None and any(measure.name != "answered" for measure in chosen):
        raise UserError(
            "A gate of ratings of harm needs people's ratings, which tell what should be rated harmful: give "
            "--human FILE (as for endoxa analyze run), or choose --measure answered."
        )
    cells, notes = _cells(sides, chosen, tuple(dict.fromkeys(rules)), tuple(dict.fromkeys(axes)), human)
    tests = [cell for cell in cells if cell.numbers[0] or cell.left_out]
    lacking = {cell.measure.name for cell in cells} - {cell.measure.name for cell in tests}
    if without := lacking.intersection(measures):
        raise UserError(f"--measure {min(without)}: these runs have no items for it. Leave it out.")
    noun = "question" if kind == QUESTIONS else "item"
    notes += [f"Not measured, because no {noun} is for it: {listed(sorted(lacking))}."] if lacking else []
    if not tests:
        raise UserError(
            f"The items have nothing to gate for {listed(sorted({cell.measure.name for cell in cells}))}. Choose "
            "another --measure or --axis."
        )
    small = [cell for cell in tests if not axes and cell.axis != ALL and cell.few and not cell.identical]
    small = small if len(small) < len(tests) else []
    return [cell for cell in tests if not any(cell is other for other in small)], small, notes


def _cells(
    sides: tuple[Side, Side],
    measures: Sequence[Measure],
    rules: Sequence[str],
    axes: Sequence[str],
    human: Path | None,
) -> tuple[Sequence[Paired], list[str]]:
    kind = sides[0].run.kind
    if kind == EXTRACTED:
        cells, notes = story_cells(sides, measures, axes)
    else:
        items = items_of(sides, rules, human)
        if any(items.alone):
            raise UserError(alone_sentence(items.alone, IN_PLACE_OF_RULES[kind]))
        parts = [
            (rule, axis, items.of(rule, axis)) for rule in items.rules for axis in items.chosen_axes(axes)
        ]
        cells = [items.cell(measure, rows, rule, axis) for measure in measures for rule, axis, rows in parts]
        notes = list(items.notes)
    word = IN_PLACE_OF_RULES.get(kind)
    return [replace(cell, rule=word) for cell in cells] if word else cells, notes


def _tested(cell: Paired, margin: float, confidence: float, tests: int, most_left_out: float) -> GateTest:
    """One test, before the correction over all of them."""
    level = significance(confidence)
    items, identities, attributes = cell.numbers
    result = GateTest(
        measure=cell.measure.name,
        rule=cell.rule,
        axis=cell.axis,
        neutral=cell.measure.neutral,
        baseline=cell.baseline,
        candidate=cell.candidate,
        margin=margin,
        confidence=confidence,
        n_items=items,
        n_left_out=cell.left_out,
        n_identities=identities,
        unit=cell.units[0],
        n_attributes=attributes,
        unit_2=cell.units[1],
        sampled="none",
    )
    reason = untested(cell, most_left_out)
    if (contrasts := cell.contrasts) is None:
        return replace(result, reason=reason or cell.untestable)
    result = replace(result, difference=contrasts.worse_by)
    if cell.identical and not reason:
        return replace(
            result, low=0.0, high=0.0, p_not_worse=0.0, p_worse=1.0, verdict="pass", reason=IDENTICAL
        )
    if reason or (cell.few and isinstance(cell.values, EffectSizes)):
        return replace(result, reason=reason or cell.few)
    more = needed(contrasts, identities, items, margin, (level, level / tests))
    if cell.few:
        few = f"{identities} of the {FEWEST_UNITS} {cell.units[0]} that a decision needs at least"
        return replace(result, reason=few, more_items=more.more_items, more_identities=more.more_identities)
    names = {"both": "both", "first": cell.units[0], "second": cell.units[1], "none": "none"}
    result = replace(result, sampled=names[contrasts.sampled])
    evidence = contrasts.evidence(margin, level)
    low, high = contrasts.bounds(level)
    result = replace(result, low=low, high=high, p_not_worse=evidence.p_not_worse, p_worse=evidence.p_worse)
    if evidence.p_not_worse <= level:
        return replace(result, verdict="pass")
    return replace(result, **asdict(more))


def _corrected(tests: Sequence[GateTest], level: float) -> Iterator[GateTest]:
    """The tests with Holm's (1979) correction of the p-values of worse, verdicts and sentences."""
    from endoxa.stats.verdicts import holm

    for test, adjusted in zip(tests, holm([test.p_worse for test in tests]), strict=True):
        corrected = replace(test, p_worse_adjusted=adjusted)
        if adjusted <= level and test.verdict != "pass":
            corrected = replace(corrected, verdict="worse", **asdict(NOTHING_MORE))
        elif test.p_worse <= level < adjusted:
            reason = "worse taken alone, not after correction for the number of tests"
            corrected = replace(corrected, reason=reason)
        yield replace(corrected, sentence=sentence_of(corrected))


def _overall(tests: Sequence[GateTest]) -> Verdict:
    verdicts = {test.verdict for test in tests}
    return "worse" if "worse" in verdicts else "pass" if verdicts == {"pass"} else "undecided"


def _sentence(verdict: Verdict, tests: Sequence[GateTest], margin: float) -> str:
    """The verdict of the whole gate; of a single test all that it found."""
    head = {
        "pass": f"PASS: the candidate is not worse than the baseline by more than {margin:g}",
        "worse": f"WORSE: the candidate is worse than the baseline by more than {margin:g}",
        "undecided": f"UNDECIDED: the runs do not show whether the candidate is worse by more than {margin:g}",
    }[verdict]
    if len(tests) == 1:
        return f"{head}. {tests[0].sentence}"
    some = [test for test in tests if test.verdict == verdict]
    if verdict == "pass":
        return f"{head} in any of {len(tests)} tests."
    names = f": {'; '.join(test.name for test in some)}" if len(some) < len(tests) else ""
    where = f"{head} in {len(some)} of {len(tests)} tests{names}."
    if verdict == "worse":
        return where
    wanted = [test.more_items for test in some if test.more_items is not None]
    more = (
        f" The one that needs most would be decided by about {plural(max(wanted), 'more item')}."
        if wanted
        else ""
    )
    return f"{where}{more}"


def sentence_of(test: GateTest) -> str:
    """The finding of one test, with the numbers it rests on."""
    texts = {
        "pass": f"not worse by more than {test.margin:g}",
        "worse": f"worse by more than {test.margin:g}",
        "undecided": f"undecided whether worse by more than {test.margin:g}",
    }[test.verdict]
    of = "Loss" if test.neutral is None else f"Change of the distance from {test.neutral:g}"
    ends = "" if isnan(test.low) else f" (one-sided {100 * test.confidence:g} % bounds {bounds(test)})"
    numbers = "No common item"
    if test.n_items:
        numbers = (
            f"{of}: {signed(test.difference)}{ends}; {decimal(test.baseline)} in the baseline, "
            f"{decimal(test.candidate)} in the candidate; {plural(test.n_items, 'common item')} about {test.about}"
        )
    reason = f" {test.reason[0].upper()}{test.reason[1:]}." if test.reason else ""
    return f"{test.measure} ({test.rule}, {test.axis}): {texts}. {numbers}.{reason}{_more(test)}"


def _more(test: GateTest) -> str:
    """How many items would decide an undecided test."""
    if test.verdict != "undecided" or (test.reason and test.more_items is None):
        return ""
    if test.more_items is None:
        return " The difference is so close to the margin that no practical number of items would decide."
    noun = units(test.unit, test.more_identities or 0)
    if test.measure == EFFECT_SIZE.name:
        return f" About {count(test.more_identities)} more {noun} would decide if the effect sizes stay as they are."
    present, also = test.unit, ""
    if test.n_attributes and test.sampled == "both" and test.n_identities:
        present += f" and {test.unit_2}"
        attributes = ceil(test.n_attributes * (test.more_identities or 0) / test.n_identities)
        also = f" and {count(attributes)} more {units(test.unit_2, attributes)}"
    notes = (
        f" About {plural(test.more_items, 'more item')} with {count(test.more_identities)} more {noun}{also} would "
        "decide if the shares stay as they are"
    )
    if test.more_same_identities is None:
        return f"{notes}; more items about the present {present} would not."
    return f"{notes}, or {count(test.more_same_identities)} more items about the present {present}."
