"""The page about questions: one HTML file that needs no network and no scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from endoxa import __version__
from endoxa.analyze.families import LEANS, NAME_DIFFERENCES, RETENTION, SELF_DEBIASING
from endoxa.analyze.qa.leans import TEMPLATES
from endoxa.report.document import Section
from endoxa.report.facts import command
from endoxa.report.html import environment, notices, own_file, shown_section, unique_figures
from endoxa.report.inputs import Run
from endoxa.report.qa.labels import visible_directions
from endoxa.report.qa.results import QaResults
from endoxa.report.qa.samples import samples
from endoxa.report.qa.sections.averages import averages
from endoxa.report.qa.sections.categories import categories
from endoxa.report.qa.sections.conditions import conditions_compared
from endoxa.report.qa.sections.cost import cost
from endoxa.report.qa.sections.debias import debias
from endoxa.report.qa.sections.headline import headline
from endoxa.report.qa.sections.identities import identities
from endoxa.report.qa.sections.numbers import numbers
from endoxa.report.qa.sections.outcomes import outcomes
from endoxa.report.qa.sections.overview import overview, summary
from endoxa.report.qa.sections.planted import planted
from endoxa.report.qa.sections.published import published
from endoxa.report.sections.families import Used, families
from endoxa.report.words import listed
from endoxa.stats.signs import fewest_units
from endoxa.stats.verdicts import significance


def qa_sections(runs: Sequence[Run], results: QaResults) -> list[Section]:
    """All sections in reading order; figure names are unique over them."""
    built = (
        headline(results),
        overview(runs, results),
        planted(runs, results),
        outcomes(results),
        published(results),
        averages(results),
        conditions_compared(results),
        identities(results),
        categories(results),
        debias(results),
        cost(runs, results),
        tests_made(results),
        numbers(results),
    )
    names: set[str] = set()
    return [unique_figures(section, names) for section in built if section is not None]


def tests_made(results: QaResults) -> Section:
    """The families of tests behind what is claimed on the page."""
    used: list[Used] = [
        (LEANS, results.estimates, ""),
        (NAME_DIFFERENCES, results.differences.drop_nulls("neutral"), ""),
        (RETENTION, results.retention, ""),
        (SELF_DEBIASING, results.debias.filter(interval=TEMPLATES), ""),
    ]
    return families(used, level=f"{significance(results.confidence):g}")


def qa_page(
    runs: Sequence[Run],
    results: QaResults,
    sections: Sequence[Section],
    svgs: Mapping[str, str],
    *,
    seed: int,
) -> str:
    """The whole page as text.

    Args:
        runs: every run, for its notices, its raw answers and how to repeat it.
        results: what their answers say.
        sections: what `qa_sections` gives.
        svgs: inline SVG by figure name.
        seed: seed of the bootstrap.
    """
    return (
        environment()
        .get_template("qa.html.j2")
        .render(
            version=__version__,
            title=f"Answers to questions about people: {listed(list(results.data))}",
            subtitle=summary(results),
            notices=notices(runs, results.names),
            sections=[shown_section(section, svgs) for section in sections],
            samples=samples(runs, results.names),
            level=results.level,
            fewest=fewest_units(significance(results.confidence)),
            seed=seed,
            commands=list(dict.fromkeys(visible_directions(command(run)) for run in runs if run.facts)),
            style=own_file("style.css"),
        )
    )
