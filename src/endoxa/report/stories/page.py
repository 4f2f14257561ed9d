"""The page about stories: one HTML file that needs no network; scripts only filter, sort and unpack stories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl
from markupsafe import Markup

from endoxa import __version__
from endoxa.report.document import Section
from endoxa.report.facts import command
from endoxa.report.html import environment, notices, own_file, shown_section, unique_figures
from endoxa.report.inputs import Run
from endoxa.report.sections.families import families
from endoxa.report.stories.harm import harm_families, overlap_families
from endoxa.report.stories.packing import packed, packed_samples
from endoxa.report.stories.results import StoryResults
from endoxa.report.stories.sections.asked import asked
from endoxa.report.stories.sections.by_model import associations_by_model
from endoxa.report.stories.sections.differences import blind_spots, differences
from endoxa.report.stories.sections.distributions import distribution_data, distributions
from endoxa.report.stories.sections.groups import groups_moved
from endoxa.report.stories.sections.headline import headline
from endoxa.report.stories.sections.planted import planted
from endoxa.report.stories.sections.raters import raters
from endoxa.report.stories.sections.specificity import languages_compared, models_compared
from endoxa.report.stories.sections.stories import shown_samples, stories
from endoxa.report.stories.sections.tests import families_used, rate
from endoxa.report.stories.table import association_data, association_table, associations
from endoxa.report.words import count, listed, plural
from endoxa.stats.verdicts import significance

SCRIPTS = ("common", "table", "distributions", "samples", "start")


def story_sections(runs: Sequence[Run], results: StoryResults) -> list[Section]:
    """All sections in reading order, without empty tables; figure names are unique over them."""
    built = (
        headline(results),
        asked(runs, results),
        planted(results),
        stories(results),
        distributions(results),
        associations(results),
        associations_by_model(results),
        raters(results),
        differences(results),
        blind_spots(results),
        languages_compared(results),
        groups_moved(results),
        models_compared(results),
        _families(results),
    )
    names: set[str] = set()
    filled = (
        replace(section, tables=tuple(table for table in section.tables if table.rows))
        for section in built
        if section is not None
    )
    return [unique_figures(section, names) for section in filled]


def _families(results: StoryResults) -> Section | None:
    """The families of tests of the page; None where nothing was tested."""
    used = [
        *families_used(results),
        *harm_families(results.harm),
        *overlap_families(results.by_language),
    ]
    level = f"{significance(results.confidence):g}"
    alphas = sorted({f"{alpha:g}" for alpha in results.tested["alpha"]} - {level})
    if alphas:
        level = f"{', '.join(alphas)} (associations) or {level} (all others)"
    return families(used, level=level) if any(table.height for _, table, _ in used) else None


def subtitle(results: StoryResults) -> str:
    """How many models wrote and how many associations were found, together and by language; who only rated."""
    wrote = len(results.writers)
    rated = len(results.names) - wrote
    together = results.associations.filter(pl.col("models").list.len() > 0).height
    alone = results.associations.filter(pl.col("languages").list.len() > 0).height
    parts = [f"Stories of {plural(wrote, 'model')}"] if wrote else []
    if wrote and not (results.found.height or results.unrecorded or results.tested["tables"].sum()):
        parts.append("associations cannot be tested")
    elif wrote:
        parts.append(plural(together, "association") + (" over all languages" if alone else ""))
    if alone:
        parts.append(f"{count(alone)} in single languages")
    if rated:
        parts.append(f"{plural(rated, 'model')} rated {'only' if wrote else 'associations'}")
    return f"{'; '.join(parts)}." if parts else ""


def story_page(
    runs: Sequence[Run],
    results: StoryResults,
    sections: Sequence[Section],
    svgs: Mapping[str, str],
    *,
    seed: int,
) -> str:
    """The whole page as text.

    Args:
        runs: every run and table, for its notices and how to repeat it.
        results: what they say.
        sections: what `story_sections` gives.
        svgs: inline SVG by figure name.
        seed: seed of everything that is drawn.
    """
    anchors = {section.anchor for section in sections}
    samples, stories_packed = packed_samples(results) if "stories" in anchors else ((), "")
    data = {
        "stories": stories_packed,
        "distributions": packed(distribution_data(results)) if "distributions" in anchors else "",
        "associations": packed(association_data(results)) if "associations" in anchors else "",
    }
    return (
        environment()
        .get_template("stories.html.j2")
        .render(
            version=__version__,
            title="What models associate in open-ended stories",
            subtitle=subtitle(results),
            notices=notices(runs, results.names),
            entries=[shown_section(section, svgs) for section in sections],
            table=association_table(results),
            samples=shown_samples(results, samples),
            data={name: Markup(text) for name, text in data.items() if text},  # noqa: S704
            level=results.level,
            rates=listed([rate(alpha) for alpha in results.tested["alpha"].unique().sort()]),
            seed=seed,
            commands=list(dict.fromkeys(command(run) for run in runs if run.facts.get("command"))),
            style=own_file("style.css") + own_file("stories.css"),
            script=Markup("\n").join(own_file(f"stories_{name}.js") for name in SCRIPTS),
        )
    )
