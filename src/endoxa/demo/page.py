"""The page of the demonstration: what a model shows, what was planted and found, one text, where to go on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from endoxa.demo.smollm import NO_MODEL, NOTICE, Measured
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.frame import Page, write_page
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
    heading = "Does it find what is there? Planted and found"
    planted = Section("planted", heading, findings=(simulated,), figures=(figure,), notes=_READING)
    if measured is None:
        title, shown = TITLE, [planted, _next([], NO_MODEL)]
    else:
        name, study = measured.asked.name, measured.asked.study.folder.name
        title = f"What {name} answers, and whether planted preferences are found"
        if measured.shares:
            raw, calibrated = measured.shares
            title = (
                f"{name} prefers the stereotype in {percent(raw['value'])} of {raw['n']} pairs, "
                f"{percent(calibrated['value'])} compared with other groups"
            )
        pages = [
            (f"{study}/runs/{part}/report.html", f"All {part} of {name}: every axis, every item")
            for part in ("pairs", "questions")
            if part in measured.findings
        ]
        stories = [] if measured.texts is None else [_text(measured.texts)]
        shown = [_of_model(measured), planted, *stories, _next(pages)]
    subtitle = "A model, then simulated ones whose preference was planted"
    page = Page("endoxa.demo", title, subtitle, tuple(shown), runs=(), models=())
    write_page(page, out / "report.html")
    return out / "report.html"


def _of_model(measured: Measured) -> Section:
    """A sentence for each instrument."""
    simulated = is_simulated(measured.asked.model)
    real = "The model is simulated." if simulated else "The model and the measurement are real."
    title, findings = f"What {measured.asked.name} shows", tuple(measured.findings.values())
    return Section("model", title, lead=f"{real} {NOTICE}", findings=findings)


def _text(texts: pl.DataFrame) -> Section:
    """The beginning of a story."""
    first = texts.row(0, named=True)
    begin = first["story"].partition("\n")[0]
    lead = f"Asked to \u201c{first['prompt']}\u201d it writes: \u201c{begin} \u2026\u201d"
    return Section("stories", "What it writes", lead=lead)


def _next(pages: Sequence[tuple[str, str]], *sentences: str) -> Section:
    findings = tuple(map(Finding, sentences))
    return Section(
        "next", "Where to go on", findings=findings, template="next.html.j2", values={"pages": pages}
    )
