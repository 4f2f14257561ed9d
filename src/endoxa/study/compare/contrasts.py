"""What changed between two runs of the same items, whatever the instrument: one way for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from endoxa.report.inputs import QUESTIONS
from endoxa.study.compare.changes import Change, change_of, fact, judged
from endoxa.study.compare.results import Estimates
from endoxa.study.gate.cells import items_of
from endoxa.study.gate.items import Items
from endoxa.study.gate.measures import COST, Paired, untested
from endoxa.study.gate.pairs import rounding_notes
from endoxa.study.gate.runs import Side


@dataclass(frozen=True, slots=True)
class Choices:
    """Settings of a comparison.

    Attributes:
        rules: scoring rules or protocols; empty takes all that both runs have.
        confidence: of the intervals.
        sides: every run of the comparison.
        harmful: identifiers of associations that are rated harmful, for stories.
    """

    rules: tuple[str, ...]
    confidence: float
    sides: tuple[Side, ...] = ()
    harmful: frozenset[str] = frozenset()


def compare_items(sides: tuple[Side, Side], choices: Choices) -> Estimates:
    """What changed between two runs whose items are a table.

    Raises:
        UserError: the runs have no rule or item in common, or hold other items.
    """
    items = items_of(sides, choices.rules)
    cells = cells_of(items)
    changes = [change_of(cell, choices.confidence) for cell in cells]
    costs = [_cost(side) for side in sides if side.run.kind == QUESTIONS]
    names = str(sides[0].run.folder), str(sides[1].run.folder)

    def verdicts(cells: Iterable[Paired]) -> list[str]:
        together = [change_of(cell, choices.confidence) for cell in cells]
        return [change.verdict for change in judged(together, choices.confidence)]

    return Estimates(
        (*changes, *([fact(COST, *costs)] if costs and None not in costs else [])),  # type: ignore[arg-type]
        tuple(_parts(items, choices.confidence)),
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
