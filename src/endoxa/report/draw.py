"""Figures as SVG: what a `Plot` or `Grids` describes, for a screen, a column or a page.

Text has one size, so a figure for print is laid out anew at its width, its labels measured and wrapped: they stand
above their marks where a column is too narrow to hold them beside one another.
"""

from __future__ import annotations

import html
import itertools
import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from endoxa.report.document import Figure
from endoxa.report.grids import Grid, GridCell, Grids
from endoxa.report.plots import BLUE, COLORS, INK, MUTED, ORANGE, PALE, PALE_BLUE, Dot, Plot, PlotRow
from endoxa.schema.characters import xml_text

Width = Literal["column", "page"]
MILLIMETRES: dict[Width, int] = {"column": 85, "page": 170}
MILLIMETRES_PER_POINT = 25.4 / 72

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
"""vl-convert carries Liberation Sans; Arial and Helvetica have the same widths."""
TEXT_PIXELS, TEXT_POINTS = 11, 8
"""Size of all texts on the screen and in print."""
WIDE, NARROW = 720, 480
"""Width on the screen, in pixels."""
STACKED = 500
"""Below this width labels and numbers stand above their marks."""
LINE, APART, BAR, GAP, MARGIN = 14, 12, 16, 12, 4
"""Height of a line of text, of a line of dots and of a bar; room between columns and around the figure."""
SOFT = "#f4f6f8"
LEAST_CELL, MOST_CELL = 14, 62
"""Width of a cell without and with much room."""
LEAST_LABELS = 90
"""Room for the labels of a grid at least."""

_EMS = {
    **dict.fromkeys("ijl|' !,./:;[]ftI·", 0.28),
    **dict.fromkeys('()-r"*', 0.37),
    **dict.fromkeys("mwMW%@—…", 0.92),
}
"""Widths of Arial's letters, in units of the size; the others have about 0.56."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure as SVG.

    Attributes:
        svg: the document.
        width: in pixels.
        height: in pixels.
        millimetres: width in print; None on the screen.
    """

    svg: str
    width: float
    height: float
    millimetres: float | None = None


def points(millimetres: float, width: float) -> float:
    """Size of the text of a figure so many pixels wide that is printed so many millimetres wide."""
    return TEXT_PIXELS * millimetres / MILLIMETRES_PER_POINT / width


def drawing(figure: Figure, width: Width | None = None) -> Drawing:
    """The figure for a screen, or at this width; at page width where a column is too narrow for it."""
    if width is None:
        return _drawn(figure, WIDE if figure.wide else NARROW, None)
    for millimetres in (MILLIMETRES[width], MILLIMETRES["page"]):
        room = millimetres / MILLIMETRES_PER_POINT * TEXT_PIXELS / TEXT_POINTS
        made = _drawn(figure, room, millimetres)
        if made.width <= room:
            break
    return made


def _drawn(figure: Figure, width: float, millimetres: float | None) -> Drawing:
    """The figure on a sheet of this width, or of the least wider one that holds it."""
    sheet = _Sheet(width)
    if isinstance(figure.plot, Grids):
        _grids(sheet, figure.plot)
    else:
        _plot(sheet, figure.plot)
    width, height = sheet.width, sheet.y + MARGIN
    size = f'width="{width:g}" height="{height:g}"'
    if millimetres is not None:
        size = f'width="{millimetres:g}mm" height="{height * millimetres / width:.3f}mm"'
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width:.6g} {height:.6g}" role="img" '
        f'font-family="{FONT}" font-size="{TEXT_PIXELS}px"><title>{html.escape(figure.title)}</title>'
        f'<desc>{html.escape(figure.alt)}</desc><rect width="100%" height="100%" fill="white"/>'
        f"{''.join(sheet.parts)}</svg>"
    )
    return Drawing(xml_text(svg), width, height, millimetres)


def text_width(text: str, *, bold: bool = False) -> float:
    """Width of a line in pixels, rather too much: fonts differ in other scripts than ours."""

    def ems(letter: str) -> float:
        if unicodedata.category(letter) in ("Mn", "Me", "Cf"):
            return 0.0
        if unicodedata.east_asian_width(letter) in "WF":
            return 1.0
        usual = 0.56 if letter < "\u0250" else 0.66
        return _EMS.get(letter, 0.72 if letter.isupper() else usual)

    return TEXT_PIXELS * sum(map(ems, text)) * (1.1 if bold else 1.03)


def wrapped(text: str, room: float, *, bold: bool = False) -> list[str]:
    """The text in lines of at most this width, broken at spaces and behind hyphens; within words as a last resort."""
    lines = []
    for paragraph in text.split("\n"):
        line = ""
        for word in re.findall(r" *[^ /_-]*[/_-]| *[^ /_-]+", paragraph):
            if line and text_width(line + word, bold=bold) > room:
                lines.append(line)
                line = ""
            line = line + word if line else word.lstrip(" ")
            while text_width(line, bold=bold) > room and len(line) > 1:
                fits = next(
                    (k for k in range(len(line) - 1, 1, -1) if text_width(line[:k], bold=bold) <= room), 1
                )
                lines.append(line[:fits])
                line = line[fits:]
        lines.append(line)
    return lines


class _Sheet:
    """A figure under way: its elements so far, and how far down they go."""

    def __init__(self, width: float) -> None:
        self.width = width
        self.y = float(MARGIN)
        self.parts: list[str] = []

    @property
    def inner(self) -> float:
        return self.width - 2 * MARGIN

    def add(self, name: str, content: str = "", /, **attributes: float | str) -> None:
        """An element; numbers are written with two decimals."""
        written = "".join(
            f' {key.replace("_", "-")}="{value if isinstance(value, str) else format(round(value, 2), "g")}"'
            for key, value in attributes.items()
        )
        self.parts.append(f"<{name}{written}>{content}</{name}>" if content else f"<{name}{written}/>")

    def text(self, x: float, y: float, words: str, strong: str = "", /, **attributes: float | str) -> None:
        """A line of text on the base line y, its first words bold."""
        content = f'<tspan font-weight="bold">{html.escape(strong)}</tspan> ' if strong else ""
        self.add("text", content + html.escape(words), x=x, y=y, **{"fill": INK, **attributes})

    def lines(self, x: float, lines: Sequence[str | tuple[str, str]], **attributes: float | str) -> None:
        """Lines of text below what is there, of pairs the first words bold."""
        for line in lines:
            strong, words = ("", line) if isinstance(line, str) else line
            self.text(x, self.y + TEXT_PIXELS, words, strong, **attributes)
            self.y += LINE


@dataclass(frozen=True, slots=True)
class _Columns:
    """Where labels, marks and numbers stand.

    Attributes:
        stacked: whether labels and numbers stand above their marks.
        label: room for the labels.
        note: room for the numbers.
        left: where the value axis begins.
        width: its width.
    """

    stacked: bool
    label: float
    note: float
    left: float
    width: float

    @classmethod
    def of(cls, plot: Plot, sheet: _Sheet) -> _Columns:
        ticks = [text_width(text) / 2 for _, text in plot.axis.ticks]
        edge = max(ticks[:1] + ticks[-1:], default=0.0)
        labels = [text_width(line) for row in plot.rows for line in row.label.split("\n")]
        notes = [text_width(row.value, bold=True) + text_width(f" {row.rest}") for row in plot.rows]
        label, note = max(labels, default=0.0), max(notes, default=0.0)
        if sheet.width < STACKED and label + note > 0.45 * sheet.inner:
            note = min(note, 0.5 * sheet.inner)
            edge = max(edge, GAP / 2)
            return cls(True, sheet.inner - note - GAP, note, MARGIN + edge, sheet.inner - 2 * edge)
        label, note = min(label, 0.36 * sheet.inner), max(min(note, 0.3 * sheet.inner), edge - GAP)
        return cls(False, label, note, MARGIN + label + GAP, sheet.inner - label - note - 2 * GAP)

    def at(self, place: float) -> float:
        """Pixels from the left of a place in percent of the axis."""
        return self.left + self.width * place / 100


def _plot(sheet: _Sheet, plot: Plot) -> None:
    columns = _Columns.of(plot, sheet)
    middle = {"text_anchor": "middle", "fill": MUTED}
    _legend(sheet, plot)
    if any(plot.axis.ends):
        low, high = f"← {plot.axis.ends[0]}", f"{plot.axis.ends[1]} →"
        sheet.lines(columns.left, wrapped(low, columns.width), fill=MUTED)
        if text_width(low) + text_width(high) + GAP <= columns.width:
            sheet.y -= LINE
        sheet.lines(columns.at(100), wrapped(high, columns.width), fill=MUTED, text_anchor="end")
    for row in plot.rows:
        if row.heading:
            sheet.y += LINE / 2
            for line in wrapped(row.heading, sheet.inner, bold=True):
                sheet.lines(MARGIN, [line], font_weight="bold")
        _row(sheet, plot, row, columns)
    sheet.add("path", d=f"M{columns.left:.2f} {sheet.y:.2f}h{columns.width:.2f}", stroke=PALE)
    for place, text in _apart(plot.axis.ticks, plot.axis.neutral_place, columns.width):
        sheet.add("path", d=f"M{columns.at(place):.2f} {sheet.y:.2f}v3", stroke=MUTED)
        sheet.text(columns.at(place), sheet.y + LINE, text, **middle)
    sheet.y += LINE + 5
    untested = "A dotted ring cannot be tested." if plot.untested else ""
    for text in filter(None, (plot.axis.title, untested)):
        sheet.lines(columns.at(50), wrapped(text, columns.width), **middle)


def _apart(
    ticks: Sequence[tuple[float, str]], neutral: float | None, width: float
) -> Sequence[tuple[float, str]]:
    """The marks of the axis, so many that their labels do not touch, that nearest to the neutral value among them."""
    places = [place for place, _ in ticks]
    room = min((b - a for a, b in itertools.pairwise(places)), default=100.0) * width / 100
    step = math.ceil((max((text_width(text) for _, text in ticks), default=0.0) + LINE / 2) / room)
    first = min(range(len(ticks)), key=lambda k: abs(places[k] - (neutral or 0.0)), default=0)
    return ticks[first % step :: step] if step else ticks


def _legend(sheet: _Sheet, plot: Plot) -> None:
    x = float(MARGIN)
    for name, color in plot.legend:
        lines = wrapped(name, sheet.inner - LINE)
        room = LINE + max(map(text_width, lines))
        if x > MARGIN and x + room > sheet.width - MARGIN:
            x, sheet.y = MARGIN, sheet.y + LINE + 2
        if isinstance(color, str):
            sheet.add(
                "rect", x=x, y=sheet.y + 2, width=10, height=10, fill=color, stroke=INK, stroke_width=0.6
            )
        else:
            sheet.add("circle", cx=x + 5, cy=sheet.y + 7, r=4.5, fill=COLORS[color])
        sheet.lines(x + LINE, lines)
        x, sheet.y = x + room + GAP, sheet.y - LINE
    sheet.y += (LINE + 6) * bool(plot.legend)


def _row(sheet: _Sheet, plot: Plot, row: PlotRow, columns: _Columns) -> None:
    """A label, marks and numbers: beside one another, or the marks below."""
    begun, stacked = sheet.y, columns.stacked
    labels = wrapped(row.label, columns.label) if row.label else []
    notes = list(_notes(row, columns.note))
    marks = 3 * LINE if row.curve else BAR + 4 if row.bars else 8 + APART * row.lines + 4 * (row.lines > 1)
    texts = LINE * max(len(labels), len(notes))
    height = marks if stacked else max(marks, texts + 4)
    sheet.y = begun + 2 if stacked else begun + (height - LINE * len(labels)) / 2
    left, end = (MARGIN, "start") if stacked else (columns.left - GAP, "end")
    sheet.lines(left, labels, text_anchor=end)
    sheet.y = begun + 2 if stacked else begun + (height - LINE * len(notes)) / 2
    right, end = (sheet.width - MARGIN, "end") if stacked else (columns.at(100) + GAP, "start")
    sheet.lines(right, notes, text_anchor=end)
    sheet.y = begun + (texts + 2) * stacked
    if plot.axis.neutral_place is not None:
        line = f"M{columns.at(plot.axis.neutral_place):.2f} {sheet.y:.2f}v{height:.2f}"
        sheet.add("path", d=line, stroke=INK, stroke_dasharray="4 2", opacity=0.6)
    top = sheet.y + (height - marks) / 2
    _curve(sheet, row, columns, top, marks)
    _bars(sheet, row, columns, top + 2)
    for dot in row.dots:
        _dot(sheet, dot, columns, top + 4 + 2 * (row.lines > 1) + APART * (dot.line + 0.5))
    sheet.y += height + 4 * stacked


def _notes(row: PlotRow, room: float) -> Iterator[tuple[str, str]]:
    """The numbers of a row in lines: what is bold, and what is not."""
    if text_width(row.value, bold=True) + text_width(f" {row.rest}") <= room:
        yield row.value, row.rest
        return
    yield from ((line, "") for line in wrapped(row.value, room, bold=True) if line)
    yield from (("", line) for line in wrapped(row.rest, room) if line)


def _dot(sheet: _Sheet, dot: Dot, columns: _Columns, y: float) -> None:
    color = COLORS[dot.color]
    if dot.bar:
        left, width = columns.at(dot.bar[0]), max(2.0, columns.width * dot.bar[1] / 100)
        sheet.add("rect", x=left, y=y - 2.5, width=width, height=5, rx=2.5, fill=color, opacity=0.36)
    if dot.thin:
        line = f"M{columns.at(dot.thin[0]):.2f} {y:.2f}h{columns.width * dot.thin[1] / 100:.2f}"
        sheet.add("path", d=line, stroke=MUTED, stroke_width=1.2)
    ring: dict[str, float | str] = {"stroke_dasharray": "1 1.6"} if dot.filled is None else {}
    fill = color if dot.filled else "white"
    sheet.add("circle", cx=columns.at(dot.place), cy=y, r=4, fill=fill, stroke=color, stroke_width=2, **ring)


def _bars(sheet: _Sheet, row: PlotRow, columns: _Columns, top: float) -> None:
    for bar in row.bars:
        left, width = columns.at(bar.left), columns.width * bar.width / 100
        sheet.add(
            "rect", x=left, y=top, width=width, height=BAR, fill=bar.color, stroke=INK, stroke_width=0.6
        )
        texts = (bar.text, *bar.text.split()[:1])
        text = next((text for text in texts if text_width(text) + 2 <= width), "")
        if text:
            middle, fill = left + width / 2, "white" if bar.dark else INK
            sheet.text(middle, top + TEXT_PIXELS + 1, text, text_anchor="middle", fill=fill)


def _curve(sheet: _Sheet, row: PlotRow, columns: _Columns, top: float, height: float) -> None:
    """Outlines left and right of the neutral value; their places are percent."""

    def placed(match: re.Match[str]) -> str:
        if match[1] == "V":
            return f"V{top + height * float(match[2]) / 100:.2f}"
        return f"{match[1]}{columns.at(float(match[2])):.2f} {top + height * float(match[3]) / 100:.2f}"

    for path, fill in zip(row.curve, (PALE, PALE_BLUE), strict=False):
        if path:
            line = re.sub(r"([MLV])([-\d.]+)(?: ([-\d.]+))?", placed, path)
            sheet.add("path", d=line, fill=fill, stroke=BLUE, stroke_width=1)


def _grids(sheet: _Sheet, grids: Grids) -> None:
    """Grids side by side as far as they fit, else below one another."""
    x, bottom = 0.0, sheet.y
    for grid in grids.grids:
        cells = _Cells.of(grid, sheet.inner, level=not grids.many)
        if x and x + cells.total > sheet.inner:
            x, sheet.y = 0.0, bottom
        sheet.width = max(sheet.width, cells.total + 2 * MARGIN)
        top = sheet.y
        _grid(sheet, grid, cells, MARGIN + x)
        bottom, sheet.y = max(bottom, sheet.y + LINE / 2), top
        x += cells.total + 2 * GAP
    sheet.y = bottom
    if grids.legend:
        sheet.lines(MARGIN, wrapped(grids.legend, sheet.inner), fill=MUTED)


@dataclass(frozen=True, slots=True)
class _Cells:
    """The size of a grid.

    Attributes:
        label: room for the labels of its rows.
        width: of a cell.
        total: of all.
        level: whether the names of columns stand level.
        written: whether numbers stand in the cells.
    """

    label: float
    width: float
    total: float
    level: bool
    written: bool

    @classmethod
    def of(cls, grid: Grid, room: float, *, level: bool) -> _Cells:
        """Numbers in the cells where they fit or say what is claimed; else cells of a colour."""
        shown = [cell for _, cells in grid.rows for cell in cells if cell]
        texts = max((text_width(cell.text, bold=cell.claimed) for cell in shown), default=0.0) + 6
        words = max((text_width(word) for name in grid.columns for word in name.split()), default=0.0) + 6
        labels = max((text_width(label) for label, _ in grid.rows), default=0.0) + GAP / 2
        claims = any(cell.claimed or not cell.side for cell in shown)
        for upright, written in ((False, True), (True, True), (True, claims)):
            least = max(texts if written else LEAST_CELL, 0 if upright else words)
            label = max(min(labels, LEAST_LABELS), min(labels, room - least * len(grid.columns)))
            total = label + least * len(grid.columns)
            if (level or upright) and total <= room:
                break
        width = max(least, min(MOST_CELL, (room - label) / max(1, len(grid.columns)), max(least, 2.5 * LINE)))
        return cls(label, width, label + width * len(grid.columns), not upright, written)


def _grid(sheet: _Sheet, grid: Grid, cells: _Cells, x: float) -> None:
    sheet.lines(x, wrapped(grid.title, cells.total) if grid.title else [], font_weight="bold")
    names = [wrapped(name, cells.width - 4) if cells.level else [name] for name in grid.columns]
    heights = (LINE * len(name) if cells.level else text_width(name[0]) for name in names)
    head = sheet.y + max(heights, default=0.0)
    for place, lines in enumerate(names):
        middle = x + cells.label + cells.width * (place + 0.5)
        if cells.level:
            sheet.y = head - LINE * len(lines)
            sheet.lines(middle, lines, text_anchor="middle")
        else:
            turn = f"translate({middle + TEXT_PIXELS / 3:.2f} {head:.2f}) rotate(-90)"
            sheet.text(0, 0, lines[0], transform=turn)
    sheet.y = head + 4
    for label, row in grid.rows:
        lines, top = wrapped(label, cells.label - GAP / 2), sheet.y
        height = max(LINE * len(lines), LINE + 4) + 2
        sheet.y += (height - LINE * len(lines)) / 2
        sheet.lines(x + cells.label - GAP / 2, lines, text_anchor="end")
        sheet.y = top
        for place, cell in enumerate(row):
            if cell:
                left = x + cells.label + cells.width * place
                _cell(sheet, cell, (left, cells.width, height), cells.written)
        sheet.y += height


def _cell(sheet: _Sheet, cell: GridCell, box: tuple[float, float, float], written: bool) -> None:
    left, width, height = box
    outline: dict[str, float | str] = {"stroke": INK, "stroke_width": 1.4} if cell.claimed else {}
    fill = _mixed({"above": BLUE, "below": ORANGE}.get(cell.side, MUTED), cell.shade)
    sheet.add("rect", x=left + 1, y=sheet.y + 1, width=width - 2, height=height - 2, fill=fill, **outline)
    if written:
        ink = "white" if cell.shade > 0.55 else INK if cell.side else MUTED
        weight = {"font_weight": "bold"} if cell.claimed else {}
        y = sheet.y + height / 2 + 4
        sheet.text(left + width / 2, y, cell.text, text_anchor="middle", fill=ink, **weight)


def _mixed(color: str, share: float) -> str:
    """So much of a colour in the paper's grey, as pages mix it."""
    parts = (int(color[k : k + 2], 16) * share + int(SOFT[k : k + 2], 16) * (1 - share) for k in (1, 3, 5))
    return "#" + "".join(f"{round(part):02x}" for part in parts)
