"""Which joints of the road a language has words for: `joints.toml` says once what each needs."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from endoxa.words.components import COMPONENTS, ENGLISH, languages_of, parsed, texts_of
from endoxa.words.opening import formats
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
    needed = {name: _reference(name) for name in joint.files_of(language) or joint.components}
    is_source = language == ENGLISH and not joint.files
    there = {name: parts if is_source else _parts(language, name) & parts for name, parts in needed.items()}
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


@cache
def _reference(name: str) -> frozenset[str]:
    """The parts that English has of a file (the file itself where its keys are not compared), or any of a component."""
    if name in COMPONENTS:
        return frozenset().union(*(_parts(code, name) for code in languages_of(COMPONENTS[name])))
    return _parts(ENGLISH, name) if formats().get(name, {}).get("compared") else frozenset([name])


def _parts(language: str, name: str) -> frozenset[str]:
    """The keys that a language has of a file, or its texts of a component; none where it has no such file."""
    if name in COMPONENTS:
        return frozenset(text.english or text.key for text in texts_of(COMPONENTS[name], language))
    name_of_file, _, kind = name.partition("#")
    if language not in languages_with(name_of_file):
        return frozenset()
    if name_of_file == PEOPLE:
        kinds = {row["kind"] for row in rows_of(language, PEOPLE) if row["plural"]}
        return frozenset([name] if (kind in kinds if kind else kinds) else [])
    compared: Iterable[str] = formats().get(name, {}).get("compared", ())
    if not compared:
        return frozenset([name])
    tree = parsed(name, file_with(language, name).read_text(encoding="utf-8"))
    return frozenset(path for pattern in compared for path in _paths(tree, pattern.split("/")))


def _paths(tree: Mapping[str, Any], pattern: Sequence[str]) -> Iterator[str]:
    """The keys of a tree that a pattern names, joined."""
    first, *rest = pattern
    for key, value in tree.items():
        if first in ("*", key):
            if rest and isinstance(value, Mapping):
                yield from (f"{key}/{path}" for path in _paths(value, rest))
            elif not rest:
                yield str(key)
