"""Which country an open question goes to: the one of which most is still unsaid.

The chance that the next thing somebody says of a country is new is estimated as Good (1953) does, who credits Turing:
mentions that are the only ones of their pair, as a share of all mentions. Whatever is said how often, this is on
average the chance of something new at the last of these mentions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple


class Said(NamedTuple):
    """What people said of a country unprompted: `mentions` in all, and pairs that only `once` person said."""

    mentions: int
    once: int


def unseen_mass(said: Said) -> float:
    """Estimated chance that the next mention is of a pair that nobody mentioned before (0 to 1); 1 before the first.

    Raises:
        ValueError: more pairs were said once than there are mentions, or a count is negative.
    """
    mentions, once = said
    if not 0 <= once <= mentions:
        raise ValueError(f"{once} of {mentions} mentions cannot be the only ones of their pair")
    return once / mentions if mentions else 1.0


def least_said(countries: Iterable[str], said: Mapping[str, Said]) -> list[str]:
    """Countries, those with the largest unseen mass first; those alike in the order given."""
    return sorted(countries, key=lambda country: -unseen_mass(said.get(country, Said(0, 0))))
