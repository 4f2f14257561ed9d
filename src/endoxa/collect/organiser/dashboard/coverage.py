"""Coverage by country, so that nobody can be told from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from uuid import UUID

FEWEST = 3
"""People behind any figure that is shown."""

OTHERS = ""
"""Code of the row that holds the countries with fewer people."""


@dataclass(frozen=True)
class Coverage:
    """Pairs about one country: how many there are, how many have k ratings, ratings there and wanted (up to k each)."""

    country: str
    pairs: int
    done: int
    has: int
    wanted: int


def together(countries: Iterable[Coverage], people: Mapping[str, Set[UUID]]) -> tuple[Coverage, ...]:
    """Countries by need, those with answers of fewer than three people merged into a last row.

    The last row could be told from the totals. So where one or two people are behind all of it, the
    shown country with the fewest people joins it, until there are three or nobody. Where that cannot be reached,
    there are no rows.
    """
    rows = {one.country: one for one in countries}
    split = grouped({code: people.get(code, set()) for code in rows})
    if split is None:
        return ()
    shown = sorted((rows[code] for code in split[0]), key=lambda one: (one.has - one.wanted, one.country))
    hidden = [rows[code] for code in split[1]]
    return (*shown, _merged(hidden)) if hidden else tuple(shown)


def grouped(people: Mapping[str, Set[UUID]]) -> tuple[list[str], list[str]] | None:
    """Countries that may stand by themselves, and those to show as one; None where nothing may be shown.

    One and two people are never behind what is shown of a country or of those together. `OTHERS` among the countries
    stands for people of none.
    """
    by_people = sorted(people, key=lambda code: (code != OTHERS, len(people[code]), code))
    hidden = [code for code in by_people if code == OTHERS or len(people[code]) < FEWEST]
    shown = by_people[len(hidden) :]
    while _few(hidden, people) and shown:
        hidden.append(shown.pop(0))
    return None if _few(hidden, people) else (shown, hidden)


def _few(countries: Iterable[str], people: Mapping[str, Set[UUID]]) -> bool:
    behind = set[UUID]().union(*(people[code] for code in countries))
    return 0 < len(behind) < FEWEST


def _merged(countries: Iterable[Coverage]) -> Coverage:
    rows = [(one.pairs, one.done, one.has, one.wanted) for one in countries]
    pairs, done, has, wanted = map(sum, zip(*rows, strict=True))
    return Coverage(OTHERS, pairs, done, has, wanted)
