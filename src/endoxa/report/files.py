"""Files of a report: the format that a name asks for, and writing pages, tables and figures whole."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from endoxa.errors import UserError
from endoxa.report.document import Figure
from endoxa.schema.characters import xml_text
from endoxa.sources.write import replacing

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
"""Figures under way at once: one is made into a picture while another is put together."""


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
    for name, suffixes in FORMATS.items():
        if output.suffix.lower() in suffixes:
            return name
    endings = ", ".join(suffix for suffixes in FORMATS.values() for suffix in suffixes)
    raise UserError(
        f"'{output.name}' does not say what to write: end its name in one of {endings}, or name a format "
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


def write_figures(figures: Iterable[Figure], output: Path) -> dict[str, str]:
    """Write every figure into the folder beside the page; returns their SVG for inside the page, by name.

    A PNG is left out where it would show letters wrongly, see `render.misdrawn`.
    """
    from endoxa.report.render import inline_svg, misdrawn, picture, save

    folder = figures_folder(output)
    folder.mkdir(exist_ok=True)

    def drawn(figure: Figure) -> tuple[str, str]:
        svg = picture(figure)
        save(figure, svg, folder, png=not misdrawn(svg))
        return figure.name, inline_svg(figure, svg)

    # vl-convert lets go of the interpreter while it draws.
    with ThreadPoolExecutor(DRAWN_AT_ONCE) as pool:
        return dict(pool.map(drawn, figures))


def replace_text(output: Path, text: str) -> None:
    """Write the file so that it is either the old or the new one, never half of it.

    Characters that neither pages nor LaTeX can hold are replaced.
    """
    with replacing(output) as draft:
        draft.write_text(xml_text(text), encoding="utf-8")
