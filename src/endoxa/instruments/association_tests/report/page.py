"""The page about association tests: one HTML file that needs no network and no scripts.

What the report of association tests can be written as.

`html`: one page without scripts, and its figures beside it. `csv`: every row, the columns of `schema.TEST_COLUMNS`
after the run (`run`). `md`, `latex`, `table`: the table as in a paper, as Markdown, LaTeX, or CSV.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from endoxa import __version__
from endoxa.engine.families import ASSOCIATION_TESTS
from endoxa.errors import UserError
from endoxa.instruments.association_tests.report import tables
from endoxa.instruments.association_tests.report.findings import findings
from endoxa.instruments.association_tests.report.forest import forest_plots
from endoxa.instruments.association_tests.report.matrix import matrices
from endoxa.instruments.association_tests.report.numbers import all_tests, word_sets
from endoxa.instruments.association_tests.report.overview import summary, tests_overview
from endoxa.instruments.association_tests.report.poolings import poolings
from endoxa.instruments.association_tests.report.results import Associations, read_associations
from endoxa.page.document import Section
from endoxa.page.families import families
from endoxa.page.html import environment, notices, own_file, shown_section, unique_figures
from endoxa.page.inputs import Run, command
from endoxa.page.words import plural
from endoxa.schema import TEST_COLUMNS


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


def writers(runs: Sequence[Run], output: Path, confidence: float | None) -> dict[str, Callable[[], None]]:
    """What writes each format.

    Args:
        runs: runs of embeddings, or tables of association tests.
        output: file to write.
        confidence: None, or the level the intervals must have; nothing is analysed again here.

    Raises:
        UserError: the tests cannot be read, or their intervals have another level.
    """
    from endoxa.page.files import replace_text

    results = read_associations(runs)
    _require_level(results, confidence)
    rows = results.estimates.select("run", *TEST_COLUMNS)
    return {
        "html": lambda: _write_html(runs, results, output),
        "csv": lambda: replace_text(output, rows.write_csv()),
        "md": lambda: replace_text(output, tables.markdown(results)),
        "latex": lambda: replace_text(output, tables.latex(results)),
        "table": lambda: replace_text(output, tables.wide(results).write_csv()),
    }


def _write_html(runs: Sequence[Run], results: Associations, output: Path) -> None:
    from endoxa.page.files import replace_text, write_figures

    sections = tests_sections(results)
    svgs = write_figures((figure for section in sections for figure in section.figures), output)
    replace_text(output, tests_page(runs, results, sections, svgs))


def _require_level(results: Associations, confidence: float | None) -> None:
    levels = results.estimates["confidence"].drop_nulls().unique().sort().to_list()
    other = [level for level in levels if confidence is not None and abs(level - confidence) > 1e-9]
    if other:
        raise UserError(
            f"The intervals of these tests have confidence {other[0]:g}, not {confidence:g}: leave "
            f"--confidence out, or make the table again with `endoxa analyze tests RUN --confidence ... -o FILE`."
        )
