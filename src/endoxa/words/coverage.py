"""Which joints of the road a language has words for: `joints.toml` says once what each needs."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from endoxa.words.components import ENGLISH
from endoxa.words.packs import PACK, languages_with, rows_of
from endoxa.words.people import FILE as PEOPLE
from endoxa.words.state import SOURCE


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint of the road; the fields are explained in `joints.toml`."""

    name: str
    purpose: str
    files: tuple[str, ...] = ()
    english: tuple[str, ...] = ()

    def files_of(self, language: str) -> tuple[str, ...]:
        """The files that it needs of a language."""
        return self.english if language == ENGLISH and self.english else self.files


@dataclass(frozen=True, slots=True)
class Coverage:
    """A joint in a language.

    Attributes:
        language: ISO 639 code.
        joint: its name.
        needed: number of files that it needs.
        missing: those that the language lacks.
    """

    language: str
    joint: str
    needed: int
    missing: tuple[str, ...]

    @property
    def word(self) -> str:
        """'none', 'partial N of M', 'source' (English) or 'drafted'."""
        there = self.needed - len(self.missing)
        if self.missing:
            return f"partial {there} of {self.needed}" if there else "none"
        return SOURCE if self.language == ENGLISH else "drafted"


@cache
def joints() -> tuple[Joint, ...]:
    """Every joint of the road, in its order."""
    text = files(__package__).joinpath("joints.toml").read_text(encoding="utf-8")
    return tuple(
        Joint(name, table.pop("purpose"), **{key: tuple(names) for key, names in table.items()})
        for name, table in tomllib.loads(text).items()
    )


def coverage(languages: Sequence[str] = ()) -> list[Coverage]:
    """Every joint in every language that is a pack, or in those named; packs in use are among them."""
    return [_covered(joint, code) for code in languages or languages_with(PACK) for joint in joints()]


def _covered(joint: Joint, language: str) -> Coverage:
    names = joint.files_of(language)
    return Coverage(
        language, joint.name, len(names), tuple(name for name in names if not _has(language, name))
    )


def _has(language: str, name: str) -> bool:
    """Whether a language has a file; of people, words for the kind behind "#", or for any."""
    file, _, kind = name.partition("#")
    if file != PEOPLE:
        return language in languages_with(file)
    kinds = {row["kind"] for row in rows_of(language, PEOPLE) if row["plural"]}
    return kind in kinds if kind else bool(kinds)
