"""The page about one table of `endoxa analyze novelty`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import isfinite
from typing import Any

import polars as pl

from endoxa.curate.novelty import CONCEPT_COLUMNS, CURVE_COLUMNS, SHARE_COLUMNS, SHARED_COLUMNS, labels
from endoxa.curate.novelty.labels import warnings
from endoxa.curate.pages import METHODS, Row, TableFiles, dots, page_of, reading, share_fields, shown_table
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.frame import Page
from endoxa.report.grids import share_grid
from endoxa.report.inputs import Run
from endoxa.report.tables import Table, number_field, table_of, text_field
from endoxa.report.words import count, decimal, percent, plural
from endoxa.runs.instrument import Shown

MOST_THRESHOLDS = 10
"""Thresholds in a figure, about; tables have all of them."""

SHARE = ("share_unique", "low", "high")
ACCURACY = ("accuracy", "accuracy_low", "accuracy_high")


def shared_map(shares: pl.DataFrame, shared: pl.DataFrame) -> tuple[Figure, ...]:
    """Share of the concepts of each row that are found in each column."""
    if shared.is_empty():
        return ()
    frame = shared.select(row="from_dataset", column="to_dataset", value="share")
    names = shares["dataset"].to_list()
    title = "concepts of the row that are found in the column"
    spoken = "; ".join(
        f"{row['row']} in {row['column']} {percent(row['value'])}" for row in frame.iter_rows(named=True)
    )
    alternative = f"Share of concepts found in another data set: {spoken}."
    plot = share_grid(frame, names, domain=(0.0, 1.0), title=title)
    return (Figure("shared", "Share found in each other data set", plot, alternative, rows=shared),)


def _curve(lines: pl.DataFrame, used: float) -> tuple[Figure, ...]:
    """Shares of unique concepts at some thresholds, that which is used among them."""
    if lines.is_empty():
        return ()
    thresholds = lines["threshold"].unique().sort()
    nearest = min(thresholds, key=lambda threshold: abs(threshold - used))
    kept = {nearest, *thresholds.gather_every(max(1, len(thresholds) // MOST_THRESHOLDS))}
    labels = {threshold: decimal(threshold, 2) + " (used)" * (threshold == nearest) for threshold in kept}
    shown = lines.filter(pl.col("threshold").is_in(list(kept))).sort("threshold", maintain_order=True)
    return dots(
        shown.with_columns(label=pl.col("threshold").replace_strict(labels, return_dtype=pl.String)),
        "label",
        ("share_unique", "", ""),
        by="dataset",
        axis="unique concepts, by threshold (minimum cosine)",
        name="curve",
        title="Unique concepts at other thresholds",
        rows=lines,
    )


MOST_SENTENCES = 3
"""Sentences about pairs of data sets."""
EITHER_SIDE = 10
"""Concepts shown just above and just below the threshold."""
TEXTS = frozenset(
    {
        *("dataset", "interval", "concept", "threshold_from", "encoder", "format"),
        *("from_dataset", "to_dataset", "unique", "nearest_dataset", "nearest"),
    }
)
BY_LABELS = "labels"


def shown(runs: Sequence[Run]) -> Shown:
    """The page about one table of `endoxa analyze novelty`, see `pages.shown_table`."""
    return shown_table(runs, "shared concepts", TEXTS, SHARE_COLUMNS, partial(_page, runs))


def _page(runs: Sequence[Run], files: TableFiles, shares: pl.DataFrame) -> Page:
    first = shares.row(0, named=True)
    concepts = files.beside("concepts", CONCEPT_COLUMNS)
    values = {"kind": first["concept"]}
    sections = (
        _share_section(shares),
        _overlap_section(shares, files.beside("shared", SHARED_COLUMNS)),
        _threshold_section(files, files.beside("curve", CURVE_COLUMNS), first),
        _border_section(concepts, first["threshold"]),
        replace(METHODS, values=values),
    )
    subtitle = (
        f"{plural(shares.height, 'data set')}, {first['concept']}s, present from a cosine of "
        f"{decimal(first['threshold'], 3)} on ({first['encoder']})."
    )
    return page_of(__package__, runs, "Which concepts are in no other data set", subtitle, sections)


def _threshold_section(files: TableFiles, curve: pl.DataFrame, first: Row) -> Section:
    """How the threshold was chosen, how well it does, and what other ones would give."""
    cut = first["threshold"]
    figures = _curve(curve, cut)
    chosen = files.beside("threshold", labels.THRESHOLD_COLUMNS)
    if first["threshold_from"] != BY_LABELS or chosen.is_empty():
        how = "chosen by labelled pairs; its table is not beside this one"
        if first["threshold_from"] != BY_LABELS:
            how = "given, not chosen by labelled pairs of these data sets"
        finding = Finding(f"The threshold of {decimal(cut, 3)} was {how}.", ({"threshold": cut},))
        return Section("threshold", "The threshold", findings=(finding,), figures=figures)
    row: dict[str, Any] = chosen.fill_null(float("nan")).row(0, named=True)
    left_out = [
        f"{count(number)} {words}"
        for number, words in (
            (row["unlabelled"], "without an answer"),
            (row["repeated"], "with a pair that an earlier row has"),
            (row["equal"], "of two equal texts"),
        )
        if number
    ]
    notes = [
        "The accuracy is that of the labelled pairs. A sheet of --sheet holds as many alike pairs as unlike ones; "
        "among all pairs of concepts, most of them unlike, it would be another."
    ]
    if left_out:
        notes.append(f"Rows of the labels left out: {'; '.join(left_out)}.")
    return Section(
        "threshold",
        "The threshold",
        findings=(*(Finding(text, (row,)) for text in (*_chosen(row), *warnings(row))),),
        figures=figures,
        notes=tuple(notes),
    )


def _chosen(row: Row) -> tuple[str, str]:
    return (
        f"The threshold is {decimal(row['threshold'], 3)}: there Youden's J is greatest over "
        f"{plural(int(row['n']), 'labelled pair')}, {count(row['n_related'])} of them related. "
        f"{percent(row['sensitivity'])} of the related pairs reach it, and {percent(row['specificity'])} "
        "of the unrelated ones stay below.",
        f"On pairs of texts that it was not chosen on it decides as people did in {reading(row, ACCURACY)}."
        if isfinite(row["accuracy"])
        else "The pairs share too many texts to try the threshold on pairs that it was not chosen on.",
    )


def _share_section(shares: pl.DataFrame) -> Section:
    ordered = shares.sort("share_unique", descending=True, maintain_order=True)
    findings = tuple(
        Finding(_unique(row, several=len(shares) > 2), (row,)) for row in ordered.iter_rows(named=True)
    )
    notes = [
        f"Intervals: {percent(shares['confidence'][0], 0)} confidence.",
        "A share depends on what a data set is compared with: the fewer and the smaller the others, the more of it is "
        "unique. It says that a concept was not found there, not that nobody has published it.",
    ]
    for column, what in (
        ("left_out", "Rows in other languages were left out"),
        ("empty", "Rows without such a concept"),
    ):
        counts = shares.filter(pl.col(column) > 0).select("dataset", column).rows()
        if counts:
            notes.append(f"{what}: {'; '.join(f'{name} {count(number)}' for name, number in counts)}.")
    figures = dots(
        ordered,
        "dataset",
        SHARE,
        axis="concepts found in no other data set",
        name="unique",
        title="Unique concepts",
        words="Share of unique concepts",
        rows=ordered,
    )
    return Section(
        "unique",
        "Unique concepts",
        findings=findings,
        figures=figures,
        tables=(_share_table(shares),),
        notes=tuple(notes),
    )


def _unique(row: Row, *, several: bool) -> str:
    """The finding about one data set."""
    verb = "is" if row["n_unique"] == 1 else "are"
    where = f"{verb} found in none of the others" if several else f"{verb} not found in the other one"
    of = plural(int(row["n_concepts"]), "concept")
    return f"{row['dataset']}: {count(row['n_unique'])} of {of} ({reading(row, SHARE)}) {where}."


def _share_table(shares: pl.DataFrame) -> Table:
    covers = {"identities": "over identities", "wilson": "over concepts (Wilson)"}
    notes = {
        "identities": "Over identities: how the share would vary had other identities been in the data set.",
        "wilson": "Over concepts (Wilson): fewer than five identities are named, so concepts count as independent, "
        "and the interval is rather too narrow.",
    }
    used = set(shares["interval"])
    fields = (
        text_field("data set", "dataset"),
        number_field("concepts", "n_concepts"),
        number_field("unique", "n_unique"),
        *share_fields("share unique", SHARE),
        number_field("identities"),
        number_field("rows"),
        text_field("interval is", "interval", covers.__getitem__),
        text_field("read as", "format"),
    )
    texts = tuple(text for method, text in notes.items() if method in used)
    return table_of("Concepts of each data set", shares, fields, notes=texts)


def _overlap_section(shares: pl.DataFrame, shared: pl.DataFrame) -> Section:
    rows = shared.to_dicts()
    by_pair = {(row["from_dataset"], row["to_dataset"]): row for row in rows}
    uneven = [
        (row, by_pair[second, first])
        for (first, second), row in by_pair.items()
        if row["n_shared"] > 0 and row["share"] >= 2 * by_pair[second, first]["share"]
    ]
    uneven.sort(key=lambda pair: pair[1]["share"] - pair[0]["share"])
    return Section(
        anchor="shared",
        title="Shared concepts",
        findings=tuple(
            Finding(
                f"{row['to_dataset']} has {_part(row)} of the concepts of {row['from_dataset']}, but "
                f"{back['to_dataset']} has {_part(back)} of those of {back['from_dataset']}.",
                (row, back),
            )
            for row, back in uneven[:MOST_SENTENCES]
        ),
        figures=shared_map(shares, shared),
    )


def _part(row: Row) -> str:
    return f"{percent(row['share'])} ({count(row['n_shared'])} of {count(row['n_concepts'])})"


def _border_section(concepts: pl.DataFrame, cut: float) -> Section | None:
    """The concepts whose decision was closest: where a reader can see whether the threshold makes sense."""
    near = concepts.with_columns(distance=(pl.col("cosine") - cut).abs())
    above = near.filter(unique="false").sort("distance", maintain_order=True).head(EITHER_SIDE)
    below = near.filter(unique="true").sort("distance", maintain_order=True).head(EITHER_SIDE)
    rows = pl.concat([above, below]).sort("cosine", descending=True, maintain_order=True)
    if rows.is_empty():
        return None
    fields = (
        number_field("cosine", shown=lambda cosine: decimal(cosine, 3)),
        text_field("found", "unique", lambda unique: "no" if unique == "true" else "yes"),
        text_field("data set", "dataset"),
        text_field("concept", veiled=True),
        text_field("nearest in", "nearest_dataset"),
        text_field("nearest concept", "nearest", veiled=True),
    )
    caption = "Concepts nearest to the threshold, on either side"
    return Section(
        anchor="border",
        title="Where the decision was closest",
        tables=(table_of(caption, rows, fields, headed=False),),
        notes=("Read some: if pairs above the threshold are not the same concept, it is too low.",),
    )
