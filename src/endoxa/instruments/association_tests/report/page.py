"""The page about association tests: one HTML file that needs no network and no scripts.

Besides it, the report can be every row as CSV (the columns of `schema.TEST_COLUMNS` after the run), and the table as in
a paper: Markdown, LaTeX, or CSV (`table`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from endoxa.errors import UserError
from endoxa.instruments.association_tests.report.figures import closer, every_test, matrices
from endoxa.instruments.association_tests.report.findings import findings, poolings
from endoxa.instruments.association_tests.report.results import Associations, read_associations
from endoxa.instruments.association_tests.report.tables import (
    all_tests,
    effect_sizes,
    paper_forms,
    summary,
    tests_overview,
    words,
)
from endoxa.report.document import Section
from endoxa.report.families import families
from endoxa.report.frame import CITE, Page, filled, present
from endoxa.report.inputs import Run
from endoxa.report.words import plural
from endoxa.runs.families import ASSOCIATION_TESTS
from endoxa.runs.instrument import Shown
from endoxa.runs.options import PaperOptions
from endoxa.schema import TEST_COLUMNS
from endoxa.sources.spreadsheets import csv_text


def tests_made(results: Associations) -> Section:
    """The family behind the claims of the page: all its tests."""
    together = (
        "all tests of this page, whichever run, encoder and pooling they are of. The tables of the single runs are "
        "adjusted over their own tests only, so their adjusted p-values may be smaller"
        if results.estimates["run"].n_unique() > 1
        else "all tests that were analyzed together, whichever encoder and pooling they are of"
    )
    return replace(
        families([(ASSOCIATION_TESTS, results.estimates, "")], level=results.level),
        notes=(
            f"A claim needs an adjusted p-value of at most {results.level}. p-values are adjusted over {together}. A "
            "test that cannot be made speaks neither for nor against a difference.",
        ),
    )


SECTIONS: tuple[Callable[[Associations], Section | None], ...] = (
    findings,
    every_test,
    closer,
    matrices,
    poolings,
    effect_sizes,
    all_tests,
    tests_made,
)
"""What is said about the tests, in this order."""

LIMITS = Section(
    "limits", "What such a number says, and what it does not", template="limits.html.j2", folded=True
)
METHODS = Section("methods", "Methods", template="methods.html.j2", folded=True)


def tests_page(runs: Sequence[Run], results: Associations) -> Page:
    """The whole page.

    Args:
        runs: every run, for what was run and how to repeat it.
        results: the tests of all runs.
    """
    after = present((words(runs), LIMITS, METHODS, tests_overview(runs, results), CITE))
    return Page(
        package=__package__,
        title=f"Association tests in {plural(len(results.labels), 'model')}",
        subtitle=summary(results.estimates),
        entries=(*filled(SECTIONS, results), *after),
        runs=runs,
        models=results.labels,
        values={"sides": results.sides, "ddof": results.ddof, "level": results.level},
    )


def shown(runs: Sequence[Run], confidence: float | None, paper: PaperOptions) -> Shown:
    """Page and tables.

    Args:
        runs: runs of embeddings, or tables of association tests.
        confidence: None, or the level the intervals must have; nothing is analysed again here.
        paper: what a table for a paper holds.

    Raises:
        UserError: the tests cannot be read, or their intervals have another level.
    """
    results = read_associations(runs)
    levels = results.estimates["confidence"].drop_nulls().unique().sort()
    for level in levels:
        if confidence is not None and abs(level - confidence) > 1e-9:
            raise UserError(
                f"The intervals of these tests have confidence {level:g}, not {confidence:g}: leave --confidence out, "
                "or make the table again with `endoxa analyze tests RUN --confidence ... -o FILE`."
            )
    return Shown(
        page=lambda: tests_page(runs, results),
        texts={
            "csv": partial(csv_text, results.estimates.select("run", *TEST_COLUMNS)),
            **paper_forms(results, paper),
        },
    )
