"""What pages about tables of `endoxa analyze` and `endoxa author` share: reading them, their charts, the frame."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from endoxa.errors import UserError
from endoxa.report.charts import LABEL_LIMIT, series_colors, series_dots, square_legend, stacked_shares
from endoxa.report.document import Figure, Section
from endoxa.report.figures import described
from endoxa.report.frame import CITE, Page, present
from endoxa.report.inputs import Run
from endoxa.report.words import percent
from endoxa.sources.frames import read_table

LEAST_WRITTEN = 0.08
"""Share from which on its percentage fits into the bar."""
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

    @classmethod
    def of(cls, runs: Sequence[Run], texts: Collection[str], several: str) -> TableFiles:
        """The files of a page.

        Raises:
            UserError: there are several tables; `several` says it.
        """
        if len(runs) > 1:
            raise UserError(several)
        return cls(runs[0].folder, texts)

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


def series_rows(
    rows: pl.DataFrame,
    label: str,
    series: pl.Expr,
    value: str,
    shown: Callable[[float], str],
    *,
    ends: tuple[str, str] = ("low", "high"),
) -> pl.DataFrame:
    """Rows of a chart of dots, with the values of all series of a label beside it."""
    notes = {
        name: " · ".join(map(shown, part[value]))
        for (name,), part in rows.group_by(label, maintain_order=True)
    }
    low, high = (pl.col(end).fill_nan(None) for end in ends)
    return rows.select(
        label=label,
        series=series,
        note=pl.col(label).replace_strict(notes, return_dtype=pl.String),
        value=value,
        low=low,
        high=high,
        filled=pl.lit(value=True),
    )


def free_figure(
    frame: pl.DataFrame,
    series: Sequence[str],
    axis: str,
    domain: tuple[float, float],
    *,
    name: str,
    title: str,
    alt: str,
    axis_format: str = ".0%",
    label_limit: int = LABEL_LIMIT,
    rows: pl.DataFrame | None = None,
) -> Figure:
    """Dots as `report.figures.series_figure` draws them, of a value that has no neutral one.

    Args:
        frame: rows of `series_rows`.
        series: every series.
        axis: title of the value axis.
        domain: its range.
        name: stem of the figure's files.
        title: heading above it.
        alt: what it shows, in words and numbers.
        axis_format: d3 format of the axis labels.
        label_limit: room for the labels at most, in pixels.
        rows: what readers download, where it is not what is drawn.
    """
    chart = series_dots(
        frame,
        series_colors(series),
        neutral=None,
        domain=domain,
        title=axis,
        axis_format=axis_format,
        label_limit=label_limit,
    )
    return Figure(name, title, chart, alt, wide=True, rows=rows)


def bar_figure(
    bars: pl.DataFrame,
    colors: Mapping[str, str],
    dark: Collection[str],
    of: str,
    *,
    name: str,
    title: str,
    alt: str,
    per_row: int,
) -> Figure:
    """A bar of 100 % for each label.

    Args:
        bars: columns label, part, share.
        colors: colour of every part, in the order of the parts.
        dark: parts on which texts are white.
        of: of what the shares are ("the ratings").
        name: stem of the figure's files.
        title: heading above it.
        alt: what it shows, before the shares of each bar.
        per_row: parts in a row of the legend.
    """
    written = pl.col("share").map_elements(lambda share: percent(share, 0), return_dtype=pl.String)
    frame = bars.with_columns(
        text=pl.when(pl.col("share") >= LEAST_WRITTEN).then(written).otherwise(pl.lit(""))
    )
    chart = stacked_shares(frame, colors, dark=dark, title=f"of {of}", legend=square_legend(columns=per_row))
    spoken = (
        f"{label}: "
        + ", ".join(f"{part} {percent(share, 0)}" for part, share in rows.select("part", "share").rows())
        for (label,), rows in frame.group_by("label", maintain_order=True)
    )
    return Figure(name, title, chart, described(alt, spoken))
