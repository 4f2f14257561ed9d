"""The few rows that the terminal, the Python interface and the top of a page show of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from io import StringIO
from typing import Any

from endoxa.schema.terminal import terminal_console

WIDTH = 80
"""Columns of a terminal that a headline fits in."""
LONGEST_WORD = 12
"""Letters of a word that are not broken."""
GAP = 2
"""Columns between two cells."""


@dataclass(frozen=True, slots=True)
class Headline:
    """A small table of finished texts, and the numbers behind them.

    Attributes:
        title: what it holds.
        columns: headings.
        texts: cells as readers see them, a tuple for each row.
        rows: the same rows as numbers and names, undefined values None; what `--json` prints.
        words: headings of the columns that hold words; the others are aligned right.
        notes: sentences below it: why something cannot be tested, what was left out.
        warnings: sentences above it: what must be known before the table is read.
        diagnostics: what else may explain the numbers (`endoxa.report.quoting`), for `--json`.
    """

    title: str
    columns: tuple[str, ...]
    texts: Sequence[tuple[str, ...]]
    rows: tuple[Mapping[str, Any], ...] = ()
    words: tuple[str, ...] = ("model", "rule", "verdict")
    notes: Sequence[str] = ()
    warnings: Sequence[str] = ()
    diagnostics: Sequence[Mapping[str, Any]] = ()

    def __str__(self) -> str:
        """The table for a terminal of `WIDTH` columns."""
        from rich import box
        from rich.table import Table
        from rich.text import Text

        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
        columns = []
        for place, name in enumerate(self.columns):
            words, texts = name in self.words, [name, *(row[place] for row in self.texts)]
            width = max(
                map(len, " ".join(texts).split() if words else "\n".join(texts).split("\n")), default=0
            )
            columns.append((name, words, min(width, LONGEST_WORD) if words else width))
        crowded = sum(width + GAP for *_, width in columns) > WIDTH
        for name, words, width in columns:
            if words:
                table.add_column(name, overflow="fold", min_width=width)
            else:
                heading = "\n".join(name.split()) if crowded else name
                table.add_column(heading, justify="right", no_wrap=True)
        for row in self.texts:
            table.add_row(*map(Text, row))
        shown = StringIO()
        console = terminal_console(file=shown, width=WIDTH, color_system=None)
        above = [*self.warnings, *([self.title] if self.title else [])]
        for part in (*map(Text, above), table, *map(Text, self.notes)):
            console.print(part)
        return "\n".join(line.rstrip() for line in shown.getvalue().splitlines())

    def _repr_html_(self) -> str:
        """The table for a notebook."""
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>" for row in self.texts
        )
        warnings = "".join(f"<p><strong>{escape(warning)}</strong></p>" for warning in self.warnings)
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        return (
            f"{warnings}<table><caption>{escape(self.title)}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table>{notes}"
        )


def plain(value: Any) -> Any:
    """A number as JSON has it: undefined ones are None."""
    return None if isinstance(value, float) and value != value else value  # noqa: PLR0124
