"""The style of all figures: letters, colours, legends, ranges of axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import altair as alt
import polars as pl

T = TypeVar("T")

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
"""vl-convert carries Liberation Sans; Arial and Helvetica have the same widths, so labels fit everywhere."""

INK = "#1b1f24"
MUTED = "#57606a"
GRID = "#e6e8eb"
BLUE = "#0b5fa5"
PALE_BLUE = "#9cc3e6"
ORANGE = "#b3500b"
PALE = "#d5d9de"

SERIES_COLORS = (BLUE, ORANGE, "#00795a", "#7b3f98", INK, "#8a6d00")
"""Models or data sets in one figure; every one has a shape or a number of its own besides."""

LABEL_LIMIT = 150
"""Widest label beside a row, in pixels."""


def finish(chart: alt.TopLevelMixin) -> alt.TopLevelMixin:
    """The chart with the style of all figures."""
    # One call, because each copies the whole chart.
    styled: alt.TopLevelMixin = chart.configure(
        font=FONT,
        background="white",
        aria=False,
        padding=4,
        view=alt.ViewConfig(stroke=None),
        axis=alt.AxisConfig(
            labelColor=INK,
            titleColor=MUTED,
            labelFontSize=11,
            titleFontSize=11,
            titleFontWeight="normal",
            gridColor=GRID,
            domain=False,
            ticks=False,
            labelPadding=5,
        ),
        text=alt.MarkConfig(color=INK, fontSize=11),
        title=alt.TitleConfig(
            color=INK, fontSize=12, anchor="start", frame="group", subtitleColor=MUTED, subtitleFontSize=11
        ),
    )
    return styled


def fixed(channel: Callable[..., T], value: float | str) -> T:
    """One value for all rows; `alt.value` gives a dictionary, for which Altair looks up its class: 20 ms each time."""
    return channel(value)


def either(channel: Callable[..., T], test: str, then: str, otherwise: str) -> T:
    """One value where a test of the row holds, another where it does not; quick, see `fixed`."""
    return channel(otherwise, condition={"test": test, "value": then})


def tested() -> alt.StrokeDashValue:
    """A dotted ring for marks whose column `filled` is null: nothing can be tested there."""
    return alt.StrokeDashValue([1, 0], condition={"test": "!isValid(datum.filled)", "value": [1, 2]})


def defined(frame: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """The rows in which all these columns are defined: NaN has no place in a chart."""
    return frame.fill_nan(None).drop_nulls(list(columns))


def symmetric_domain(
    values: Iterable[float], neutral: float, least: float, step: float
) -> tuple[float, float]:
    """The smallest range around `neutral` that holds all values, a whole number of steps to either side."""
    reach = max((abs(value - neutral) for value in values if math.isfinite(value)), default=0.0)
    reach = max(least, math.ceil(round(reach / step, 9)) * step)
    return neutral - reach, neutral + reach


def label_width(labels: Sequence[str], limit: int = LABEL_LIMIT) -> int:
    """Room for the longest line, from its letters: vl-convert measures some scripts (Devanagari) too short."""
    longest = max((len(line) for label in labels for line in label.split("\n")), default=0)
    return min(limit, round(6.3 * longest) + 8)


def square_legend(**more: Any) -> alt.Legend:
    """The legend of bars, below the figure; `more` are further settings of it."""
    return alt.Legend(title=None, orient="bottom", symbolType="square", symbolStrokeColor=INK, **more)
