"""What a page is made of: sections of plain sentences, figures and tables. Nothing here knows about HTML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from endoxa.report.tables import Table

if TYPE_CHECKING:
    import polars as pl

    from endoxa.report.closer import Choices
    from endoxa.report.grids import Grids
    from endoxa.report.plots import Plot


@dataclass(frozen=True, slots=True)
class Figure:
    """What is drawn, with what somebody needs who cannot see it.

    Attributes:
        name: stem of its files, unique in the report: lower-case letters, digits and hyphens.
        title: heading above it.
        plot: what is drawn: rows of dots, bars or curves (`plots`), or cells (`grids`).
        alt: what it shows, in words and numbers.
        wide: True where it needs the whole width of the page.
        rows: what it shows, as a table that readers can download, or None.
        choices: boxes above it that choose among its rows (`closer.closer_section`), or None.
        reading: a line below the title that says how to read it, or empty.
    """

    name: str
    title: str
    plot: Plot | Grids
    alt: str
    wide: bool = False
    rows: pl.DataFrame | None = None
    choices: Choices | None = None
    reading: str = ""

    def _repr_svg_(self) -> str:
        """The figure, in a notebook."""
        from endoxa.report.draw import drawing

        return drawing(self).svg

    def save(self, path: str | Path) -> None:
        """Write the figure as SVG, as large as on a screen."""
        Path(path).write_text(self._repr_svg_(), encoding="utf-8")


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
        lead: a paragraph that introduces what follows.
        skip: words of a link past a long table, at the end of `lead`.
        closing: a note below everything else, where `skip` leads to.
        folded: closed until somebody asks for it: what was run, methods, how to repeat.
        template: name of the template of what the page frame has no words for (methods, explorers), or empty.
        values: what the template needs besides what its page gives.
        pick_by: words before buttons that show one figure at a time ("Rule"); empty where all are shown.
        number: the number of the page, large at the top of its first section; empty where it has no single one.
        meaning: what the number is, with its neutral value.
    """

    anchor: str
    title: str
    findings: tuple[Finding, ...] = ()
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()
    lead: str = ""
    skip: str = ""
    closing: str = ""
    folded: bool = False
    template: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    pick_by: str = ""
    number: str = ""
    meaning: str = ""

    @property
    def empty(self) -> bool:
        """True where it says and shows nothing: notes on how to read nothing do not count."""
        return not (self.findings or self.figures or self.tables or self.lead or self.template)


@dataclass(frozen=True, slots=True)
class Article:
    """Sections that belong together under a heading of their own: all that is said about one data set.

    Attributes:
        anchor: id of its heading, unique in the page.
        kicker: small words above the heading.
        title: its heading.
        subtitle: a line below the heading.
        sections: its sections.
    """

    anchor: str
    kicker: str
    title: str
    subtitle: str
    sections: tuple[Section, ...]
