"""Dots with intervals as HTML: rows that stack on a phone, with letters and colours of the page; files have an SVG."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from endoxa.report.charts.dots import tipped
from endoxa.report.charts.series import MOST_APART, MOST_SERIES
from endoxa.report.words import leading_number

TICKS = 6
"""Labels of a value axis at most, about."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A value axis across the whole width.

    Attributes:
        domain: its ends.
        title: what is measured, with the unit.
        axis_format: d3 format of its labels, as charts have it.
        neutral: value of an unbiased model, a line through all rows; None where there is none.
        ends: what the left and the right end mean, or empty.
        log: whether it is logarithmic.
    """

    domain: tuple[float, float]
    title: str
    axis_format: str
    neutral: float | None = None
    ends: tuple[str, str] = ("", "")
    log: bool = False

    def place(self, value: float) -> float:
        """Percent of the width from the left, within the axis."""
        low, high, value = (math.log(each) if self.log else each for each in (*self.domain, value))
        return round(100 * min(1.0, max(0.0, (value - low) / (high - low))), 2) if high > low else 50.0

    @property
    def neutral_place(self) -> float | None:
        """Where the line of an unbiased model is."""
        return None if self.neutral is None else self.place(self.neutral)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Places and labels of round values."""
        low, high = self.domain
        if self.log:
            values: Iterator[float] = (
                digit * 10.0**power
                for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
                for digit in (1, 2, 5)
            )
        else:
            step = _round_step((high - low) / TICKS)
            first = math.ceil(round(low / step, 9))
            values = (k * step for k in range(first, math.floor(round(high / step, 9)) + 1))
        return [
            (self.place(value), label_of(value, self.axis_format)) for value in values if low <= value <= high
        ]


@dataclass(frozen=True, slots=True)
class Dot:
    """An estimate on the axis; places are percent of the width.

    Attributes:
        place: where it stands.
        bar: left end and width of its interval, or None.
        thin: the same of a second, thin interval.
        filled: True where something is claimed.
        tip: the numbers in words.
        color: number of its colour.
        line: its line within the row, from 0.
    """

    place: float
    bar: tuple[float, float] | None
    thin: tuple[float, float] | None
    filled: bool
    tip: str
    color: int = 0
    line: int = 0


@dataclass(frozen=True, slots=True)
class PlotRow:
    """A label, what is drawn, and numbers to the right.

    Attributes:
        label: what it is about; may have several lines.
        value: the number that readers look for.
        rest: what stands behind it, smaller.
        dots: its dots.
    """

    label: str
    value: str
    rest: str
    dots: tuple[Dot, ...]

    @property
    def lines(self) -> int:
        """Lines of dots."""
        return 1 + max((dot.line for dot in self.dots), default=0)


@dataclass(frozen=True, slots=True)
class Plot:
    """Rows on one axis.

    Attributes:
        axis: the axis.
        rows: the rows, from top to bottom.
        legend: name and number of the colour of every series; empty where there is one.
    """

    axis: Axis
    rows: tuple[PlotRow, ...]
    legend: tuple[tuple[str, int], ...] = ()


def dot_plot(frame: pl.DataFrame, axis: Axis) -> Plot:
    """A dot for each row of the frame (columns of `charts.INTERVAL_COLUMNS`)."""
    rows = tipped(frame, ("label",), axis.axis_format).fill_nan(None).iter_rows(named=True)
    return Plot(
        axis,
        tuple(
            PlotRow(
                row["label"],
                *leading_number(row["note"] or ""),
                () if row["value"] is None else (_dot(row, axis),),
            )
            for row in rows
        ),
    )


def series_plot(frame: pl.DataFrame, series: Sequence[str], axis: Axis) -> Plot:
    """A row for each label with a dot for every series (columns of `charts.series.SERIES_COLUMNS`)."""
    apart = len(series) <= MOST_APART
    places = {name: place for place, name in enumerate(series)}
    colors = {name: place if len(series) <= MOST_SERIES else 0 for name, place in places.items()}
    words = ("label", "series") if len(series) > 1 else ("label",)
    drawn = tipped(frame, words, axis.axis_format).fill_nan(None)
    rows = []
    for (label,), group in drawn.group_by(["label"], maintain_order=True):
        dots = tuple(
            _dot(row, axis, colors[row["series"]], places[row["series"]] if apart else 0, bars=apart)
            for row in group.iter_rows(named=True)
            if row["value"] is not None
        )
        rows.append(PlotRow(str(label), *leading_number(group["note"][0] or ""), dots))
    legend = tuple(colors.items()) if 1 < len(series) <= MOST_SERIES else ()
    return Plot(axis, tuple(rows), legend)


def _dot(row: Mapping[str, Any], axis: Axis, color: int = 0, line: int = 0, *, bars: bool = True) -> Dot:
    def between(low: str, high: str) -> tuple[float, float] | None:
        ends = row.get(low), row.get(high)
        if not bars or ends[0] is None or ends[1] is None:
            return None
        left, right = axis.place(ends[0]), axis.place(ends[1])
        return left, round(right - left, 2)

    return Dot(
        axis.place(row["value"]),
        between("low", "high"),
        between("outer_low", "outer_high"),
        bool(row["filled"]),
        row["tip"],
        color,
        line,
    )


def label_of(value: float, axis_format: str) -> str:
    """A value as a d3 format of an axis writes it."""
    text = format(round(value, 9) + 0.0, axis_format.replace("~", "") if axis_format != "d" else ".0f")
    if "~" in axis_format and "." in text:
        text = text.rstrip("0").rstrip(".")
    if float(text.rstrip("%")) == 0:
        text = text.lstrip("+-")
    return text.replace("-", "−").replace("%", "\u00a0%")


def _round_step(least: float) -> float:
    """The smallest of 1, 2, 2.5, 5 times a power of ten that is not below."""
    power = 10.0 ** math.floor(math.log10(least)) if least > 0 else 1.0
    return next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= least * (1 - 1e-9))
