"""What an instrument is asked for two of its runs, and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import polars as pl

from endoxa.report.document import Finding
from endoxa.study.compare.changes import Change
from endoxa.study.gate.measures import Paired
from endoxa.study.gate.run import MOST_LEFT_OUT, untested
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

    def left_out(self, cells: Iterable[Paired]) -> list[str]:
        """A note on each measure that is not tested because too many items have no value in one of the runs."""
        return [
            f"Not tested, {cell.measure.name} ({cell.rule}): {reason}."
            for cell in cells
            if (reason := untested(cell, MOST_LEFT_OUT)) and not cell.identical
        ]


@dataclass(frozen=True, slots=True)
class Estimates:
    """What changed between two runs, before correction.

    Attributes:
        changes: of every measure, over all items.
        parts: measures of bias by axis and identity.
        items: the items that changed sides: `item_id`, `rule`, `axis`, `identity`, `before`, `after`, `direction`
            ("towards" the stereotype, "away" or "neither"; of associations see `page.DIRECTIONS`), and what the
            instrument has to show of them.
        notes: what was left out.
        identical: every score or answer is the same in both.
        about_items: what is found of the items besides their number.
    """

    changes: tuple[Change, ...]
    parts: tuple[Change, ...]
    items: pl.DataFrame
    notes: tuple[str, ...]
    identical: bool
    about_items: tuple[Finding, ...] = ()


Reader = Callable[[tuple[Side, Side], Choices], Estimates]
"""Compares two runs of one instrument."""
