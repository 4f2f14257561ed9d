"""Pictures and tables of pages that commands of the same page make.

A comment before a picture names the file that the commands leave, `<!-- picture: out/a/report_figures/lean*.svg -->`;
of a page (`.html`) or a campaign's folder a browser takes a picture. A comment before a table,
`<!-- cells: out/a, Table 5 -->`, names a run of `endoxa reproduce` and a table of the paper. `make pictures` follows
the pages and writes both.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from collect_support.browsing import chromium, join, visit
from collect_support.served import served
from support.repository import ROOT
from support.tutorials import HOME, follow

DOCS = ROOT / "docs"
PAGES = [
    *sorted(page for page in HOME.glob("*.md") if page.name != "README.md"),
    DOCS / "road.md",
    DOCS / "gallery.md",
]
"""All pages that are followed to the letter."""
PICTURE = re.compile(r"<!-- picture(, slow)?: (\S+) -->\n+!\[[^\]]*\]\(([^)]+)\)")
CELLS = re.compile(r"(?<=<!-- cells: )([^,>]+)(?:, ([^>]+?))? -->\n(?:\n(?:\|.*\n)+)?")
NUMBER = re.compile(r"(?<![\w.,/-])\d[\d,]*(?:\.\d+)?(?![\w-]*\w)")


def pictures(page: Path, folder: Path) -> Iterator[tuple[Path, Path]]:
    """The file that was made and the picture of the page, for every picture of which the page says how it is made.

    A picture marked "slow" comes of commands that only `make pictures` runs.

    Raises:
        AssertionError: the commands of the page left no such file.
    """
    for slow, pattern, target in PICTURE.findall(page.read_text(encoding="utf-8")):
        made = sorted(folder.glob(pattern))
        if slow and not made:
            continue
        assert made, f"{page.name}: the commands leave no {pattern}"
        yield made[0], page.parent / target


def with_cells(page: Path, folder: Path) -> str:
    """The page with its tables of printed and recomputed numbers as they are now."""

    def written(match: re.Match[str]) -> str:
        rows = pl.read_csv(folder / match[1] / "cells.csv", infer_schema_length=None)
        rows = rows.filter(pl.col("table").str.starts_with(match[2] or ""))
        computed = rows.filter(pl.col("verdict") != "not-computed").iter_rows(named=True)
        lines = ["| table | cell | paper | ours | verdict |", "|---|---|---:|---:|---|"]
        lines += [
            f"| {row['table']} | {row['cell']} | {_shown(row['published'])} | {_shown(row['ours'])} | "
            f"{row['verdict'].replace('-', ' ')} |"
            for row in computed
        ]
        rest = rows.height - len(lines) + 2
        lines += [f"| {rest} more cells | | | | not computed |"] if rest else []
        return match[0].partition("\n")[0] + "\n\n" + "\n".join(lines) + "\n"

    return CELLS.sub(written, page.read_text(encoding="utf-8"))


def unprinted(page: Path, printed: str) -> set[str]:
    """Numbers of the prose, of two digits or with decimals, that neither the commands print nor a block or table shows.

    Numbers that come from elsewhere stand in a comment, `<!-- numbers: 2022, 3,920 -->`.
    """
    text = page.read_text(encoding="utf-8")
    exempt = " ".join(re.findall(r"<!-- numbers: (.*?) -->", text))
    shown = " ".join(re.findall(r"```.*?```|^\|.*$", text, re.DOTALL | re.MULTILINE))
    prose = re.sub(
        r"```.*?```|^\|.*$|<!--.*?-->|`[^`]*`|\]\([^)]*\)", " ", text, flags=re.DOTALL | re.MULTILINE
    )
    known = {_plain(number) for number in NUMBER.findall(f"{printed} {exempt} {shown}")}
    return {
        number for number in map(_plain, NUMBER.findall(prose)) if len(number) > 1 and number not in known
    }


def _shown(number: float) -> str:
    return f"{number:,.0f}" if number == int(number) else f"{number:.4g}"


def _plain(number: str) -> str:
    return number.replace(",", "")


def _photograph(page: Path, target: Path) -> None:
    """The first screen of a page; of a campaign's folder, a card as a phone shows it in a campaign like it."""
    with chromium() as browser:
        if page.is_dir():
            with (
                served(page.parent / "on-a-phone", early_questions=False) as site,
                visit(browser, site.address, device_scale_factor=1) as phone,
            ):
                join(phone, site.join)
                phone.page.screenshot(path=target)
                _shrink(target)
            return
        screen = browser.new_page(viewport={"width": 1280, "height": 800})
        screen.goto(page.as_uri())
        screen.wait_for_timeout(300)
        screen.screenshot(path=target)
        _shrink(target)


def _shrink(picture: Path) -> None:
    """Keep 64 colours: a third of the size."""
    from PIL import Image

    Image.open(picture).convert("RGB").quantize(64).save(picture, optimize=True)


def main(shared: Path, names: list[str]) -> None:
    """Write pictures and tables of all pages, or of those that are named (gallery, road, own-pairs, ...)."""
    from endoxa.models.spec import PACKAGED, SMOLLM2

    model = SMOLLM2 if PACKAGED[SMOLLM2].file else None
    for page in PAGES:
        if names and page.stem not in names:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            for _ in follow(page, Path(scratch), shared, model, slow=True):
                pass
            page.write_text(with_cells(page, Path(scratch)), encoding="utf-8")
            for made, target in pictures(page, Path(scratch)):
                target.parent.mkdir(parents=True, exist_ok=True)
                if made.suffix != ".svg":
                    _photograph(made, target)
                else:
                    shutil.copyfile(made, target)
                sys.stdout.write(f"{target.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), sys.argv[2:])
