"""Convergence as a page of its own, beside its tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from endoxa.page.frame import Page, write_page
from endoxa.page.inputs import Run
from endoxa.page.words import listed, plural
from endoxa.study.convergence.report.sections import sections
from endoxa.study.convergence.run import Convergence
from endoxa.study.convergence.words import tool


def convergence_page(convergence: Convergence, runs: Sequence[Run] = ()) -> Page:
    """The page: sections of `sections`, notices of the runs."""
    tools = convergence.parts["instrument"].unique(maintain_order=True).to_list()
    return Page(
        package=__package__,
        title="Do instruments agree on associations?",
        subtitle=f"{listed([tool(one) for one in tools])}; {plural(len(convergence.models), 'model')}".capitalize(),
        entries=tuple(sections(convergence)),
        runs=runs,
        models=convergence.models,
    )


def write_convergence_page(convergence: Convergence, output: Path, runs: Sequence[Run] = ()) -> None:
    """Write the page, and its figures beside it.

    Raises:
        OSError: a file cannot be written.
    """
    write_page(convergence_page(convergence, runs), output)
