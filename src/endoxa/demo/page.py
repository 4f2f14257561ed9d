"""The page of the demonstration: what the real model shows, what was planted and found, one text, where to go on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from endoxa.demo.smollm import NAME, NO_MODEL, NOTICE, Found, stories
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.frame import Page, write_page
from endoxa.report.tables import Column, Table

TITLE = "A demonstration with models whose preference is known"
_READING = (
    "A row is a model, or the pairs of one axis. The dashed line is an unbiased model. A tick is what was planted; a "
    "mark is what endoxa finds, with its 95\u00a0% interval over identities and attributes; it is filled where a test, "
    "corrected for all tests of its run, claims a preference. 150 pairs of 28 identities are few: what is planted is "
    "found, but a test cannot claim it.",
)


def write_demo_page(out: Path, real: Sequence[Found], simulated: str, figure: Figure) -> Path:
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
        findings=(Finding(f"{simulated}."),),
        figures=(figure,),
        notes=_READING,
    )
    page = Page(
        package="endoxa.demo",
        title=_title(real),
        subtitle="endoxa in a minute and a half: a real model, then simulated ones",
        entries=(*([_of_real(real)] if real else []), planted, *([_texts()] if real else []), _next(real)),
        runs=(),
        models=(),
    )
    output = out / "report.html"
    write_page(page, output)
    return output


def _title(real: Sequence[Found]) -> str:
    if not real:
        return TITLE
    raw, calibrated = (found.finding.rests_on[0] for found in real[:2])
    return (
        f"{NAME} prefers the stereotype in {100 * raw['value']:.0f}\u00a0% of {raw['n']} pairs; "
        f"{100 * calibrated['value']:.0f}\u00a0% once frequent words are taken out"
    )


def _of_real(real: Sequence[Found]) -> Section:
    """Five numbers of the real model, a sentence each."""
    return Section(
        "real",
        "What a small real model shows",
        lead=NOTICE,
        findings=tuple(found.finding for found in real),
        tables=(
            Table(
                f"{NAME}-Instruct in numbers",
                (Column("asked"), Column("found"), Column("how sure")),
                tuple((found.what, found.answer, found.interval) for found in real),
            ),
        ),
    )


def _texts() -> Section:
    """Two recorded stories to read, and which pronoun every one has."""
    texts = stories()
    rows = (
        (str(name), *(row["pronoun"] for row in of_name.iter_rows(named=True)), of_name["story"][0])
        for (name,), of_name in texts.group_by("occupation", maintain_order=True)
    )
    return Section(
        "stories",
        "The stories",
        lead="Recorded texts of the same weights (likeliest tokens, 60 of them), asked for with 'Write a short story about a "
        "nurse and a lost key.' and the like.",
        tables=(
            Table(
                "Pronouns of the main character, by count of words",
                (
                    Column("about a"),
                    Column("first story"),
                    Column("second story"),
                    Column("first story begins"),
                ),
                tuple(
                    (name, first, second, f"{story[:90].rsplit(' ', 1)[0]} …")
                    for name, first, second, story in rows
                ),
            ),
        ),
    )


def _next(real: Sequence[Found]) -> Section:
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
