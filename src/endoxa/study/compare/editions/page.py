"""The page about two editions: which shares changed, and what is in one of them only."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from endoxa.curate.pages import METHODS, page_of
from endoxa.report.claims import P_ADJUSTED, VERDICT, signed_ends
from endoxa.report.document import Finding, Section
from endoxa.report.frame import write_page
from endoxa.report.inputs import Run
from endoxa.report.tables import Field, number_field, table_of, text_field
from endoxa.report.words import count, percent, plural, signed
from endoxa.stats.verdicts import CLEAR, UNTESTED
from endoxa.study.compare.editions.comparison import KEPT, EditionComparison

MOST_SHOWN = 200
"""Rows of a table on the page; the table that the command writes has all of them."""
MOST_OPEN = 40


def _changed(comparison: EditionComparison) -> Section:
    changes = comparison.changes
    tested = changes.filter(pl.col("verdict") != UNTESTED)
    clear = changes.filter(pl.col("verdict").is_in(CLEAR)).height
    facts = comparison.counts | {"changed": clear, "tests": comparison.tests}
    power = (
        f"{plural(comparison.tests, 'association')} had enough mentions for a change to be shown; the intervals hold "
        f"together at {percent(comparison.confidence, 0)}. The other {count(changes.height - tested.height)} were said "
        "by too few: no division of their mentions could reach significance."
    )
    more = (number_field("change", "difference", signed), number_field("interval", signed_ends))
    fields = _fields(comparison, *more, VERDICT, P_ADJUSTED)
    title = f"Share of {comparison.unit} who said it (number)"
    table = table_of(title, tested.head(MOST_SHOWN), fields, most_open=MOST_OPEN, stub=2)
    texts = (comparison.headline, comparison.sentence, power)
    findings = tuple(Finding(text, (facts,)) for text in texts)
    return Section("changes", "Change of shares", findings=findings, tables=(table,), notes=comparison.notes)


def _alone(comparison: EditionComparison) -> Section | None:
    """Associations in one table only, those of most mentions first."""
    mentions = pl.max_horizontal("n_before", "n_after")
    alone = comparison.changes.filter(pl.col("status") != KEPT).sort(mentions, descending=True)
    if alone.is_empty():
        return None
    fields = _fields(comparison, text_field("status"))
    table = table_of("In one table only", alone.head(MOST_SHOWN), fields, most_open=MOST_OPEN, stub=2)
    return Section("absent", "Lost and new", tables=(table,))


def _fields(comparison: EditionComparison, *more: Field) -> tuple[Field, ...]:
    shares = (
        number_field(name, lambda row, end=end: f"{percent(row[f'share_{end}'])} ({count(row[f'n_{end}'])})")
        for end, name in (("before", comparison.before), ("after", comparison.after))
    )
    return (
        text_field("group", "identity", veiled=True),
        text_field("attribute", veiled=True),
        text_field("axis"),
        *shares,
        *more,
    )


def write_edition_page(comparison: EditionComparison, output: Path) -> None:
    """Write the page."""
    methods = Section(
        METHODS.anchor,
        METHODS.title,
        template=METHODS.template,
        folded=True,
        values={"comparison": comparison},
    )
    before, after = comparison.changes.select("total_before", "total_after").row(0)
    subtitle = (
        f"{comparison.before} ({count(before)} {comparison.unit}) and {comparison.after} ({count(after)}); "
        f"{plural(comparison.changes.height, 'association')}."
    )
    sections = (_changed(comparison), _alone(comparison), methods)
    runs = [Run(path, {}) for path in comparison.paths]
    write_page(page_of(__package__, runs, comparison.headline.removesuffix("."), subtitle, sections), output)
