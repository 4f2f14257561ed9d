"""What a page is made of: sections of plain sentences, figures and tables. Nothing here knows about HTML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart with what somebody needs who cannot see it.

    Attributes:
        name: stem of its files, unique in the report: lower-case letters, digits and hyphens.
        title: heading above it.
        chart: an Altair chart.
        alt: what it shows, in words and numbers.
        wide: True where it needs the whole width of the page.
    """

    name: str
    title: str
    chart: alt.TopLevelMixin
    alt: str
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table; numbers are set right-aligned, what may hurt (`veiled`) is blurred until asked for."""

    name: str
    numeric: bool = False
    veiled: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table of finished texts; the first cell of a row is its heading.

    Attributes:
        caption: one line that says what it holds.
        columns: its columns.
        rows: one tuple of texts per row, as long as `columns`.
        folded: True where it stays closed until it is asked for.
        notes: what its marks and gaps mean, below it.
    """

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    folded: bool = False
    notes: tuple[str, ...] = ()

    @property
    def veiled(self) -> bool:
        """True where a column is blurred until asked for."""
        return any(column.veiled for column in self.columns)


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence and what it rests on; the battery of sentences checks one against the other.

    Attributes:
        text: the sentence.
        rests_on: rows of estimates (with their `verdict`), or counts: every number in the sentence is one of theirs.
    """

    text: str
    rests_on: tuple[Mapping[str, Any], ...] = ()

    def __str__(self) -> str:
        """The sentence, as templates print it."""
        return self.text


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, sentences that say what was found, figures, tables, and notes on how to read them.

    Attributes:
        anchor: id of its heading, unique in the page.
        title: its heading.
        findings: sentences made from the numbers.
        figures: drawn side by side where the page is wide.
        tables: below the figures.
        notes: how to read figures and tables.
    """

    anchor: str
    title: str
    findings: tuple[Finding, ...] = ()
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()
