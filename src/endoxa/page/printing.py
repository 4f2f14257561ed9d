"""Figures for print: PDF, SVG and PNG as wide as a column or a page of a paper, in letters of one size.

A figure of the page is drawn anew: its plot is made wider or narrower until the whole is as wide as asked with letters
of 8 pt, so that nothing is stretched. Sizes are those of common two-column papers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from endoxa.page.document import Figure
from endoxa.page.render import misdrawn, picture

MILLIMETRES = {"column": 85.0, "page": 170.0}
POINTS = 8.0
"""Size of most letters; the smallest are a tenth smaller."""
LEAST = 0.9
"""Share of that size below which we say how small they are."""
TRIES = 4
"""Drawings until a figure has its width."""
DOTS_PER_INCH = 300
_POINTS_PER_MM = 72 / 25.4
_PX_PER_POINT = 11 / POINTS
"""Charts are drawn with letters of 11 px (`charts.style`)."""
_NARROWEST, _WIDEST = 0.25, 3.0
"""How much narrower or wider than on the page a plot may get."""
_SIZE = re.compile(r'(<svg[^>]*?) width="([\d.]+)" height="([\d.]+)"')
_PARTS = ("layer", "concat", "hconcat", "vconcat", "spec")


@dataclass(frozen=True, slots=True)
class Printed:
    """A figure drawn for print.

    Attributes:
        svg: the picture, its size in points.
        millimetres: how wide it is.
        points: size of its letters.
        width: "column", or "page" also where a column is too narrow for it.
    """

    svg: str
    millimetres: float
    points: float
    width: str


def write_printed(figures: Iterable[Figure], folder: Path, width: str) -> list[str]:
    """Write `NAME-column.pdf`, `.svg` and `.png` (300 dpi), or `NAME-page...`; returns what to tell.

    Where letters of a script would be set wrongly (`render.misdrawn`) only the SVG is written.

    Args:
        figures: what to draw.
        folder: of the files; it is there.
        width: a name of `MILLIMETRES`.

    Raises:
        OSError: a file cannot be written.
    """
    import vl_convert

    told = []
    for figure in figures:
        drawn = printed(figure, width)
        stem = folder / f"{figure.name}-{width}"
        # Points in the file for a web browser are pixels; programs that set type read "pt".
        svg = _SIZE.sub(r'\1 width="\2pt" height="\3pt"', drawn.svg, count=1)
        stem.with_suffix(".svg").write_text(svg, encoding="utf-8")
        if drawn.width != width:
            told.append(f"{figure.name} does not fit into a column: it is {drawn.millimetres:.0f} mm wide.")
        if drawn.points < LEAST * POINTS:
            told.append(f"{figure.name} is too wide for a page: its letters are {drawn.points:.1f} pt.")
        for suffix in (".pdf", ".png"):
            stem.with_suffix(suffix).unlink(missing_ok=True)
        if misdrawn(drawn.svg):
            told.append(f"{figure.name} was written as SVG only: PDF and PNG cannot render its script.")
            continue
        stem.with_suffix(".pdf").write_bytes(vl_convert.svg_to_pdf(drawn.svg))
        stem.with_suffix(".png").write_bytes(vl_convert.svg_to_png(drawn.svg, ppi=DOTS_PER_INCH))
    return told


def printed(figure: Figure, width: str) -> Printed:
    """The figure as wide as asked; at page width where a column would leave too little of its plot."""
    room = MILLIMETRES[width] * _POINTS_PER_MM
    svg = _fitted(figure, room * _PX_PER_POINT)
    across = _size(svg)[0]
    if width == "column" and across > 1.02 * room * _PX_PER_POINT:
        return printed(figure, "page")
    shrunk = min(1 / _PX_PER_POINT, room / across)
    return Printed(
        _sized(svg, shrunk), shrunk * across / _POINTS_PER_MM, POINTS * shrunk * _PX_PER_POINT, width
    )


def _fitted(figure: Figure, target: float) -> str:
    """The figure drawn about `target` pixels wide, letters as they are.

    What stands beside the plots (labels, values) keeps its width, so the width of the whole is close to a straight
    line in that of the plots; the last drawings tell which.
    """
    spec = figure.chart.to_dict(validate=False)
    factor, svg = 1.0, picture(figure, spec)
    across, slope = _size(svg)[0], 0.0
    for _ in range(TRIES):
        if abs(across - target) <= 0.01 * target:
            break
        wanted = factor + (target - across) / slope if slope > 0 else 1.5
        tried = min(max(wanted, _NARROWEST), _WIDEST)
        if tried == factor:
            break
        drawn = picture(figure, _stretched(spec, tried))
        slope = (_size(drawn)[0] - across) / (tried - factor)
        factor, svg, across = tried, drawn, _size(drawn)[0]
        if slope < 1:
            break
    return svg


def _stretched(spec: Mapping[str, Any], factor: float, around: float = 0.0) -> dict[str, Any]:
    """The chart with every plot wider by a factor; steps of heat maps keep the room for their figures.

    Args:
        spec: the chart, or a part of it.
        factor: how much wider.
        around: width of the plot that the part belongs to.
    """
    new = dict(spec)
    match spec.get("width"):
        case int() | float() as width:
            around = width
            new["width"] = width * factor
        case {"step": step, **more}:
            new["width"] = {"step": step * max(1.0, factor), **more}
        case _:
            pass
    if around and "encoding" in spec:
        new["encoding"] = {
            name: _moved(channel, factor, around) if name in {"x", "x2"} else channel
            for name, channel in spec["encoding"].items()
        }
    for part in _PARTS:
        match spec.get(part):
            case list() as inner:
                new[part] = [_stretched(one, factor, around) for one in inner]
            case dict() as inner:
                new[part] = _stretched(inner, factor, around)
            case _:
                pass
    return new


def _moved(channel: Mapping[str, Any], factor: float, width: float) -> Mapping[str, Any]:
    """A place that is given in pixels: beside the plot it keeps its distance, within the plot its share."""
    at = channel.get("value")
    if not isinstance(at, int | float):
        return channel
    return {**channel, "value": width * factor + at - width if at >= width else at * factor}


def _size(svg: str) -> tuple[float, float]:
    """Width and height, in pixels."""
    found = _SIZE.search(svg)
    if found is None:
        raise ValueError("an SVG of vl-convert says its size")
    return float(found[2]), float(found[3])


def _sized(svg: str, shrunk: float) -> str:
    """The picture with its size in points, which is what PDF and PNG are made from."""
    across, down = _size(svg)
    return _SIZE.sub(rf'\1 width="{across * shrunk:.2f}" height="{down * shrunk:.2f}"', svg, count=1)
