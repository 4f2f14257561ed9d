"""How far the rounding of half precision moves the score difference of a pair.

In bfloat16 the same sentence gets another score when other sentences stand in its batch: sums are rounded to 8 bits, in
an order that depends on the shapes. Some pairs are scored once more, each alone, which is another batch than the first
one; by how much their differences moved is the noise that every difference of the run carries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from endoxa.instruments.pairs.probe.calibration import Comparisons
from endoxa.instruments.pairs.probe.items import Chunk
from endoxa.instruments.pairs.probe.records import Journal, Row
from endoxa.instruments.pairs.probe.scoring import lines_of, rows_of
from endoxa.schema import Model, Rule

PAIRS = 64
"""Pairs that are scored twice: 1 in 65 of the others is expected to move by more than the largest of them did."""
FULL = ("float32", "float64")


def rounds(dtype: object) -> bool:
    """Whether weights of this type, as `Model.describe` names it, have fewer bits than float32."""
    return isinstance(dtype, str) and dtype not in FULL


def sampled(number: int, seed: int) -> frozenset[int]:
    """Numbers of the pairs that are scored twice.

    Args:
        number: pairs of the run.
        seed: of the draw.
    """
    drawn = np.random.default_rng(seed).choice(number, min(PAIRS, number), replace=False)
    return frozenset(drawn.tolist())


def rounding(
    model: Model,
    number: int,
    rules: Sequence[Rule],
    chosen: Iterator[Chunk],
    journal: Journal,
    *,
    comparisons: Comparisons | None,
    first: int,
) -> dict[str, dict[str, Any]]:
    """Score pairs once more, each alone, and compare with what the journal has.

    Args:
        model: the model.
        number: its number in the run.
        rules: all its rules.
        chosen: the pairs, a chunk for each.
        journal: where the finished rows are.
        comparisons: what pairs are compared with; None for nothing.
        first: number of the first rule that is to be measured.

    Returns:
        For each rule `pairs`, `median` and `largest`: how many pairs, and by how much their difference moved, in the
        unit of the rule; the same of the calibrated difference (`calibrated_pairs` and so on) where there is one.
    """
    moved: dict[str, list[tuple[float, float]]] = {rule.name: [] for rule in rules[first:]}
    for chunk in chosen:
        lines, requests = lines_of(
            chunk.items, chunk.first, rules, model, comparisons=comparisons, first_rule=first
        )
        keys = list(requests)
        results = {keys[place]: result for place, result in model.score(list(requests.values()))}
        scored = {row.rule: row for row in journal.records(chunk.first, chunk.last) if row.model == number}
        for again in rows_of(lines, rules, number, results):
            before, after = _differences(scored[again.rule]), _differences(again)
            moved[rules[again.rule].name].append((abs(before[0] - after[0]), abs(before[1] - after[1])))
    return {
        name: {**_noise(raw, ""), **_noise(calibrated, "calibrated_")}
        for name, raw, calibrated in _columns(moved)
    }


def _columns(moved: dict[str, list[tuple[float, float]]]) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    for name, rows in moved.items():
        table = np.array(rows, dtype=float).reshape(-1, 2)
        yield name, table[:, 0], table[:, 1]


def _differences(row: Row) -> tuple[float, float]:
    """The difference of both sentences, raw and calibrated; NaN where there is none."""
    if row.score_more is None or row.score_less is None:
        return float("nan"), float("nan")
    raw = row.score_more - row.score_less
    return raw, float("nan") if row.neutral_difference is None else raw - row.neutral_difference


def _noise(moved: np.ndarray, prefix: str) -> dict[str, float | int]:
    measured = moved[np.isfinite(moved)]
    if not len(measured):
        return {}
    return {
        f"{prefix}pairs": len(measured),
        f"{prefix}median": float(np.median(measured)),
        f"{prefix}largest": float(measured.max()),
    }
