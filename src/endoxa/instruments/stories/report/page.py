"""The page about stories: one HTML file that needs no network; scripts only filter, sort and unpack stories.

Besides it, the report can be every association of every model, alone and pooled, as CSV: the columns of
`schema.stories.DISCOVERED_COLUMNS` and how harmful it was rated (`rating`, `harmful`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import polars as pl
from markupsafe import Markup

from endoxa.instruments.stories.options import PAPER_LIFT, PAPER_RULE, PUBLISHED
from endoxa.instruments.stories.outcomes import constant_raters, diagnostics, ratings_alike, run_counts
from endoxa.instruments.stories.report.associations import (
    association_data,
    association_table,
    associations,
    associations_by_model,
    csv_rows,
    strongest,
    strongest_sentence,
)
from endoxa.instruments.stories.report.harm import (
    blind_spots,
    differences,
    harm_families,
    harm_opening,
    raters,
)
from endoxa.instruments.stories.report.headline import families_used, headline, rate, tests_of, title
from endoxa.instruments.stories.report.languages import (
    groups_moved,
    languages_compared,
    models_compared,
    overlap_families,
)
from endoxa.instruments.stories.report.results import StoryResults, read_results, value_field, value_fields
from endoxa.instruments.stories.report.sources import FILE, RUN, TABLE
from endoxa.instruments.stories.report.stories import distributions, stories
from endoxa.report.document import Finding, Section
from endoxa.report.frame import CITE, HOME, Page, filled, template_file
from endoxa.report.inputs import HARM, Run, holds
from endoxa.report.items import packed
from endoxa.report.overview import (
    answer_findings,
    data_field,
    families,
    outcome_table,
    run_table,
    sentence_findings,
)
from endoxa.report.quoting import quoting
from endoxa.report.tables import Table, number_field, table_of, text_field
from endoxa.report.words import NO_VALUE, count, language_name, listed, plural
from endoxa.runs.instrument import Shown
from endoxa.sources.served import version_sentences
from endoxa.sources.spreadsheets import csv_text
from endoxa.stats.verdicts import significance

SIMULATED = "simulated: what it says was planted"


def what_came_back(runs: Sequence[Run], results: StoryResults) -> Section:
    """Stories of each model and language, refusals, unusable rows, attributes that could not be told, the runs."""
    tables = (
        _stories(results),
        *(outcome_table(counts, results.label, what) for what, _, counts in run_counts(runs)),
        table_of(
            "Models",
            results.names.values(),
            (
                text_field("model", lambda model: model.label),
                text_field("as named in the command", lambda model: model.model),
                text_field("provider", lambda model: model.provider),
                text_field("kind", lambda model: SIMULATED if model.simulated else NO_VALUE),
            ),
            most_open=6,
        ),
        run_table(runs, (text_field("holds", lambda run: holds(run.kind)), data_field("made from", "path"))),
    )
    unknown = (
        "An attribute that the story does not tell is unknown. Unknown values are in no table that is tested, so "
        "an association speaks of the stories that tell both; a model that tells less has fewer stories behind its "
        "numbers."
    )
    return Section(
        anchor="what-was-asked",
        folded=True,
        title="What was asked, and what came back",
        findings=(*_story_findings(results), *_analysed(results), *_prompt_findings(results)),
        tables=tables,
        notes=(unknown,) if results.stories.height else (),
    )


def _story_findings(results: StoryResults) -> Iterator[Finding]:
    """Stories, and those that stand twice."""
    if results.stories.height:
        rows, models = int(results.stories["stories"].sum()), results.stories["model"].n_unique()
        spoken = listed([language_name(code) for code in results.languages])
        yield Finding(
            f"{plural(rows, 'story', 'stories')} by {plural(models, 'model')} in {spoken}.",
            ({"stories": rows, "models": models},),
        )
    for source in results.sources:
        if source.duplicates:
            yield Finding(
                f"Warning: {plural(source.duplicates, 'story', 'stories')} in {source.path.name} "
                f"{'has' if source.duplicates == 1 else 'have'} the prompt, model, language and repeat of another, and "
                "all are counted: repeats without the column 'repeat', or rows that are in the file twice.",
                ({"duplicates": source.duplicates, "source": source.path.name},),
            )


def _analysed(results: StoryResults) -> Iterator[Finding]:
    """With which settings associations were discovered, source by source."""
    for source in results.sources:
        name, settings = source.path.name, source.settings
        if settings is None:
            yield Finding(
                f"Associations were taken as they are from {name}; its settings, and how much was tested, are not "
                "recorded.",
                ({"source": name},),
            )
            continue
        how = {
            TABLE: f"Associations were taken from {name}, as they were discovered",
            FILE: f"Associations in {name} were discovered for this page with the default settings",
            RUN: f"Associations in {name} were discovered once, with the settings kept in its folder",
        }[source.kind]
        extra = "; only medium and large effects with a lift of at least 2 are kept"
        yield Finding(
            f"{how}: false-discovery rate {rate(settings.alpha)}, at most {count(settings.draws)} random tables per "
            f"test{extra if settings.rule == PAPER_RULE else ''}.",
            ({"alpha": settings.alpha, "draws": settings.draws, "lift": PAPER_LIFT, "source": name},),
        )


def _prompt_findings(results: StoryResults) -> Iterator[Finding]:
    """Where the published pooled test alone decides."""
    tests = tests_of(results.tested)
    settings = [source.settings for source in results.sources if source.settings]
    if tests["within"] and any(how.pooled == PUBLISHED for how in settings):
        yield Finding(
            "Associations of all languages together are claimed by the published pooled test alone: differences "
            "between languages may explain them."
        )


def _stories(results: StoryResults) -> Table:
    silent = results.nothing_known
    rows = results.stories.join(silent, on=["model", "language"], how="left", maintain_order="left")
    table = table_of(
        "Stories of each model and language",
        rows,
        (
            text_field("model", "model", results.label),
            text_field("language", "language", language_name),
            *value_fields({"stories": "stories", "refusals": "refused", "refused by the provider": "failed"}),
            value_field("no extractor read", "unread"),
            number_field("unusable", lambda row: count(row["stories"] - row["usable"])),
            value_field("nothing known", "nothing_known"),
        ),
        most_open=12,
    )
    gaps = any(NO_VALUE in row for row in table.rows)
    return replace(table, notes=(f"{NO_VALUE}: the file does not say.",) if gaps else ())


LIMITS = Section(
    "limits", "What these numbers say, and what they do not", template="limits.html.j2", folded=True
)
METHODS = Section("methods", "Methods", template="methods.html.j2", folded=True)
SCRIPTS = ("table", "start")


def story_sections(runs: Sequence[Run], results: StoryResults) -> list[Section]:
    """What is said about stories and ratings, in reading order."""
    builders = (
        partial(_headline, runs),
        lambda _: quoting(diagnostics(runs, {model: results.label(model) for model in results.names})),
        strongest,
        associations,
        associations_by_model,
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
    section = harm_opening(results) or headline(results)
    labels = {model: results.label(model) for model in results.names}
    cut_off = [
        finding
        for _, facts, counts in run_counts(runs)
        for finding in answer_findings(counts, facts, results.label)
    ]
    rated = [run for run in runs if run.kind == HARM and run.folder.is_dir()]
    constant = [
        Finding(sentence, (row,)) for run in rated for sentence, row in constant_raters(run.folder, labels)
    ]
    versions = sentence_findings(version_sentences(results.names))
    alike = sentence_findings(sentence for run in rated for sentence in ratings_alike(run.folder, run.facts))
    return replace(section, findings=(*versions, *cut_off, *constant, *alike, *section.findings))


def _families(results: StoryResults) -> Section | None:
    """The families of tests of the page; None where nothing was tested."""
    used = [*families_used(results), *harm_families(results.harm), *overlap_families(results.by_language)]
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
    # For the script of the table of associations.
    shown = any(section.anchor == "associations" for section in sections)
    data = {"associations": packed(association_data(results)) if shown else ""}
    return Page(
        package=__package__,
        title=title(results),
        subtitle=subtitle(results),
        lead=strongest_sentence(results),
        entries=(*sections, LIMITS, METHODS, CITE),
        runs=runs,
        models=results.names,
        values={
            "table": association_table(results),
            "data": {name: Markup(text) for name, text in data.items() if text},  # noqa: S704
            "level": results.level,
            "rates": listed([rate(alpha) for alpha in results.tested["alpha"].unique().sort()]),
            "seed": seed,
            "script": Markup("\n").join(
                [template_file(HOME, "common.js")]
                + [template_file(__package__, f"{name}.js") for name in SCRIPTS]
            ),
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
        page=lambda: story_page(runs, results, seed=seed), texts={"csv": lambda: csv_text(csv_rows(results))}
    )
