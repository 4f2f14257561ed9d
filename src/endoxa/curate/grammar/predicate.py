"""What a sentence says of its group, and the denial of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

import regex

LONGEST_WORDS = 12
LONGEST_CHARACTERS = 90

_SPACES = re.compile(r"\s+")
_EDGES = regex.compile(r"^[^\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}%)']+$")
_INSIDE = regex.compile(r"[^\p{L}\p{M}\p{N}\s'’‘()&%+.\u00a0\u200c\u200d-]|\.(?=\s)")


class UnclearError(ValueError):
    """Why no grammatical sentence can be made, as the end of a sentence about the attribute or the identity."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """A predicate and its denial.

    Attributes:
        asserted: what is said, with its copula or verb ("are strong", "talk too much", "are not smart").
        denied: the same denied ("are not strong", "do not talk too much", "are smart").
        core: the attribute whose opposite may be looked for ("strong"); empty where `asserted` is a negation already.
        frame: `asserted` with `{}` in place of the core.
    """

    asserted: str
    denied: str
    core: str = ""
    frame: str = "{}"


def cleaned(attribute: str) -> str:
    """An attribute in one line, without marks at its ends (emoji too) and quotation marks; apostrophes straight.

    Raises:
        UnclearError: nothing is left, it is too long for a predicate, or it holds several statements.
    """
    straight = re.sub(r"[“”„«»\"]", "", re.sub(r"[‘’`´]", "'", attribute))
    text: str = _EDGES.sub("", _SPACES.sub(" ", straight).strip())
    if not regex.search(r"\p{L}", text):
        raise UnclearError("the attribute holds no word" if attribute.strip() else "the attribute is empty")
    if len(text) > LONGEST_CHARACTERS or len(text.split()) > LONGEST_WORDS:
        raise UnclearError(
            f"the attribute has {len(text.split())} words and {len(text)} characters, too long for one predicate"
        )
    match = _INSIDE.search(text)
    if match:
        raise UnclearError(f"the attribute holds '{match.group()}', so it may be more than one predicate")
    return text
