"""The page of the demonstration: what a model shows, what was planted and found, one text, where to go on."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from endoxa.demo.smollm import NO_MODEL, NOTICE, Measured
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.frame import Page, write_page
from endoxa.report.tables import Column, Table
from endoxa.report.words import percent
from endoxa.study.simulated import is_simulated

TITLE = "A demonstration with models whose preference is known"
_READING = (
    "A row is a model; rows with a dash are the axes of the stereotyped one. The dashed line is an unbiased model. "
    "What was planted has no interval; the other dots are what endoxa finds, with their 95\u00a0% interval over "
    "identities and attributes. A dot is filled where a test, corrected for all tests of its run, claims a "
    "preference, and dotted where nothing can be tested: professions are two, too few for an interval.",
)


def write_demo_page(out: Path, measured: Measured | None, simulated: Finding, figure: Figure) -> Path:
    """Write `report.html` into the folder of the demonstration, its figure beside it; returns the page.

    Args:
        out: the folder.
        measured: what the model shows; None where there is none.
        simulated: what is found of the simulated models.
        figure: planted and found.

    Raises:
        OSError: the page cannot be written.
    """
    planted = Section(
        "planted",
        "Does it find what is there? Planted and found",
        findings=(simulated,),
        figures=(figure,),
        notes=_READING,
    )
    first = [] if measured is None else [_of_model(measured)]
    texts = [] if measured is None or measured.texts is None else [_texts(measured.texts)]
    page = Page(
        package="endoxa.demo",
        title=_title(measured),
        subtitle="A model, then simulated ones whose preference was planted",
        entries=(*first, planted, *texts, _next(measured)),
        runs=(),
        models=(),
    )
    output = out / "report.html"
    write_page(page, output)
    return output


def _title(measured: Measured | None) -> str:
    if measured is None:
        return TITLE
    if not measured.shares:
        return f"What {measured.asked.name} answers, and whether planted preferences are found"
    raw, calibrated = measured.shares
    return (
        f"{measured.asked.name} prefers the stereotype in {percent(raw['value'])} of {raw['n']} pairs, "
        f"{percent(calibrated['value'])} compared with other groups"
    )


def _of_model(measured: Measured) -> Section:
    """A sentence for each instrument."""
    real = (
        "The model is simulated."
        if is_simulated(measured.asked.model)
        else "The model and the measurement are real."
    )
    return Section(
        "model",
        f"What {measured.asked.name} shows",
        lead=f"{real} {NOTICE}",
        findings=tuple(measured.findings.values()),
    )


def _texts(texts: pl.DataFrame) -> Section:
    """The beginning of a story, and which pronoun each has."""
    rows = (
        (str(name), *of_name["pronoun"].to_list())
        for (name,), of_name in texts.group_by("target_attribute_value", maintain_order=True)
    )
    first = texts.row(0, named=True)
    begin = first["story"].partition("\n")[0]
    return Section(
        "stories",
        "What it writes",
        lead=f"Asked to \u201c{first['prompt']}\u201d it writes: \u201c{begin} \u2026\u201d",
        tables=(
            Table(
                "Pronouns that are in the majority",
                (Column("story about"), Column("and a lost key"), Column("and a long day at work")),
                tuple(rows),
            ),
        ),
    )


def _next(measured: Measured | None) -> Section:
    pages = (
        []
        if measured is None
        else [
            (
                f"{measured.asked.study.folder.name}/runs/{part}/report.html",
                f"All {part} of {measured.asked.name}: every axis, every item",
            )
            for part in ("pairs", "questions")
            if part in measured.findings
        ]
    )
    return Section(
        "next",
        "Where to go on",
        findings=(Finding(NO_MODEL),) if measured is None else (),
        template="next.html.j2",
        values={"pages": pages},
    )
