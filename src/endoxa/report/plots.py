"""Dots with intervals and bars as rows of HTML that stack on a phone, in the page's own colours; files have an SVG."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from endoxa.report.charts.dots import tipped
from endoxa.report.charts.ridges import CURVE_HEIGHT, ridge_curves
from endoxa.report.charts.series import MOST_APART, MOST_SERIES
from endoxa.report.words import leading_number, percent

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
        filled: True where something is claimed, None where nothing can be tested.
        tip: the numbers in words.
        color: number of its colour.
        line: its line within the row, from 0.
    """

    place: float
    bar: tuple[float, float] | None
    thin: tuple[float, float] | None
    filled: bool | None
    tip: str
    color: int = 0
    line: int = 0


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar, or a part of one; places are percent of the width.

    Attributes:
        left: where it begins.
        width: how long it is.
        color: its colour, the same on light and dark pages.
        text: written into it, or empty.
        tip: its number in words.
        dark: True where the text is white.
    """

    left: float
    width: float
    color: str
    text: str
    tip: str
    dark: bool = False


@dataclass(frozen=True, slots=True)
class PlotRow:
    """A label, what is drawn, and numbers to the right.

    Attributes:
        label: what it is about; may have several lines.
        value: the number that readers look for.
        rest: what stands behind it, smaller.
        dots: its dots.
        bars: its bars.
        heading: of the block of rows that begins here, or empty.
        curve: outlines left and right of the neutral value, in percent of width and height; empty without a curve.
        tip: what the curve shows, in words.
    """

    label: str
    value: str
    rest: str
    dots: tuple[Dot, ...] = ()
    bars: tuple[Bar, ...] = ()
    heading: str = ""
    curve: tuple[str, ...] = ()
    tip: str = ""

    @property
    def lines(self) -> int:
        """Lines of dots; a curve is as high as two."""
        return 2 if self.curve else 1 + max((dot.line for dot in self.dots), default=0)


@dataclass(frozen=True, slots=True)
class Plot:
    """Rows on one axis.

    Attributes:
        axis: the axis.
        rows: the rows, from top to bottom.
        legend: name and number of the colour of every series, or its colour; empty where there is one.
    """

    axis: Axis
    rows: tuple[PlotRow, ...]
    legend: tuple[tuple[str, int | str], ...] = ()

    @property
    def untested(self) -> bool:
        """Whether a dot cannot be tested."""
        return any(dot.filled is None for row in self.rows for dot in row.dots)

    @property
    def kind(self) -> str:
        """Classes of how it is laid out: one row alone, no numbers to the right."""
        classes = {
            "single": len(self.rows) == 1,
            "plain": not any(row.value or row.rest for row in self.rows),
        }
        return " ".join(name for name, applies in classes.items() if applies)


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


def forest_plot(frame: pl.DataFrame, series: Sequence[str], axis: Axis) -> Plot:
    """Blocks of rows, one for each test and pooling, with a dot for every model (`charts.forest.FOREST_COLUMNS`)."""
    panels = frame["column"].n_unique() > 1
    row = pl.col("row").str.replace_all("\n", " ")
    label = pl.format("{}, {}", row, "column") if panels else row
    words = ("row", "column", "series") if panels else ("row", "series")
    drawn = tipped(frame, words, axis.axis_format).with_columns(label=label).fill_nan(None)
    places = {name: place for place, name in enumerate(series)}
    rows, block = [], ""
    for (heading, text), group in drawn.group_by("block", "label", maintain_order=True):
        values = (
            "undefined" if value is None else label_of(value, "+.2f")
            for value in group.sort(pl.col("series").replace_strict(places, return_dtype=pl.Int64))["value"]
        )
        dots = tuple(
            _dot(row, axis, places[row["series"]] % MOST_SERIES, places[row["series"]])
            for row in group.iter_rows(named=True)
            if row["value"] is not None
        )
        rows.append(
            PlotRow(str(text), " · ".join(values), "", dots, heading=str(heading) if heading != block else "")
        )
        block = heading
    return Plot(axis, tuple(rows), tuple(places.items()) if len(series) > 1 else ())


def share_plot(frame: pl.DataFrame, colors: Mapping[str, str], *, dark: Collection[str], title: str) -> Plot:
    """A bar of 100 % for each label (columns of `charts.bars.SHARE_COLUMNS`), parts in the order of `colors`."""
    axis = Axis((0.0, 1.0), title, ".0%")
    rows = []
    for (label,), group in frame.group_by(["label"], maintain_order=True):
        parts = {row["part"]: row for row in group.iter_rows(named=True)}
        bars, left = [], 0.0
        for part in (name for name in colors if name in parts):
            share = parts[part]["share"]
            tip = f"{label}, {part}: {percent(share)}"
            width = round(100 * share, 2)
            bars.append(Bar(round(left, 2), width, colors[part], parts[part]["text"], tip, part in dark))
            left += 100 * share
        rows.append(PlotRow(str(label), "", "", bars=tuple(bars)))
    return Plot(axis, tuple(rows), tuple((name, colors[name]) for name in colors))


def block_plot(frame: pl.DataFrame, colors: Mapping[str, str], axis: Axis, *, legend: bool = True) -> Plot:
    """Bars in blocks on one axis (columns of `charts.bars.BLOCK_COLUMNS`)."""
    rows, last = [], ""
    for (block, label), group in frame.group_by("block", "label", maintain_order=True):
        bars = []
        for row in group.drop_nulls("end").iter_rows(named=True):
            ends = sorted(axis.place(row[name]) for name in ("start", "end"))
            tip = f"{label}, {row['part']}: {label_of(row['end'] - row['start'], axis.axis_format)}"
            bars.append(Bar(ends[0], round(ends[1] - ends[0], 2), colors[row["part"]], "", tip))
        note = leading_number(group["note"][0] or "")
        rows.append(PlotRow(str(label), *note, bars=tuple(bars), heading=str(block) if block != last else ""))
        last = block
    return Plot(axis, tuple(rows), tuple(colors.items()) if legend else ())


def ridge_plot(frame: pl.DataFrame, axis: Axis) -> Plot:
    """A density for every model, or ticks of few pairs (columns of `charts.ridges.RIDGE_COLUMNS`)."""
    curves, ticks, rows = ridge_curves(frame, axis.domain)
    zero = axis.neutral_place or 0.0
    drawn = []
    for row in rows.iter_rows(named=True):
        curve = curves.filter(label=row["label"])
        if curve.is_empty():
            alone = (axis.place(value) for value in ticks.filter(base=row["base"])["difference"])
            paths: tuple[str, ...] = ("", " ".join(f"M{place} 75V100" for place in alone))
        else:
            places = curve["difference"].map_elements(axis.place, return_dtype=pl.Float64).to_list()
            heights = (100 - 100 * (row["base"] - curve["top"]) / CURVE_HEIGHT).round(1).to_list()
            points = list(zip(places, heights, strict=True))
            paths = (
                _outline([point for point in points if point[0] <= zero]),
                _outline([point for point in points if point[0] >= zero]),
            )
        drawn.append(PlotRow(row["label"], *leading_number(row["note"]), curve=paths, tip=row["tip"]))
    return Plot(axis, tuple(drawn))


def _outline(points: Sequence[tuple[float, float]]) -> str:
    """A closed path through the points, down to the ground at both ends."""
    if not points:
        return ""
    ends = f"M{points[0][0]} 100L", f"L{points[-1][0]} 100Z"
    return ends[0] + "L".join(f"{x} {y}" for x, y in points) + ends[1]


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
        row["filled"],
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
