"""The page about sentence pairs: an article for every data set, what was run, methods.

Besides it, the report can be every estimate as CSV, and the headline table as Markdown or LaTeX.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import polars as pl

from endoxa.instruments.pairs.estimates.inference import IDENTITIES
from endoxa.instruments.pairs.report.compared import closer, comparison, flips, league, many
from endoxa.instruments.pairs.report.items import pairs_shown
from endoxa.instruments.pairs.report.overview import overview, published_values
from endoxa.instruments.pairs.report.quoting import diagnostics, examined
from endoxa.instruments.pairs.report.results import Results, gather
from endoxa.instruments.pairs.report.sections import (
    axes,
    distributions,
    explained,
    headline,
    lead,
    title,
)
from endoxa.instruments.pairs.report.tables import paper_forms
from endoxa.report.document import Article, Section
from endoxa.report.families import Used, families
from endoxa.report.frame import CITE, Page, filled, present
from endoxa.report.inputs import Run
from endoxa.report.quoting import quoting
from endoxa.report.words import language_name, listed, plural
from endoxa.runs.families import COMPARISONS, PREFERENCES
from endoxa.runs.instrument import Shown
from endoxa.runs.options import DEFAULT_CONFIDENCE, ReportOptions
from endoxa.sources.spreadsheets import csv_text
from endoxa.stats.verdicts import significance

Gathered = list[tuple[Results, list[Run]]]


METHODS = Section("methods", "Methods and caveats", template="methods.html.j2", folded=True)


def tests_made(results: Results) -> Section:
    """The families of tests behind what is claimed about one data set."""
    claimed = results.estimates["name"].str.contains("preference_ratio") | (
        results.estimates["name"].str.ends_with("mean_difference")
    )
    rows = results.estimates.filter(claimed, interval=IDENTITIES)
    used: list[Used] = [
        (PREFERENCES, group, f"{name.replace('_', ' ')}, {rule}")
        for (rule, name), group in rows.group_by("rule", "name", maintain_order=True)
    ]
    used += [
        (COMPARISONS, group, str(name).replace("_", " "))
        for (name,), group in results.comparisons.group_by("name", maintain_order=True)
    ]
    return families(used, f"families-{results.slug}", f"{significance(results.confidence):g}")


SECTIONS: tuple[Callable[[Results], Section | None], ...] = (
    league,
    headline,
    axes,
    closer,
    distributions,
    flips,
    comparison,
    tests_made,
)
"""What is said about each data set, in this order."""


def articles(gathered: Gathered) -> Iterator[Article]:
    """All that is said about each data set."""
    for results, runs in gathered:
        records, folders = results.records, [run.folder for run in runs]
        pairs = records["item_id"].n_unique()
        every, problems = examined(records, folders, results.labels, results.confidence)
        box = quoting(diagnostics(every, problems, folders, pairs), f"quote-{results.slug}")
        opening, second, *others = filled(SECTIONS, results)
        last = (published_values(results, runs), pairs_shown(results, folders))
        yield Article(
            anchor=f"data-{results.slug}",
            kicker="Results on",
            title=results.title,
            subtitle=(
                f"{plural(pairs, 'pair')} in {listed([language_name(code) for code in results.languages])}, "
                f"{plural(records['axis'].n_unique(), 'axis', 'axes')}, "
                f"{plural(records['model'].n_unique(), 'model')}, {plural(records['rule'].n_unique(), 'rule')}."
            ),
            sections=tuple(present((opening, box, second, explained(results, every), *others, *last))),
        )


def page(runs: Sequence[Run], gathered: Gathered, *, confidence: float, seed: int) -> Page:
    """The whole page.

    Args:
        runs: every run, for what was run and how to repeat it.
        gathered: what they say, by data set.
        confidence: confidence level of the intervals.
        seed: seed of the bootstrap.
    """
    results, labels = gathered[0][0], gathered[0][0].labels
    counts = [of.records.group_by("run").agg(pl.col("item_id").n_unique()) for of, _ in gathered]
    what = overview(runs, labels, dict(pl.concat(counts).iter_rows()))
    parts = tuple(articles(gathered))
    first: tuple[Section | Article, ...]
    if len(parts) == 1:
        (part,) = parts
        heading, sentence = title(results), lead(results)
        subtitle, first = f"{part.title}: {part.subtitle}", part.sections
        if sentence:  # the finding stands above the number
            opening, *others = part.sections
            findings = opening.findings[1:] if many(results) else ()
            first = (replace(opening, findings=findings), *others)
    else:
        heading, sentence = f"Stereotype preference on {listed([article.title for article in parts])}", ""
        subtitle, first = f"{plural(len(runs), 'run')}, {plural(len(parts), 'data set')}", parts
    return Page(
        package=__package__,
        title=heading,
        subtitle=subtitle,
        lead=sentence,
        entries=(*first, *present((what, METHODS, CITE))),
        runs=runs,
        models=labels,
        values={
            "level": f"{100 * confidence:g} %",
            "confidence": confidence,
            "seed": seed,
        },
    )


def shown(runs: Sequence[Run], how: ReportOptions) -> Shown:
    """Page and tables; the analysis is done here, before anything is touched."""
    confidence, seed = how.confidence or DEFAULT_CONFIDENCE, how.seed
    gathered = gather(runs, confidence, seed)
    every = [
        results.estimates.select(pl.lit(results.title).alias("data"), pl.all()) for results, _ in gathered
    ]
    return Shown(
        page=lambda: page(runs, gathered, confidence=confidence, seed=seed),
        texts={
            "estimates": lambda: csv_text(pl.concat(every)),
            **paper_forms([results for results, _ in gathered], how.paper),
        },
    )
