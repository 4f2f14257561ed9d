"""What a comparison leaves behind: tables, figures, and one page that says what they mean."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import jinja2
import polars as pl
from markupsafe import Markup

from endoxa.collect.simulate.arms import ARMS
from endoxa.collect.simulate.calibration import PUBLISHED
from endoxa.collect.simulate.criteria import verdicts
from endoxa.collect.simulate.figures import figures, save
from endoxa.collect.simulate.grid import MAIN, GridCell
from endoxa.collect.simulate.measures import MEASURES
from endoxa.collect.simulate.summary import CellResults, Interval, by_cell, summary_table

_HEADS = {
    "valid": "unique valid pairs",
    "complete": "with k ratings",
    "tail": "beyond rank 50",
    "reached": "pairs with k ratings",
    "over": "ratings beyond k",
    "surplus": "not asked for",
    "near": "ratings by near people",
    "gini": "Gini",
    "duplicates": "duplicates",
}
_COUNTS = ("valid", "complete", "tail")
_PLAIN = ("gini",)
_TAG = re.compile(r'^<svg [^>]*?(width="[^"]+" height="[^"]+" viewBox="[^"]+")[^>]*>')


def write_report(
    folder: Path,
    rows: list[dict[str, Any]],
    shares: dict[tuple[str, str], float],
    grid: list[GridCell],
    fitted: dict[str, float] | None,
) -> list[str]:
    """Write `results`, `summary.csv`, figures, `report.md` and `report.html`; gives the text of the table.

    Args:
        folder: where.
        rows: one campaign each, as `work.results` gives them.
        shares: the share of time for writing that each survey was tuned to, by cell and arm.
        grid: the worlds, main first.
        fitted: marginals of LACES's rule in the main world, where that world was fitted to them.
    """
    frame = pl.DataFrame(rows, infer_schema_length=None)
    frame.write_parquet(folder / "results.parquet")
    frame.write_csv(folder / "results.csv")
    cells = by_cell(rows)
    summary_table(cells).write_csv(folder / "summary.csv")
    drawn = [
        (figure, Markup(_inline(save(figure, folder))))  # noqa: S704 - drawn here
        for figure in figures(cells, grid)
    ]
    facts = {
        "heads": _HEADS,
        "table": _table(cells[MAIN]),
        "seeds": cells[MAIN].seeds,
        "summaries": {arm: ARMS.get(arm).summary for arm in cells[MAIN].arms},
        "shares": {
            arm: share for (cell, arm), share in shares.items() if cell == MAIN and arm in cells[MAIN].arms
        },
        "verdicts": verdicts(cells),
        "grid": [(cell.text, _table(cells[cell.name])) for cell in grid[1:] if cell.name in cells],
        "figures": drawn,
        "fitted": [(one.text, one.published, fitted[one.name]) for one in PUBLISHED] if fitted else [],
        "meanings": MEASURES,
    }
    for name, escaped in (("report.html", True), ("report.md", False)):
        pages = jinja2.Environment(
            loader=jinja2.PackageLoader("endoxa.collect.simulate"),
            autoescape=escaped,  # noqa: S701 - Markdown is not a page
            trim_blocks=True,
            lstrip_blocks=True,
        )
        (folder / name).write_text(pages.get_template(f"{name}.j2").render(facts), encoding="utf-8")
    return _lines(cells[MAIN])


def _table(cell: CellResults) -> list[tuple[str, list[str]]]:
    return [(arm, [_shown(name, cell.mean(arm, name)) for name in _HEADS]) for arm in cell.arms]


def _shown(name: str, found: Interval) -> str:
    form = ",.0f" if name in _COUNTS else ".2f" if name in _PLAIN else ".1%"
    return f"{found.value:{form}} [{found.low:{form}}, {found.high:{form}}]"


def _lines(cell: CellResults) -> list[str]:
    """The main columns for a terminal, without intervals."""
    names = ("valid", "complete", "tail", "reached", "over", "near")
    heads = "".join(f"{_HEADS[name]:>24}" for name in names)
    lines = [f"{'per 1,000 person-minutes':24}{heads}"]
    for arm in cell.arms:
        values = (_shown(name, cell.mean(arm, name)).split(" ")[0] for name in names)
        lines.append(f"{arm:24}" + "".join(f"{value:>24}" for value in values))
    return lines


def _inline(svg: str) -> str:
    """An SVG for use inside the page: without its own size, so that it shrinks with the window."""
    return _TAG.sub(lambda found: f'<svg {found[1]} role="img">', svg)
