"""Plain "X are Y" in a few other languages, for statements that nobody translated."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

LONGEST = 6
"""Words of a subject: what is longer was not read rightly without a grammar."""


@dataclass(frozen=True, slots=True)
class ForeignSplit:
    """A statement in another language cut in two.

    Attributes:
        start: first token of the subject, behind its article.
        end: token behind the subject.
        predicate: first token of what is said.
    """

    start: int
    end: int
    predicate: int


@cache
def _languages() -> dict[str, dict[str, frozenset[str]]]:
    table = tomllib.loads(files(__package__).joinpath("other_languages.toml").read_text(encoding="utf-8"))
    return {code: {name: frozenset(found) for name, found in part.items()} for code, part in table.items()}


def find_foreign_split(tokens: Sequence[str]) -> ForeignSplit | None:
    """Cut at the first finite verb of a language whose article stands in front, or None.

    The article tells the languages apart ("le", "los", "os"); where a language has none, its copula must
    stand right behind one or two words. The copula is left out, any other verb is part of what is said.
    """
    low = [token.lower() for token in tokens]
    for known in _languages().values():
        start = 0
        while start < len(low) and low[start] in known["articles"]:
            start += 1
        if bool(start) != bool(known["articles"]):
            continue
        verb = next((at for at in range(start + 1, len(low) - 1) if low[at] in known["verbs"]), None)
        longest = LONGEST if start else 2
        if verb is not None and verb - start <= longest:
            return ForeignSplit(start, verb, verb + (low[verb] in known["copulas"]))
    return None
