"""Whether the rounding of half precision could change what is decided about two runs of sentence pairs.

A run says how far rounding moves the difference of a pair (`endoxa.instruments.pairs.probe.scoring`). Decided is once
more with all pairs within it on one side, then on the other, in either run: the four worst cases.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from endoxa.instruments.pairs.estimates.inference import within_rounding
from endoxa.instruments.pairs.estimates.records import Scores
from endoxa.report.words import count, listed, plural
from endoxa.study.gate.decision import SIGNS, Values
from endoxa.study.gate.measures import Paired, Rounding


def rounding_of(
    values: Values, baseline: Scores, other: Scores, differences: Sequence[np.ndarray]
) -> Rounding | None:
    """What rounding could make of the values of two runs; None where no pair lies within it.

    Args:
        values: of both.
        baseline: scores of the first.
        other: scores of the second.
        differences: those of the pairs of `values`, in both.
    """
    runs = (baseline, other)
    within = [
        within_rounding(difference, run.rounding) for run, difference in zip(runs, differences, strict=True)
    ]
    if not (within[0].any() or within[1].any()):
        return None
    return Rounding(
        tuple((run.precision, int(mask.sum())) for run, mask in zip(runs, within, strict=True)),
        tuple(
            replace(
                values,
                baseline=np.where(within[0], side / 2, values.baseline),
                candidate=np.where(within[1], other_side / 2, values.candidate),
            )
            for side in SIGNS
            for other_side in SIGNS
        ),
    )


def rounding_notes(
    cells: Sequence[Any], names: tuple[str, str], decided: Callable[[Sequence[Any]], Any]
) -> list[str]:
    """A sentence where rounding could change what is decided, else nothing.

    Args:
        cells: both runs on the same items; only those of pairs can have been rounded.
        names: of both runs.
        decided: what is decided from cells.
    """
    rounded = [cell for cell in cells if isinstance(cell, Paired) and cell.rounding and not cell.identical]
    if not rounded:
        return []
    decision = decided(cells)
    ends = [
        decided(
            [
                replace(cell, values=cell.rounding.ends[place])
                if any(cell is each for each in rounded)
                else cell
                for cell in cells
            ]
        )
        for place in range(len(SIGNS) ** 2)
    ]
    if all(end == decision for end in ends):
        return []
    largest = max(rounded, key=lambda cell: cell.numbers[0])
    assert largest.rounding is not None
    within = [
        f"{count(pairs)} of {plural(largest.numbers[0], 'pair')} of {name} lie within the rounding of {precision}"
        for name, (precision, pairs) in zip(names, largest.rounding.within, strict=True)
        if pairs
    ]
    return [
        f"Half precision could change the verdict: {listed(within)} ({largest.rule}, {largest.axis}). Had they gone "
        "the other way, it could be another one. Use --set dtype=float32 for the last word."
    ]
