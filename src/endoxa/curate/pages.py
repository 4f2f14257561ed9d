"""What pages about tables of `endoxa analyze` and `endoxa author` share: reading them, their charts, the frame."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.errors import UserError
from endoxa.report.document import Figure, Section
from endoxa.report.figures import described, figure_of
from endoxa.report.frame import CITE, Page, present
from endoxa.report.inputs import Run
from endoxa.report.plots import Axis, series_plot
from endoxa.report.tables import Field, number_field
from endoxa.report.words import NO_VALUE, NOT_DEFINED, percent, percent_interval
from endoxa.runs.instrument import Shown
from endoxa.sources.frames import read_table
from endoxa.sources.spreadsheets import csv_text

METHODS = Section("methods", "Methods", template="methods.html.j2", folded=True)


@dataclass(frozen=True, slots=True)
class TableFiles:
    """A table and the companions beside it.

    Attributes:
        path: the table.
        texts: names of columns that hold texts; all others hold numbers.
    """

    path: Path
    texts: Collection[str]

    def read(self, columns: Iterable[str], path: Path | None = None) -> pl.DataFrame:
        """The table itself, or the one at `path`.

        Raises:
            UserError: it cannot be read, or lacks a column.
        """
        table = read_table(path or self.path, tuple(columns))
        return table.select(
            pl.col(name).fill_null("") if name in self.texts else pl.col(name).cast(pl.Float64, strict=False)
            for name in columns
        )

    def beside(self, name: str, columns: Iterable[str]) -> pl.DataFrame:
        """A companion; empty where it is not there."""
        companion = self.path.with_name(f"{self.path.stem}_{name}{self.path.suffix}")
        if companion.is_file():
            return self.read(columns, companion)
        return pl.DataFrame(
            schema={column: pl.String if column in self.texts else pl.Float64 for column in columns}
        )


def shown_table(
    runs: Sequence[Run],
    about: str,
    texts: Collection[str],
    columns: Iterable[str],
    page: Callable[[TableFiles, pl.DataFrame], Page],
) -> Shown:
    """The page about one table; as CSV the table itself.

    Args:
        runs: the table.
        about: what it is about, in the plural.
        texts: names of its columns, and of those of its companions, that hold texts.
        columns: its columns.
        page: makes the page of the files and the table.

    Raises:
        UserError: several tables were given, or one cannot be read.
    """
    if len(runs) > 1:
        raise UserError(f"A page about {about} is made from one table. Make one page for each.")
    files = TableFiles(runs[0].folder, texts)
    table = files.read(tuple(columns))
    return Shown(lambda: page(files, table), {"csv": partial(csv_text, table)})


def page_of(
    package: str | None,
    runs: Sequence[Run],
    title: str,
    subtitle: str,
    sections: Iterable[Section | None],
    *,
    models: Iterable[str] = (),
) -> Page:
    """The page with the sections that have something to say."""
    assert package is not None
    return Page(package, title, subtitle, (*present(sections), CITE), runs, models)


def integer(number: float) -> str:
    """A whole number that a table holds as a decimal one."""
    return f"{number:.0f}"


Columns = tuple[str, str, str]
"""Columns of a value and of the ends of its interval; the ends are empty where it has none."""
Row = Mapping[str, Any]


def reading(row: Row, columns: Columns) -> str:
    """A share in a sentence: '66.7 %, interval 48.0 to 81.2', or alone where it has no interval."""
    value, low, high = columns
    ends = percent_interval(row.get(low), row.get(high))
    return percent(row[value]) + ("" if ends == NOT_DEFINED else f", interval {ends}")


def share_fields(name: str, columns: Columns, ends: str = "interval") -> tuple[Field, Field]:
    """A share and its interval in a table; a dash where there is none."""
    value, low, high = columns

    def interval(row: Row) -> str:
        return NO_VALUE if row[value] is None else percent_interval(row[low], row[high])

    return number_field(
        name, lambda row: NO_VALUE if row[value] is None else percent(row[value])
    ), number_field(ends, interval)


def dots(
    drawn: pl.DataFrame,
    label: str,
    columns: Columns,
    *,
    axis: str,
    by: str = "",
    shown: Callable[[float], str] = percent,
    domain: tuple[float, float] = (0.0, 1.0),
    axis_format: str = ".0%",
    words: str = "",
    **figure: Any,
) -> tuple[Figure, ...]:
    """Values that have no neutral one as dots with their intervals; nothing where there is no value.

    Args:
        drawn: the rows in their order.
        label: column that names a row of the figure.
        columns: of the value and its interval.
        axis: title of the value axis.
        by: column that names the series of a dot; empty where each label has one.
        shown: how a value is written.
        domain: range of the axis.
        axis_format: d3 format of the axis labels.
        words: what the figure shows, for those who cannot see it; the title where empty.
        figure: name, title and further settings of `report.figures.figure_of`.
    """
    ends = {
        name: pl.col(end).fill_nan(None) if end else pl.lit(None, pl.Float64)
        for name, end in zip(("value", "low", "high"), columns, strict=True)
    }
    frame = drawn.select(
        label=label, series=pl.col(by) if by else pl.lit(axis), **ends, filled=pl.lit(value=True)
    ).drop_nulls("value")
    if frame.is_empty():
        return ()
    notes = {
        name: " · ".join(map(shown, part["value"]))
        for (name,), part in frame.group_by("label", maintain_order=True)
    }
    frame = frame.with_columns(note=pl.col("label").replace_strict(notes, return_dtype=pl.String))
    spoken = []
    for name, line, value, low, high in frame.select("label", "series", *ends).iter_rows():
        of = f" ({line})" if by else ""
        spoken.append(
            f"{name}{of} {shown(value)}" + ("" if low is None else f" ({shown(low)} to {shown(high)})")
        )
    lines = frame["series"].unique(maintain_order=True).to_list()
    plot = series_plot(frame, lines, Axis(domain, axis, axis_format))
    return (figure_of(frame, plot, wide=True, alt=described(words or figure["title"], spoken), **figure),)
