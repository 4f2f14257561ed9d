"""Figures at the width of a printed column or page: PDF, SVG and PNG with text of a stated size.

A chart drawn for the screen and merely made smaller would have text nobody can read. Here the plots become narrower or
wider until the picture fits at the one scale at which labels have `TEXT_POINTS`.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from endoxa.report.document import Figure
from endoxa.report.files import DRAWN_AT_ONCE, figures_folder
from endoxa.report.render import chart_spec, misdrawn, renumbered, spoken

Width = Literal["column", "page"]
Spec = dict[str, Any]

MILLIMETRES: dict[Width, int] = {"column": 85, "page": 170}
DPI = 300
POINTS = 72
MILLIMETRES_PER_INCH = 25.4

TEXT_PIXELS = 11
"""Labels of axes on the screen, see `charts.style`."""
TEXT_POINTS = 8
"""The same in print."""
SCALE = TEXT_POINTS / TEXT_PIXELS
SMALLEST_PIXELS = 10
"""Smaller text is raised to this: 7.3 points in print."""

STRETCH = 0.55, 2.5
"""How much narrower or wider a plot can be than on the screen."""
ROUNDS = 4
CLOSE = 1.5
"""Pixels by which a picture may miss its width; the rest is margin."""
TOLERANCE = 0.1
"""Points by which labels may be smaller without a word."""
_PRINTED = re.compile(r'width="([\d.]+)mm" height="[\d.]+mm" viewBox="0 0 ([\d.]+) ')
_SIZE = re.compile(r'width="([\d.]+)" height="([\d.]+)" viewBox="[^"]*"')


@dataclass(frozen=True, slots=True)
class Printed:
    """A figure drawn for print.

    Attributes:
        name: stem of its files.
        svg: the picture; its size is in millimetres.
        width: of the picture, in millimetres.
        height: of the picture, in millimetres.
        text: size of the labels in points; less than `TEXT_POINTS` where even a page is too narrow.
    """

    name: str
    svg: str
    width: float
    height: float
    text: float


def write_printed(figures: Iterable[Figure], output: Path, width: Width) -> list[Printed]:
    """`write_figures` into the folder beside `output`."""
    return write_figures(figures, figures_folder(output), width)


def write_figures(figures: Iterable[Figure], folder: Path, width: Width) -> list[Printed]:
    """Write every figure as SVG, PDF and PNG (300 dpi) into a folder, which is made where it is missing.

    PDF and PNG are left out where they would show letters wrongly, see `render.misdrawn`.

    Raises:
        OSError: a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)

    def drawn(figure: Figure) -> Printed:
        printed = print_figure(figure, width)
        _save(printed, folder)
        return printed

    # vl-convert lets go of the interpreter while it draws.
    with ThreadPoolExecutor(DRAWN_AT_ONCE) as pool:
        return list(pool.map(drawn, figures))


def notes(folder: Path, width: Width) -> Iterator[str]:
    """What somebody should know who asked for figures of this width: which became wider, in which text is small.

    Args:
        folder: where `write_printed` wrote them.
        width: the width asked for.
    """
    sizes = {path.stem: _printed_size(path) for path in sorted(folder.glob("*.svg"))}
    wider = [name for name, (wide, _) in sizes.items() if wide > MILLIMETRES[width]]
    if wider:
        yield f"Too wide for a column, drawn at page width: {', '.join(wider)}."
    small = [f"{name} ({text:.1f} pt)" for name, (_, text) in sizes.items() if text < TEXT_POINTS - TOLERANCE]
    if small:
        yield f"Too wide for a page, so labels are smaller than {TEXT_POINTS} pt: {', '.join(small)}."


def _printed_size(path: Path) -> tuple[float, float]:
    """Width in millimetres and size of labels in points; a figure not drawn for print counts as fitting."""
    with path.open(encoding="utf-8") as file:
        match = _PRINTED.search(file.read(1000))
    if match is None:
        return 0.0, float(TEXT_POINTS)
    width = float(match[1])
    return width, _text_points(width, float(match[2]))


def _text_points(width: float, pixels: float) -> float:
    """Size of labels in a drawing of so many pixels that is printed so many millimetres wide."""
    return TEXT_PIXELS * width / MILLIMETRES_PER_INCH * POINTS / pixels


def print_figure(figure: Figure, width: Width) -> Printed:
    """The figure at this width; at page width where a column is too narrow for it."""
    spec = _readable(chart_spec(figure.chart))
    svg, pixels = "", 0.0
    for wanted in dict.fromkeys((width, "page")):
        room = MILLIMETRES[wanted] / MILLIMETRES_PER_INCH * POINTS / SCALE
        svg, pixels = _fitted(spec, room)
        if pixels <= room + CLOSE:
            return _at(figure, svg, MILLIMETRES[wanted], max(pixels, room))
    return _at(figure, svg, MILLIMETRES["page"], pixels)


def _fitted(spec: Spec, room: float) -> tuple[str, float]:
    """The picture whose width comes nearest to `room` without being wider, else the narrowest; and its width."""
    best = _drawn(spec)
    if not _fits(best, room):
        stacked = _stacked_legends(spec)
        if stacked != spec:
            spec, best = stacked, min(best, _drawn(stacked), key=lambda drawn: drawn[1])
    factor, slope = 1.0, max(best[1] / 2, 1.0)
    width = best[1]
    for _ in range(ROUNDS):
        following = min(max(factor + (room - width) / slope, STRETCH[0]), STRETCH[1])
        if abs(room - width) <= CLOSE or following == factor:
            break
        picture = _drawn(stretched(spec, following))
        moved = (picture[1] - width) / (following - factor)
        factor, width = following, picture[1]
        best = min(best, picture, key=lambda drawn: (drawn[1] > room + CLOSE, abs(drawn[1] - room)))
        if moved <= 0:  # something else decides the width: a legend, a title
            break
        slope = moved
    return best


def _fits(picture: tuple[str, float], room: float) -> bool:
    return picture[1] <= room + CLOSE


def _drawn(spec: Spec) -> tuple[str, float]:
    import vl_convert

    svg: str = vl_convert.vegalite_to_svg(json.dumps(spec))
    size = _SIZE.search(svg)
    assert size is not None
    return svg, float(size[1])


def stretched(spec: Spec, factor: float) -> Spec:
    """The chart with plots `factor` times as wide; what stands right of a plot moves along.

    One whose shape is fixed (a circle) stays as it is.
    """
    if spec.get("usermeta", {}).get("shape") == "fixed":
        return spec
    made: Spec = copy.deepcopy({name: part for name, part in spec.items() if name != "datasets"})
    _stretch(made, factor, 0.0, 0.0)
    return {**made, "datasets": spec["datasets"]} if "datasets" in spec else made


def _stretch(view: Any, factor: float, before: float, after: float) -> None:
    if isinstance(view, list):
        for part in view:
            _stretch(part, factor, before, after)
    if not isinstance(view, dict):
        return
    if _is_view(view) and isinstance(view.get("width"), int | float):
        before, after = view["width"], view["width"] * factor
        view["width"] = after
    mark = view.get("mark")
    if isinstance(mark, dict) and isinstance(mark.get("width"), int | float):
        mark["width"] *= factor
    encoding = view.get("encoding", {})
    for channel in ("x", "x2"):
        place = encoding.get(channel, {})
        if (
            isinstance(place, dict)
            and isinstance(place.get("value"), int | float)
            and place["value"] >= before > 0
        ):
            place["value"] += after - before
    for name in ("layer", "hconcat", "vconcat", "concat", "spec"):
        _stretch(view.get(name), factor, before, after)


def _is_view(part: Spec) -> bool:
    return any(name in part for name in ("layer", "mark", "encoding", "spec"))


def _readable(part: Any) -> Any:
    """The chart with text of at least `SMALLEST_PIXELS`; its data are not copied."""
    if isinstance(part, list):
        return [_readable(element) for element in part]
    if not isinstance(part, dict):
        return part
    made = {}
    for name, value in part.items():
        if name in ("datasets", "data"):
            made[name] = value
        elif name.lower().endswith("fontsize") and isinstance(value, int | float):
            made[name] = max(value, SMALLEST_PIXELS)
        else:
            made[name] = _readable(value)
    return made


def _stacked_legends(part: Any) -> Any:
    """The chart with one entry per line in every legend."""
    if isinstance(part, list):
        return [_stacked_legends(element) for element in part]
    if not isinstance(part, dict):
        return part
    made = {
        name: value if name in ("datasets", "data") else _stacked_legends(value)
        for name, value in part.items()
    }
    if isinstance(made.get("legend"), dict) and "columns" in made["legend"]:
        made["legend"] = {**made["legend"], "columns": 1}
    return made


def _at(figure: Figure, svg: str, width: float, pixels: float) -> Printed:
    """The picture `width` millimetres wide, `pixels` of the drawing across; the margin is white like the rest."""
    size = _SIZE.search(svg)
    assert size is not None
    tall = float(size[2])
    height = tall * width / pixels
    head, _, body = _SIZE.sub(
        f'width="{width:g}mm" height="{height:.3f}mm" viewBox="0 0 {pixels:.3f} {tall:g}"', svg, count=1
    ).partition(">")
    body = re.sub(r'^<rect width="[\d.]+"', f'<rect width="{pixels:.3f}"', body)
    svg = renumbered(f'{head} role="img">{spoken(figure)}{body}')
    return Printed(figure.name, svg, width, height, _text_points(width, pixels))


def _save(printed: Printed, folder: Path) -> None:
    """Write `NAME.svg`, `NAME.pdf` and `NAME.png`; old PDF and PNG are removed where they would be wrong."""
    (folder / f"{printed.name}.svg").write_text(printed.svg, encoding="utf-8")
    pdf, png = folder / f"{printed.name}.pdf", folder / f"{printed.name}.png"
    if misdrawn(printed.svg):
        pdf.unlink(missing_ok=True)
        png.unlink(missing_ok=True)
        return
    pdf.write_bytes(as_pdf(printed))
    png.write_bytes(as_png(printed))


def as_pdf(printed: Printed) -> bytes:
    """The picture as vector PDF with its letters embedded as text; the page is as large as the picture."""
    import vl_convert

    pdf: bytes = vl_convert.svg_to_pdf(_in_points(printed))
    return pdf


def as_png(printed: Printed) -> bytes:
    """The picture with 300 dots per inch, which the file says."""
    import vl_convert

    exact = printed.width / MILLIMETRES_PER_INCH * DPI
    # vl-convert cuts off fractions of a pixel, so a little is added to the whole number.
    png: bytes = vl_convert.svg_to_png(_in_points(printed), scale=(round(exact) + 0.01) / exact, ppi=DPI)
    return png


def _in_points(printed: Printed) -> str:
    """vl-convert takes one unit of an SVG as one point."""
    width, height = (side / MILLIMETRES_PER_INCH * POINTS for side in (printed.width, printed.height))
    return re.sub(
        r'width="[\d.]+mm" height="[\d.]+mm"',
        f'width="{width:.4f}" height="{height:.4f}"',
        printed.svg,
        count=1,
    )
