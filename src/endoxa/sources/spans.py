"""The words in which two sentences differ.

Words are separated by blanks, and compared without case and without punctuation at their ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

import regex

_EDGES = regex.compile(r"^[^\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}]+$")


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it stands in the text without punctuation at its ends, and the same case folded."""

    text: str
    folded: str


@dataclass(frozen=True, slots=True)
class Span:
    """Words `[start_more, end_more)` of one sentence against `[start_less, end_less)` of the other."""

    start_more: int
    end_more: int
    start_less: int
    end_less: int


@lru_cache(maxsize=16)  # checks of a pair ask for the same texts in turn
def words(text: str) -> tuple[Word, ...]:
    """Words of a text; what is only punctuation is no word."""
    return tuple(word for token in text.split() if (word := _word(token)) is not None)


@lru_cache(maxsize=1 << 16)
def _word(token: str) -> Word | None:
    """What stands between blanks as a word; None where it is only punctuation."""
    stripped = _EDGES.sub("", token)
    return Word(stripped, stripped.casefold()) if stripped else None


def differing_spans(more: Sequence[Word], less: Sequence[Word]) -> tuple[Span, ...]:
    """Stretches of words in which the two differ, in order; empty where they share every word.

    Common words at both ends are set aside first, so that the usual pair (one word replaced) costs no
    alignment; what remains is aligned by `difflib`.
    """
    a, b = [word.folded for word in more], [word.folded for word in less]
    shortest = min(len(a), len(b))
    head = next((i for i in range(shortest) if a[i] != b[i]), shortest)
    tail = next((i for i in range(shortest - head) if a[-1 - i] != b[-1 - i]), shortest - head)
    left, right = a[head : len(a) - tail], b[head : len(b) - tail]
    if len(left) <= 1 and len(right) <= 1:
        return (Span(head, head + len(left), head, head + len(right)),) if left or right else ()
    blocks = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    return tuple(Span(head + i, head + j, head + k, head + m) for tag, i, j, k, m in blocks if tag != "equal")


def differing_words(sentence: str, other: str) -> str | None:
    """Words of `sentence` where it differs from `other`: lower case, each once, joined by blanks; or None."""
    left, right = words(sentence), words(other)
    found = (
        word.text.lower()
        for span in differing_spans(left, right)
        for word in left[span.start_more : span.end_more]
    )
    return " ".join(dict.fromkeys(found)) or None
