"""What every set and every test must fulfil, whatever file it comes from."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from endoxa.datasets.files import undecodable
from endoxa.errors import UserError
from endoxa.schema import AssociationTest, TermSet

FEWEST_TEXTS = 2


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a file something stands, for the sentence of an error."""

    path: Path
    part: str = ""

    def inside(self, part: str) -> Place:
        """A part of this place."""
        return Place(self.path, f"{self.part}, {part}" if self.part else part)

    def problem(self, sentence: str) -> UserError:
        """The error to raise."""
        return UserError(f"{self.path}{f', {self.part}' if self.part else ''}: {sentence}.")


def make_set(
    name: object, texts: object, where: Place, *, terms: object = (), collapse: bool = False
) -> TermSet:
    """A set from what a file holds.

    Args:
        name: what the set stands for.
        texts: the list of texts.
        where: for messages.
        terms: the term behind each text, or nothing.
        collapse: keep the first of equal texts instead of refusing them, as the published code does, which
            keeps vectors under their text.

    Raises:
        UserError: not text, empty, fewer than two, or a text twice.
    """
    if not isinstance(name, str):
        raise where.problem("its name is not text")
    found = _texts(texts, where)
    behind = _texts(terms, where, allow_none=True)
    if behind and len(behind) != len(found):
        raise where.problem(
            f"it has {len(found)} texts but {len(behind)} terms: expected one for each, or none"
        )
    text, times = Counter(found).most_common(1)[0] if found else ("", 0)
    if times > 1 and not collapse:
        raise where.problem(f"'{text}' stands {times} times in one set: keep it once")
    if len(set(found)) < FEWEST_TEXTS:
        raise where.problem(
            f"it holds {len(set(found))} texts: expected at least {FEWEST_TEXTS}, all different"
        )
    if times > 1:
        found = list(dict.fromkeys(found))
    return TermSet(name, tuple(found), tuple(behind))


def _texts(found: object, where: Place, *, allow_none: bool = False) -> list[str]:
    if not isinstance(found, list | tuple):
        raise where.problem(f"found {type(found).__name__}, expected a list of texts")
    for number, text in enumerate(found, 1):
        if not isinstance(text, str):
            raise where.problem(f"text {number} is {text!r}: expected text in quotation marks")
        if not text.strip() and not allow_none:
            raise where.problem(f"text {number} is empty")
        if undecodable(text):
            raise where.problem(f"text {number} holds half a character (a lone surrogate): write it again")
    return list(found)


def require_test(test: AssociationTest, where: Place) -> AssociationTest:
    """The test itself, where its two targets and its two attributes are different sets.

    Raises:
        UserError: X is Y, or A is B, so that there is nothing to compare.
    """
    if undecodable(test.name + test.axis + test.language + test.source):
        raise where.problem("a word of it holds half a character (a lone surrogate): write it again")
    for one, other, letters in ((test.x, test.y, "X and Y"), (test.a, test.b, "A and B")):
        if set(one.texts) == set(other.texts):
            raise where.problem(f"{letters} are the same set: there is nothing to compare")
    return test
