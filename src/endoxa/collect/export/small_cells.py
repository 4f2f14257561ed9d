"""Small cells: what too few people share is merged until nobody stands out (k-anonymity)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from endoxa.collect.export.columns import LEAST, OTHER

Cells = tuple[str, ...]
"""What is said of one person; the first column is given up last."""


def merge_small_cells(people: Sequence[Cells], least: int = LEAST) -> list[Cells]:
    """The same rows, each combination shared by at least `least` people (Sweeney 2002, by suppression).

    A combination that is too rare gives up its last column, then the one before, and so on; a first
    column of `OTHER` takes all others with it. Where too few people are left without anything, the
    smallest combination joins them. Fewer than `least` people in all share one row of `OTHER`. A column in which all
    people are alike is given up only with the first.
    """
    rows = [_all_other(row) if row and row[0] == OTHER else row for row in people]
    for column in reversed(range(len(rows[0]) if rows else 0)):
        sizes = Counter(rows)
        rows = [row if sizes[row] >= least else (*row[:column], *[OTHER] * len(row[column:])) for row in rows]
    while rows:
        sizes = Counter(rows)
        rest = _all_other(rows[0])
        if sizes[rest] in {0, len(rows)} or sizes[rest] >= least:
            break
        smallest = min((size, row) for row, size in sizes.items() if row != rest)[1]
        rows = [rest if row == smallest else row for row in rows]
    alike = [len(set(column)) == 1 for column in zip(*people, strict=True)]
    return [row if row[:1] == (OTHER,) else _kept(row, people[0], alike) for row in rows]


def _kept(row: Cells, anybody: Cells, alike: Sequence[bool]) -> Cells:
    """The row with what is the same for all people."""
    return tuple(shared if same else own for own, shared, same in zip(row, anybody, alike, strict=True))


def _all_other(row: Cells) -> Cells:
    return (OTHER,) * len(row)
