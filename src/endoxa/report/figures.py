"""Figures of estimates: sorted dots, dots of several series, maps of claims, each with its words for who cannot see it.

A figure is made from a frame with the columns that its chart documents (`charts.INTERVAL_COLUMNS`,
`charts.series.SERIES_COLUMNS`, `charts.verdict_map`) and a `Measure`, which is the same for all figures of an estimate.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import polars as pl

from endoxa.report.charts import (
    bar_blocks,
    heat_map,
    interval_rows,
    series_colors,
    series_dots,
    sorted_dots,
    stacked_shares,
    symmetric_domain,
    verdict_map,
)
from endoxa.report.document import Figure
from endoxa.report.grids import claim_grid, share_grid
from endoxa.report.plots import Axis, block_plot, dot_plot, series_plot, share_plot
from endoxa.report.words import percent

if TYPE_CHECKING:
    import altair as alt

T = TypeVar("T")

ENDS = ("value", "low", "high", "outer_low", "outer_high")
"""Columns that a value axis must hold."""


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


def dot_figure(
    frame: pl.DataFrame,
    measure: Measure,
    *,
    name: str,
    title: str,
    alt: str,
    tall: bool = False,
    domain: tuple[float, float] | None = None,
    wide: bool = True,
    **figure: Any,
) -> Figure:
    """A row for each estimate with its interval, in the order of the frame.

    Args:
        frame: columns of `charts.INTERVAL_COLUMNS`.
        measure: the value axis.
        name: stem of the figure's files.
        title: heading above it.
        alt: what it shows, in words and numbers.
        tall: labels above the dots, with a second, thin interval: for few rows.
        domain: range of the axis, where it does not follow from the values.
        wide: True where it takes the whole width of the page.
        figure: further settings of `Figure` (rows to download).
    """
    domain = domain or measure.domain(frame)
    chart = (interval_rows if tall else sorted_dots)(
        frame,
        neutral=measure.neutral,
        domain=domain,
        title=measure.title,
        axis_format=measure.axis_format,
    )
    plot = dot_plot(frame, measure.axis(domain))
    return Figure(name, title, chart, alt, wide=wide, plot=plot, **figure)


def series_figure(
    frame: pl.DataFrame,
    measure: Measure,
    series: Sequence[str],
    *,
    name: str,
    title: str,
    alt: str,
    domain: tuple[float, float] | None = None,
    **settings: Any,
) -> Figure:
    """A row for each label with a dot for each series (models, data sets, contexts).

    Args:
        frame: columns of `charts.series.SERIES_COLUMNS`.
        measure: the value axis.
        series: every series, so that each keeps its colour.
        name: stem of the figure's files.
        title: heading above it.
        alt: what it shows, in words and numbers.
        domain: range of the axis, where it does not follow from the values.
        settings: further settings of `charts.series_dots`.
    """
    domain = domain or measure.domain(frame)
    chart = series_dots(
        frame,
        series_colors(series),
        neutral=measure.neutral,
        domain=domain,
        title=measure.title,
        axis_format=measure.axis_format,
        **settings,
    )
    plot = series_plot(frame, series, measure.axis(domain, log=settings.get("log", False)))
    return Figure(name, title, chart, alt, wide=True, plot=plot)


def claim_map(
    cells: pl.DataFrame,
    rows: Sequence[str],
    columns: Sequence[str],
    /,
    *,
    name: str,
    title: str,
    alt: str,
    wide: bool = True,
    **figure: Any,
) -> Figure:
    """Models against axes, tests or data sets; a cell has a colour only where something is claimed.

    Args:
        cells: columns as in `charts.verdict_map`.
        rows: labels in order.
        columns: labels in order.
        name: stem of the figure's files.
        title: heading above it.
        alt: what it shows, in words and numbers.
        wide: True where it needs the whole width of the page.
        figure: further settings of `Figure`.
    """
    plot = claim_grid(cells, rows, columns)
    return Figure(name, title, verdict_map(cells, rows, columns), alt, wide=wide, plot=plot, **figure)


def share_figure(
    frame: pl.DataFrame,
    colors: Mapping[str, str],
    *,
    dark: Collection[str],
    of: str,
    legend: alt.Legend,
    **figure: Any,
) -> Figure:
    """A bar of 100 % for each label.

    Args:
        frame: columns of `charts.bars.SHARE_COLUMNS`.
        colors: colour of every part, in the order of the parts.
        dark: parts on which texts are white.
        of: of what the shares are.
        legend: of the parts, in the files.
        figure: settings of `Figure`.
    """
    chart = stacked_shares(frame, colors, dark=dark, title=of, legend=legend)
    return Figure(chart=chart, plot=share_plot(frame, colors, dark=dark, title=of), **figure)


def block_figure(
    frame: pl.DataFrame,
    colors: Mapping[str, str],
    axis: Axis,
    *,
    legend: bool,
    **figure: Any,
) -> Figure:
    """Bars in blocks with a heading, all on one scale; a neutral value of the axis is marked in every row.

    Args:
        frame: columns of `charts.bars.BLOCK_COLUMNS`.
        colors: colour of every part, in the order of the legend.
        axis: the value axis.
        legend: whether the parts need one.
        figure: settings of `Figure`.
    """
    chart = bar_blocks(
        frame,
        colors,
        domain=axis.domain,
        title=axis.title,
        axis_format=axis.axis_format,
        zero=axis.neutral is not None,
        legend=legend,
    )
    return Figure(chart=chart, plot=block_plot(frame, colors, axis, legend=legend), **figure)


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
    ends, order = domain(least, most), list(labels.values())
    chart = heat_map(frame, order, domain=ends, title=legend)
    plot = share_grid(frame, order, domain=ends, title=legend)
    spoken = alt.format(n=len(members), range=f"from {percent(least, 0)} to {percent(most, 0)}")
    return (Figure(name, title, chart, spoken, wide=len(members) > widest, plot=plot),)


def in_parts(entries: Sequence[T], most: int, *, even: bool = True) -> Iterator[tuple[str, Sequence[T]]]:
    """Cut what does not fit into one figure; yields ', part 1 of 2' (empty where there is one) and the entries.

    Args:
        entries: rows or columns.
        most: how many fit.
        even: parts of like size; else all but the last are full.
    """
    parts = -(-len(entries) // most)
    size = -(-len(entries) // parts) if even and parts else most
    for part in range(parts):
        words = f", part {part + 1} of {parts}" if parts > 1 else ""
        yield words, entries[part * size : (part + 1) * size]


def labelled(frame: pl.DataFrame, label: pl.Expr, key: str) -> pl.DataFrame:
    """The frame with a column `label`; where two rows share one, what tells them apart stands behind it in brackets."""
    named = frame.with_columns(label=label)
    if named["label"].is_duplicated().any():
        return named.with_columns(label=pl.format("{} ({})", "label", key))
    return named
