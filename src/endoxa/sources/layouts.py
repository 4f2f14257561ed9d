"""Published layouts that hold no sentence pairs: recognised by their columns, each with the command that takes it.

The list is `layouts.toml`; `endoxa.curate.published` makes associations of those that have a `unit`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from pathlib import Path

from endoxa.errors import UserError
from endoxa.sources.source import understood_once
from endoxa.sources.tables import TABLE_SUFFIXES, written_columns


@dataclass(frozen=True, slots=True)
class Layout:
    """A published layout.

    Attributes:
        name: word on the command line.
        title: what it is, in one line.
        columns: those by which a file is recognised.
        takes: commands that take such a file.
        checked: what the layout was checked against.
        published: where its files are, and which file it is; empty where nobody has seen it.
        unit: what a row of associations is: statements, counts or ratings; empty where it holds none.
        roles: our name of a column -> the file's.
        people: columns whose numbers of people are added up.
        judged: whether the same people judged every row, so that rows are not added up.
        support: smallest number of people from which an association is a stereotype.
        support_rule: why, as the end of a sentence.
        score: smallest rating that counts.
        file_name: pattern of the file's name that holds language and region.
        axis: of rows that say none; likewise region and language.
        axes: our word for an axis by the file's.
        languages: ISO 639 code by the file's name of a language.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    takes: str
    checked: str
    published: str = ""
    unit: str = ""
    roles: Mapping[str, str] = field(default_factory=dict)
    people: tuple[str, ...] = ()
    judged: bool = False
    support: int = 1
    support_rule: str = ""
    score: int = 0
    file_name: str = ""
    axis: str = ""
    region: str = ""
    language: str = ""
    axes: Mapping[str, str] = field(default_factory=dict)
    languages: Mapping[str, str] = field(default_factory=dict)

    @property
    def needed(self) -> str:
        """What to do where somebody gives the name in place of a file."""
        at = f" ({self.published})" if self.published else ""
        return (
            f"'{self.name}' is the layout of a published file, which endoxa does not download. "
            f"Download the file from its authors{at} and give its path. Its columns are: {', '.join(self.columns)}. "
            f"It is taken by: {self.takes}."
        )

    def said_by_name(self, path: Path) -> dict[str, str]:
        """Language and region that the name of a file holds."""
        match = re.search(self.file_name, path.name) if self.file_name else None
        return {name: value.replace("_", " ") for name, value in match.groupdict().items()} if match else {}


@cache
def layouts() -> Mapping[str, Layout]:
    """Every layout by name."""
    listed = tomllib.loads(files("endoxa.sources").joinpath("layouts.toml").read_text(encoding="utf-8"))
    for declared in listed.values():
        declared |= {key: tuple(declared[key]) for key in ("columns", "people") if key in declared}
    return {name: Layout(name=name, **declared) for name, declared in listed.items()}


@understood_once
def layout_of(path: Path) -> Layout | None:
    """The layout that a table has by its columns; None where it has none, or is no table that can be read."""
    if path.suffix.lower() not in TABLE_SUFFIXES or not path.is_file():
        return None
    try:
        there = set(written_columns(path))
    except UserError:  # whoever reads the file says what is wrong with it
        return None
    return next((layout for layout in layouts().values() if there.issuperset(layout.columns)), None)


def layout_named(name: str) -> Layout:
    """The layout called `name`. Raises UserError with the nearest names where there is none."""
    if name not in layouts():
        near = get_close_matches(name, layouts(), n=3) or list(layouts())
        raise UserError(f"Unknown layout '{name}'. Did you mean: {', '.join(near)}?")
    return layouts()[name]
