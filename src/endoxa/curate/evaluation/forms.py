"""Forms in which pairs are compared: strict, loose, equivalent (README of the shared data folder `afristereo`)."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

_IRREGULAR = {"women": "woman", "men": "man", "children": "child", "people": "person"}
_CONTRACTED = (
    (" arent ", " not "),
    (" isnt ", " not "),
    (" dont ", " do not "),
    (" doesnt ", " do not "),
    (" does not ", " do not "),
    (" cant ", " can not "),
    (" cannot ", " can not "),
    (" shouldnt ", " should not "),
    (" havent ", " have not "),
)
_EMPTY = re.compile(
    r"\b(the|a|an|all|very|so|too|always|just|that|have|has|can|should|must|be|are|to|people|somehow|individuals)\b"
)


def strict(text: str) -> str:
    """Lower case, letters and digits only, single spaces; apostrophes are deleted, other marks are spaces."""
    folded = unicodedata.normalize("NFKC", text).lower()
    without = re.sub(r"[^\w\s]|_", " ", re.sub(r"[’‘`´']", "", folded))
    return " ".join(without.split())


def loose_attribute(text: str) -> str:
    """The strict form without one copula in front."""
    return re.sub(r"^(?:are|is|was|were|be|being) (?=\S)", "", strict(text))


def loose_identity(text: str) -> str:
    """The strict form in the singular, without a determiner in front and a final "people" or "state"."""
    bare = re.sub(r"^(?:the|all|most|some|many) (?=\S)", "", strict(text))
    bare = re.sub(r"(?<=\S) (?:people|state)$", "", bare)
    return " ".join(map(singular, bare.split()))


def singular(word: str) -> str:
    """The word without a plural's ending, by rule."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


def attribute_parts(text: str) -> frozenset[tuple[str, ...]]:
    """What an attribute says, cut at "and", "or", commas and slashes; contractions and empty words aside.

    Two readings are equivalent if they say the same parts: {"smart", "intelligent"} and "smart and intelligent".
    """
    pieces = re.split(r"\b(?:and|or)\b|,|/", loose_attribute(text))
    return frozenset(part for piece in pieces if (part := _part(piece)))


def _part(piece: str) -> tuple[str, ...]:
    padded = f" {piece} "
    for contracted, full in _CONTRACTED:
        padded = padded.replace(contracted, full)
    return tuple(map(singular, _EMPTY.sub(" ", padded).split()))


def token_f1(first: str, second: str) -> float:
    """F1 of the words of two attributes in loose form, repeats counted."""
    left, right = loose_attribute(first).split(), loose_attribute(second).split()
    if not left or not right:
        return float(left == right)
    shared = sum((Counter(left) & Counter(right)).values())
    return 2 * shared / (len(left) + len(right))
