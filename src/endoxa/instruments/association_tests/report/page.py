"""The page about association tests: one HTML file that needs no network and no scripts.

Besides it, the report can be every row as CSV (the columns of `schema.TEST_COLUMNS` after the run), and the table as in
a paper: Markdown, LaTeX, or CSV (`table`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from endoxa.errors import UserError
from endoxa.instruments.association_tests.report import tables
from endoxa.instruments.association_tests.report.closer import closer
from endoxa.instruments.association_tests.report.findings import effect_sizes, findings
from endoxa.instruments.association_tests.report.forest import forest_plots
from endoxa.instruments.association_tests.report.maps import maps
from endoxa.instruments.association_tests.report.matrix import matrices
from endoxa.instruments.association_tests.report.numbers import all_tests, words
from endoxa.instruments.association_tests.report.overview import summary, tests_overview
from endoxa.instruments.association_tests.report.poolings import poolings
from endoxa.instruments.association_tests.report.results import Associations, read_associations
from endoxa.report.charts.series import MOST_APART
from endoxa.report.document import Section
from endoxa.report.families import families
from endoxa.report.frame import CITE, Page, filled
from endoxa.report.inputs import Run
from endoxa.report.words import plural
from endoxa.runs.families import ASSOCIATION_TESTS
from endoxa.runs.instrument import Shown
from endoxa.runs.options import PaperOptions
from endoxa.schema import TEST_COLUMNS
from endoxa.sources.spreadsheets import csv_text

LIMITS = Section(
    "limits", "What such a number says, and what it does not", template="limits.html.j2", folded=True
)

METHODS = Section("methods", "Methods", template="methods.html.j2", folded=True)


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


def every_test(results: Associations) -> Section:
    """Every test: forest plots of few encoders, maps of tests and encoders of many."""
    few = results.estimates["encoder"].n_unique() <= MOST_APART
    return forest_plots(results) if few else maps(results)


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


def tests_sections(results: Associations) -> list[Section]:
    """What is said about the tests."""
    return filled(SECTIONS, results)


def tests_page(runs: Sequence[Run], results: Associations) -> Page:
    """The whole page.

    Args:
        runs: every run, for what was run and how to repeat it.
        results: the tests of all runs.
    """
    after = (
        lambda _: words(runs),
        lambda _: LIMITS,
        lambda _: METHODS,
        lambda found: tests_overview(runs, found),
        lambda _: CITE,
    )
    return Page(
        package=__package__,
        title=f"Association tests in {plural(len(results.labels), 'model')}",
        subtitle=summary(results.estimates),
        entries=tuple(filled((*SECTIONS, *after), results)),
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
    _require_level(results, confidence)
    rows = results.estimates.select("run", *TEST_COLUMNS)
    return Shown(
        page=lambda: tests_page(runs, results),
        texts={
            "csv": partial(csv_text, rows),
            "md": lambda: tables.markdown(results, paper),
            "latex": lambda: tables.latex(results, paper),
            "table": lambda: tables.csv(results, paper),
        },
    )


def _require_level(results: Associations, confidence: float | None) -> None:
    levels = results.estimates["confidence"].drop_nulls().unique().sort().to_list()
    other = [level for level in levels if confidence is not None and abs(level - confidence) > 1e-9]
    if other:
        raise UserError(
            f"The intervals of these tests have confidence {other[0]:g}, not {confidence:g}: leave "
            f"--confidence out, or make the table again with `endoxa analyze tests RUN --confidence ... -o FILE`."
        )
