"""The page about questions: one HTML file that needs no network and no scripts.

Besides it, the report can be every estimate as CSV (the columns of `schema.QA_ESTIMATE_COLUMNS`), and the published
tables 1 to 6 for these models as Markdown or LaTeX.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from endoxa.engine.families import LEANS, NAME_DIFFERENCES, RETENTION, SELF_DEBIASING
from endoxa.instruments.questions.estimates.leans import TEMPLATES
from endoxa.instruments.questions.report.averages import averages
from endoxa.instruments.questions.report.conditions import conditions_compared
from endoxa.instruments.questions.report.debias import debias
from endoxa.instruments.questions.report.headline import headline
from endoxa.instruments.questions.report.identities import identities
from endoxa.instruments.questions.report.numbers import categories, numbers
from endoxa.instruments.questions.report.outcomes import outcomes
from endoxa.instruments.questions.report.overview import cost, overview, summary
from endoxa.instruments.questions.report.planted import planted
from endoxa.instruments.questions.report.published import paper_tables, published
from endoxa.instruments.questions.report.results import QaResults, read_results
from endoxa.instruments.questions.report.samples import answers
from endoxa.page.document import Section
from endoxa.page.families import Used, families
from endoxa.page.files import replace_text
from endoxa.page.frame import CITE, Page, filled, write_page
from endoxa.page.inputs import Run
from endoxa.page.tables import latex, markdown
from endoxa.page.words import listed
from endoxa.schema import QA_ESTIMATE_COLUMNS
from endoxa.stats.signs import fewest_units
from endoxa.stats.verdicts import significance

LIMITS = Section("limits", "What these numbers say, and what they do not", template="limits.html.j2")
METHODS = Section("methods", "Methods", template="methods.html.j2")
COLUMN_GAP = "4pt"
"""Between columns of the published tables in LaTeX."""


def qa_sections(runs: Sequence[Run], results: QaResults) -> list[Section]:
    """What is said about the answers, in reading order."""
    builders = (
        headline,
        partial(overview, runs),
        partial(planted, runs),
        outcomes,
        published,
        averages,
        conditions_compared,
        identities,
        categories,
        debias,
        partial(cost, runs),
        tests_made,
        numbers,
    )
    return filled(builders, results)


def tests_made(results: QaResults) -> Section:
    """The families of tests behind what is claimed on the page."""
    used: list[Used] = [
        (LEANS, results.estimates, ""),
        (NAME_DIFFERENCES, results.differences.drop_nulls("neutral"), ""),
        (RETENTION, results.retention, ""),
        (SELF_DEBIASING, results.debias.filter(interval=TEMPLATES), ""),
    ]
    return families(used, level=f"{significance(results.confidence):g}")


def qa_page(runs: Sequence[Run], results: QaResults, *, seed: int) -> Page:
    """The whole page.

    Args:
        runs: every run, for its notices, its raw answers and how to repeat it.
        results: what their answers say.
        seed: seed of the bootstrap.
    """
    shown = filled((lambda found: answers(runs, found.names),), results)
    return Page(
        package=__package__,
        title=f"Answers to questions about people: {listed(list(results.data))}",
        subtitle=summary(results),
        entries=(*qa_sections(runs, results), *shown, LIMITS, METHODS, CITE),
        runs=runs,
        models=results.names,
        values={
            "level": results.level,
            "fewest": fewest_units(significance(results.confidence)),
            "seed": seed,
        },
    )


def writers(
    runs: Sequence[Run], output: Path, *, confidence: float, seed: int, labels: Path | None
) -> dict[str, Callable[[], None]]:
    """What writes each format; the analysis is done here, before anything is touched.

    Args:
        runs: runs of questions.
        output: file to write.
        confidence: confidence level of all intervals.
        seed: seed of the bootstrap.
        labels: table of model labels, see `page.labels.read_labels`.

    Raises:
        UserError: records or labels cannot be used.
    """
    results = read_results(runs, confidence=confidence, seed=seed, labels=labels)
    rows = results.estimates.select(list(QA_ESTIMATE_COLUMNS))
    return {
        "html": lambda: write_page(qa_page(runs, results, seed=seed), output),
        "csv": lambda: replace_text(output, rows.write_csv()),
        "md": lambda: replace_text(output, markdown(paper_tables(results))),
        "latex": lambda: replace_text(output, latex(paper_tables(results), column_gap=COLUMN_GAP)),
    }
