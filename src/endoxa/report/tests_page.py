"""The page about association tests: one HTML file that needs no network and no scripts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from endoxa import __version__
from endoxa.analyze.families import ASSOCIATION_TESTS
from endoxa.report.associations import Associations
from endoxa.report.document import Section
from endoxa.report.facts import command
from endoxa.report.html import environment, notices, own_file, shown_section, unique_figures
from endoxa.report.inputs import Run
from endoxa.report.sections.families import families
from endoxa.report.sections.tests import findings
from endoxa.report.sections.tests_forest import forest_plots
from endoxa.report.sections.tests_matrix import matrices
from endoxa.report.sections.tests_numbers import all_tests
from endoxa.report.sections.tests_overview import summary, tests_overview
from endoxa.report.sections.tests_poolings import poolings
from endoxa.report.sections.tests_words import word_sets
from endoxa.report.words import plural


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
    matrices,
    forest_plots,
    poolings,
    all_tests,
    tests_made,
)
"""What is said about the tests, in this order."""


def tests_sections(results: Associations) -> list[Section]:
    """All sections that have something to say; figure names are unique over them."""
    names: set[str] = set()
    found = (build(results) for build in SECTIONS)
    return [unique_figures(section, names) for section in found if section is not None]


def tests_page(
    runs: Sequence[Run], results: Associations, sections: Sequence[Section], svgs: Mapping[str, str]
) -> str:
    """The whole page as text.

    Args:
        runs: every run, for what was run and how to repeat it.
        results: the tests of all runs.
        sections: what `tests_sections` gives.
        svgs: inline SVG by figure name.
    """
    return (
        environment()
        .get_template("tests.html.j2")
        .render(
            version=__version__,
            title=f"Association tests in {plural(len(results.labels), 'model')}",
            subtitle=summary(results.estimates),
            notices=notices(runs, results.labels),
            overview=tests_overview(runs, results),
            sections=[shown_section(section, svgs) for section in sections],
            words=word_sets(runs),
            sides=results.sides,
            ddof=results.ddof,
            level=results.level,
            commands=list(dict.fromkeys(command(run) for run in runs if run.facts)),
            style=own_file("style.css"),
        )
    )
