"""What two runs have in common, and every test of a gate: each measure, under every rule, on every axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from endoxa.errors import UserError
from endoxa.report.inputs import EMBEDDINGS, EXTRACTED, HARM, PAIRS, QUESTIONS
from endoxa.report.words import listed
from endoxa.runs.instrument import Measure
from endoxa.schema import ALL
from endoxa.study.gate.association_tests import test_items
from endoxa.study.gate.items import Items, declared_items
from endoxa.study.gate.measures import Paired, declared, measures_of
from endoxa.study.gate.pairs import pair_items
from endoxa.study.gate.questions import question_items
from endoxa.study.gate.ratings import rating_items
from endoxa.study.gate.runs import Side
from endoxa.study.gate.stories import alone_sentence, story_cells

IN_PLACE_OF_RULES = {EXTRACTED: "stories", HARM: "ratings"}
"""What a gate calls the items of instruments without rules or protocols."""


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
    notes += _missing(cells, tests, measures, "question" if kind == QUESTIONS else "item")
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


def _missing(cells: Sequence[Paired], tests: Sequence[Paired], wanted: Sequence[str], noun: str) -> list[str]:
    """A note on measures that no item is for; they are an error where they were named."""
    lacking = {cell.measure.name for cell in cells} - {cell.measure.name for cell in tests}
    for name in wanted:
        if name in lacking:
            raise UserError(f"--measure {name}: these runs have no items for it. Leave it out.")
    return [f"Not measured, because no {noun} is for it: {listed(sorted(lacking))}."] if lacking else []
