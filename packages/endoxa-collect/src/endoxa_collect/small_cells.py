"""The small-cell rule: traits of people, and combinations of traits, are shown from `LEAST` people on.

Traits are country, language, age and other answers about oneself, the day of joining, the interviewer and the way of
answering. Rows of exports are merged by the same number (`merge_small_cells`). The ratings of a pair are
no trait: single pairs are shown by `RATERS` and `CROWD`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence, Set

LEAST = 5
"""People who must share what is shown of them."""

RATERS = 3
"""People who must have rated a pair before a figure of its ratings is shown."""

CROWD = 10
"""People who must have taken part before single pairs are shown in public: a pair is rated by few of them."""

OTHERS = ""
"""Name of the cell of people without the trait, and of those whose cells are put together."""

OTHER = "other"
"""The same in exports: stands for what fewer than `LEAST` people share."""

Row = tuple[str, ...]
"""What an export says of one person; the first column is given up last."""

Cells = Mapping[str, Set[Hashable]]
"""People by a trait; somebody may have it twice (two countries)."""


def in_steps(people: int) -> int:
    """A number of people rounded down to steps of `LEAST`.

    Somebody who looks again while one person joins does not read off which cell that was, but every fifth time.
    """
    return people // LEAST * LEAST


def counted(people: Cells, others: str = OTHERS) -> list[tuple[str, int]]:
    """Cells that may stand by themselves with their people, most first; at the end the rest together, as `others`.

    One to `LEAST` - 1 people are never behind what is shown of a cell or of those together, which could be told from a
    total: where the small ones are too few, the smallest of the others joins them. Nothing where all are too few.
    """
    shown = sorted((cell for cell in people if cell != others), key=lambda cell: (len(people[cell]), cell))
    rest = set(people.get(others, ()))
    while shown and (len(people[shown[0]]) < LEAST or 0 < len(rest) < LEAST):
        rest |= people[shown.pop(0)]
    if 0 < len(rest) < LEAST:
        return []
    rows = sorted(((cell, len(people[cell])) for cell in shown), key=lambda row: (-row[1], row[0]))
    return [*rows, (others, len(rest))] if rest else rows


def merge_small_cells(people: Sequence[Row], least: int = LEAST) -> list[Row]:
    """The same rows, each combination shared by at least `least` people (Sweeney 2002, by suppression).

    A combination that is too rare gives up its last column, then the one before, and so on; a first
    column of `OTHER` takes all others with it. Where too few people are left without anything, the
    smallest combination joins them. Fewer than `least` people in all share one row of `OTHER`. A column in which all
    people are alike is given up only with the first.
    """
    if not people:
        return []
    rest = (OTHER,) * len(people[0])
    rows = [rest if row[:1] == (OTHER,) else row for row in people]
    for column in reversed(range(len(rest))):
        sizes = Counter(rows)
        rows = [row if sizes[row] >= least else (*row[:column], *rest[column:]) for row in rows]
    sizes = Counter(rows)
    while 0 < sizes[rest] < min(least, len(rows)):
        _, smallest = min((size, row) for row, size in sizes.items() if row != rest)
        rows = [rest if row == smallest else row for row in rows]
        sizes = Counter(rows)
    alike = [len(set(column)) == 1 for column in zip(*people, strict=True)]
    return [
        row
        if row[:1] == (OTHER,)
        else tuple(shared if same else cell for cell, shared, same in zip(row, people[0], alike, strict=True))
        for row in rows
    ]
