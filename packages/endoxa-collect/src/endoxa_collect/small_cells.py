"""The small-cell rule: traits of people, and combinations of traits, are shown from `LEAST` people on.

Traits are country, language, age and other answers about oneself, the day of joining, the interviewer and the way of
answering. Rows of exports are merged by the same number (`export.people.merge_small_cells`). The ratings of a pair are
no trait: single pairs are shown by `RATERS` and `CROWD`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Set

LEAST = 5
"""People who must share what is shown of them."""

RATERS = 3
"""People who must have rated a pair before a figure of its ratings is shown."""

CROWD = 10
"""People who must have taken part before single pairs are shown in public: a pair is rated by few of them."""

OTHERS = ""
"""Name of the cell of people without the trait, and of those whose cells are put together."""

Cells = Mapping[str, Set[Hashable]]
"""People by a trait; somebody may have it twice (two countries)."""


def in_steps(people: int) -> int:
    """A number of people rounded down to steps of `LEAST`.

    Somebody who looks again while one person joins does not read off which cell that was, but every fifth time.
    """
    return people // LEAST * LEAST


def grouped(people: Cells, others: str = OTHERS) -> tuple[list[str], list[str]] | None:
    """Cells that may stand by themselves, and those to show as one, `others` first; None where nothing may be shown.

    One to `LEAST` - 1 people are never behind what is shown of a cell or of those together, which could be told from a
    total: where the small ones are too few, the smallest of the others joins them.
    """
    by_people = sorted(people, key=lambda cell: (cell != others, len(people[cell]), cell))
    hidden = [cell for cell in by_people if cell == others or len(people[cell]) < LEAST]
    shown = by_people[len(hidden) :]
    while _few(hidden, people) and shown:
        hidden.append(shown.pop(0))
    return None if _few(hidden, people) else (shown, hidden)


def counted(people: Cells, others: str = OTHERS) -> list[tuple[str, int]]:
    """Cells that may be shown with their people, most first; at the end the rest together, as `others`."""
    split = grouped(people, others)
    if split is None:
        return []
    shown, hidden = split
    rows = sorted(((cell, len(people[cell])) for cell in shown), key=lambda row: (-row[1], row[0]))
    rest = len(_behind(hidden, people))
    return [*rows, (others, rest)] if rest else rows


def _few(cells: Iterable[str], people: Cells) -> bool:
    return 0 < len(_behind(cells, people)) < LEAST


def _behind(cells: Iterable[str], people: Cells) -> set[Hashable]:
    return set[Hashable]().union(*(people[cell] for cell in cells))
