"""Leans of every model: dots and maps by data set, category and identity, a chart to choose from, right answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from endoxa.instruments.questions.report.results import (
    CONDITIONS,
    CONTEXTS,
    CONTEXTS_FIELD,
    OVER,
    SPOKEN_CONDITIONS,
    SPOKEN_LEANS,
    UNITS_FIELD,
    QaResults,
    in_order,
    lean_evidence,
    missing,
    shown_interval,
    side_by_side,
    written,
)
from endoxa.report.claims import VERDICT, chip, counted, hollow, marked
from endoxa.report.closer import Box, closer_section
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.figures import Measure, claim_map, described, figure_of, series_figure
from endoxa.report.plots import Axis, series_plot
from endoxa.report.tables import number_field, table_of, text_field
from endoxa.report.words import NO_VALUE, decimal, decimal_interval, listed, percent, slug
from endoxa.schema import ALL
from endoxa.stats.verdicts import ABOVE, BELOW, UNCLEAR, UNTESTED

FEW_SERIES = 2
"""Data sets that share a row; more make a map of models and data sets."""

FAR = 0.2
"""Distance from 0 from which on a map uses its full colour."""

MEASURES = {"accuracy": "accuracy", "bias_unscaled": "unscaled bias", "bias_score": "bias score"}

FEW = 3
"""Models that get dots with intervals for their categories and identities; more get a map, or share a row."""

MOST_FIGURES = 12
"""Data sets and kinds of contexts whose categories are drawn; the table holds all."""

MOST_DATA = 6
"""Data sets whose right answers and identities are drawn; tables hold all."""

LEAST_QUESTIONS = 20
"""With fewer questions in which a person was named, the dot of an identity is hollow."""

EVERY = "all categories"
LEAN_ENDS = {"value": "lean", "low": "lean_low", "high": "lean_high"}

LEAN_VERDICTS = {
    ABOVE: "{n} lean{s} towards the stereotype",
    BELOW: "{n} lean{s} against the stereotype",
    UNCLEAR: "{where} {n} a lean is not distinguishable",
    UNTESTED: "{n} cannot be tested",
}
"""What a verdict on a lean says; `where` is 'in' (a category) or 'for' (a model)."""

MAP_READING = (
    "Blue cells lean towards the stereotype, orange ones against it (significant after correction); grey cells are not "
    "distinguishable or cannot be tested. Models are sorted by their mean lean."
)


def lean_measure(title: str) -> Measure:
    """The value axis of leans."""
    return Measure(title, 0.0, "+.2~f", 0.1, 0.1)


def lean_figures(results: QaResults) -> Iterator[Figure]:
    """A figure of leans for each kind of context."""
    for condition, contexts in SPOKEN_CONDITIONS.items():
        rows = results.main(results.overall).filter(context_condition=condition).drop_nulls("lean")
        if rows.is_empty():
            continue
        spoken = SPOKEN_LEANS[rows["lean_name"][0]]
        name, title = f"leans-{contexts}", f"{spoken.capitalize()} in {contexts} contexts"
        if rows["data"].n_unique() > FEW_SERIES:
            yield lean_map(results, rows, "data", name, title)
            continue
        data = [name for name in results.data if name in set(rows["data"])]
        frame = (
            rows.sort(in_order("data", data))
            .with_columns(first=pl.col("lean").first().over("line"), note=side_by_side("lean", "line"))
            .sort(-pl.col("first"), "line", maintain_order=True)
        )
        figure = series_figure(
            frame.select("note", label="line", series="data", **LEAN_ENDS, filled=marked()),
            lean_measure(spoken),
            data,
            name=name,
            title=title + (f": {data[0]} (left value) and {data[1]}" if len(data) > 1 else ""),
            alt=_alt(rows, "data"),
        )
        leans = map(lean_evidence, rows.iter_rows(named=True))
        yield replace(
            figure,
            reading=hollow(leans, lambda row: f"{row['line']}, {row['data']}"),
        )


def lean_map(results: QaResults, rows: pl.DataFrame, column: str, name: str, title: str) -> Figure:
    """Models against what a column names (data sets, categories); only claimed leans have a colour.

    Args:
        results: of the page.
        rows: estimates of one kind of context.
        column: the column of the estimates.
        name: of the figure's files.
        title: of the figure.
    """
    means = rows.group_by("line", maintain_order=True).agg(pl.col("lean").mean())
    lines = means.sort("lean", descending=True, nulls_last=True, maintain_order=True)["line"].to_list()
    present = set(rows[column])
    cells = rows.select(
        "verdict",
        row="line",
        column=column,
        value="lean",
        text=written("lean", lambda value: decimal(value, 2)),
        far=pl.col("lean").abs() >= FAR,
    )
    columns = [data for data in results.data if data in present] if column == "data" else sorted(present)
    return claim_map(cells, lines, columns, name=name, title=title, alt=_alt(rows, column))


def _alt(rows: pl.DataFrame, column: str) -> str:
    spoken, contexts = SPOKEN_LEANS[rows["lean_name"][0]], SPOKEN_CONDITIONS[rows["context_condition"][0]]
    cells = []
    for row in rows.iter_rows(named=True):
        ends = shown_interval(lean_evidence(row))
        interval = "" if ends == NO_VALUE else f", interval {ends}"
        cells.append(f"{row['line']}, {row[column]}: {decimal(row['lean'])}{interval}, {chip(row)}")
    return described(
        f"{spoken.capitalize()} in {contexts} contexts by model and {slug(column)}, no lean: 0", cells
    )


def _first_shown(shown: int, total: int, what: str, table: str) -> tuple[Finding, ...]:
    """That figures show the first of many data sets; nothing where they show all."""
    text = f"The figures show the first {shown} of {total} {what}; {table} holds all of them."
    return (Finding(text, ({"shown": shown, "all": total},)),) if shown < total else ()


def categories(results: QaResults) -> Section | None:
    """Leans of all categories; None where every data set holds one only."""
    several = results.estimates.filter(pl.col("category") == ALL)["data"].unique().to_list()
    rows = results.estimates.filter(pl.col("data").is_in(several) & (pl.col("category") != ALL))
    if rows.is_empty():
        return None
    reading = (
        f"Right of the line: towards the stereotype. Bars are {results.level} intervals {OVER}; a filled dot "
        "is a lean that is significant after correction."
        if len(results.names) <= FEW
        else MAP_READING
    )
    shown = results.main(rows)
    cells = [
        cell
        for condition in CONDITIONS
        for data in results.data
        if (cell := shown.filter(data=data, context_condition=condition)).height
    ]
    findings = []
    for cell in cells:
        facts = [lean_evidence(row) for row in cell.iter_rows(named=True)]
        where = f"{CONTEXTS[facts[0]['context_condition']]} with {facts[0]['data']}"
        noun = "categories" if cell["model"].n_unique() == 1 else "cells (a model in a category)"
        text = f"{where}, of {len(facts)} {noun} {listed(counted(facts, LEAN_VERDICTS, where='in'))}."
        findings.append(Finding(text, ({"cells": len(facts)}, *facts)))
    drawn = cells[:MOST_FIGURES]
    findings += _first_shown(len(drawn), len(cells), "data sets and kinds of contexts", "the table")
    places = (
        (f"{row['line']}, {row['data']}, {row['category']}", row, name)
        for row in rows.iter_rows(named=True)
        for name in MEASURES
    )
    table = table_of(
        "Scores of each category",
        rows,
        (
            *(text_field("model", "line"), text_field("data"), text_field("category"), CONTEXTS_FIELD),
            *(
                field
                for name, spoken in MEASURES.items()
                for field in (number_field(spoken, name, decimal), results.interval_field(name))
            ),
            number_field("lean", shown=decimal),
            number_field("its interval", lambda row: shown_interval(lean_evidence(row))),
            VERDICT,
            UNITS_FIELD,
            number_field("answers", "n"),
        ),
        most_open=40,
        notes=tuple(missing(places)),
    )
    return Section(
        anchor="categories",
        title="By category",
        findings=tuple(findings),
        figures=tuple(_category_figures(results, drawn)),
        tables=(table,),
        notes=(
            f"{reading} The lean is the bias score in ambiguous contexts and the accuracy gap in disambiguated ones; "
            "verdicts are corrected over all leans of the page.",
        ),
    )


def _category_figures(results: QaResults, cells: Sequence[pl.DataFrame]) -> Iterator[Figure]:
    """Of few models a row for every category, the greatest mean lean first; of many a map."""
    for cell in cells:
        data, contexts = cell["data"][0], SPOKEN_CONDITIONS[cell["context_condition"][0]]
        spoken, rows = SPOKEN_LEANS[cell["lean_name"][0]], cell.drop_nulls("lean")
        of_data = f", {data}" if len(results.data) > 1 else ""
        title = f"{spoken.capitalize()} by category, {contexts} contexts{of_data}"
        name = f"categories-{slug(data)}-{contexts}"
        if rows.is_empty():
            continue
        if len(results.names) > FEW:
            yield lean_map(results, rows, "category", name, title)
            continue
        frame = rows.sort(-pl.col("lean").mean().over("category"), "category", maintain_order=True)
        texts = (
            f"{row['line']}, {row['category']}: {decimal(row['lean'])}, {chip(row)}"
            for row in rows.iter_rows(named=True)
        )
        note = side_by_side("lean", "category")
        yield series_figure(
            frame.select(label="category", series="line", **LEAN_ENDS, filled=marked(), note=note),
            lean_measure(spoken),
            rows["line"].unique(maintain_order=True).to_list(),
            name=name,
            title=title,
            alt=described(f"{title}, no lean: 0", texts),
        )


def closer(results: QaResults) -> Section | None:
    """All leans to choose from; None where there are few."""
    cells = results.estimates.drop_nulls("lean").filter(pl.col("lean").is_not_nan())
    if cells.is_empty():
        return None
    first = next(name for name in CONDITIONS if name in set(cells["context_condition"]))

    def reading(row: dict[str, Any]) -> str:
        ends = row["low"], row["high"]
        return decimal(row["value"]) + ("" if None in ends else f" ({decimal_interval(*ends, 2)})")

    rows = cells.select(
        contexts=pl.col("context_condition").replace_strict(SPOKEN_CONDITIONS, return_dtype=pl.String),
        model="line",
        data="data",
        category=pl.col("category").replace({ALL: EVERY}),
        **LEAN_ENDS,
        n="n_lean",
        p_adjusted="p_adjusted",
        verdict="verdict",
    ).fill_nan(None)
    return closer_section(
        rows.with_columns(reading=pl.struct("value", "low", "high").map_elements(reading, pl.String)),
        (
            Box("contexts", "kind of context", SPOKEN_CONDITIONS[first]),
            Box("model", "model"),
            Box("data", "data set", cells["data"][0]),
            Box("category", "category", EVERY if ALL in set(cells["category"]) else "", together=EVERY),
        ),
        lean_measure("lean"),
        title="Lean of every cell",
        reading=f"The lean of every model, data set and category with its {results.level} interval {OVER}: "
        "bias score in ambiguous contexts, accuracy gap in disambiguated ones.",
        line="no lean",
    )


def accuracy(results: QaResults) -> Section | None:
    """Right answers of every model, the most first, a figure for each data set; None where no answer could be read."""
    rows = results.main(results.overall).drop_nulls("accuracy")
    data = [name for name in results.data if name in set(rows["data"])]
    if not data:
        return None
    figures = []
    for name in data[:MOST_DATA]:
        frame = (
            rows.filter(data=name)
            .with_columns(
                series=pl.col("context_condition").replace_strict(SPOKEN_CONDITIONS),
                note=side_by_side("accuracy", "line", percent),
                mean=pl.col("accuracy").mean().over("line"),
            )
            .sort(-pl.col("mean"), "line", "series", maintain_order=True)
        )
        present = [spoken for spoken in SPOKEN_CONDITIONS.values() if spoken in set(frame["series"])]
        of_data = f", {name}" if len(results.data) > 1 else ""
        title = f"Right answers in {listed(present)} contexts{of_data}"
        texts = (
            f"{row['line']}, {row['series']} {percent(row['accuracy'])}"
            for row in frame.iter_rows(named=True)
        )
        dots = frame.select(
            *("series", "note"),
            label="line",
            value="accuracy",
            low="accuracy_low",
            high="accuracy_high",
            filled=pl.lit(value=True),
        )
        plot = series_plot(dots, present, Axis((0.0, 1.0), "share of right answers", ".0%"))
        alt, stem = described(title, texts), f"accuracy-{slug(name)}"
        figures.append(figure_of(dots, plot, name=stem, title=title, alt=alt, wide=True))
    return Section(
        anchor="accuracy",
        title="How often the answers are right",
        findings=_first_shown(len(figures), len(data), "data sets", "the table of leans"),
        figures=tuple(figures),
        notes=(
            "Of the answers that were read. In ambiguous contexts the right answer is that it cannot be known, in "
            f"disambiguated ones it is the person whom the text names. Bars are {results.level} intervals; models are "
            "sorted by the mean of both.",
        ),
    )


def identities(results: QaResults) -> Section | None:
    """Where the lean comes from: unscaled bias in ambiguous contexts for every stereotyped identity.

    None where the data name no identities.
    """
    rows = results.main(results.identities)
    if rows.is_empty():
        return None
    few = rows["model"].n_unique() <= FEW
    data = [name for name in results.data if name in set(rows["data"])]
    drawn = data if few else data[:MOST_DATA]
    reading = (
        f"Lines are {results.level} Wilson intervals in which every question counts once, however often it was asked. "
        "The numbers at the right are the questions in which a person was named, by data set "
        f"({listed(list(results.data))}); hollow dots rest on fewer than {LEAST_QUESTIONS}."
        if few
        else "A dot is a model; the numbers at the right are the lowest and the highest value. Hollow dots rest on "
        f"fewer than {LEAST_QUESTIONS} questions in which a person was named. Intervals are in the table."
    )
    table = table_of(
        "Unscaled bias in ambiguous contexts by identity (no tests, no verdicts)",
        rows,
        (
            *(text_field("model", "line"), text_field("data"), text_field("identity")),
            number_field("unscaled bias", "value", decimal),
            results.interval_field(),
            number_field("stereotyped answers", "n_biased"),
            number_field("answers naming a person", "n"),
            number_field("questions"),
        ),
        folded=True,
        notes=(f"{NO_VALUE}: no answer names a person.",) if rows["value"].null_count() else (),
    )
    return Section(
        "identities",
        "By stereotyped identity, ambiguous contexts",
        findings=_first_shown(len(drawn), len(data), "data sets", "the table"),
        figures=tuple(_identity_figures(results, rows, None if few else drawn)),
        tables=(table,),
        notes=(
            "Of the answers that name a person: −1 if never the one the stereotype is about, 0 if as often as "
            f"the other, +1 if always. {reading} Nothing is tested here and nothing is claimed: among many identities "
            "some lie far from 0 by chance; each meets its own few templates, so a dot says as much about these as "
            "about the identity.",
        ),
    )


def _identity_figures(results: QaResults, rows: pl.DataFrame, data: Sequence[str] | None) -> Iterator[Figure]:
    """A figure for each of few models with its data sets in a row, or for each data set with all models in a row."""
    key, series, order = ("line", "data", results.data) if data is None else ("data", "line", results.lines)
    ends = [pl.col("value").min().over("identity"), pl.col("value").max().over("identity")]
    range_of_models = pl.concat_list(ends).map_elements(
        lambda pair: decimal_interval(pair[0], pair[1], 2), pl.String
    )
    questions = pl.format("n {}", "questions").str.join(" · ").over("identity")
    for name in rows[key].unique(maintain_order=True) if data is None else data:
        frame = (
            rows.filter(pl.col(key) == name)
            .with_columns(
                mean=pl.col("value").mean().over("identity"),
                note=questions if data is None else range_of_models,
                filled=pl.col("questions") >= LEAST_QUESTIONS,
            )
            .sort(-pl.col("mean"), nulls_last=True, maintain_order=True)
        )
        means = frame.group_by("identity", maintain_order=True).agg(
            pl.col("mean").first(),
            pl.when(pl.col("filled").any())
            .then(pl.lit(""))
            .otherwise(pl.lit(" (few questions)"))
            .alias("basis"),
        )
        yield series_figure(
            frame.select(*("note", "value", "low", "high", "filled"), label="identity", series=series),
            Measure("unscaled bias score", 0.0, "+.1f", 0.0, 0.0),
            [entry for entry in order if entry in set(rows[series])],
            name=f"identities-{slug(name)}",
            title=name if data is None else f"Unscaled bias by identity, {name}",
            alt=described(
                f"Unscaled bias of {name}, ambiguous contexts; means by identity",
                (f"{identity} {decimal(mean, 2)}{basis}" for identity, mean, basis in means.iter_rows()),
            ),
            domain=(-1.0, 1.0),
        )
