"""Thoughts about questions as readers see them, and codes as readers give them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from endoxa.schema.thoughts import ARGUED, CODES

YES, NO, NONE = "yes", "no", "none"
LETTERS = "ABC"
Codes = Mapping[str, str]
"""Codes of one thought: 'yes' or 'no' for each of `schema.thoughts.CODES`, a letter or 'none' for `ARGUED`."""


@dataclass(frozen=True, slots=True)
class ThoughtText:
    """A thought as readers see it.

    Attributes:
        name: what tells it from every other of its run.
        model: the model that thought it.
        question: what the model was asked, with lettered options.
        thought: the thought.
        by_rules: what rules read in it; empty where it was cut off.
        cut_off: it did not end before an answer.
        language: ISO 639 code, or empty.
    """

    name: str
    model: str
    question: str
    thought: str
    by_rules: Codes = field(default_factory=dict)
    cut_off: bool = False
    language: str = ""

    @property
    def key(self) -> str:
        """A short name that tells neither the model nor the question."""
        return hashlib.blake2b(self.name.encode(), digest_size=8).hexdigest()


CHOICES: Mapping[str, tuple[str, ...]] = {**dict.fromkeys(CODES, (YES, NO)), ARGUED: (*LETTERS, NONE)}
"""What is coded, with the answers that each code takes."""


def letter_of(option: int | None, order: Sequence[int]) -> str:
    """The letter before an option as shown; 'none' for None."""
    return NONE if option is None else LETTERS[list(order).index(option)]
