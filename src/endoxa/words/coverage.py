"""Which joints of the road a language has words for: `joints.toml` says once what each needs."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from pathlib import Path

from endoxa.words.components import ENGLISH
from endoxa.words.opening import formats, leaves, tree_of
from endoxa.words.packs import PACK, file_with, languages_with, rows_of
from endoxa.words.people import FILE as PEOPLE
from endoxa.words.state import SOURCE, states


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint of the road; the fields are explained in `joints.toml`."""

    name: str
    purpose: str
    components: tuple[str, ...]
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
        there: parts that the language has: the keys of a file that are compared, or the whole file.
        needed: parts that English has.
        missing: files that are missing, and keys as FILE: KEY.
        speakers: how many native speakers have checked all of it.
    """

    language: str
    joint: str
    there: int
    needed: int
    missing: tuple[str, ...]
    speakers: int

    @property
    def word(self) -> str:
        """'none', 'partial N of M', 'source' (English), 'drafted' or 'reviewed by N'."""
        if not self.there:
            return "none"
        if self.there < self.needed:
            return f"partial {self.there} of {self.needed}"
        if self.language == ENGLISH:
            return SOURCE
        return f"reviewed by {self.speakers}" if self.speakers else "drafted"


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
    needed = {name: _parts(ENGLISH, name) if _compared(name) else frozenset([name]) for name in names}
    there = {name: _parts(language, name) & parts for name, parts in needed.items()}
    missing = [
        part
        for name, parts in needed.items()
        for part in ([name] if not there[name] else [f"{name}: {key}" for key in sorted(parts - there[name])])
    ]
    return Coverage(
        language,
        joint.name,
        sum(map(len, there.values())),
        sum(map(len, needed.values())),
        tuple(missing),
        min((state.speakers for state in states(joint.components, [language])), default=0),
    )


def _compared(name: str) -> Sequence[str]:
    """Patterns of the keys of a file that are compared with those of English."""
    patterns: Sequence[str] = formats().get(name, {}).get("compared", ())
    return patterns


@cache
def _parts(language: str, name: str) -> frozenset[str]:
    """The keys that a language has of a file, or the name of the file; none where it has no such file."""
    file, _, kind = name.partition("#")
    if language not in languages_with(file):
        return frozenset()
    if file == PEOPLE:
        kinds = {row["kind"] for row in rows_of(language, PEOPLE) if row["plural"]}
        return frozenset([name] if (kind in kinds if kind else kinds) else [])
    keys = (
        [key for key, _ in leaves(tree_of(Path(str(file_with(language, file)))))] if _compared(name) else []
    )
    parts = {
        "/".join(key[: pattern.count("/") + 1])
        for pattern in _compared(name)
        for key in keys
        if fnmatchcase("/".join(key[: pattern.count("/") + 1]), pattern)
    }
    return frozenset(parts or [name])
