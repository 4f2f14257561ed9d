"""Positions of identity and attribute in a statement, so that a page can mark both."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

import regex

IDENTITY, ATTRIBUTE = "identity", "attribute"

_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*")
_SHORT = 3
"""Words of at most this length do not identify a span: "of", "are" and "not" are everywhere."""
_STEM = 4
"""Letters that two forms of a word share at least ("Igbos", "igbo"; "loudly", "loud")."""


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a statement; `role` is `IDENTITY`, `ATTRIBUTE` or empty."""

    text: str
    role: str


def parts(statement: str, identity: str, attribute: str) -> list[Part]:
    """The statement in stretches; together they are the statement, letter by letter.

    The attribute is looked for outside of the identity. What is not found is not marked: identities and attributes are
    normalised, so that "grannies" may stand for "old people".
    """
    roles = [""] * len(statement)
    for words, role in ((identity, IDENTITY), (attribute, ATTRIBUTE)):
        for start, end in _places(statement, words, roles):
            roles[start:end] = [role] * (end - start)
    return [
        Part("".join(letter for letter, _ in group), role)
        for role, group in groupby(zip(statement, roles, strict=True), key=lambda pair: pair[1])
    ]


def has(marked: list[Part], role: str) -> bool:
    """Whether something has that role."""
    return any(part.role == role for part in marked)


def _places(statement: str, words: str, roles: list[str]) -> list[tuple[int, int]]:
    """Where the words stand: in one piece, else from the first to the last of those that are found near each other."""
    if not words.strip():
        return []
    pattern = regex.compile(
        rf"(?<![\p{{L}}\p{{N}}]){regex.escape(words.strip())}(?![\p{{L}}\p{{N}}])", regex.IGNORECASE
    )
    for match in pattern.finditer(statement):
        if not any(roles[match.start() : match.end()]):
            return [match.span()]
    wanted = [word.group().casefold() for word in _WORD.finditer(words)]
    near = [
        match.span()
        for match in _WORD.finditer(statement)
        if not any(roles[match.start() : match.end()])
        and any(_alike(match.group().casefold(), word) for word in wanted)
    ]
    return _joined(statement, near)


def _alike(word: str, other: str) -> bool:
    """Whether both are forms of one word: equal, or with the same beginning."""
    if word == other:
        return len(word) > _SHORT or not word.isascii()
    shortest = min(len(word), len(other))
    return shortest >= _STEM and word[:_STEM] == other[:_STEM] and abs(len(word) - len(other)) <= _STEM


def _joined(statement: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Neighbours with nothing but blanks between them become one."""
    made: list[tuple[int, int]] = []
    for start, end in spans:
        if made and not statement[made[-1][1] : start].strip():
            made[-1] = (made[-1][0], end)
        else:
            made.append((start, end))
    return made
