"""`endoxa compare`: from run folders to what changed between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from math import isfinite
from pathlib import Path

from endoxa.errors import UserError
from endoxa.report.inputs import EXTRACTED, HARM
from endoxa.study.compare.changes import Change, compare_items, judged
from endoxa.study.compare.results import Comparison, Contrasted
from endoxa.study.compare.runs import Side, read_sides, settings_apart, several
from endoxa.study.compare.sentences import sentence_of
from endoxa.study.compare.stories import compare_stories

WRITTEN = (EXTRACTED, HARM)
"""Instruments without rules or protocols."""


def compare(
    *runs: str | Path,
    model: str | Sequence[str] = (),
    rule: str | Sequence[str] = (),
    confidence: float = 0.95,
) -> Comparison:
    """What changed between runs of the same items, and at what price.

    Runs may differ in the model and in every way of asking. Items are paired; identities and attributes (of questions:
    templates, and attributes or groups) are both samples, as for `gate`. What is shown is corrected
    (Holm 1979): measures of bias, what they cost, and changes by axis and identity, each among themselves.

    Args:
        runs: finished run folders, the first is what the others are compared with; a single one with several models
            compares these.
        model: models, where runs hold several.
        rule: scoring rules or protocols; by default all that runs have in common.
        confidence: of the intervals.

    Raises:
        UserError: the runs cannot be compared, or an option is not for them.
    """
    if not 0.5 < confidence < 1:
        raise UserError(f"--confidence {confidence:g}: expected a number above 0.5 and below 1.")
    sides = read_compared([Path(run) for run in runs], several(model))
    if rule and sides[0].run.kind in WRITTEN:
        raise UserError("--rule: these runs have no scoring rules or protocols. Leave --rule out.")
    contrasts = [
        contrasted(couple, confidence, several(rule), sides, shown=couple[0] is sides[0])
        for couple in combinations(sides, 2)
    ]
    return comparison_of(sides, contrasts, confidence)


def comparison_of(
    runs: Sequence[Side],
    contrasts: Sequence[Contrasted],
    confidence: float,
    alone: Sequence[str] = (),
) -> Comparison:
    """Contrasts with their correction and sentences."""
    judgements = judge(contrasts, confidence)
    shown = [each for each in judgements if each.shown]
    tests = sum(isfinite(change.p_value) for each in shown for change in each.bias)
    several = len({run.label for run in runs}) > 2
    sentences = [sentence_of(each, tests, confidence, several=several) for each in shown]
    return Comparison(tuple(sentences), tuple(runs), tuple(judgements), confidence, tests, tuple(alone))


def contrasted(
    couple: tuple[Side, Side],
    confidence: float,
    rules: Sequence[str] = (),
    every: Sequence[Side] = (),
    *,
    shown: bool,
    instrument: str = "",
) -> Contrasted:
    """Two runs of a comparison of `every`, before correction."""
    before, after = couple
    estimates = (
        compare_stories(couple, every, confidence)
        if before.run.kind == EXTRACTED
        else compare_items(couple, rules, confidence)
    )
    settings = settings_apart(before.source, after.source)
    return Contrasted(before, after, settings, estimates, shown, instrument)


def judge(contrasts: Sequence[Contrasted], confidence: float) -> list[Contrasted]:
    """The contrasts with adjusted p-values and verdicts.

    What is shown (each run against the first, of each instrument) is corrected together, parts within their instrument.
    The other contrasts are in the table only, and are corrected over all.
    """
    shown = iter(_corrected([each for each in contrasts if each.shown], confidence))
    return [next(shown) if each.shown else each for each in _corrected(contrasts, confidence)]


def _corrected(contrasts: Sequence[Contrasted], confidence: float) -> list[Contrasted]:
    """Corrected over all of these: measures of bias, what they cost, and the parts of each instrument.

    Associations, of which there are hundreds, are corrected as `endoxa analyze associations` does.
    """
    families: dict[tuple[str, str], list[Change]] = {}
    for each in contrasts:
        for change in each.changes:
            families.setdefault((change.kind, ""), []).append(change)
        families.setdefault(("parts", each.kind), []).extend(each.estimates.parts)
    decided = {
        family: iter(judged(changes, confidence, "fdr_bh" if family[1] == EXTRACTED else "holm"))
        for family, changes in families.items()
    }

    def corrected(contrast: Contrasted) -> Contrasted:
        changes = tuple(next(decided[change.kind, ""]) for change in contrast.changes)
        parts = tuple(next(decided["parts", contrast.kind]) for _ in contrast.estimates.parts)
        return replace(contrast, estimates=replace(contrast.estimates, changes=changes, parts=parts))

    return [corrected(each) for each in contrasts]


def read_compared(paths: Sequence[Path], models: Sequence[str]) -> tuple[Side, ...]:
    """The runs of a comparison, which may differ in whatever was asked of the same items."""
    return read_sides(paths, [models] * len(paths), ["--model"] * len(paths), strict=False)
