"""The report of a comparison: tables, figures and a page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2
import polars as pl
from markupsafe import Markup

from endoxa.sources.spreadsheets import neutralised_table
from endoxa_collect.simulate.arms import Arm
from endoxa_collect.simulate.figures import Figure, figures, save
from endoxa_collect.simulate.measures import MAIN, MEASURES, CellResults, Interval, by_cell, summary_table

HEADS = {
    "valid": "unique valid pairs",
    "complete": "with k ratings",
    "tail": "beyond rank 50",
    "reached": "pairs with k ratings",
    "over": "ratings beyond k",
    "surplus": "not asked for",
    "near": "ratings by near people",
    "near_present": "where there are any",
    "candidates": "candidates",
    "gini": "Gini",
    "duplicates": "duplicates",
    "minutes": "person-minutes",
}
_COUNTS = ("valid", "complete", "tail", "minutes")
_PLAIN = ("gini",)
_TAG = re.compile(r'^<svg [^>]*?(width="[^"]+" height="[^"]+" viewBox="[^"]+")[^>]*>')


def write_report(
    folder: Path, rows: list[dict[str, Any]], shares: dict[tuple[str, str], float], arms: Sequence[Arm]
) -> list[str]:
    """Write `results`, `summary.csv`, figures and `report.html`; gives the text of the table.

    Args:
        folder: where.
        rows: campaigns of the main world, as `comparison.results` gives them.
        shares: the share of time for writing that each survey was tuned to, by cell and arm.
        arms: in the order of the table.
    """
    write_tables(folder, rows)
    main = by_cell(rows)[MAIN]
    facts = {
        "heads": HEADS,
        "table": table(main),
        "seeds": main.seeds,
        "summaries": {arm.name: arm.summary for arm in arms},
        "shares": {arm: share for (_, arm), share in shares.items() if arm in main.arms},
        "figures": [(figure, inline_svg(figure, folder)) for figure in figures(main)],
        "meanings": MEASURES,
    }
    pages = jinja2.Environment(
        loader=jinja2.PackageLoader("endoxa_collect.simulate"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    (folder / "report.html").write_text(pages.get_template("report.html.j2").render(facts), encoding="utf-8")
    return _lines(main)


def write_tables(folder: Path, rows: list[dict[str, Any]]) -> None:
    """Write `results.csv`, `results.parquet` and `summary.csv`."""
    frame = pl.DataFrame(rows, infer_schema_length=None)
    frame.write_parquet(folder / "results.parquet")
    neutralised_table(frame).write_csv(folder / "results.csv")
    neutralised_table(summary_table(by_cell(rows))).write_csv(folder / "summary.csv")


def table(cell: CellResults) -> list[tuple[str, list[str]]]:
    """The measures of each arm as a page shows them, in the order of `HEADS`."""
    return [(arm, [_shown(name, cell.mean(arm, name)) for name in HEADS]) for arm in cell.arms]


def _shown(name: str, interval: Interval) -> str:
    form = ",.0f" if name in _COUNTS else ".2f" if name in _PLAIN else ".1%"
    return f"{interval.value:{form}} [{interval.low:{form}}, {interval.high:{form}}]"


def _lines(cell: CellResults) -> list[str]:
    """The main columns for a terminal, without intervals."""
    names = ("valid", "complete", "tail", "reached", "over", "near")
    heads = "".join(f"{HEADS[name]:>24}" for name in names)
    lines = [f"{'per 1,000 person-minutes':24}{heads}"]
    for arm in cell.arms:
        values = (_shown(name, cell.mean(arm, name)).split(" ")[0] for name in names)
        lines.append(f"{arm:24}" + "".join(f"{value:>24}" for value in values))
    return lines


def inline_svg(figure: Figure, folder: Path) -> Markup:
    """Write a figure, and give it for use inside a page: without its own size, so that it shrinks with the window."""
    svg = _TAG.sub(lambda tag: f'<svg {tag[1]} role="img">', save(figure, folder))
    return Markup(svg)  # noqa: S704 - drawn here
