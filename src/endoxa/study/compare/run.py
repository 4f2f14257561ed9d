"""`endoxa compare`: from run folders to what changed between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import isfinite
from pathlib import Path

from endoxa.errors import UserError
from endoxa.report.inputs import EMBEDDINGS, PAIRS, QUESTIONS
from endoxa.study.compare.association_tests import compare_tests
from endoxa.study.compare.changes import Change, judged
from endoxa.study.compare.contrasts import Asked, Reader
from endoxa.study.compare.groups import contrasts_of
from endoxa.study.compare.pairs import compare_pairs
from endoxa.study.compare.questions import compare_questions
from endoxa.study.compare.results import Comparison, Contrasted
from endoxa.study.compare.sentences import sentence_of
from endoxa.study.compare.sides import Compared, read_compared
from endoxa.study.gate.settings import settings_apart

READERS: Mapping[str, Reader] = {
    PAIRS: compare_pairs,
    QUESTIONS: compare_questions,
    EMBEDDINGS: compare_tests,
}
"""How two runs of an instrument are compared."""


def compare(
    *runs: str | Path,
    model: str | Sequence[str] = (),
    rule: str | Sequence[str] = (),
    group: str = "",
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
        group: `NAME=FILE`, a table with the columns model and group: groups of models in place of runs.
        confidence: of the intervals.

    Raises:
        UserError: the runs cannot be compared, or an option is not for them.
    """
    if not 0.5 < confidence < 1:
        raise UserError(f"--confidence {confidence:g}: expected a number above 0.5 and below 1.")
    asked = Asked(_several(rule), confidence)
    sides = read_compared([Path(run) for run in runs], _several(model), READERS, all_models=bool(group))
    if group:
        if sides[0].side.run.kind == EMBEDDINGS:
            raise UserError("--group is for runs of endoxa probe pairs and endoxa probe qa.")
        sides, found = contrasts_of(sides, group, asked)
    else:
        found = [_contrasted(couple, asked) for couple in combinations(sides, 2)]
    contrasts = _judged(found, sides[0], confidence)
    shown = [each for each in contrasts if each.before is sides[0]]
    tests = sum(isfinite(change.p_value) for each in shown for change in each.bias)
    sentences = [sentence_of(each, tests, confidence, several=len(shown) > 1) for each in shown]
    return Comparison(tuple(sentences), sides, tuple(contrasts), confidence, tests)


def _contrasted(couple: tuple[Compared, Compared], asked: Asked) -> Contrasted:
    """Two runs, before correction."""
    before, after = couple
    baseline, candidate = replace(before.side, role="baseline"), replace(after.side, role="candidate")
    found = READERS[baseline.run.kind]((baseline, candidate), asked)
    settings = settings_apart(before.side, after.side)
    return Contrasted(
        before, after, settings, found.changes, found.parts, found.items, found.notes, found.identical
    )


def _judged(contrasts: Sequence[Contrasted], first: Compared, confidence: float) -> tuple[Contrasted, ...]:
    """The contrasts with adjusted p-values and verdicts.

    What is shown (each run against the first) is corrected together: measures of bias, what they cost, and the parts,
    each a family. The other contrasts are in the table only, and are corrected over all.
    """

    def family(change: Change, *, part: bool) -> str:
        return "parts" if part else change.kind

    judgements: dict[tuple[int, bool, int], Change] = {}
    for name in ("bias", "price", "parts"):
        places = [
            (number, part, place)
            for number, each in enumerate(contrasts)
            for part, changes in ((False, each.changes), (True, each.parts))
            for place, change in enumerate(changes)
            if family(change, part=part) == name
        ]
        changes = [
            (contrasts[number].parts if part else contrasts[number].changes)[place]
            for number, part, place in places
        ]
        judgements |= dict(zip(places, judged(changes, confidence), strict=True))
        shown = [at for at, (number, *_) in enumerate(places) if contrasts[number].before is first]
        judgements |= zip(
            (places[at] for at in shown), judged([changes[at] for at in shown], confidence), strict=True
        )
    return tuple(
        replace(
            each,
            changes=tuple(judgements[number, False, place] for place in range(len(each.changes))),
            parts=tuple(judgements[number, True, place] for place in range(len(each.parts))),
        )
        for number, each in enumerate(contrasts)
    )


def _several(words: str | Sequence[str]) -> tuple[str, ...]:
    return (words,) if isinstance(words, str) else tuple(words)
