"""Which cells of a table with totals to leave empty, so that small groups cannot be worked out.

Cells are counts of rows by line and column, with totals (`ALL`) of both. A reader knows for every cell how many rows
there are that may or may not belong to the group (`Risk.rows`), and every cell that is published; what they must not
learn is how many of these rows are the group's (`Risk.inside`) where few people stand behind them.

Complementary suppression (Willenborg and de Waal 2001, chapters 1 and 6): a small cell
is suppressed; then others are, until

- what is left of each published total, less the published cells of its line, again belongs to enough people, and
- each suppressed small cell lies on a cycle of suppressed cells, along which rows can be moved between group and others
  without changing anything that is published (Gusfield 1988: just then its number is not determined).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

Place = tuple[str, str]
"""A line and a column of the table."""

ALL = "all"
"""Stands for a total."""


@dataclass
class Risk:
    """The rows of a cell of which nothing else says whether they belong to the group, by person."""

    inside: Counter[object] = field(default_factory=Counter)
    outside: Counter[object] = field(default_factory=Counter)

    @property
    def rows(self) -> int:
        """All of them."""
        return self.inside.total() + self.outside.total()

    def is_small(self, least: int) -> bool:
        """Whether rows of the group, or the others, belong to few people, or most of them to one (dominance)."""
        if not self.rows:
            return False
        return any(
            len(people) < least or 2 * max(people.values()) > people.total()
            for people in (self.inside, self.outside)
        )

    def add(self, other: Risk) -> None:
        """Take the rows of another cell in."""
        self.inside.update(other.inside)
        self.outside.update(other.outside)


def suppressed(cells: Mapping[Place, Risk], least: int) -> frozenset[Place]:
    """Cells and totals to leave empty.

    Args:
        cells: all cells of the table with its totals; a table of one column has the column `ALL` only.
        least: people that must stand behind what is published.
    """
    small = {place for place, risk in cells.items() if risk.is_small(least)}
    hidden = set(small)
    while (line := _weak_line(cells, small, hidden, least)) is not None:
        # The cell that costs readers least: with the fewest rows, and rather a cell than a total.
        hidden.add(
            min(
                line - hidden,
                key=lambda place: (not cells[place].rows, ALL in place, cells[place].rows, place),
            )
        )
    return frozenset(hidden)


def _weak_line(
    cells: Mapping[Place, Risk], small: set[Place], hidden: set[Place], least: int
) -> set[Place] | None:
    """Cells of which one more has to go; None where no small cell can be worked out."""
    # Each total with the cells that add up to it.
    by_total: defaultdict[Place, set[Place]] = defaultdict(set)
    for line, column in cells:
        if line != ALL:
            by_total[ALL, column].add((line, column))
        if column != ALL:
            by_total[line, ALL].add((line, column))
    for total, parts in ((total, parts) for total, parts in by_total.items() if total in cells):
        rest = Risk()
        for place in parts & hidden:
            rest.add(cells[place])
        if total not in hidden and rest.is_small(least):
            return {*parts, total}
    if hidden != set(cells):
        for place in sorted(small):
            if not _can_move(cells, hidden, place):
                near = {other for other in cells if other[0] == place[0] or other[1] == place[1]}
                return near if near - hidden else set(cells)
    return None


def _can_move(cells: Mapping[Place, Risk], hidden: set[Place], place: Place) -> bool:
    """Whether one row more or less of the group could be in a cell with all that is published as it is."""
    arcs: defaultdict[str, set[str]] = defaultdict(set)
    for other in hidden - {place}:
        for start, end in _arcs(cells, other):
            arcs[start].add(end)
    return any(_leads(arcs, end, start) for start, end in _arcs(cells, place))


def _arcs(cells: Mapping[Place, Risk], place: Place) -> Iterator[tuple[str, str]]:
    """Ways in which a cell can change, from line to column where its number grows; totals the other way round.

    A line or column without a total that holds it to anything is the world outside.
    """
    columns = {column for _, column in cells}
    line = f"line {place[0]}" if len(columns) > 1 else "outside"
    column = f"column {place[1]}"
    grows, shrinks = cells[place].outside.total() > 0, cells[place].inside.total() > 0
    if (place[0] == ALL) != (place[1] == ALL):
        grows, shrinks = shrinks, grows
    if grows:
        yield line, column
    if shrinks:
        yield column, line


def _leads(arcs: Mapping[str, set[str]], start: str, end: str) -> bool:
    seen, ahead = {start}, [start]
    while ahead:
        node = ahead.pop()
        if node == end:
            return True
        ahead += (new := arcs.get(node, set()) - seen)
        seen |= new
    return False
