"""The page about stereotypes that are turned round between regions."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from endoxa.curate.pages import METHODS, page_of
from endoxa.report.claims import P_ADJUSTED, VERDICT
from endoxa.report.document import Finding, Section
from endoxa.report.frame import Page, write_page
from endoxa.report.inputs import Run
from endoxa.report.tables import Shown, Table, number_field, table_of, text_field
from endoxa.report.words import count, listed, percent, percent_interval, plural
from endoxa.stats.verdicts import UNTESTED
from endoxa.study.compare.regions.reversals import Reversals

MOST_SHOWN = 200
MOST_OPEN = 40


def headline(reversals: Reversals) -> str:
    """How many stereotypes are turned round, as a sentence."""
    number = reversals.clear.height
    if number:
        verb = "is" if number == 1 else "are"
        return f"{plural(number, 'stereotype')} {verb} turned round between two regions."
    return "No stereotype is clearly turned round between two regions."


def sentences(reversals: Reversals) -> tuple[str, ...]:
    """What was compared, and how much of it could have been shown."""
    leading = reversals.table.height
    untested = reversals.table.filter(verdict=UNTESTED).height
    lines = [
        f"{plural(reversals.compared, 'comparison')} of two sides in two regions; in {count(leading)} another side "
        "leads in each region."
    ]
    if untested:
        lines.append(
            f"For {count(untested)} of them too few people said either side: about "
            f"{_people_needed(reversals)} in each region are the fewest that could show a reversal."
        )
    return tuple(lines)


def _people_needed(reversals: Reversals) -> int:
    """People of each region, all of one mind, with whom a single test can reject after correction."""
    number, alpha = 1, (1 - reversals.confidence) / reversals.tests
    while 0.5**number > alpha:
        number += 1
    return number


def _found(reversals: Reversals) -> Section:
    clear = reversals.clear.rows(named=True)
    findings = [Finding(headline(reversals), ({"n": len(clear)},))]
    facts = {"compared": reversals.compared, "leading": reversals.table.height}
    facts |= {
        "untested": reversals.table.filter(verdict=UNTESTED).height,
        "needed": _people_needed(reversals),
    }
    findings += [Finding(text, (facts,)) for text in sentences(reversals)]
    regions = listed([f"{region} ({count(n)})" for region, n in reversals.regions.items()])

    tables = [_sides("Share of the first side among those who said one of both", reversals.table)]
    if clear and tables[0].folded:
        tables.insert(0, _sides("Stereotypes that are turned round", reversals.clear))
    notes = (f"Regions: {regions}.", *reversals.notes)
    return Section("reversals", "Reversals", findings=tuple(findings), tables=tuple(tables), notes=notes)


def _sides(caption: str, rows: pl.DataFrame) -> Table:
    """Both sides in both regions, a row for each comparison."""

    def in_region(end: str) -> Shown:
        return lambda row: (
            f"{percent(row[f'share{end}'], 0)} ({row[f'n_first{end}']} of "
            f"{row[f'n_first{end}'] + row[f'n_second{end}']})"
        )

    def interval(end: str) -> Shown:
        return lambda row: percent_interval(row[f"low{end}"], row[f"high{end}"], 0)

    return table_of(
        caption,
        rows.head(MOST_SHOWN),
        (
            text_field("first side", "first", veiled=True),
            text_field("second side", "second", veiled=True),
            text_field("first leads in", "region"),
            number_field("share of first", in_region("")),
            number_field("interval", interval("")),
            text_field("second leads in", "other_region"),
            number_field("share of first there", in_region("_other")),
            number_field("interval there", interval("_other")),
            VERDICT,
            P_ADJUSTED,
        ),
        most_open=MOST_OPEN,
        stub=2,
    )


def reversal_page(reversals: Reversals) -> Page:
    """The page."""
    methods = Section(
        METHODS.anchor,
        METHODS.title,
        template=METHODS.template,
        folded=True,
        values={"tests": reversals.tests, "confidence": reversals.confidence},
    )
    subtitle = f"{plural(len(reversals.regions), 'region')}; {plural(reversals.compared, 'comparison')}."
    runs = [Run(reversals.path, {})]
    return page_of(
        __package__, runs, headline(reversals).removesuffix("."), subtitle, (_found(reversals), methods)
    )


def write_reversal_page(reversals: Reversals, output: Path) -> None:
    """Write the page."""
    write_page(reversal_page(reversals), output)
