"""Published layouts that hold no sentence pairs: recognised by their columns, each with the command that takes it.

The list is `layouts.toml`; `endoxa.curate.published` makes associations of those that have a `unit`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from pathlib import Path

from endoxa.errors import UserError
from endoxa.sources.headers import is_usual, plain_name
from endoxa.sources.source import current_reading, understood_once
from endoxa.sources.spreadsheets import columns_of_sheet, sheets_with_tables
from endoxa.sources.tables import TABLE_SUFFIXES, written_columns

SENTENCES = "sentences"
"""Unit of layouts that have sentences without their groups and attributes."""


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
        unit: what a row is: statements, counts or ratings of associations, or sentences; empty for anything else.
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

    def columns_in(self, names: Sequence[str]) -> dict[str, str]:
        """The file's name of each column that we know -> ours, in any spelling.

        Who said what may have any usual name ("Participant ID"), because a workbook's differs from a table made of it.
        """
        plain = {plain_name(name): name for name in reversed(names)}
        known = (*self.columns, *self.roles.values(), *self.people)
        there = {plain[plain_name(column)]: column for column in known if plain_name(column) in plain}
        for role in ("respondent", "statement"):
            column = self.roles.get(role)
            if column in self.columns and column not in there.values():
                usual = next((name for name in names if name not in there and is_usual(name, role)), None)
                there |= {usual: column} if usual else {}
        return there

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


def ratings_layout(names: Collection[str]) -> Layout | None:
    """The layout of published ratings that a table with these columns has; None where it has none."""
    rated = (layout for layout in layouts().values() if layout.unit == "ratings")
    return next((layout for layout in rated if set(layout.columns) <= set(names)), None)


@dataclass(frozen=True, slots=True)
class Recognised:
    """A file in a published layout.

    Attributes:
        layout: which.
        columns: the file's names of columns -> the layout's.
        sheet: that of a workbook with several; None for the only table.
    """

    layout: Layout
    columns: Mapping[str, str]
    sheet: str | None = None


@understood_once
def recognised_as(path: Path, name: str | None = None) -> Recognised | None:
    """The layout that a table has by its columns, in the first sheet that has one; None where none has.

    Args:
        path: a table; what cannot be read has no layout.
        name: look only for the layout of this name.

    Raises:
        UserError: there is no layout of that name.
    """
    sought = layouts().values() if name is None else (layout_named(name),)
    if path.suffix.lower() not in TABLE_SUFFIXES or not path.is_file():
        return None
    try:
        sheets = list(_sheets(path))
    except UserError:  # whoever reads the file says what is wrong with it
        return None
    for sheet, names in sheets:
        for layout in sought:
            columns = layout.columns_in(names)
            if set(layout.columns) <= set(columns.values()):
                return Recognised(layout, columns, sheet)
    return None


def _sheets(path: Path) -> Iterator[tuple[str | None, tuple[str, ...]]]:
    """Each sheet that may be meant, with the names of its columns."""
    titles = sheets_with_tables(path) if current_reading().sheet is None else []
    if len(titles) > 1:
        for title in titles:
            yield title, columns_of_sheet(path, title)
    else:
        yield None, written_columns(path)


def layout_of(path: Path) -> Layout | None:
    """The layout that a table has; see `recognised_as`."""
    recognised = recognised_as(path)
    return recognised.layout if recognised else None


def layout_named(name: str) -> Layout:
    """The layout called `name`. Raises UserError with the nearest names where there is none."""
    if name not in layouts():
        near = get_close_matches(name, layouts(), n=3) or list(layouts())
        raise UserError(f"Unknown layout '{name}'. Did you mean: {', '.join(near)}?")
    return layouts()[name]
