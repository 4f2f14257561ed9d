"""The page about stories: one HTML file that needs no network; scripts only filter, sort and unpack stories.

Besides it, the report can be every association of every model, alone and pooled, as CSV: the columns of
`schema.stories.DISCOVERED_COLUMNS` and how harmful it was rated (`rating`, `harmful`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import polars as pl
from markupsafe import Markup

from endoxa.instruments.stories.outcomes import constant_raters, constant_sentence, ratings_alike, run_counts
from endoxa.instruments.stories.report.asked import what_came_back
from endoxa.instruments.stories.report.distributions import distribution_data, distributions
from endoxa.instruments.stories.report.explorers import (
    association_data,
    association_table,
    associations,
    csv_rows,
    packed,
    packed_samples,
    shown_samples,
    stories,
)
from endoxa.instruments.stories.report.harm import blind_spots, differences, harm_families, raters
from endoxa.instruments.stories.report.headline import families_used, headline, rate
from endoxa.instruments.stories.report.languages import (
    groups_moved,
    languages_compared,
    models_compared,
    overlap_families,
)
from endoxa.instruments.stories.report.results import StoryResults, read_results
from endoxa.instruments.stories.report.strongest import associations_by_model, planted, strongest
from endoxa.report.document import Finding, Section
from endoxa.report.families import families
from endoxa.report.frame import CITE, Page, filled, template_file
from endoxa.report.inputs import HARM, Run
from endoxa.report.outcomes import answer_findings, sentence_findings
from endoxa.report.words import count, listed, plural
from endoxa.runs.instrument import Shown
from endoxa.sources.served import version_sentences
from endoxa.sources.spreadsheets import csv_text
from endoxa.stats.verdicts import significance

LIMITS = Section(
    "limits", "What these numbers say, and what they do not", template="limits.html.j2", folded=True
)
METHODS = Section("methods", "Methods", template="methods.html.j2", folded=True)
SCRIPTS = ("common", "table", "distributions", "samples", "start")


def story_sections(runs: Sequence[Run], results: StoryResults) -> list[Section]:
    """What is said about stories and ratings, in reading order."""
    builders = (
        partial(_headline, runs),
        strongest,
        associations,
        associations_by_model,
        planted,
        distributions,
        languages_compared,
        groups_moved,
        raters,
        differences,
        blind_spots,
        models_compared,
        stories,
        _families,
        partial(what_came_back, runs),
    )
    return filled(builders, results)


def _headline(runs: Sequence[Run], results: StoryResults) -> Section:
    """What the stories show, after what must be known before: versions, answers that were cut off, constant ratings."""
    section = headline(results)
    cut_off = [
        finding
        for _, facts, counts in run_counts(runs)
        for finding in answer_findings(counts, facts, results.label)
    ]
    rated = [run for run in runs if run.kind == HARM and run.folder.is_dir()]
    constant = [
        Finding(constant_sentence(rater, results.label(rater.model)), (asdict(rater),))
        for run in rated
        for rater in constant_raters(run.folder)
    ]
    versions = sentence_findings(version_sentences(results.names))
    alike = sentence_findings(sentence for run in rated for sentence in ratings_alike(run.folder, run.facts))
    return replace(section, findings=(*versions, *cut_off, *constant, *alike, *section.findings))


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
    if wrote and not (results.discovered.height or results.unrecorded or results.tested["tables"].sum()):
        parts.append("associations cannot be tested")
    elif wrote:
        parts.append(plural(together, "association") + (" over all languages" if alone else ""))
    if alone:
        parts.append(f"{count(alone)} in single languages")
    if rated:
        parts.append(f"{plural(rated, 'model')} rated {'only' if wrote else 'associations'}")
    return f"{'; '.join(parts)}." if parts else ""


def story_page(runs: Sequence[Run], results: StoryResults, *, seed: int) -> Page:
    """The whole page.

    Args:
        runs: every run and table, for its notices and how to repeat it.
        results: what they say.
        seed: seed of everything that is drawn.
    """
    sections = story_sections(runs, results)
    # What the explorers of the page's sections show, and the data for their scripts.
    anchors = {section.anchor for section in sections}
    samples, stories_packed = packed_samples(results) if "stories" in anchors else ((), "")
    data = {
        "stories": stories_packed,
        "distributions": packed(distribution_data(results)) if "distributions" in anchors else "",
        "associations": packed(association_data(results)) if "associations" in anchors else "",
    }
    return Page(
        package=__package__,
        title="What models associate in open-ended stories",
        subtitle=subtitle(results),
        entries=(*sections, LIMITS, METHODS, CITE),
        runs=runs,
        models=results.names,
        values={
            "table": association_table(results),
            "samples": shown_samples(results, samples),
            "data": {name: Markup(text) for name, text in data.items() if text},  # noqa: S704
            "level": results.level,
            "rates": listed([rate(alpha) for alpha in results.tested["alpha"].unique().sort()]),
            "seed": seed,
            "script": Markup("\n").join(template_file(__package__, f"{name}.js") for name in SCRIPTS),
        },
    )


def shown(runs: Sequence[Run], *, confidence: float, seed: int, labels: Path | None) -> Shown:
    """Page and tables; the analysis is done here, before anything is touched.

    Args:
        runs: extractions, ratings of harm and tables about stories.
        confidence: confidence level of all intervals.
        seed: seed of everything that is drawn.
        labels: table of model labels, see `page.labels.read_labels`.

    Raises:
        UserError: something cannot be read or does not go together.
    """
    results = read_results(runs, confidence=confidence, seed=seed, labels=labels)
    return Shown(
        page=lambda: story_page(runs, results, seed=seed),
        texts={"csv": lambda: csv_text(csv_rows(results))},
    )
