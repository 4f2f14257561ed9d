"""Files of a report: the format that a name asks for, pages and tables written whole, figures with their rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import polars as pl
import polars.selectors as cs

from endoxa.errors import UserError
from endoxa.report.document import Figure
from endoxa.report.draw import MILLIMETRES_PER_POINT, Drawing, Width, drawing
from endoxa.schema.characters import xml_text
from endoxa.sources.files import replacing
from endoxa.sources.spreadsheets import csv_text

PAGE = "html"

FORMATS: dict[str, tuple[str, ...]] = {
    PAGE: (".html", ".htm"),
    "csv": (".csv",),
    "md": (".md", ".markdown"),
    "latex": (".tex",),
    "estimates": (),
}
"""What a report can be written as, and the file endings that say so; `estimates` has every one as CSV."""


DRAWN_AT_ONCE = 2
"""Figures under way at once: one is made into a picture while another is laid out."""

PNG_SCALE = 2
"""Of pictures for a screen."""
DPI = 300

DIGITS = 8
"""Significant digits of numbers."""

LARGEST = 100_000
"""Characters of an address at most; the rows of larger figures are in the tables that the run wrote."""

_PLAIN = ",/:;+()=*!@~"
"""Signs that an address may hold as they are, besides letters, digits and _.-"""

_PRINTED = re.compile(r'width="([\d.]+)mm" height="([\d.]+)mm" viewBox="0 0 ([\d.]+) ')
_REORDERED = re.compile("[\u0900-\u0dff\u1000-\u109f\u1780-\u17ff]")
"""Scripts of India and South-East Asia: vl-convert 1.9 (resvg) lays their reordered vowel signs over their neighbours.
Browsers set them right, so the SVG is good."""


def figures_folder(output: Path) -> Path:
    """Where the figures of a page go: 'report_figures' beside 'report.html'."""
    return output.with_name(f"{output.stem}_figures")


def resolve_format(output: Path, named: str | None) -> str:
    """The format named, or the one the file's ending says.

    Raises:
        UserError: neither says a format of `FORMATS`.
    """
    if named is not None:
        if named not in FORMATS:
            raise UserError(f"Unknown report format '{named}'. There are: {', '.join(FORMATS)}.")
        return named
    by_ending = {suffix: name for name, suffixes in FORMATS.items() for suffix in suffixes}
    if output.suffix.lower() in by_ending:
        return by_ending[output.suffix.lower()]
    raise UserError(
        f"'{output.name}' does not say what to write: end its name in one of {', '.join(by_ending)}, or name a format "
        "with --format."
    )


def refuse_folder(output: Path) -> None:
    """Refuse a folder in the place of a file.

    Raises:
        UserError: it is one.
    """
    if output.is_dir():
        raise UserError(
            f"'{output}' is a folder: name a file to write, for instance '{output / 'report.html'}'."
        )


def write_figures(figures: Iterable[Figure], folder: Path, width: Width | None = None) -> None:
    """Write every figure as SVG and PNG into a folder, which is made where it is missing; for print as PDF, too.

    PNG and PDF are left out, and old ones removed, where they would show letters wrongly (`_REORDERED`).

    Args:
        figures: of one page.
        folder: where they go.
        width: in print (PNG of 300 dots per inch); None for a screen.

    Raises:
        OSError: a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    makers = {"png": as_png} if width is None else {"png": as_png, "pdf": as_pdf}

    def write(figure: Figure) -> None:
        picture = drawing(figure, width)
        (folder / f"{figure.name}.svg").write_text(picture.svg, encoding="utf-8")
        for ending, make in makers.items():
            path = folder / f"{figure.name}.{ending}"
            if _REORDERED.search(picture.svg):
                path.unlink(missing_ok=True)
            else:
                path.write_bytes(make(picture))

    # vl-convert lets go of the interpreter while it draws.
    with ThreadPoolExecutor(DRAWN_AT_ONCE) as pool:
        list(pool.map(write, figures))


def as_pdf(picture: Drawing) -> bytes:
    """A picture for print as vector PDF with its letters embedded as text; the page is as large as the picture."""
    import vl_convert

    pdf: bytes = vl_convert.svg_to_pdf(_in_points(picture.svg))
    return pdf


def as_png(picture: Drawing) -> bytes:
    """The picture with `DPI` dots per inch, which the file says; one for a screen at `PNG_SCALE`."""
    import vl_convert

    if picture.millimetres is None:
        return bytes(vl_convert.svg_to_png(picture.svg, scale=PNG_SCALE))
    exact = picture.millimetres / 25.4 * DPI
    # vl-convert cuts off fractions of a pixel, so a little is added to the whole number.
    scale = (round(exact) + 0.01) / exact
    return bytes(vl_convert.svg_to_png(_in_points(picture.svg), scale=scale, ppi=DPI))


def _in_points(svg: str) -> str:
    """vl-convert takes one unit of an SVG as one point."""

    def size(match: re.Match[str]) -> str:
        width, height = (float(side) / MILLIMETRES_PER_POINT for side in match.group(1, 2))
        return f'width="{width:.4f}" height="{height:.4f}" viewBox="0 0 {match[3]} '

    return _PRINTED.sub(size, svg, count=1)


def csv_address(rows: pl.DataFrame) -> str:
    """The rows as CSV in a `data:` address: UTF-8, numbers with `DIGITS` significant digits, undefined values empty."""
    rounded = rows.with_columns(cs.float().fill_nan(None).round_sig_figs(DIGITS))
    return f"data:text/csv;charset=utf-8,{quote(csv_text(rounded), safe=_PLAIN)}"


def write_rows(figures: Sequence[Figure], folder: Path) -> None:
    """Write `NAME.csv`, the rows behind every figure that has any, into the folder of their pictures.

    Raises:
        OSError: a file cannot be written.
    """
    for figure in figures:
        if figure.rows is not None:
            (folder / f"{figure.name}.csv").write_text(csv_text(figure.rows), encoding="utf-8")


def replace_text(output: Path, text: str) -> None:
    """Write the file so that it is either the old or the new one, never half of it.

    Characters that neither pages nor LaTeX can hold are replaced.
    """
    with replacing(output) as draft:
        draft.write_text(xml_text(text), encoding="utf-8")
