"""The page about one table of `endoxa analyze novelty`.

The section about the threshold: how it was chosen, how well it does, and what other ones would give.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.curate.novelty import overlap, threshold
from endoxa.curate.novelty.figures import chords, cut_curve, share_curve, shared_map, unique_shares
from endoxa.curate.novelty.threshold import Calibration, warnings
from endoxa.errors import UserError
from endoxa.report.charts import MOST_ARCS
from endoxa.report.document import Finding, Section
from endoxa.report.frame import CITE, Page
from endoxa.report.inputs import Run
from endoxa.report.tables import Column, Table
from endoxa.report.words import count, decimal, decimal_interval, listed, percent, percent_interval, plural
from endoxa.runs.instrument import Shown
from endoxa.sources.frames import read_table
from endoxa.sources.spreadsheets import csv_text

COUNTS = ("n", "n_related", "n_tested", "texts", "groups", "repeated", "unlabelled", "equal")
"""Whole numbers among the columns of a calibration."""


def fixed_section(cut: float, curve: pl.DataFrame) -> Section:
    """A threshold that somebody gave.

    Args:
        cut: the threshold.
        curve: columns of `overlap.CURVE_COLUMNS`.
    """
    sentences = (
        f"The threshold of {decimal(cut, 3)} was given, not chosen by labelled pairs of these data sets."
    )
    return _section((Finding(sentences, ({"threshold": cut},)),), share_curve(curve, cut))


def chosen_section(
    cut: float, chosen: pl.DataFrame, cuts: pl.DataFrame, curve: pl.DataFrame, concepts: pl.DataFrame
) -> Section:
    """A threshold that labelled pairs chose.

    Args:
        cut: the threshold.
        chosen: columns of `threshold.THRESHOLD_COLUMNS`, one row, or none where the table is missing.
        cuts: columns of `threshold.CUT_COLUMNS`.
        curve: columns of `overlap.CURVE_COLUMNS`.
        concepts: columns of `overlap.CONCEPT_COLUMNS`.
    """
    if chosen.is_empty():
        text = f"The threshold of {decimal(cut, 3)} was chosen by labelled pairs; its table is not beside this one."
        return _section((Finding(text, ({"threshold": cut},)),), share_curve(curve, cut))
    row: dict[str, Any] = {
        name: float("nan") if value is None else value for name, value in chosen.row(0, named=True).items()
    }
    calibration = Calibration(**(row | {name: int(row[name]) for name in COUNTS}))
    findings = (
        *_chosen(calibration, row),
        *(Finding(text, (row,)) for text in warnings(calibration)),
        *_at_the_ends(calibration, concepts),
    )
    parts = [
        (calibration.unlabelled, "without an answer"),
        (calibration.repeated, "with a pair that an earlier row has"),
        (calibration.equal, "of two equal texts"),
    ]
    phrases = [f"{count(number)} {words}" for number, words in parts if number]
    notes = (
        "The accuracy is that of the labelled pairs. A sheet of --sheet holds as many alike pairs as unlike ones; "
        "among all pairs of concepts, most of them unlike, it would be another.",
        *(
            [
                "The interval holds every cut that these labels cannot tell from the best one; it is rather wide."
            ]
            if isfinite(calibration.low)
            else []
        ),
        *([f"Rows of the labels left out: {'; '.join(phrases)}."] if phrases else []),
    )
    return _section(findings, (*cut_curve(cuts, cut), *share_curve(curve, cut)), notes)


def _section(findings: tuple[Finding, ...], figures: Any, notes: tuple[str, ...] = ()) -> Section:
    return Section("threshold", "The threshold", findings=findings, figures=figures, notes=notes)


def _chosen(calibration: Calibration, row: dict[str, Any]) -> tuple[Finding, ...]:
    ends = (
        f" (interval {decimal_interval(calibration.low, calibration.high, 3)})"
        if isfinite(calibration.low)
        else ""
    )
    sentences = [
        f"The threshold is {decimal(calibration.threshold, 3)}{ends}: there Youden's J is greatest over "
        f"{plural(calibration.n, 'labelled pair')}, {count(calibration.n_related)} of them related. "
        f"{percent(calibration.sensitivity)} of the related pairs reach it, and {percent(calibration.specificity)} "
        "of the unrelated ones stay below."
    ]
    if isfinite(calibration.accuracy):
        sentences.append(
            f"On pairs of texts that it was not chosen on it decides as people did in {percent(calibration.accuracy)}"
            f"{_around(calibration.accuracy_low, calibration.accuracy_high)}; calling every pair "
            f"what most are would be right in {percent(calibration.majority)}."
        )
    else:
        sentences.append(
            "The pairs share too many texts to try the threshold on pairs that it was not chosen on."
        )
    if isfinite(calibration.balanced):
        sentences.append(
            f"With related and unrelated pairs counting alike that is {percent(calibration.balanced)}"
            f"{_around(calibration.balanced_low, calibration.balanced_high)}; guessing would give 50\u00a0%."
        )
    return tuple(Finding(text, (row,)) for text in sentences)


def _around(low: float, high: float) -> str:
    return f" (interval {percent_interval(low, high)})" if isfinite(low) else ""


def _at_the_ends(calibration: Calibration, concepts: pl.DataFrame) -> tuple[Finding, ...]:
    """The share of unique concepts of each data set at both ends of the interval of the threshold."""
    if concepts.is_empty() or not isfinite(calibration.low):
        return ()
    # What nothing may be compared with is unique at every threshold.
    ends = (pl.col("cosine").fill_null(-1) < end for end in (calibration.low, calibration.high))
    shares = concepts.group_by("dataset", maintain_order=True).agg(
        share.mean().alias(name) for share, name in zip(ends, ("low", "high"), strict=True)
    )
    rows = shares.to_dicts()
    each = [f"{row['dataset']} {percent_interval(row['low'], row['high'])}\u00a0%" for row in rows]
    text = f"Over that interval of the threshold the share of unique concepts would be: {listed(each)}."
    return (Finding(text, tuple(rows)),)


Rows = list[dict[str, Any]]

MOST_SENTENCES = 3
"""Sentences about pairs of data sets."""
EITHER_SIDE = 10
"""Concepts shown just above and just below the threshold."""
TEXTS = {
    *("dataset", "interval", "concept", "threshold_from", "encoder", "same_identity", "format"),
    *("from_dataset", "to_dataset", "unique", "nearest_dataset", "nearest"),
}
BY_LABELS = "labels"


def shown(runs: Sequence[Run]) -> Shown:
    """The page about one table; other formats are the table itself.

    Raises:
        UserError: several tables were given, or one cannot be read.
    """
    if len(runs) > 1:
        raise UserError("A page about shared concepts is made from one table. Make one page for each.")
    path = runs[0].folder
    shares = _read(path, overlap.SHARE_COLUMNS)
    return Shown(lambda: _page(runs, path, shares), {"csv": partial(csv_text, shares)})


def _read(path: Path, columns: dict[str, str]) -> pl.DataFrame:
    table = read_table(path, tuple(columns))
    return table.select(
        pl.col(name).fill_null("") if name in TEXTS else pl.col(name).cast(pl.Float64, strict=False)
        for name in columns
    )


def _beside(path: Path, name: str, columns: dict[str, str]) -> pl.DataFrame:
    """A companion of the table; empty where it is not there."""
    companion = path.with_name(f"{path.stem}_{name}{path.suffix}")
    if not companion.is_file():
        return pl.DataFrame(
            schema={column: pl.String if column in TEXTS else pl.Float64 for column in columns}
        )
    return _read(companion, columns)


def _page(runs: Sequence[Run], path: Path, shares: pl.DataFrame) -> Page:
    first = shares.row(0, named=True)
    shared = _beside(path, "shared", overlap.SHARED_COLUMNS)
    concepts = _beside(path, "concepts", overlap.CONCEPT_COLUMNS)
    curve = _beside(path, "curve", overlap.CURVE_COLUMNS)
    sections = [
        _share_section(shares),
        _overlap_section(shares, shared),
        _threshold_section(path, curve, concepts, first),
        _border_section(concepts, first["threshold"]),
        Section(
            "methods",
            "Methods",
            template="methods.html.j2",
            values={"kind": first["concept"], "same_identity": first["same_identity"] == "true"},
            folded=True,
        ),
    ]
    kinds = {"attribute": "attributes", "association": "associations", "sentence": "sentences"}
    return Page(
        package=__package__,
        title="Which concepts are in no other data set",
        subtitle=(
            f"{plural(shares.height, 'data set')}, {kinds.get(first['concept'], 'concepts')}, present from a cosine of "
            f"{decimal(first['threshold'], 3)} on ({first['encoder']})."
        ),
        entries=(*(section for section in sections if not section.empty), CITE),
        runs=runs,
        models=(),
        values={},
    )


def _threshold_section(
    path: Path, curve: pl.DataFrame, concepts: pl.DataFrame, first: dict[str, Any]
) -> Section:
    cut = first["threshold"]
    if first["threshold_from"] != BY_LABELS:
        return fixed_section(cut, curve)
    chosen = _beside(path, "threshold", threshold.THRESHOLD_COLUMNS)
    return chosen_section(cut, chosen, _beside(path, "cuts", threshold.CUT_COLUMNS), curve, concepts)


def _share_section(shares: pl.DataFrame) -> Section:
    rows = shares.to_dicts()
    ordered = sorted(rows, key=lambda row: -row["share_unique"])
    findings = tuple(Finding(_unique(row, several=len(rows) > 2), (row,)) for row in ordered)
    notes = [
        f"Intervals: {percent(rows[0]['confidence'], 0)} confidence.",
        "A share depends on what a data set is compared with: the fewer and the smaller the others, the more of it is "
        "unique. It says that a concept was not found there, not that nobody has published it.",
    ]
    left = sum(row["left_out"] for row in rows)
    if left:
        named = "; ".join(f"{row['dataset']} {count(row['left_out'])}" for row in rows if row["left_out"])
        notes.append(f"Rows in other languages were left out: {named}.")
    empty = "; ".join(f"{row['dataset']} {count(row['empty'])}" for row in rows if row["empty"])
    if empty:
        notes.append(f"Rows without such a concept: {empty}.")
    return Section(
        anchor="unique",
        title="Unique concepts",
        findings=findings,
        figures=unique_shares(shares),
        tables=(_share_table(rows),),
        notes=tuple(notes),
    )


def _unique(row: dict[str, Any], *, several: bool) -> str:
    """The finding about one data set."""
    verb = "is" if row["n_unique"] == 1 else "are"
    where = f"{verb} found in none of the others" if several else f"{verb} not found in the other one"
    of = plural(int(row["n_concepts"]), "concept")
    return f"{row['dataset']}: {count(row['n_unique'])} of {of} ({percent(row['share_unique'])}{_ends(row)}) {where}."


def _ends(row: dict[str, Any]) -> str:
    if row["low"] is None or not isfinite(row["low"]):
        return ""
    return f", interval {percent_interval(row['low'], row['high'])}"


def _share_table(rows: Rows) -> Table:
    names = ("concepts", "unique", "share unique", "interval", "identities", "rows")
    covers = {"identities": "over identities", "wilson": "over concepts (Wilson)"}
    used = {row["interval"] for row in rows}
    cells = {
        "identities": "Over identities: how the share would vary had other identities been in the data set.",
        "wilson": "Over concepts (Wilson): fewer than five identities are named, so concepts count as independent, "
        "and the interval is rather too narrow.",
    }
    return Table(
        "Concepts of each data set",
        (
            Column("data set"),
            *(Column(name, numeric=True) for name in names),
            Column("interval is"),
            Column("read as"),
        ),
        tuple(
            (
                row["dataset"],
                count(row["n_concepts"]),
                count(row["n_unique"]),
                percent(row["share_unique"]),
                percent_interval(row["low"], row["high"]),
                count(row["identities"]),
                count(row["rows"]),
                covers[row["interval"]],
                row["format"],
            )
            for row in rows
        ),
        notes=tuple(text for method, text in cells.items() if method in used),
    )


def _overlap_section(shares: pl.DataFrame, shared: pl.DataFrame) -> Section:
    rows = shared.to_dicts()
    notes: tuple[str, ...] = ()
    figures = (*chords(shares, shared), *shared_map(shares, shared))
    if len(figures) > 1:
        notes = (
            "Arcs: concepts of a data set, filled where they are found in another one. A chord has the colour of the "
            "data set whose concepts are looked for, is as wide there as they are many, and ends in a point at the "
            "data set where they are found. A concept found in several data sets has several chords; all chords are "
            "drawn by one scale, narrower than the arcs where they would not fit.",
        )
    elif shares.height > MOST_ARCS:
        notes = (f"More than {MOST_ARCS} data sets cannot be told apart in a chord figure; read the table.",)
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
        findings=(
            tuple(
                Finding(
                    f"{row['to_dataset']} has {_part(row)} of the concepts of {row['from_dataset']}, but "
                    f"{back['to_dataset']} has {_part(back)} of those of {back['from_dataset']}.",
                    (row, back),
                )
                for row, back in uneven[:MOST_SENTENCES]
            )
        ),
        figures=figures,
        tables=(_matrix(shares["dataset"].to_list(), rows),) if rows else (),
        notes=notes,
    )


def _part(row: dict[str, Any]) -> str:
    return f"{percent(row['share'])} ({count(row['n_shared'])} of {count(row['n_concepts'])})"


def _matrix(names: Sequence[str], rows: Rows) -> Table:
    by_pair = {(row["from_dataset"], row["to_dataset"]): row for row in rows}

    def cell(first: str, second: str) -> str:
        row = by_pair.get((first, second))
        return "–" if row is None else f"{percent(row['share'])} ({count(row['n_shared'])})"

    return Table(
        "Concepts of the row that are found in the column: share and number",
        (Column("of"), *(Column(name, numeric=True, above="found in") for name in names)),
        tuple((first, *(cell(first, second) for second in names)) for first in names),
    )


def _border_section(concepts: pl.DataFrame, cut: float) -> Section:
    """The concepts whose decision was closest: where a reader can see whether the threshold makes sense."""
    near = concepts.drop_nulls("cosine").with_columns(distance=(pl.col("cosine") - cut).abs())
    above = near.filter(unique="false").sort("distance", maintain_order=True).head(EITHER_SIDE)
    below = near.filter(unique="true").sort("distance", maintain_order=True).head(EITHER_SIDE)
    rows = pl.concat([above, below]).sort("cosine", descending=True, maintain_order=True).to_dicts()
    columns = (
        Column("cosine", numeric=True),
        Column("found"),
        Column("data set"),
        Column("concept", veiled=True),
        Column("nearest in", below=""),
        Column("nearest concept", veiled=True),
    )
    table = Table(
        "Concepts nearest to the threshold, on either side",
        columns,
        tuple(
            (
                decimal(row["cosine"], 3),
                "no" if row["unique"] == "true" else "yes",
                row["dataset"],
                row["concept"],
                row["nearest_dataset"],
                row["nearest"],
            )
            for row in rows
        ),
        headed=False,
    )
    return Section(
        anchor="border",
        title="Where the decision was closest",
        tables=(table,) if rows else (),
        notes=("Read some: if pairs above the threshold are not the same concept, it is too low.",)
        if rows
        else (),
    )
