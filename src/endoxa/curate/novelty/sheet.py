"""A sheet of pairs to label: as many from every range of likeness, more ranges around the likely threshold.

Drawn at random, nearly all pairs would be plainly unrelated and would say nothing about the threshold. Labellers see
the texts alone, neither the cosine nor its range, in random order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from endoxa.curate.encoders import Encoder
from endoxa.curate.novelty.concepts import Concepts
from endoxa.curate.novelty.nearest import NOTHING, Side, cut, encoded, tiles
from endoxa.errors import UserError

LIKELY = 0.55
"""Where the threshold is expected unless one is given: what AfriStereo published for this encoder (section 3.3.2)."""
PAIRS = 256
"""Pairs that LACES had labelled."""
MOST_CONCEPTS = 4000
"""Concepts of a data set among whose pairs a sheet is drawn; a larger one is sampled."""
NEAR = 0.15
"""Distance from the likely threshold within which ranges are half as wide."""
AHEAD = 6
"""Pairs kept of each range for every one that is needed, so that texts need not repeat."""

SHEET_COLUMNS: dict[str, str] = {
    "text_a": "a concept of one data set",
    "text_b": "a concept of another",
    "related": "for you to fill in: yes or no",
    "dataset_a": "where the first comes from",
    "dataset_b": "where the second comes from",
}
"""Columns of the sheet; associations have `identity_a`, `attribute_a`, `identity_b` and `attribute_b` besides."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """Pairs to label.

    Attributes:
        table: columns of `SHEET_COLUMNS`, in random order.
        ranges: lower end of every range of likeness.
        drawn: pairs from each of them.
        wanted: pairs per range that were asked for.
    """

    table: pl.DataFrame
    ranges: tuple[float, ...]
    drawn: tuple[int, ...]
    wanted: int


@dataclass(frozen=True, slots=True)
class _Pair:
    a: int
    row: int
    b: int
    column: int


def draw_sheet(
    datasets: Sequence[Concepts],
    encoder: Encoder,
    *,
    pairs: int = PAIRS,
    likely: float = LIKELY,
    same_identity: bool = False,
    seed: int = 0,
) -> Sheet:
    """Draw pairs of concepts of different data sets.

    Args:
        datasets: at least two, with one kind of concept.
        encoder: texts to unit vectors.
        pairs: how many, divided evenly over the ranges of likeness.
        likely: likely threshold, around which ranges are narrower.
        same_identity: of associations: only pairs of equal identities.
        seed: of every draw.

    Raises:
        UserError: fewer than two data sets.
    """
    if len(datasets) < 2:
        raise UserError("A sheet holds pairs of concepts of different data sets. Name at least two files.")
    edges = ranges(likely)
    wanted = max(1, round(pairs / len(edges)))
    rng = np.random.default_rng(seed)
    pool = _pool(
        datasets, encoded(datasets, encoder, same_identity=same_identity), edges, wanted * AHEAD, rng
    )
    chosen, drawn = _choose(pool, wanted)
    order = rng.permutation(len(chosen))
    rows = [_row(datasets, chosen[place]) for place in order]
    columns = list(SHEET_COLUMNS) if len(datasets[0].parts) == 1 else [*SHEET_COLUMNS, *_PARTS]
    table = pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String))
    return Sheet(table, tuple(edges), tuple(drawn), wanted)


_PARTS = ("identity_a", "attribute_a", "identity_b", "attribute_b")


def ranges(likely: float) -> list[float]:
    """Lower ends of the ranges of likeness: a tenth wide, half of that within `NEAR` of the likely threshold."""
    steps = [round(step / 20, 2) for step in range(20)]
    return [step for step in steps if round(step * 20) % 2 == 0 or abs(step - likely) <= NEAR + 1e-9]


def _pool(
    datasets: Sequence[Concepts],
    sides: Sequence[Side],
    edges: Sequence[float],
    most: int,
    rng: np.random.Generator,
) -> list[list[_Pair]]:
    """A random sample of the pairs of each range, in random order: those with the smallest random keys."""
    kept: list[list[tuple[float, _Pair]]] = [[] for _ in edges]
    samples = [_sampled(len(dataset), rng) for dataset in datasets]
    for a in range(len(datasets)):
        for b in range(a + 1, len(datasets)):
            left_rows, right_rows = (_rows(sides[which], samples[which]) for which in (a, b))
            for top, left, cosines in tiles(left_rows, right_rows):
                place = np.digitize(cosines, edges) - 1
                place[(cosines <= NOTHING) | (cosines >= 1 - 1e-6)] = -2
                place[place == -1] = 0  # below 0 belongs to the lowest range
                for k, rows_kept in enumerate(kept):
                    row, column = np.nonzero(place == k)
                    keys = rng.random(len(row))
                    first = np.argsort(keys, kind="stable")[:most]
                    rows_kept += [
                        (
                            float(keys[i]),
                            _Pair(a, int(samples[a][row[i] + top]), b, int(samples[b][column[i] + left])),
                        )
                        for i in first.tolist()
                    ]
                    rows_kept.sort(key=lambda item: item[0])
                    del rows_kept[most:]
    return [[pair for _, pair in rows_kept] for rows_kept in kept]


def _sampled(count: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    if count <= MOST_CONCEPTS:
        return np.arange(count)
    return np.sort(rng.choice(count, MOST_CONCEPTS, replace=False))


def _rows(side: Side, rows: npt.NDArray[np.int64]) -> Side:
    if len(rows) == len(side):
        return cut(side, 0, len(side))
    identity = None if side.identity is None else side.identity[rows]
    return Side(tuple(part[rows] for part in side.parts), identity)


def _choose(pool: list[list[_Pair]], wanted: int) -> tuple[list[_Pair], list[int]]:
    """As many of each range; a text is used again only where its range would be short otherwise.

    The rarest ranges choose first.
    """
    used: set[tuple[int, int]] = set()
    chosen: dict[int, list[_Pair]] = {}
    for k in sorted(range(len(pool)), key=lambda k: len(pool[k])):
        fresh: list[_Pair] = []
        again: list[_Pair] = []
        for pair in pool[k]:
            ends = {(pair.a, pair.row), (pair.b, pair.column)}
            if len(fresh) < wanted and not ends & used:
                fresh.append(pair)
                used |= ends
            else:
                again.append(pair)
        chosen[k] = [*fresh, *again[: wanted - len(fresh)]]
        used |= {end for pair in chosen[k] for end in ((pair.a, pair.row), (pair.b, pair.column))}
    return [pair for k in range(len(pool)) for pair in chosen[k]], [len(chosen[k]) for k in range(len(pool))]


def _row(datasets: Sequence[Concepts], pair: _Pair) -> dict[str, str]:
    first, second = datasets[pair.a], datasets[pair.b]
    mine = [part[pair.row] for part in first.parts]
    theirs = [part[pair.column] for part in second.parts]
    row = {
        "text_a": ": ".join(mine),
        "text_b": ": ".join(theirs),
        "related": "",
        "dataset_a": first.dataset,
        "dataset_b": second.dataset,
    }
    return row if len(mine) == 1 else row | dict(zip(_PARTS, (*mine, *theirs), strict=True))
