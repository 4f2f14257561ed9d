"""Every test of a gate: each measure of an instrument, under every rule, on every axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from endoxa.errors import UserError
from endoxa.report.inputs import CHOICES, EMBEDDINGS, EXTRACTED, HARM, PAIRS, QUESTIONS
from endoxa.report.words import listed
from endoxa.schema import ALL
from endoxa.study.gate.choices import choice_cells
from endoxa.study.gate.effect_sizes import EffectSizes
from endoxa.study.gate.measures import Measure, Paired, measures_of
from endoxa.study.gate.pairs import pair_cells
from endoxa.study.gate.questions import question_cells
from endoxa.study.gate.runs import Side

Cell = Paired | EffectSizes
"""One test: a measure, under a rule, on an axis."""
_Reader = Callable[
    [tuple[Side, Side], Sequence[Measure], Sequence[str], Sequence[str]], tuple[Sequence[Cell], list[str]]
]


def paired(
    sides: tuple[Side, Side],
    measures: Sequence[str],
    rules: Sequence[str],
    axes: Sequence[str],
    human: Path | None = None,
) -> tuple[list[Cell], list[Cell], list[str]]:
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
    # These are made of what `endoxa compare` estimates, which asks this room in turn.
    from endoxa.study.gate.association_tests import effect_size_cells
    from endoxa.study.gate.written import rating_cells, story_cells

    kind = sides[0].run.kind
    if human is not None and kind != HARM:
        raise UserError("--human is for runs of ratings of harm (endoxa probe harm). Leave it out.")
    readers: dict[str, _Reader] = {
        PAIRS: pair_cells,
        QUESTIONS: question_cells,
        CHOICES: choice_cells,
        EMBEDDINGS: effect_size_cells,
        EXTRACTED: story_cells,
        HARM: partial(rating_cells, human),
    }
    cells, notes = readers[kind](
        sides, measures_of(kind, measures), tuple(dict.fromkeys(rules)), tuple(dict.fromkeys(axes))
    )
    tests = [cell for cell in cells if cell.numbers[0] or cell.left_out]
    notes += _missing(cells, tests, measures, "question" if kind == QUESTIONS else "item")
    if not tests:
        raise UserError(
            f"The items have nothing to gate for {listed(sorted({cell.measure.name for cell in cells}))}. Choose "
            "another --measure or --axis."
        )
    small = [cell for cell in tests if not axes and cell.axis != ALL and cell.few and not cell.identical]
    small = small if len(small) < len(tests) else []
    return [cell for cell in tests if not any(cell is other for other in small)], small, notes


def _missing(cells: Sequence[Cell], tests: Sequence[Cell], wanted: Sequence[str], noun: str) -> list[str]:
    """A note on measures that no item is for; they are an error where they were named."""
    lacking = {cell.measure.name for cell in cells} - {cell.measure.name for cell in tests}
    for name in wanted:
        if name in lacking:
            raise UserError(f"--measure {name}: these runs have no items for it. Leave it out.")
    return [f"Not measured, because no {noun} is for it: {listed(sorted(lacking))}."] if lacking else []
