"""The page of a comparison of studies: what changed with every instrument, a section each, and their agreement."""

from __future__ import annotations

from endoxa.report.claims import chip
from endoxa.report.document import Finding, Section
from endoxa.report.frame import CITE, Page, filled, present
from endoxa.report.tables import Column, Table, number_field, table_of, text_field
from endoxa.report.words import NO_VALUE, count, decimal_interval, listed, p_value, signed
from endoxa.study.compare.page import SECTIONS
from endoxa.study.compare.results import value
from endoxa.study.compare.studies import Part, StudyComparison, subject
from endoxa.study.report import headline


def page_of(comparison: StudyComparison, folder: str) -> Page:
    """The page; the run folders must still be there.

    Args:
        comparison: the studies.
        folder: beside the page, with the page of each instrument; empty where there is none.
    """
    first, *others = comparison.labels
    runs = [run.side for part in comparison.parts for run in part.comparison.runs]
    return Page(
        package=__package__,
        title=f"What changed from {first} to {listed(others)}",
        subtitle=f"Whole studies, compared with {listed([part.title for part in comparison.parts])}.",
        entries=(
            *present([what_changed(comparison)]),
            *present(of_instrument(part, folder) for part in comparison.parts),
            *present([agreement(comparison)]),
            CITE,
        ),
        runs=[side.run for side in runs],
        models=dict.fromkeys(side.model for side in runs),
    )


def what_changed(comparison: StudyComparison) -> Section:
    """The first sentence, and one table over all instruments."""
    rows = comparison.shown
    several = len(comparison.labels) > 2
    table = table_of(
        f"Every instrument, {100 * comparison.confidence:g} % intervals",
        rows,
        (
            text_field("instrument", lambda row: row[0].title),
            text_field("study", lambda row: row[1].after.label) if several else None,
            text_field("measure", lambda row: subject(row[2], row[0])),
            number_field("before", lambda row: value(row[2].before)),
            number_field("after", lambda row: value(row[2].after)),
            number_field("change", lambda row: signed(row[2].difference)),
            number_field("interval", lambda row: decimal_interval(row[2].low, row[2].high)),
            number_field("p adjusted", lambda row: p_value(row[2].p_adjusted)),
            text_field("verdict", lambda row: chip(row[2].reasoned)),
            number_field("items", lambda row: count(row[2].n_items) if row[2].n_items else NO_VALUE),
        ),
        stub=2,
    )
    return Section(
        "changes",
        "What changed",
        findings=(Finding(comparison.sentence, tuple(change.row for _, _, change in rows)),),
        tables=(table,),
        notes=(
            "Claims are corrected (Holm 1979) over all instruments: measures of bias among themselves, and what they "
            "cost among themselves; changes in parts of the items within their instrument. Measures of different "
            "instruments have different units: do not compare sizes.",
            *comparison.notes,
        ),
    )


def of_instrument(part: Part, folder: str) -> Section:
    """What the page of the instrument shows, without items and methods."""
    inner = [
        section
        for section in filled(SECTIONS, part.comparison)
        if not section.template and not section.folded
    ]
    return Section(
        part.name,
        part.title.capitalize(),
        findings=tuple(finding for section in inner for finding in section.findings),
        figures=tuple(figure for section in inner for figure in section.figures),
        tables=tuple(table for section in inner for table in section.tables),
        notes=tuple(dict.fromkeys(note for section in inner for note in section.notes)),
        template="instrument.html.j2" if folder else "",
        values={"address": f"{folder}/{part.name}.html"},
    )


def agreement(comparison: StudyComparison) -> Section | None:
    """Correlations of instruments in each study, side by side."""
    if not comparison.agreement:
        return None
    tables = [headline(each) for each in comparison.agreement]
    rows = tuple(
        (label, *texts)
        for label, table in zip(comparison.labels, tables, strict=True)
        for texts in table.texts
    )
    first = tables[0]
    columns = (
        Column("study", numeric=False),
        *(Column(name, numeric=name not in first.words) for name in first.columns),
    )
    return Section(
        "agreement",
        "Do the instruments agree, before and after?",
        tables=(Table(first.title, columns, rows),),
        notes=(
            "Side by side, without a claim: the studies share their associations, and no interval of the difference of "
            "two such correlations is known. Overlapping intervals show neither a change nor its absence.",
            *dict.fromkeys(note for table in tables for note in table.notes),
        ),
    )
