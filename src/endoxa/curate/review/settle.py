"""What stands where several voices speak about one thing: never decided silently."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from endoxa.curate.review.text import same

Resolve = Literal["none", "first", "majority"]
RESOLVES: dict[Resolve, str] = {
    "none": "the table stays as it is",
    "first": "the table's voice counts where it has one, else that of the first sheet",
    "majority": "more than half of the voices decide, else the table stays as it is",
}
"""What to do where reviewers disagree, with its meaning."""

TABLE = "the table"
"""Name of the voice of a table that was changed since a sheet was made."""


@dataclass(frozen=True, slots=True)
class Voice:
    """What one reviewer, or the table, wants to stand in one place."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What comes of some voices.

    Attributes:
        value: what stands; None where nothing was settled.
        by: whose value it is.
        agreed: whether all said the same.
    """

    value: str | None
    by: tuple[str, ...]
    agreed: bool


def settle(voices: Sequence[Voice], resolve: Resolve) -> Outcome:
    """What stands in one place.

    Args:
        voices: at least one; the table's first, then in the order of the sheets.
        resolve: what to do where they differ (`RESOLVES`).
    """
    values = [next(first.value for first in voices if same(first.value, voice.value)) for voice in voices]
    counts = Counter(values)
    if len(counts) == 1:
        return _outcome(values[0], values, voices, agreed=True)
    if resolve == "first":
        return _outcome(values[0], values, voices, agreed=False)
    value, count = counts.most_common(1)[0]
    if resolve == "majority" and 2 * count > len(values):
        return _outcome(value, values, voices, agreed=False)
    return Outcome(None, (), agreed=False)


def _outcome(value: str, values: Sequence[str], voices: Sequence[Voice], *, agreed: bool) -> Outcome:
    by = tuple(voice.name for voice, said in zip(voices, values, strict=True) if said == value)
    return Outcome(value, by, agreed)
