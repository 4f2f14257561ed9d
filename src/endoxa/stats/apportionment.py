"""How many of a sample each group gets: in proportion to its size, every group represented as far as that goes."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from math import sqrt
from typing import TypeVar

K = TypeVar("K")
Path = tuple[str, ...]


def apportioned(
    sizes: Mapping[K, int], places: int, order: Callable[[K], int], least: Mapping[K, int] | None = None
) -> dict[K, int]:
    """Places of each group by the method of equal proportions (Huntington and Hill; US House of Representatives).

    Each next place goes to the group of the highest size / sqrt(n (n + 1)), n its places so far. Every group gets its
    first place before any gets a second one; of more groups than places the largest are represented. No group gets more
    places than its size.

    Args:
        sizes: size of each group, at least 1.
        places: how many places there are.
        order: decides between groups of one size, the lowest first.
        least: places that each group gets first, together at most `places`; one each where not said.
    """
    first = sorted(sizes, key=lambda group: (-sizes[group], order(group)))[:places]
    seats = dict.fromkeys(sizes, 0) | {group: 1 if least is None else least[group] for group in first}

    def waiting(group: K) -> tuple[float, int, K]:
        return -sizes[group] / sqrt(seats[group] * (seats[group] + 1)), order(group), group

    heap = [waiting(group) for group in first if seats[group] < sizes[group]]
    heapq.heapify(heap)
    for _ in range(places - sum(seats.values())):
        if not heap:
            break
        _, _, group = heapq.heappop(heap)
        seats[group] += 1
        if seats[group] < sizes[group]:
            heapq.heappush(heap, waiting(group))
    return seats


def apportioned_within(
    sizes: Mapping[Path, int], places: int, order: Callable[[Path], int]
) -> dict[Path, int]:
    """Places of each stratum of nested groups: among the first parts of the names, then within each among the second.

    Every stratum gets a place where there are enough. Where there are not, a group counts by its strata and not by its
    size, so that as many strata as possible get one.

    Args:
        sizes: size of each stratum, named from its widest group to its narrowest, all names of one length.
        places: how many places there are.
        order: as for `apportioned`, of names and their beginnings.
    """
    seats: dict[Path, int] = {(): places}
    for length in range(1, len(next(iter(sizes), ())) + 1):
        total: dict[Path, Counter[Path]] = defaultdict(Counter)
        strata: dict[Path, Counter[Path]] = defaultdict(Counter)
        for name, size in sizes.items():
            total[name[: length - 1]][name[:length]] += size
            strata[name[: length - 1]][name[:length]] += 1
        within: dict[Path, int] = {}
        for outer, count in strata.items():
            n = seats[outer]
            enough = n >= count.total()
            within |= apportioned(total[outer], n, order, count) if enough else apportioned(count, n, order)
        seats = within
    return seats
