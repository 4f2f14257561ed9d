"""The page about sentence pairs: an article for every data set, what was run, methods.

Besides it, the report can be every estimate as CSV, and a table for a paper, models against axes, as Markdown, LaTeX
(booktabs) or CSV.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import isnan

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.pairs.estimates.inference import CALIBRATED, IDENTITIES, RAW, WILSON, T, deciding
from endoxa.instruments.pairs.report.compared import comparison, flips, league, many
from endoxa.instruments.pairs.report.overview import overview, pairs_shown, published_values
from endoxa.instruments.pairs.report.preference import some_calibrated
from endoxa.instruments.pairs.report.quoting import diagnostics, examined
from endoxa.instruments.pairs.report.results import CELL, Results, gather
from endoxa.instruments.pairs.report.sections import (
    axes,
    distributions,
    explained,
    headline,
    lead,
    title,
)
from endoxa.report.claims import mark, percent_ends, signed_ends
from endoxa.report.document import Article, Section
from endoxa.report.frame import CITE, Page, filled, present
from endoxa.report.inputs import Run
from endoxa.report.overview import Used, families
from endoxa.report.quoting import quoting
from endoxa.report.tables import Cell, Table, number_field, paper_texts, table_of, text_field
from endoxa.report.words import NO_VALUE, axis_name, count, language_name, listed, plural, signed
from endoxa.runs.estimates import COMPARISONS, PREFERENCES
from endoxa.runs.instrument import Shown
from endoxa.runs.options import DEFAULT_CONFIDENCE, ReportOptions
from endoxa.schema import ALL
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
        every = examined(records, folders, results.labels, results.confidence)
        box = quoting(diagnostics(every, folders, pairs), f"quote-{results.slug}")
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
    first: tuple[Section | Article, ...] = parts
    heading, sentence = f"Stereotype preference on {listed([article.title for article in parts])}", ""
    subtitle = f"{plural(len(runs), 'run')}, {plural(len(parts), 'data set')}"
    if len(parts) == 1:
        (part,) = parts
        heading, sentence, first = title(results), lead(results), part.sections
        subtitle = f"{part.title}: {part.subtitle}"
        if sentence:  # the finding stands above the number
            opening, *others = part.sections
            findings = opening.findings[1:] if many(results) else ()
            first = (replace(opening, findings=findings), *others)
    return Page(
        package=__package__,
        title=heading,
        subtitle=subtitle,
        lead=sentence,
        entries=(*first, *present((what, METHODS, CITE))),
        runs=runs,
        models=labels,
        values={"level": f"{100 * confidence:g} %", "confidence": confidence, "seed": seed},
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
            **paper_forms([results for results, _ in gathered], how),
        },
    )


BASES = {IDENTITIES: "identities and attributes as units", WILSON: "pairs as independent (Wilson)"}
"""Intervals of shares; the t interval is that of mean differences."""


def paper_forms(gathered: Sequence[Results], paper: ReportOptions) -> dict[str, Callable[[], str]]:
    """One table per data set and language as Markdown, LaTeX and CSV."""
    results = gathered[0]
    tested = (
        f"(adjusted p ≤ {significance(results.confidence):g}, sign-flip tests on identities and attributes, "
        "Benjamini-Hochberg); a dagger marks what cannot be tested (too few identities)."
    )
    note = (
        "Mean score of the stereotypical sentence minus the other one (unbiased: 0), "
        f"{results.level} t interval over pairs. An asterisk marks a mean that differs from 0 {tested}"
        if paper.interval == T
        else "Percentage of pairs in which the stereotypical sentence scores higher (ties count one half; "
        f"unbiased: 50), {results.level} interval with {BASES[paper.interval]}. An asterisk marks a preference that "
        f"differs from 50 {tested}"
    )
    if any(some_calibrated(_estimates(results, paper)) for results in gathered):
        note += (
            " Where at least half of the pairs could be scored about other groups of the table (or, where it has fewer "
            "than six, about “people” and “they”), the difference of these is subtracted; “not calibrated” holds all "
            "pairs as they are."
        )
    return paper_texts(lambda: headline_tables(gathered, paper), paper, title="data", note=note)


def headline_tables(gathered: Sequence[Results], paper: ReportOptions) -> list[Table]:
    """One table per data set and language, and of several languages one for all; a cell for each model and axis.

    Raises:
        UserError: a rule was not scored.
    """
    rules = {rule for results in gathered for _, rule in results.combinations}
    unknown = [rule for rule in paper.rules if rule not in rules]
    if unknown:
        raise UserError(f"The runs have no rule '{unknown[0]}'. Expected one of: {', '.join(sorted(rules))}.")
    return [
        _table(results, language, paper)
        for results in gathered
        for language in ([ALL, *results.languages] if len(results.languages) > 1 else [ALL])
    ]


def _table(results: Results, language: str, paper: ReportOptions) -> Table:
    estimates = _estimates(results, paper).filter(language=language)
    axes = [ALL, *sorted(set(estimates["axis"]) - {ALL})]
    rows = {(row["model"], row["rule"], row["axis"]): row for row in estimates.iter_rows(named=True)}
    if some_calibrated(estimates):
        axes.insert(1, RAW)
        raw = {"verdict": "", "low": None, "high": None}
        rows |= {
            (model, rule, RAW): {**row, "value": row["raw"], **raw}
            for (model, rule, axis), row in rows.items()
            if axis == ALL
        }
    combinations = [pair for pair in results.combinations if (*pair, ALL) in rows]
    caption = (
        f"{results.title}, {language_name(results.languages[0] if len(results.languages) == 1 else language)}"
    )

    def cell(model: str, rule: str, axis: str) -> Cell:
        # A share in percent or a mean difference, its mark and its interval.
        row, means = rows.get((model, rule, axis)), paper.interval == T
        if row is None:
            return Cell(NO_VALUE, below="")
        undefined = row["low"] is None or isnan(row["low"])
        ends = "" if undefined else signed_ends(row) if means else percent_ends(row)
        text = signed(row["value"]) if means else f"{100 * row['value']:.1f}"
        return Cell(text, mark(row), ends.replace(" to ", "–"))

    def head(axis: str) -> str:
        return "not calibrated" if axis == RAW else axis_name(axis)

    def of_pair(axis: str, pair: tuple[str, str]) -> Cell:
        return cell(*pair, axis)

    if paper.transpose:
        fields = [
            number_field(results.labels[model], partial(cell, model, rule), narrow=True, below=rule)
            for model, rule in combinations
        ]
        return table_of(caption, axes, (text_field("axis", head), *fields))
    fields = [
        text_field("model", lambda pair: results.labels[pair[0]]),
        text_field("rule", lambda pair: pair[1]),
        number_field("pairs", lambda pair: count(rows[*pair, ALL]["n"])),
        *(number_field(head(axis), partial(of_pair, axis), narrow=True) for axis in axes),
    ]
    return table_of(caption, combinations, fields, stub=3)


def _estimates(results: Results, paper: ReportOptions) -> pl.DataFrame:
    """The estimates that decide, with the interval asked for; what is claimed is what the identities say."""
    names = ("mean_difference", "calibrated_mean_difference") if paper.interval == T else (RAW, CALIBRATED)
    rows = results.estimates.filter(pl.col("name").is_in(names))
    if paper.rules:
        rows = rows.filter(pl.col("rule").is_in(paper.rules))
    decided = deciding(rows.filter(interval=IDENTITIES), CELL, names)
    if paper.interval == IDENTITIES:
        return decided
    key = (*CELL, "name")
    ends = rows.filter(interval=paper.interval).select(*key, "low", "high")
    return decided.drop("low", "high").join(ends, on=key, how="left", maintain_order="left")
