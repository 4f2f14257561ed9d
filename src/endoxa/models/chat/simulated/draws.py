"""Chance that depends on nothing but its key: no state, no order, the same on every machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")
BITS = 53
"""Bits of a float's fraction."""


@dataclass(frozen=True, slots=True)
class Draws:
    """Independent draws of one answer, each with a name of its own.

    Attributes:
        key: what the answer is drawn for (respondent, seed, item, protocol, turn).
    """

    key: tuple[str, ...]

    def uniform(self, what: str) -> float:
        """The draw called `what`: uniform in [0, 1)."""
        # Lengths in front: no two keys spell the same text.
        text = "".join(f"{len(part)}:{part}" for part in (*self.key, what))
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return float((int.from_bytes(digest, "big") >> (64 - BITS)) / 2**BITS)

    def choose(self, choices: Sequence[T], what: str) -> T:
        """One of `choices`, each as likely."""
        return choices[int(self.uniform(what) * len(choices))]
