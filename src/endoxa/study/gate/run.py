"""`endoxa gate`: from two run folders to a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path

from endoxa.errors import UserError
from endoxa.instruments.questions.headline import RULE, run_warnings
from endoxa.report.inputs import EXTRACTED, QUESTIONS
from endoxa.report.words import decimal, listed, plural, signed
from endoxa.stats.verdicts import significance
from endoxa.study.gate.cells import paired
from endoxa.study.gate.contrast import FEWEST_UNITS
from endoxa.study.gate.decision import EffectSizes, needed
from endoxa.study.gate.measures import MOST_LEFT_OUT, Paired, untested
from endoxa.study.gate.pairs import rounding_notes
from endoxa.study.gate.results import Gate, GateTest, Verdict, sentence_of
from endoxa.study.gate.runs import Side, profile_notes, read_sides
from endoxa.study.gate.settings import MODEL, require_same_items, settings_apart

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
        baseline: run folder of `endoxa probe pairs`, `qa`, `embeddings`, `extract` (profiles of stories) or `harm`; one
            of `stories` stands for the run of `extract` beside it that read them.
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
    sides = read_sides(Path(baseline), Path(candidate), baseline_model, candidate_model)
    if sides[0].run.kind != EXTRACTED:
        require_same_items(sides[0].run, sides[1].run)
    people = None if human is None else Path(human)
    cells, small, notes = paired(sides, _several(measure), _several(rule), _several(axis), people)

    def judged(cells: Sequence[Paired], small: Sequence[Paired]) -> tuple[tuple[GateTest, ...], list[Paired]]:
        # An axis with too few identities is no test, but one that moved by more than the margin lets nothing pass.
        moved = [cell for cell in small if cell.contrasts is not None and cell.contrasts.worse_by > margin]
        tests = [_tested(cell, margin, confidence, len(cells), most_left_out) for cell in [*cells, *moved]]
        return _corrected(tests, significance(confidence)), moved

    tests, moved = judged(cells, small)
    notes = [
        *_settings((sides[0].source, sides[1].source)),
        *profile_notes(sides),
        *notes,
        *_largest([*cells, *small]),
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


def _largest(cells: Sequence[Paired]) -> list[str]:
    """The largest change of any measure on any axis, whether or not it could be decided."""
    changed = [cell for cell in cells if abs(cell.candidate - cell.baseline) > 0]
    if len(cells) < 2 or not changed:
        return []
    most = max(changed, key=lambda cell: abs(cell.candidate - cell.baseline))
    return [
        f"Largest change: {most.measure.name} ({most.rule}, {most.axis}) from {decimal(most.baseline)} to "
        f"{decimal(most.candidate)} ({signed(most.candidate - most.baseline)})."
    ]


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
    warnings = [(side, warning) for side in sides for warning in run_warnings(side.run.folder, (side.model,))]
    return list(
        dict.fromkeys(
            warning if warning == RULE else f"{side.role.capitalize()}: {warning}"
            for side, warning in warnings
        )
    )


def _several(words: str | Sequence[str]) -> tuple[str, ...]:
    return (words,) if isinstance(words, str) else tuple(words)


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
        return replace(result, reason=few, more_items=more.items, more_identities=more.identities)
    names = {"both": "both", "first": cell.units[0], "second": cell.units[1], "none": "none"}
    result = replace(result, sampled=names[contrasts.sampled])
    evidence = contrasts.evidence(margin, level)
    low, high = contrasts.bounds(level)
    result = replace(result, low=low, high=high, p_not_worse=evidence.p_not_worse, p_worse=evidence.p_worse)
    if evidence.p_not_worse <= level:
        return replace(result, verdict="pass")
    return replace(
        result,
        more_items=more.items,
        more_identities=more.identities,
        more_same_identities=more.same_identities,
    )


def _corrected(tests: Sequence[GateTest], level: float) -> tuple[GateTest, ...]:
    """The tests with Holm's (1979) correction of the p-values of worse, verdicts and sentences."""
    from endoxa.stats.verdicts import holm

    adjusted = holm([test.p_worse for test in tests])
    return tuple(
        _worded(replace(test, p_worse_adjusted=p_value), level)
        for test, p_value in zip(tests, adjusted, strict=True)
    )


def _worded(test: GateTest, level: float) -> GateTest:
    if test.p_worse_adjusted <= level and test.verdict != "pass":
        nothing = {"more_items": None, "more_identities": None, "more_same_identities": None}
        test = replace(test, verdict="worse", **nothing)  # type: ignore[arg-type]
    elif test.p_worse <= level < test.p_worse_adjusted:
        test = replace(test, reason="worse taken alone, not after correction for the number of tests")
    return replace(test, sentence=sentence_of(test))


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
