"""Figures of estimates: sorted dots, dots of several series, maps of claims, each with its words for who cannot see it.

A figure is made from a frame with the columns that its plot documents (`plots`, `grids`) and a `Measure`, which is the
same for all figures of an estimate.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import polars as pl

from endoxa.report.document import Figure
from endoxa.report.files import LARGEST, csv_address
from endoxa.report.grids import Grids, claim_grid, share_grid
from endoxa.report.plots import Axis, Plot, block_plot, dot_plot, series_plot, share_plot, symmetric_domain
from endoxa.report.words import percent

T = TypeVar("T")

ENDS = ("value", "low", "high", "outer_low", "outer_high")
"""Columns that a value axis must hold."""

SHOWN = ("block", "label", "series", "part", "row", "column", "share", "start", "end", *ENDS)
"""Columns of a frame that readers can download where a figure has no rows of its own."""


@dataclass(frozen=True, slots=True)
class Measure:
    """What the value axis shows: an estimate, the value of an unbiased model, and how far the axis reaches.

    Attributes:
        title: what is measured, with the unit.
        neutral: value of an unbiased model.
        axis_format: d3 format of the labels ('.0%' for shares).
        least: the axis reaches at least so far to both sides of the neutral value.
        step: it grows in steps of this size.
        ends: what the left and the right end of the axis mean, or empty.
    """

    title: str
    neutral: float
    axis_format: str
    least: float
    step: float
    ends: tuple[str, str] = ("", "")

    def axis(self, domain: tuple[float, float], **settings: Any) -> Axis:
        """The axis of a plot over this range."""
        how = {"neutral": self.neutral, "ends": self.ends, **settings}
        return Axis(domain, self.title, self.axis_format, **how)

    def domain(self, *frames: pl.DataFrame) -> tuple[float, float]:
        """The range of the axis that holds every value and every end of an interval."""
        values = (
            value
            for frame in frames
            for name in ENDS
            if name in frame.columns
            for value in frame[name].drop_nulls()
        )
        return symmetric_domain(values, self.neutral, self.least, self.step)


def described(words: str, parts: Iterable[str]) -> str:
    """The text alternative of a figure: what it shows, then its values one by one; of very many the first."""
    every = list(parts)
    more = f"; {len(every) - MOST_SPOKEN} more" if len(every) > MOST_SPOKEN else ""
    return f"{words}. {'; '.join(every[:MOST_SPOKEN])}{more}."


MOST_SPOKEN = 60
"""Values that a text alternative reads out; more than these nobody listens to."""


def figure_of(
    frame: pl.DataFrame, plot: Plot | Grids, *, name: str, title: str, alt: str, **figure: Any
) -> Figure:
    """A figure of the frame; readers can download what it shows.

    Args:
        frame: what is drawn.
        plot: how it is drawn.
        name: stem of the figure's files.
        title: heading above it.
        alt: what it shows, in words and numbers.
        figure: further settings of `Figure`; without `rows` these are those of the frame.
    """
    if "rows" not in figure:
        shown = frame.select(name for name in SHOWN if name in frame.columns and frame[name].count())
        shown = shown.unique(maintain_order=True)
        unusable = shown.width < 2 or shown.is_empty() or len(csv_address(shown)) > LARGEST
        figure["rows"] = None if unusable else shown
    return Figure(name, title, plot, alt, **figure)


def dot_figure(
    frame: pl.DataFrame,
    measure: Measure,
    *,
    domain: tuple[float, float] | None = None,
    wide: bool = True,
    **figure: Any,
) -> Figure:
    """A row for each estimate with its interval, in the order of the frame.

    Args:
        frame: as in `plots.dot_plot`.
        measure: the value axis.
        domain: range of the axis, where it does not follow from the values.
        wide: True where it takes the whole width of the page.
        figure: as in `figure_of`.
    """
    plot = dot_plot(frame, measure.axis(domain or measure.domain(frame)))
    return figure_of(frame, plot, wide=wide, **figure)


def series_figure(
    frame: pl.DataFrame,
    measure: Measure,
    series: Sequence[str],
    *,
    domain: tuple[float, float] | None = None,
    log: bool = False,
    **figure: Any,
) -> Figure:
    """A row for each label with a dot for each series (models, data sets, contexts).

    Args:
        frame: as in `plots.series_plot`.
        measure: the value axis.
        series: every series, so that each keeps its colour.
        domain: range of the axis, where it does not follow from the values.
        log: whether the axis is logarithmic.
        figure: as in `figure_of`.
    """
    plot = series_plot(frame, series, measure.axis(domain or measure.domain(frame), log=log))
    return figure_of(frame, plot, wide=True, **figure)


def claim_map(
    cells: pl.DataFrame, rows: Sequence[str], columns: Sequence[str], /, *, wide: bool = True, **figure: Any
) -> Figure:
    """Models against axes, tests or data sets; a cell has a colour only where something is claimed.

    Args:
        cells: columns as in `grids.claim_grid`.
        rows: labels in order.
        columns: labels in order.
        wide: True where it needs the whole width of the page.
        figure: as in `figure_of`.
    """
    return figure_of(cells, claim_grid(cells, rows, columns), wide=wide, **figure)


def share_figure(
    frame: pl.DataFrame, colors: Mapping[str, str], *, dark: Collection[str], of: str, **figure: Any
) -> Figure:
    """A bar of 100 % for each label.

    Args:
        frame: as in `plots.share_plot`.
        colors: colour of every part, in the order of the parts.
        dark: parts on which texts are white.
        of: of what the shares are.
        figure: as in `figure_of`.
    """
    return figure_of(frame, share_plot(frame, colors, dark=dark, title=of), **figure)


def block_figure(
    frame: pl.DataFrame, colors: Mapping[str, str], axis: Axis, *, legend: bool, **figure: Any
) -> Figure:
    """Bars in blocks with a heading, all on one scale; a neutral value of the axis is marked in every row.

    Args:
        frame: as in `plots.block_plot`.
        colors: colour of every part, in the order of the legend.
        axis: the value axis.
        legend: whether the parts need one.
        figure: as in `figure_of`.
    """
    return figure_of(frame, block_plot(frame, colors, axis, legend=legend), **figure)


FEWEST_ALIKE = 3
"""Members from which a heat map says more than a sentence or a table."""


def likeness_map(
    pairs: pl.DataFrame,
    label: Callable[[str], str],
    domain: Callable[[float, float], tuple[float, float]],
    *,
    name: str,
    title: str,
    legend: str,
    alt: str,
    widest: int,
) -> tuple[Figure, ...]:
    """How alike every two of some members are, those beside one another that are most alike; few members have none.

    Args:
        pairs: `a`, `b`, the place of `a` in the order (`place_a`), and `value`, a share.
        label: how a member is called.
        domain: ends of the scale of colours, from the least and the largest value of two members.
        name: stem of the figure's files.
        title: heading above it.
        legend: title of the colour legend.
        alt: what it shows: '{n}' stands for the number of members, '{range}' for the least and the largest value.
        widest: with more members it needs the whole width of the page.
    """
    members = pairs.sort("place_a")["a"].unique(maintain_order=True).to_list()
    if len(members) < FEWEST_ALIKE:
        return ()
    labels = {member: label(member) for member in members}
    row, column = (pl.col(side).replace_strict(labels, return_dtype=pl.String) for side in ("a", "b"))
    frame = pairs.select("value", row=row, column=column)
    apart = frame.filter(pl.col("row") != pl.col("column"))["value"].drop_nulls().to_list()
    least, most = min(apart, default=0.0), max(apart, default=1.0)
    plot = share_grid(frame, list(labels.values()), domain=domain(least, most), title=legend)
    spoken = alt.format(n=len(members), range=f"from {percent(least, 0)} to {percent(most, 0)}")
    return (figure_of(frame, plot, name=name, title=title, alt=spoken, wide=len(members) > widest),)


def in_parts(entries: Sequence[T], most: int) -> Iterator[tuple[str, Sequence[T]]]:
    """Cut what does not fit into one figure into parts of like size.

    Args:
        entries: rows or columns.
        most: how many fit.

    Yields:
        ', part 1 of 2' (empty where there is one) and the entries.
    """
    parts = -(-len(entries) // most)
    size = -(-len(entries) // max(1, parts))
    for part in range(parts):
        words = f", part {part + 1} of {parts}" if parts > 1 else ""
        yield words, entries[part * size : (part + 1) * size]


def labelled(frame: pl.DataFrame, label: pl.Expr, key: str) -> pl.DataFrame:
    """The frame with a column `label`; where two rows share one, what tells them apart stands behind it in brackets."""
    named = frame.with_columns(label=label)
    if named["label"].is_duplicated().any():
        return named.with_columns(label=pl.format("{} ({})", "label", key))
    return named
