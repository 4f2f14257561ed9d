"""Which of many members differ, from the verdicts of all comparisons of two: compact letters, and groups apart."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from string import ascii_letters

MOST_SETS = 500
"""With more sets of members that do not differ, letters would say nothing that can be read."""


def compact_letters(members: Sequence[str], different: Collection[frozenset[str]]) -> dict[str, str]:
    """Letters of each member: two members share a letter exactly when they are not among those that differ.

    The sets behind the letters are found by insertion and absorption (Piepho 2004, Journal of Computational and
    Graphical Statistics 13, 456-466). They are named in the order of their first members.

    Args:
        members: the members, in the order in which letters are given.
        different: every two that differ.

    Returns:
        Letters by member; empty where there would be more sets than letters.
    """
    sets = [frozenset(members)]
    for first, second in sorted(map(sorted, different)):
        both = {first, second}
        parts = [part - {left} for part in sets for left in (both if both <= part else [None])]
        sets = [part for part in dict.fromkeys(parts) if not any(part < other for other in parts)]
        if len(sets) > MOST_SETS:
            return {}
    if len(sets) > len(ascii_letters):
        return {}
    places = {member: place for place, member in enumerate(members)}
    ordered = sorted(sets, key=lambda part: sorted(places[member] for member in part))
    return {
        member: "".join(
            letter for letter, part in zip(ascii_letters, ordered, strict=False) if member in part
        )
        for member in members
    }


def groups_apart(members: Sequence[str], different: Collection[frozenset[str]]) -> list[list[str]]:
    """The smallest groups such that every two members of unlike groups differ.

    Args:
        members: the members; groups, and members within them, keep their order.
        different: every two that differ.
    """
    groups: list[list[str]] = []
    for member in members:
        joined = [group for group in groups if any({member, other} not in different for other in group)]
        merged = sorted([*(other for group in joined for other in group), member], key=members.index)
        groups = [*(group for group in groups if group not in joined), merged]
    return sorted(groups, key=lambda group: members.index(group[0]))
