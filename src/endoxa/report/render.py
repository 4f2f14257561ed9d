"""Charts to pictures: SVG for the page, SVG and PNG files for papers and slides. All offline (vl-convert)."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from endoxa.report.document import Figure
from endoxa.schema.characters import xml_text, xml_texts

if TYPE_CHECKING:
    import altair as alt

PNG_SCALE = 2
_NAMESPACES = re.compile(r' xmlns(:\w+)?="[^"]*"| version="1\.1"| class="marks"')

_PART_ROLES = re.compile(r' (?:role="graphics-[a-z]+"|aria-roledescription="[^"]*")')
"""Of marks within a picture that is described as a whole."""

_TIP = re.compile(r' aria-label="([^"]*)"(?= role="graphics-symbol" aria-roledescription="\w+ mark")')
"""What a mark says to who points at it; within a picture that is described as a whole it is no label."""

_GRADIENT = re.compile(r"\bgradient_\d+")
_FONT = re.compile(r' font-family="[^"]*"')
_IDLE = re.compile(r' opacity="1"| pointer-events="none"|<path class="(?:fore|back)ground"[^>]* d=""[^>]*/>')
"""What changes nothing in a picture within a page."""
_PLACES = re.compile(r' (?:d|transform|[xy][12]?)="[^"]*"')
_FINE = re.compile(r"(\d\.\d)\d+")
"""Coordinates with more digits than a screen can show."""
_REORDERED = re.compile("[\u0900-\u0dff\u1000-\u109f\u1780-\u17ff]")


@contextmanager
def unchecked() -> Iterator[None]:
    """Charts are built without Altair's own checks, which take longer than everything else; tests make them."""
    from altair.utils import schemapi

    with schemapi.debug_mode(False):
        yield


def chart_spec(chart: alt.TopLevelMixin) -> dict[str, Any]:
    """The chart in Vega-Lite, without characters that a picture cannot hold: texts in it are other people's."""
    spec: dict[str, Any] = xml_texts(chart.to_dict(validate=False))
    return spec


def spoken(figure: Figure) -> str:
    """Title and text alternative of a figure, as elements of its SVG."""
    title, description = (html.escape(xml_text(text)) for text in (figure.title, figure.alt))
    return f"<title>{title}</title><desc>{description}</desc>"


def picture(figure: Figure) -> str:
    """The figure as a whole SVG document, with its title and text alternative inside."""
    import vl_convert

    svg = vl_convert.vegalite_to_svg(json.dumps(chart_spec(figure.chart)))
    head, _, body = svg.partition(">")
    return renumbered(f'{head} role="img">{spoken(figure)}{body}')


def renumbered(svg: str) -> str:
    """Names of gradients counted from 0: vl-convert counts them over the whole process, so no two runs were alike."""
    names: dict[str, str] = {}
    return _GRADIENT.sub(lambda match: names.setdefault(match[0], f"gradient_{len(names)}"), svg)


def inline_svg(figure: Figure, svg: str) -> str:
    """The SVG for use inside an HTML page: its ids made unique, labelled by its title and description."""
    unique = re.sub(r'\bid="([^"]+)"', rf'id="{figure.name}-\1"', svg)
    unique = re.sub(r"url\(#([^)]+)\)", rf"url(#{figure.name}-\1)", unique)
    unique = unique.replace("<title>", f'<title id="{figure.name}-title">', 1)
    unique = unique.replace("<desc>", f'<desc id="{figure.name}-desc">', 1)
    head, _, body = _PART_ROLES.sub("", _TIP.sub(r' data-tip="\1"', unique)).partition(">")
    head = _NAMESPACES.sub("", head)
    body = _PLACES.sub(lambda place: _FINE.sub(r"\1", place[0]), _IDLE.sub("", body))
    fonts = set(_FONT.findall(body))
    if len(fonts) == 1:
        head, body = head + fonts.pop(), _FONT.sub("", body)
    return f'{head} aria-labelledby="{figure.name}-title {figure.name}-desc">{body}'


def misdrawn(svg: str) -> bool:
    """True where the picture would hold letters wrongly set in the PNG.

    vl-convert 1.9 (resvg) lays the reordered vowel signs of Indic and of some South-East Asian scripts over their
    neighbours; browsers set them right, so the SVG is good.
    """
    return bool(_REORDERED.search(svg))


def save(figure: Figure, svg: str, folder: Path, *, png: bool = True) -> None:
    """Write `NAME.svg` and, where `png`, `NAME.png` into the folder; without, an old one is removed.

    Raises:
        OSError: a file cannot be written.
    """
    import vl_convert

    (folder / f"{figure.name}.svg").write_text(svg, encoding="utf-8")
    raster = folder / f"{figure.name}.png"
    if png:
        raster.write_bytes(vl_convert.svg_to_png(svg, scale=PNG_SCALE))
    else:
        raster.unlink(missing_ok=True)
