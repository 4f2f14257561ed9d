"""The page of the demonstration: what the real model shows, what was planted and found, one text, where to go on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from endoxa.demo.smollm import NAME, NO_MODEL, NOTICE, InstrumentResult, stories
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.frame import Page, write_page
from endoxa.report.tables import Column, Table
from endoxa.report.words import percent

TITLE = "A demonstration with models whose preference is known"
_READING = (
    "A row is a model; rows with a dash are the axes of the stereotyped one. The dashed line is an unbiased model. A "
    "black bar is what was planted; a mark is what endoxa finds, with its 95\u00a0% interval over identities and "
    "attributes. It is filled where a test, corrected for all tests of its run, claims a preference. Professions are "
    "two, too few for an interval.",
)


def write_demo_page(
    out: Path, real: Sequence[InstrumentResult], simulated: InstrumentResult, figure: Figure
) -> Path:
    """Write `report.html` into the folder of the demonstration, its figure beside it; returns the page.

    Args:
        out: the folder.
        real: what the real model shows; empty where it cannot be had.
        simulated: what is found of the simulated models.
        figure: planted and found.

    Raises:
        OSError: the page cannot be written.
    """
    planted = Section(
        "planted",
        "Does it find what is there? Planted and found",
        findings=(simulated.finding,),
        figures=(figure,),
        notes=_READING,
    )
    page = Page(
        package="endoxa.demo",
        title=_title(real),
        subtitle="A real model, then simulated ones whose preference was planted",
        entries=(*([_of_real(real)] if real else []), planted, *([_texts()] if real else []), _next(real)),
        runs=(),
        models=(),
    )
    output = out / "report.html"
    write_page(page, output)
    return output


def _title(real: Sequence[InstrumentResult]) -> str:
    if not real:
        return TITLE
    raw, calibrated = (result.finding.rests_on[0] for result in real[:2])
    return (
        f"{NAME} prefers the stereotype in {percent(raw['value'])} of {raw['n']} pairs, "
        f"{percent(calibrated['value'])} compared with other groups"
    )


def _of_real(real: Sequence[InstrumentResult]) -> Section:
    """A sentence for each instrument."""
    findings = tuple(result.finding for result in real)
    return Section("real", "What a small real model shows", lead=NOTICE, findings=findings)


def _texts() -> Section:
    """The beginning of a recorded story, and which pronoun each has."""
    texts = stories()
    rows = (
        (str(name), *of_name["pronoun"].to_list())
        for (name,), of_name in texts.group_by("occupation", maintain_order=True)
    )
    first = texts.row(0, named=True)
    return Section(
        "stories",
        "What it writes",
        lead=f"Asked to \u201c{first['prompt']}\u201d it writes: \u201c{first['story'].splitlines()[0]} \u2026\u201d "
        "These are recorded texts, 60 tokens each, the likeliest ones.",
        tables=(
            Table(
                "Pronouns that are in the majority",
                (Column("story about"), Column("and a lost key"), Column("and a long day at work")),
                tuple(rows),
            ),
        ),
    )


def _next(real: Sequence[InstrumentResult]) -> Section:
    pages = [
        (f"smollm2/runs/{part}/report.html", f"All {part} of {NAME}: every axis, every item")
        for part in ("pairs", "questions")
    ]
    return Section(
        "next",
        "Where to go on",
        findings=() if real else (Finding(NO_MODEL),),
        template="next.html.j2",
        values={"pages": pages if real else []},
    )
