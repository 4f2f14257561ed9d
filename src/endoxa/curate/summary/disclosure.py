"""Small counts of subgroups: merged so that they can neither be read off nor computed by subtraction.

A count of fewer than `least` respondents of a subgroup can point at a person. Leaving such a cell empty is not enough:
where the total and the other cells stand, the difference is the cell (Willenborg and de Waal 2001, Elements of
Statistical Disclosure Control, ch. 1 and 4, on secondary suppression). A count of 0 is as small as one of 3.

Respondents with one answer each: the small categories of a row become one rest, and while that rest is smaller than
`least`, the next larger category joins it. What is published is a partition of the row into parts of at least `least`;
inside the rest, nothing is known but its size.

Respondents with several answers (a column in which anybody ticked more than one): counts overlap and a rest would let
overlaps be computed, so only categories are published that both hold and leave out at least `least` respondents, never
all of them unless their overlaps add up to `least` too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

REST = "(rest)"
"""All categories of a column that a row does not list."""

EVERYBODY = "(all)"
"""A row that cannot be split without showing a small count."""


@dataclass(frozen=True, slots=True)
class Split:
    """What may be published of a row.

    Attributes:
        shown: respondents of each category that stands for itself.
        rest: respondents of all other categories together; None where that is not published.
    """

    shown: Mapping[str, int]
    rest: int | None = None

    def cells(self, total: int) -> dict[str, int]:
        """Labels and counts as they are written; a row without any split has its total."""
        if not self.shown:
            return {EVERYBODY: total}
        return dict(self.shown) | ({REST: self.rest} if self.rest is not None else {})


def split_single(counts: Mapping[str, int], least: int, merged: Collection[str] = ()) -> Split:
    """Split a row of respondents with one answer each.

    Args:
        counts: respondents of every category that the column has anywhere, zeros included.
        least: smallest count that may be known.
        merged: categories that are part of the rest in any case.
    """
    shown = {name: n for name, n in counts.items() if n >= least and name not in merged}
    rest = sum(counts.values()) - sum(shown.values())
    apart = len(counts) > len(shown)
    while apart and rest < least and shown:
        smallest = min(shown, key=lambda name: (shown[name], name))
        rest += shown.pop(smallest)
    return Split(_by_size(shown), rest if shown and apart else None)


def split_several(counts: Mapping[str, int], total: int, least: int, merged: Collection[str] = ()) -> Split:
    """Split a row of respondents who may have several answers each.

    Args:
        counts: respondents of every category that the column has anywhere; their sum may exceed the total.
        total: respondents of the row.
        least: smallest count that may be known.
        merged: categories that are not shown in any case.
    """
    shown = {name: n for name, n in counts.items() if least <= n <= total - least and name not in merged}
    overlap = sum(counts.values()) - total
    if shown and len(shown) == len(counts) and overlap < least:
        shown.pop(min(shown, key=lambda name: (shown[name], name)))
    return Split(_by_size(shown))


def _by_size(shown: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(shown.items(), key=lambda cell: (-cell[1], cell[0])))


def covered_without_any(rows: Collection[Mapping[str, int]], union: Mapping[str, int]) -> bool:
    """Whether the counts of a union say nothing new about any one of the rows it is made of.

    A union holds at most as many respondents of a category as its rows together. Where the other rows already
    account for all of them, nothing follows for the row that is left; where they do not, it must hold the
    difference, and its rest could be taken apart.
    """
    return all(
        sum(row.get(name, 0) for row in rows) - max((row.get(name, 0) for row in rows), default=0) >= n
        for name, n in union.items()
    )
