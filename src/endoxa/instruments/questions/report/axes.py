"""Leans by category and identity, a chart of all of them to choose from, right answers, and averages by provider."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from operator import itemgetter

import polars as pl

from endoxa.instruments.questions.report.headline import lean_map, reading
from endoxa.instruments.questions.report.results import (
    CONDITIONS,
    CONTEXTS,
    CONTEXTS_FIELD,
    MEASURES,
    OVER,
    SPOKEN_CONDITIONS,
    QaResults,
    leans,
    right_answers,
)
from endoxa.report import estimates as say
from endoxa.report.closer import Box, closer_section
from endoxa.report.document import Figure, Section
from endoxa.report.estimates import FEW
from endoxa.report.figures import Measure, described, series_figure
from endoxa.report.labels import LARGE, SMALL, ModelName
from endoxa.report.words import plural, slug
from endoxa.schema import ALL

EVERY = "all categories"


def axes(results: QaResults) -> Section | None:
    """Leans of all categories and unscaled bias of all identities; None with one category and no identity."""
    kind, few = leans(results), len(results.names) <= FEW
    several = results.leans.filter(category=ALL)["data"].unique().to_list()
    rows = results.leans.filter(pl.col("data").is_in(several) & (pl.col("category") != ALL))
    identities, shown = results.main(results.identities), results.main(rows)
    if rows.is_empty() and identities.is_empty():
        return None
    cells = [
        cell
        for condition in CONDITIONS
        for data in results.data
        if (cell := shown.filter(data=data, context_condition=condition)).height
    ]
    findings = []
    for cell in cells:
        where = f"{CONTEXTS[cell['context_condition'][0]]} with {cell['data'][0]}"
        noun = "categories" if cell["model"].n_unique() == 1 else "cells (a model in a category)"
        findings.append(say.verdict_tally(kind, f"{where}, of {cell.height} {noun}", cell.rows(named=True)))
    notes = (
        f"{reading(results, map_drawn=not few)} The lean is the bias score in ambiguous contexts and the accuracy "
        "gap in disambiguated ones; verdicts are corrected over all leans of the page.",
        "Unscaled bias of an identity, of the answers that name a person: −1 if never the one the stereotype is "
        f"about, 0 if as often as the other, +1 if always. Lines are {results.level} Wilson intervals in which "
        "every question counts once, however often it was asked; at the right are the questions in which a person "
        "was named. Nothing is tested here and nothing is claimed: among many identities some lie far from 0 by "
        "chance; each meets its own few templates, so a dot says as much about these as about the identity. Numbers "
        "are in identities.csv of each run folder.",
    )
    return Section(
        anchor="axes",
        title="By category and identity" if cells else "By stereotyped identity, ambiguous contexts",
        findings=tuple(findings),
        figures=(*_category_figures(results, cells, few=few), *_identity_figures(results, identities)),
        notes=tuple(note for note, shown in zip(notes, (cells, identities.height), strict=True) if shown),
    )


def _category_figures(results: QaResults, cells: list[pl.DataFrame], *, few: bool) -> Iterator[Figure]:
    """Of few models a dot for each and every category, the greatest mean lean first; of many a map."""
    kind = leans(results)
    for cell in cells:
        data, contexts = cell["data"][0], SPOKEN_CONDITIONS[cell["context_condition"][0]]
        rows = cell.drop_nulls("value")
        title = f"Leans by category, {contexts} contexts" + (f", {data}" if len(results.data) > 1 else "")
        name = f"categories-{slug(data)}-{contexts}"
        if rows.height and few:
            rows = rows.sort(-pl.col("value").mean().over("category"), "category", maintain_order=True)
            several = rows["line"].n_unique() > 1
            label = "{category}, {line}" if several else "{category}"
            yield say.dots(kind, rows, label.format_map, name=name, title=title)
        elif rows.height:
            yield lean_map(results, rows, "category", name, title)


def _identity_figures(results: QaResults, rows: pl.DataFrame) -> Iterator[Figure]:
    """A figure for each data set with all models in a row, the identities with the greatest mean first."""
    mean = pl.col("value").mean().over("identity")
    for data in rows["data"].unique(maintain_order=True):
        frame = rows.filter(data=data).sort(-mean, "identity", nulls_last=True, maintain_order=True)
        title = f"Unscaled bias by identity, {data}"
        yield series_figure(
            frame.select(
                *("value", "low", "high"),
                label="identity",
                series="line",
                note=pl.format("n {}", pl.col("questions").sum().over("identity")),
                filled=pl.lit(value=False),
            ),
            Measure("unscaled bias score", 0.0, "+.1f", 0.0, 0.0),
            [line for line in results.lines if line in frame["line"]],
            name=f"identities-{slug(data)}",
            title=title,
            alt=described(title, dict.fromkeys(frame["identity"])),
            domain=(-1.0, 1.0),
        )


def closer(results: QaResults) -> Section | None:
    """All leans to choose from; None where there are few."""
    cells = results.leans.drop_nulls("value")
    if cells.is_empty():
        return None
    kind = leans(results)
    rows = cells.select(
        *("value", "low", "high", "data", "p_adjusted", "verdict", "n"),
        contexts=pl.col("context_condition").replace_strict(SPOKEN_CONDITIONS, return_dtype=pl.String),
        model="line",
        category=pl.col("category").replace({ALL: EVERY}),
        reading=pl.Series([kind.reading(row) for row in cells.iter_rows(named=True)], dtype=pl.String),
    )
    return closer_section(
        rows,
        (
            Box("contexts", "kind of context", rows["contexts"][0]),
            Box("model", "model"),
            Box("data", "data set", cells["data"][0]),
            Box("category", "category", EVERY if ALL in cells["category"] else "", together=EVERY),
        ),
        kind.measure,
        title="Lean of every cell",
        reading=f"The lean of every model, data set and category with its {results.level} interval {OVER}: "
        "bias score in ambiguous contexts, accuracy gap in disambiguated ones.",
        line="no lean",
    )


def accuracy(results: QaResults) -> Section | None:
    """Right answers of every model, the most first, a figure for each data set; None where no answer could be read."""
    rows = results.main(results.measure("accuracy")).drop_nulls("value")
    data = [name for name in results.data if name in set(rows["data"])]
    if not data:
        return None
    mean = pl.col("value").mean().over("line")
    figures = [
        say.dots(
            right_answers(results),
            rows.filter(data=name).sort(-mean, "line", "context_condition", maintain_order=True),
            lambda row: f"{row['line']}, {CONTEXTS_FIELD.cell(row)}",
            name=f"accuracy-{slug(name)}",
            title="Right answers" + (f", {name}" if len(results.data) > 1 else ""),
            domain=(0.0, 1.0),
        )
        for name in data
    ]
    return Section(
        anchor="accuracy",
        title="How often the answers are right",
        figures=tuple(figures),
        notes=(
            "Of the answers that were read. In ambiguous contexts the right answer is that it cannot be known, in "
            f"disambiguated ones it is the person whom the text names. Bars are {results.level} intervals; nothing is "
            "tested here, so dots are hollow. The line is where guessing among three options would be. Models are "
            "sorted by the mean of both kinds of contexts.",
        ),
    )


def averages(results: QaResults) -> Section:
    """One dot per model, by provider and size: the plain mean over data sets and contexts (Figures 3 and 4)."""
    averaged = results.overall.select("data", "context_condition").unique(maintain_order=True).sort("data")
    cells = [f"{data}, {SPOKEN_CONDITIONS[condition]}" for data, condition in averaged.iter_rows()]
    return Section(
        anchor="averages",
        title="Averages by provider and size",
        folded=True,
        figures=(
            _average(results, right_answers(results), "accuracy", "average-accuracy"),
            _average(results, leans(results), "bias_score", "average-bias"),
        ),
        notes=(
            f"Every dot is the plain mean of {plural(len(cells), 'value')}: {'; '.join(cells)}. Figures 3 and 4 of "
            "Pelosio et al. (2025) average two data sets in two kinds of contexts so. It weighs them equally and has "
            "no interval; the tables have one for each value. Sizes are not guessed from names: give them in a table "
            "with the columns model, label, provider and size (large or small) with --labels.",
        ),
    )


def average_of_cells(results: QaResults, name: str) -> dict[str, float | None]:
    """Mean of a measure over data sets and contexts for each model; None where a value is missing or undefined."""
    cells = results.overall.select("data", "context_condition").n_unique()
    rows = results.main(results.measure(name)).drop_nulls("value").group_by("model")
    means = rows.agg(pl.col("value").mean(), n=pl.len()).filter(n=cells)
    return dict.fromkeys(results.names) | dict(means.select("model", "value").iter_rows())


def _average(results: QaResults, kind: say.Kind, column: str, name: str) -> Figure:
    """Dots by provider as they come, large models before small ones, larger numbers first."""
    values, names = average_of_cells(results, column), list(results.names.values())
    providers = list(dict.fromkeys(each.provider for each in names))

    def place(model: ModelName) -> tuple[int, int, float]:
        number = 0.0 if model.size in ("", LARGE, SMALL) else -float(model.size)
        return providers.index(model.provider), {LARGE: 0, SMALL: 2}.get(model.size, 1), number

    nothing = {"low": None, "high": None, "n": len(values), "verdict": "", "reason": ""}
    frame = pl.DataFrame(
        [
            {"label": f"{each.provider}: {each.sized_label}", "value": values[each.model], **nothing}
            for each in sorted(names, key=place)
        ],
        schema_overrides=dict.fromkeys(("value", "low", "high"), pl.Float64),
    )
    title, domain = f"Average {MEASURES[column]}", (0.0, 1.0) if column == "accuracy" else None
    kind = replace(kind, measure=replace(kind.measure, title=title.lower()))
    return say.dots(kind, frame, itemgetter("label"), name=name, title=title, domain=domain)
