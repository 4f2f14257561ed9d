"""Chord figures: how much every two of a few things have in common, in either direction.

Each thing is an arc as long as its parts are many. A chord begins as wide as the number of parts that are found
elsewhere, has the colour of the arc it begins at, and ends in a point where they are found: the two chords between two
arcs differ in width where the relation is not symmetric. Shapes are closed lines, so that the figure is drawn, printed
and described like every other one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from endoxa.report.charts.dots import pointed
from endoxa.report.charts.style import INK, MUTED, SERIES_COLORS, finish, fixed
from endoxa.report.words import count

MOST_ARCS = len(SERIES_COLORS)
"""More arcs would share colours."""

ROUND = {"shape": "fixed"}
"""Says that the figure is not to be made wider or narrower alone (`page.printing`)."""

GAP = 0.09
"""Between two arcs, in radians."""
INNER, OUTER = 0.93, 1.0
TIP = 0.012
"""Half the width of the end of a chord, in radians."""
STEPS = 24
"""Points of a curve, and of an arc of one radian."""
PIXELS = 126
"""Length of the radius."""
LINE = 0.125
"""Height of a line of text below the figure, in radii."""
EDGE = 1.24
"""Half the width of the picture, in radii."""


@dataclass(frozen=True, slots=True)
class Arc:
    """One of the things.

    Attributes:
        name: its name.
        size: its parts.
        alone: parts that are found nowhere else.
        shared: parts found in each of the others, by their name.
    """

    name: str
    size: int
    alone: int
    shared: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Chord:
    """A chord: the angles where it begins, and where it ends."""

    origin: str
    target: str
    start: float
    stop: float
    end: float


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything stands, in radians clockwise from the top.

    Attributes:
        arcs: start and end of each arc, by name.
        elsewhere: start and end of its parts that are found elsewhere.
        chords: every chord that is not empty.
        scale: width of a chord over the width of as many parts of an arc; below 1 where parts are found in several
            others, so that their chords find room.
    """

    arcs: dict[str, tuple[float, float]]
    elsewhere: dict[str, tuple[float, float]]
    chords: tuple[Chord, ...]
    scale: float


def chord_layout(arcs: Sequence[Arc]) -> Layout:
    """Angles of arcs and chords; every length is proportional to its number, all chords by one factor."""
    unit = (2 * np.pi - GAP * len(arcs)) / sum(arc.size for arc in arcs)
    room = [(arc.size - arc.alone) / sum(arc.shared.values()) for arc in arcs if sum(arc.shared.values()) > 0]
    scale = min([1.0, *room])
    spans: dict[str, tuple[float, float]] = {}
    elsewhere: dict[str, tuple[float, float]] = {}
    bases: dict[tuple[str, str], tuple[float, float]] = {}
    angle = GAP / 2
    for place, arc in enumerate(arcs):
        spans[arc.name] = angle, angle + unit * arc.size
        middle = angle + unit * arc.size / 2
        reach = unit * (arc.size - arc.alone) / 2
        elsewhere[arc.name] = middle - reach, middle + reach
        at = middle - scale * unit * sum(arc.shared.values()) / 2
        # The neighbour before comes first, so that chords cross as little as possible.
        for step in range(1, len(arcs)):
            other = arcs[(place - step) % len(arcs)].name
            wide = scale * unit * arc.shared.get(other, 0)
            bases[arc.name, other] = at, at + wide
            at += wide
        angle += unit * arc.size + GAP
    chords = tuple(
        Chord(origin, target, start, stop, sum(bases[target, origin]) / 2)
        for (origin, target), (start, stop) in bases.items()
        if stop > start
    )
    return Layout(spans, elsewhere, chords, scale)


def chord_figure(arcs: Sequence[Arc], noun: str) -> alt.TopLevelMixin:
    """The figure; numbers at the arcs refer to the lines below it.

    Args:
        arcs: two to `MOST_ARCS` things, in the order drawn.
        noun: what their parts are, in the plural.
    """
    layout = chord_layout(arcs)
    colors = dict(zip((arc.name for arc in arcs), SERIES_COLORS, strict=False))
    size = {arc.name: arc for arc in arcs}
    ribbons = [
        _shape(
            f"c{k}",
            _ribbon(chord),
            colors[chord.origin],
            f"{count(size[chord.origin].shared[chord.target])} {noun} of {chord.origin} found in {chord.target}",
            colors[chord.origin],  # not white: the thinnest chords are nothing but their edge
        )
        for k, chord in enumerate(layout.chords)
    ]
    rings = []
    for k, arc in enumerate(arcs):
        tip = f"{arc.name}: {count(arc.size)} {noun}, {count(arc.alone)} in no other"
        rings.append(_shape(f"w{k}", _band(*layout.arcs[arc.name]), "white", tip, colors[arc.name]))
        if arc.alone < arc.size:
            rings.append(
                _shape(f"e{k}", _band(*layout.elsewhere[arc.name]), colors[arc.name], tip, colors[arc.name])
            )
    low = -EDGE - LINE * (2.3 * len(arcs))
    layers = [
        *([_filled(ribbons, low, opacity=0.62)] if ribbons else []),
        _filled(rings, low, opacity=1.0),
        *_words(arcs, layout, colors, noun, low),
    ]
    drawn = alt.layer(*layers).properties(
        width=2 * EDGE * PIXELS, height=(EDGE - low) * PIXELS, usermeta=ROUND
    )
    return finish(drawn)


def _x(field: str = "x") -> alt.X:
    return alt.X(f"{field}:Q", axis=None, scale=alt.Scale(domain=(-EDGE, EDGE), nice=False))


def _y(low: float) -> alt.Y:
    return alt.Y("y:Q", axis=None, scale=alt.Scale(domain=(low, EDGE), nice=False))


def _filled(shapes: Sequence[pl.DataFrame], low: float, *, opacity: float) -> alt.Chart:
    frame = pl.concat(shapes)
    lines = (
        alt.Chart(frame)
        .mark_line(
            filled=True, interpolate="linear-closed", strokeWidth=0.8, strokeOpacity=1, fillOpacity=opacity
        )
        .encode(
            x=_x(),
            y=_y(low),
            order=alt.Order("order:Q"),
            detail=alt.Detail("shape:N"),
            fill=alt.Fill("fill:N", scale=None),
            stroke=alt.Stroke("stroke:N", scale=None),
        )
    )
    return pointed(lines, frame)


def _words(
    arcs: Sequence[Arc], layout: Layout, colors: Mapping[str, str], noun: str, low: float
) -> list[alt.Chart]:
    """The numbers at the arcs, and below the figure a line with name and counts for each."""
    marks, names, counts = [], [], []
    for place, arc in enumerate(arcs):
        x, y = _at(sum(layout.arcs[arc.name]) / 2, 1.13)
        marks.append({"x": x, "y": y, "text": str(place + 1), "color": colors[arc.name]})
        line = -EDGE - LINE * 2.3 * place
        names.append({"x": -EDGE, "y": line, "text": f"{place + 1}  {arc.name}", "color": colors[arc.name]})
        alone = f"{count(arc.size)} {noun}, {count(arc.alone)} in no other data set"
        counts.append({"x": -EDGE + 0.11, "y": line - LINE, "text": alone, "color": MUTED})

    def texts(rows: list[dict[str, Any]], **mark: Any) -> alt.Chart:
        made: alt.Chart = (
            alt.Chart(pl.DataFrame(rows))
            .mark_text(**mark)
            .encode(
                x=_x(),
                y=_y(low),
                text=alt.Text("text:N"),
                color=alt.Color("color:N", scale=None)
                if mark.get("fontWeight")
                else fixed(alt.ColorValue, INK),
            )
        )
        return made

    return [
        texts(marks, fontSize=13, fontWeight="bold"),
        texts(names, fontSize=12, fontWeight="bold", align="left"),
        texts(counts, fontSize=11, align="left"),
    ]


Points = list[tuple[float, float]]


def _at(angle: float, radius: float) -> tuple[float, float]:
    """Clockwise from the top."""
    return float(radius * np.sin(angle)), float(radius * np.cos(angle))


def _along(start: float, stop: float, radius: float) -> Points:
    return [_at(angle, radius) for angle in np.linspace(start, stop, 2 + int(STEPS * abs(stop - start)))]


def _band(start: float, stop: float) -> Points:
    return [*_along(start, stop, OUTER), *_along(stop, start, INNER)]


def _curve(start: tuple[float, float], stop: tuple[float, float]) -> Points:
    """A quadratic Bezier curve with the centre of the circle as its control point."""
    return [
        (float((1 - t) ** 2 * start[0] + t**2 * stop[0]), float((1 - t) ** 2 * start[1] + t**2 * stop[1]))
        for t in np.linspace(0, 1, STEPS)
    ]


def _ribbon(chord: Chord) -> Points:
    """From its whole width to its point."""
    radius = INNER - 0.015
    reach = min(TIP, (chord.stop - chord.start) / 2)
    return [
        *_along(chord.start, chord.stop, radius),
        *_curve(_at(chord.stop, radius), _at(chord.end - reach, radius)),
        *_curve(_at(chord.end + reach, radius), _at(chord.start, radius)),
    ]


def _shape(name: str, points: Points, fill: str, tip: str, stroke: str) -> pl.DataFrame:
    """The corners of a closed line, in their order."""
    return pl.DataFrame(
        {"x": [x for x, _ in points], "y": [y for _, y in points], "order": list(range(len(points)))}
    ).with_columns(shape=pl.lit(name), fill=pl.lit(fill), stroke=pl.lit(stroke), tip=pl.lit(tip))
