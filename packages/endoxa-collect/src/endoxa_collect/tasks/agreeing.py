"""When judges of one item agree, and when another one is needed: for rooms whose answers are right or wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Value = TypeVar("Value", bound=Hashable)

UNJUDGED, WAITING, AGREED, MAJORITY, DISPUTED = "unjudged", "waiting", "agreed", "majority", "disputed"

STATES: dict[str, str] = {
    UNJUDGED: "nobody has judged the item",
    WAITING: "another judge is needed",
    AGREED: "all judges said the same",
    MAJORITY: "more than half said the same",
    DISPUTED: "no answer has more than half of the judges",
}
"""How far an item is, with its meaning."""


@dataclass(frozen=True, slots=True)
class Settled(Generic[Value]):
    """What judges come to.

    Attributes:
        state: one of `STATES`.
        value: what was agreed; None where nothing was (yet).
        differ: two judges or more said different things.
    """

    state: str
    value: Value | None
    differ: bool


def needed_with_third(needed: int, values: Sequence[Hashable]) -> int:
    """Judges that an item needs: one more where the first `needed`, at least two, have no majority."""
    first = values[:needed]
    if needed >= 2 and len(first) == needed and majority(first) is None:
        return needed + 1
    return needed


def majority(values: Sequence[Value]) -> Value | None:
    """The majority answer; None without a majority."""
    if not values:
        return None
    value, count = Counter(values).most_common(1)[0]
    return value if 2 * count > len(values) else None


def settle(needed: int, values: Sequence[Value]) -> Settled[Value]:
    """What the answers of judges come to, in the order in which they were given."""
    differ = len(set(values)) > 1
    if not values:
        return Settled(UNJUDGED, None, differ)
    if len(values) < needed_with_third(needed, values):
        return Settled(WAITING, None, differ)
    winner = majority(values)
    if winner is None:
        return Settled(DISPUTED, None, differ)
    return Settled(MAJORITY if differ else AGREED, winner, differ)
