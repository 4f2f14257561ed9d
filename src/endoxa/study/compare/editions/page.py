"""The page about two editions: how many associations are new, lost and kept beside chance, and which shares changed."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.curate.pages import METHODS, bar_figure, page_of
from endoxa.report.claims import P_ADJUSTED, VERDICT, signed_ends
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.frame import Page
from endoxa.report.inputs import Run
from endoxa.report.plots import BLUE, MUTED, ORANGE
from endoxa.report.tables import Field, number_field, table_of, text_field
from endoxa.report.words import count, decimal, p_value, percent, plural, signed
from endoxa.stats.verdicts import ABOVE, CLEAR
from endoxa.study.compare.editions.comparison import KEPT, LOST, NEW, EditionComparison

COLORS = {LOST: ORANGE, KEPT: MUTED, NEW: BLUE}
MOST_SHOWN = 200
"""Rows of a table on the page; the table that the command writes has all of them."""
MOST_OPEN = 40
LEAST_MENTIONS = 2
"""Mentions from which on an absence is listed: what one person said is missing elsewhere half of the time."""


def headline(comparison: EditionComparison) -> str:
    """The finding in a sentence: shares that changed, and whether the tables differ as a whole."""
    clear = comparison.changes.filter(pl.col("verdict").is_in(CLEAR))
    more = clear.filter(verdict=ABOVE).height
    if clear.is_empty():
        text = f"No association is clearly said by more or by fewer {comparison.unit} in {comparison.after}"
        if comparison.overall.p_value <= 1 - comparison.options.confidence:
            text += ", but fewer are in both tables than chance explains"
    else:
        text = (
            f"{plural(clear.height, 'association')} changed from {comparison.before} to {comparison.after}: "
            f"{more} said by more {comparison.unit}, {clear.height - more} by fewer"
        )
    return text + "."


def overall_sentences(comparison: EditionComparison) -> tuple[Finding, ...]:
    """How many associations are kept, lost and new, beside what chance would do."""
    overall = comparison.overall
    rows = (_overall_row(comparison),)
    texts = [
        f"{count(overall.kept)} associations are in both tables, {count(overall.lost)} only in {comparison.before} "
        f"(lost) and {count(overall.new)} only in {comparison.after} (new). Had nothing changed, about "
        f"{overall.kept_by_chance:.0f} would be in both, {overall.lost_by_chance:.0f} would look lost and "
        f"{overall.new_by_chance:.0f} new, because most associations are said by few people.",
    ]
    if isfinite(overall.p_value):
        differ = overall.p_value <= 1 - comparison.options.confidence
        texts.append(
            f"{'Fewer associations are kept than chance explains' if differ else 'Chance explains how few are kept'} "
            f"(p {p_value(overall.p_value)}, respondents divided at random)."
        )
    return tuple(Finding(text, rows) for text in texts)


def _overall_row(comparison: EditionComparison) -> dict[str, Any]:
    overall = comparison.overall
    names = ("kept", "new", "lost", "kept_by_chance", "new_by_chance", "lost_by_chance", "p_value")
    return {name: getattr(overall, name) for name in names}


def _beside_chance(comparison: EditionComparison) -> Section:
    clear = comparison.changes.filter(pl.col("verdict").is_in(CLEAR))
    facts = {"changed": clear.height, "more": clear.filter(verdict=ABOVE).height}
    return Section(
        "overall",
        "New, lost and kept",
        findings=(
            Finding(headline(comparison), (facts | {"fewer": facts["changed"] - facts["more"]},)),
            *overall_sentences(comparison),
        ),
        figures=(_bars(comparison),),
        notes=comparison.notes,
    )


def _bars(comparison: EditionComparison) -> Figure:
    row = _overall_row(comparison)
    number = max(comparison.changes.height, 1)
    bars = pl.DataFrame(
        [
            {"label": label, "part": part, "share": row[f"{part}{suffix}"] / number}
            for label, suffix in (("these tables", ""), ("if nothing had changed", "_by_chance"))
            for part in COLORS
        ]
    )
    return bar_figure(
        bars,
        COLORS,
        tuple(COLORS),
        "the associations of both tables",
        name="overall",
        title="Lost, kept and new, beside chance",
        alt="Shares of associations that are lost, kept and new",
    )


def _fields(comparison: EditionComparison, *more: Field) -> tuple[Field, ...]:
    return (
        text_field("group", "identity", veiled=True),
        text_field("attribute", veiled=True),
        text_field("axis"),
        number_field(
            comparison.before, lambda row: f"{percent(row['share_before'])} ({count(row['n_before'])})"
        ),
        number_field(
            comparison.after, lambda row: f"{percent(row['share_after'])} ({count(row['n_after'])})"
        ),
        *more,
    )


def _changed(comparison: EditionComparison) -> Section:
    tested = comparison.changes.filter(pl.col("verdict") != "cannot-be-tested")
    others = comparison.changes.height - tested.height
    facts = {"tests": comparison.tests, "others": others}
    text = (
        f"{plural(comparison.tests, 'association')} had enough mentions for a change to be shown; the intervals hold "
        f"together at {percent(comparison.options.confidence, 0)}. The other {count(others)} were said by too few: no "
        "division of their mentions could reach significance."
    )
    table = table_of(
        f"Share of {comparison.unit} who said it (number)",
        tested.head(MOST_SHOWN),
        _fields(
            comparison,
            number_field("change", "difference", signed),
            number_field("interval", signed_ends),
            VERDICT,
            P_ADJUSTED,
        ),
        most_open=MOST_OPEN,
        stub=2,
    )
    return Section("changes", "Change of shares", findings=(Finding(text, (facts,)),), tables=(table,))


def _absent(comparison: EditionComparison) -> Section | None:
    """Associations in one table only, the least likely to be missing by chance first."""
    mentions = pl.max_horizontal("n_before", "n_after") >= LEAST_MENTIONS
    alone = comparison.changes.filter((pl.col("status") != KEPT) & mentions).sort("missing_by_chance")
    if alone.is_empty():
        return None
    first = alone.row(0, named=True)
    by_few = int(comparison.changes.filter(pl.col("status") != KEPT).height - alone.height)
    text = (
        f"{plural(alone.height, 'association')} said by {LEAST_MENTIONS} or more are in one table only. The least "
        f"likely of them would be missing with a chance of {decimal(first['missing_by_chance'])} had nothing changed."
    )
    facts = {**first, "least": LEAST_MENTIONS, "n": alone.height}
    table = table_of(
        "In one table only, and how likely that is by chance",
        alone.head(MOST_SHOWN),
        _fields(
            comparison,
            text_field("status"),
            number_field("missing by chance", "missing_by_chance", decimal),
        ),
        most_open=MOST_OPEN,
        stub=2,
    )
    notes = (f"Not listed, because one person said it: {plural(by_few, 'association')}.",) if by_few else ()
    return Section(
        "absent", "Lost and new", findings=(Finding(text, (facts,)),), tables=(table,), notes=notes
    )


def _countries(comparison: EditionComparison) -> Section | None:
    if comparison.countries.is_empty():
        return None
    countries = comparison.countries
    balanced = comparison.options.balance is not None
    lead = (
        "Every country used has equal weight."
        if balanced
        else "Shares are of all respondents: where the mix of countries changed, shares can change with it (--balance "
        "country gives every country equal weight)."
    )
    table = table_of(
        "Respondents by country",
        countries,
        (
            text_field("country"),
            number_field(comparison.before, "n_before"),
            number_field(comparison.after, "n_after"),
            text_field("used", shown=lambda used: "yes" if used else "no") if balanced else None,
        ),
    )
    return Section("countries", "Countries", lead=lead, tables=(table,))


def edition_page(comparison: EditionComparison) -> Page:
    """The page about two editions."""
    values = {"comparison": comparison}
    methods = Section(
        METHODS.anchor, METHODS.title, template=METHODS.template, folded=METHODS.folded, values=values
    )
    sections = (
        _beside_chance(comparison),
        _changed(comparison),
        _absent(comparison),
        _countries(comparison),
        methods,
    )
    numbers = comparison.changes.select("total_before", "total_after").row(0)
    subtitle = (
        f"{comparison.before} ({count(numbers[0])} {comparison.unit}) and {comparison.after} ({count(numbers[1])}); "
        f"{plural(comparison.changes.height, 'association')}."
    )
    runs = [Run(path, {}) for path in comparison.paths]
    return page_of(__package__, runs, headline(comparison).removesuffix("."), subtitle, sections)


def write_edition_page(comparison: EditionComparison, output: Path) -> None:
    """Write the page, with its figure beside it."""
    from endoxa.report.frame import write_page

    write_page(edition_page(comparison), output)
