"""What a figure of dots, bars or curves shows, described once: a page writes it as rows of HTML, `draw` as SVG."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from endoxa.report.words import leading_number, percent

INK, MUTED, PALE = "#1b1f24", "#57606a", "#d5d9de"
BLUE, ORANGE, PALE_BLUE = "#0b5fa5", "#b3500b", "#9cc3e6"
COLORS = (BLUE, ORANGE, "#00795a", "#7b3f98", INK, "#8a6d00", "#b8246b", "#4f8a00")
"""Models, data sets or contexts of one figure; pages have the same ones, and lighter ones on dark paper."""

MOST_SERIES = len(COLORS)
"""More series share one colour: nobody can tell more colours apart."""

MOST_APART = 4
"""More series share the line of their row, without intervals: the row would be too tall."""

TICKS = 6
"""Labels of a value axis at most, about."""

LEAST_PAIRS = 20
"""With fewer pairs a density would be a drawing, not a finding: the pairs are shown as ticks."""

GRID_POINTS = 106
"""Points of a density."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A value axis across the whole width.

    Attributes:
        domain: its ends.
        title: what is measured, with the unit.
        axis_format: d3 format of its labels, ('.0%' for shares).
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

    def span(self, low: float | None, high: float | None) -> tuple[float, float] | None:
        """Left end and width of an interval in percent; None where an end is missing."""
        if low is None or high is None:
            return None
        left, right = sorted((self.place(low), self.place(high)))
        return left, round(right - left, 2)

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
            step = max(1.0, math.ceil(step)) if self.axis_format.endswith("d") else step
            first = math.ceil(round(low / step, 9))
            values = (k * step for k in range(first, math.floor(round(high / step, 9)) + 1))
        return [
            (self.place(value), label_of(value, self.axis_format))
            for value in values
            if low - 1e-9 <= value <= high + 1e-9
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
    """A dot for each row of the frame.

    Args:
        frame: `label` (may have several lines), `note` (numbers written to the right), `value`, `low` and `high` (ends
            of the thick interval, or null), `filled` (True where something is claimed, null where nothing can be
            tested); perhaps `outer_low` and `outer_high` (a second, thin interval), `tip` (the numbers in words) and
            `block` (a heading).
        axis: the value axis.
    """
    rows = (
        PlotRow(
            row["label"],
            *leading_number(row["note"] or ""),
            () if row["value"] is None else (_dot(row, axis, ["label"]),),
            heading=row.get("block", ""),
        )
        for row in frame.fill_nan(None).iter_rows(named=True)
    )
    return Plot(axis, _headed(rows))


def series_plot(frame: pl.DataFrame, series: Sequence[str], axis: Axis) -> Plot:
    """A row for each label with a dot for every series; of up to `MOST_APART` each has its own line and interval.

    Args:
        frame: as in `dot_plot`, with `series`; rows are drawn in the order of their first dot.
        series: every series, so that each keeps its colour.
        axis: the value axis.
    """
    apart = len(series) <= MOST_APART
    places = {name: place for place, name in enumerate(series)}
    colors = {name: place if len(series) <= MOST_SERIES else 0 for name, place in places.items()}
    words = ["label", "series"] if len(series) > 1 else ["label"]
    rows = []
    by = [name for name in ("block", "label") if name in frame.columns]
    for _, group in frame.fill_nan(None).group_by(by, maintain_order=True):
        first = group.row(0, named=True)
        dots = tuple(
            _dot(row, axis, words, colors[row["series"]], places[row["series"]] if apart else 0, bars=apart)
            for row in group.iter_rows(named=True)
            if row["value"] is not None
        )
        note = leading_number(first["note"] or "")
        rows.append(PlotRow(str(first["label"]), *note, dots, heading=first.get("block", "")))
    legend = tuple(colors.items()) if 1 < len(series) <= MOST_SERIES else ()
    return Plot(axis, _headed(rows), legend)


def share_plot(frame: pl.DataFrame, colors: Mapping[str, str], *, dark: Collection[str], title: str) -> Plot:
    """A bar of 100 % for each label.

    Args:
        frame: `label`, `part`, `share` and `text` (written into the part, or empty).
        colors: colour of every part, in the order of the parts.
        dark: parts on which texts are white.
        title: of what the shares are.
    """
    rows = []
    for (label,), group in frame.group_by(["label"], maintain_order=True):
        bars, left = [], 0.0
        for row in sorted(group.rows(named=True), key=lambda row: list(colors).index(row["part"])):
            part, width = row["part"], 100 * row["share"]
            tip = f"{label}, {part}: {percent(row['share'])}"
            bars.append(Bar(round(left, 2), round(width, 2), colors[part], row["text"], tip, part in dark))
            left += width
        rows.append(PlotRow(str(label), "", "", bars=tuple(bars)))
    return Plot(Axis((0.0, 1.0), title, ".0%"), tuple(rows), tuple(colors.items()))


def block_plot(frame: pl.DataFrame, colors: Mapping[str, str], axis: Axis, *, legend: bool = True) -> Plot:
    """Bars in blocks with a heading, all on one axis.

    Args:
        frame: `block` (heading), `label`, `part` (its colour), `start`, `end` (or null) and `note`.
        colors: colour of every part, in the order of the legend.
        axis: the value axis; its neutral value is marked in every row.
        legend: whether the parts need one.
    """
    rows = []
    for (block, label), group in frame.group_by("block", "label", maintain_order=True):
        bars = []
        for row in group.iter_rows(named=True):
            if (span := axis.span(row["start"], row["end"])) is None:
                continue
            tip = f"{label}, {row['part']}: {label_of(row['end'] - row['start'], axis.axis_format)}"
            bars.append(Bar(*span, colors[row["part"]], "", tip))
        note = leading_number(group["note"][0] or "")
        rows.append(PlotRow(str(label), *note, bars=tuple(bars), heading=str(block)))
    return Plot(axis, _headed(rows), tuple(colors.items()) if legend else ())


def _headed(rows: Iterable[PlotRow]) -> tuple[PlotRow, ...]:
    """The rows; each heading stands once, above the first of its block."""
    headed, last = [], ""
    for row in rows:
        headed.append(replace(row, heading="") if row.heading == last else row)
        last = row.heading
    return tuple(headed)


def ridge_plot(frame: pl.DataFrame, axis: Axis) -> Plot:
    """A density for every model, or ticks of few pairs; all curves have one scale.

    Args:
        frame: a row for each pair: `label` and `note` of the model, `tip` and `difference`.
        axis: the value axis.
    """
    neutral, zero = axis.neutral or 0.0, axis.neutral_place or 0.0
    grid = np.union1d(np.linspace(*axis.domain, GRID_POINTS), [neutral])
    models = [rows for _, rows in frame.group_by("label", maintain_order=True)]
    curves = [density(rows["difference"].to_numpy(), grid) for rows in models]
    peak = max((float(curve.max()) for curve in curves if curve is not None), default=1.0) or 1.0
    drawn = []
    for rows, curve in zip(models, curves, strict=True):
        if curve is None:
            inside = rows.filter(pl.col("difference").is_between(*axis.domain))["difference"]
            paths = ("", " ".join(f"M{axis.place(value)} 75V100" for value in inside))
        else:
            heights = (100 - 100 * curve / peak).round(1).tolist()
            points = list(zip(map(axis.place, grid), heights, strict=True))
            left, right = (point for point in points if point[0] <= zero), (p for p in points if p[0] >= zero)
            paths = (_outline(list(left)), _outline(list(right)))
        first = rows.row(0, named=True)
        drawn.append(PlotRow(first["label"], *leading_number(first["note"]), curve=paths, tip=first["tip"]))
    return Plot(axis, tuple(drawn))


def density(differences: np.ndarray, grid: np.ndarray) -> np.ndarray | None:
    """Gaussian kernel density on the grid with Scott's bandwidth (scipy), or None where it is not defined."""
    from scipy.stats import gaussian_kde

    if differences.size < LEAST_PAIRS or np.ptp(differences) <= 1e-9 * max(1.0, np.abs(differences).max()):
        return None
    return np.asarray(gaussian_kde(differences)(grid), dtype=float)


def robust_range(differences: Sequence[float] | np.ndarray) -> tuple[float, float]:
    """Range with 99 % of the differences, zero, and the slopes of a density; (-1, 1) where all are zero."""
    values = np.asarray(differences, dtype=float)
    values = values[np.isfinite(values)]
    if not values.size or not np.any(values):
        return -1.0, 1.0
    low, high = np.quantile(values, [0.005, 0.995])
    low, high = min(float(low), 0.0), max(float(high), 0.0)
    bandwidth = float(values.std()) * values.size**-0.2  # Scott's rule, as in `density`
    margin = max(0.06 * (high - low), 1.5 * bandwidth) or 1.0
    return low - margin, high + margin


def symmetric_domain(
    values: Iterable[float], neutral: float, least: float, step: float
) -> tuple[float, float]:
    """The smallest range around `neutral` that holds all values, a whole number of steps to either side."""
    reach = max((abs(value - neutral) for value in values if math.isfinite(value)), default=0.0)
    reach = max(least, math.ceil(round(reach / step, 9)) * step)
    return neutral - reach, neutral + reach


def _outline(points: Sequence[tuple[float, float]]) -> str:
    """A closed path through the points, down to the ground at both ends."""
    if not points:
        return ""
    ends = f"M{points[0][0]} 100L", f"L{points[-1][0]} 100Z"
    return ends[0] + "L".join(f"{x} {y}" for x, y in points) + ends[1]


def _dot(
    row: Mapping[str, Any],
    axis: Axis,
    words: Sequence[str],
    color: int = 0,
    line: int = 0,
    *,
    bars: bool = True,
) -> Dot:
    """The dot of a row of a frame; `words` are the columns that say in its tip what it is about."""
    interval = axis.span(row["low"], row["high"]) if bars else None
    thin = axis.span(row.get("outer_low"), row.get("outer_high")) if bars else None
    about = ", ".join(str(row[name]) for name in words)
    tip = row["tip"] if "tip" in row else f"{about}: {_spoken(row, axis)}"
    return Dot(axis.place(row["value"]), interval, thin, row["filled"], tip.replace("\n", ", "), color, line)


def _spoken(row: Mapping[str, Any], axis: Axis) -> str:
    """Value and interval of a row: '25.0 % (10.0 to 40.0)'."""
    digits, factor, unit = ("{:.1f}", 100, " %") if axis.axis_format.endswith("%") else ("{:.3g}", 1, "")
    ends = [digits.format(factor * row[name]) for name in ("low", "high") if row.get(name) is not None]
    interval = f" ({' to '.join(ends)})" if len(ends) == 2 else ""
    return f"{digits.format(factor * row['value'])}{unit}{interval}"


def label_of(value: float, axis_format: str) -> str:
    """A value as a d3 format of an axis writes it; halves go away from zero, as readers round."""
    text = format(
        round(value, 9) * (1 + 1e-12) + 0.0, axis_format.replace("~", "") if axis_format != "d" else ".0f"
    )
    if "~" in axis_format and "." in text:
        text = text.rstrip("0").rstrip(".")
    if float(text.rstrip("%")) == 0:
        text = text.lstrip("+-")
    return text.replace("-", "−").replace("%", "\u00a0%")


def _round_step(least: float) -> float:
    """The smallest of 1, 2, 2.5, 5 times a power of ten that is not below."""
    power = 10.0 ** math.floor(math.log10(least)) if least > 0 else 1.0
    return next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= least * (1 - 1e-9))
