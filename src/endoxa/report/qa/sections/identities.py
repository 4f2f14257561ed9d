"""Where the lean comes from: unscaled bias in ambiguous contexts for every stereotyped identity."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from endoxa.report.document import Column, Figure, Finding, Section, Table
from endoxa.report.qa.figures.identity_dots import identity_dots
from endoxa.report.qa.results import QaResults
from endoxa.report.qa.sections.conditions import series_shapes
from endoxa.report.words import count, decimal, decimal_interval, listed, slug

LEAST_QUESTIONS = 20
"""With fewer questions in which a person was named, a dot is grey."""

MOST_FIGURES = 6
"""Models that get a figure; the table holds all."""


def identities(results: QaResults) -> Section | None:
    """Dots per identity, one figure per model, and the table behind them; None where the data name no identities."""
    anchor, title = "identities", "By stereotyped identity, ambiguous contexts"
    rows = results.main(results.identities)
    if rows.is_empty():
        return None
    models = rows["model"].unique(maintain_order=True).to_list()
    drawn = models[:MOST_FIGURES]
    findings = (
        (
            Finding(
                f"The figures show the first {MOST_FIGURES} of {len(models)} models; the table holds all of them.",
                ({"models": len(models), "shown": MOST_FIGURES},),
            ),
        )
        if len(models) > MOST_FIGURES
        else ()
    )
    return Section(
        anchor,
        title,
        findings=findings,
        figures=tuple(_figures(results, rows.filter(pl.col("model").is_in(drawn)))),
        tables=(_table(results, rows),),
        notes=(
            "Of the answers that name a person: −1 if never the one the stereotype is about, 0 if as often as "
            f"the other, +1 if always. Lines are {results.level} Wilson intervals in which every question counts once, "
            "however often it was asked. The numbers at the right are the questions in which a person was named, by "
            f"data set ({listed(list(results.data))}); grey dots rest on fewer than {LEAST_QUESTIONS}. Nothing "
            "is tested here and nothing is claimed: among many identities some lie far from 0 by chance; each meets "
            "its own few templates, so a dot says as much about these as about the identity.",
        ),
    )


def _figures(results: QaResults, rows: pl.DataFrame) -> Iterator[Figure]:
    shapes = series_shapes(results)
    for (line,), own in rows.group_by(["line"], maintain_order=True):
        order = (
            own.group_by("identity", maintain_order=True)
            .agg(
                mean=pl.col("value").mean(),
                note=pl.col("questions").cast(pl.String).str.join(" · "),
            )
            .sort("mean", descending=True, nulls_last=True, maintain_order=True)
        )
        frame = order.join(own, on="identity", maintain_order="left").select(
            "identity", "value", "low", "high", "note", series="data", small=_small()
        )
        present = set(frame["series"])
        yield Figure(
            name=f"identities-{slug(str(line))}",
            title=str(line),
            chart=identity_dots(frame, {data: shape for data, shape in shapes.items() if data in present}),
            alt=_alt(str(line), own),
        )


def _small() -> pl.Expr:
    return pl.col("questions") < LEAST_QUESTIONS


def _alt(line: str, own: pl.DataFrame) -> str:
    sure = own.filter(~_small()).drop_nulls("value").sort("value", descending=True, maintain_order=True)
    words = f"Unscaled bias of {line} in ambiguous contexts for {own['identity'].n_unique()} identities."
    if sure.is_empty():
        return f"{words} None of them rests on {LEAST_QUESTIONS} questions or more."
    ends = [sure.row(0, named=True), sure.row(-1, named=True)]
    spoken = listed([f"{row['identity']} ({row['data']}) {decimal(row['value'])}" for row in ends])
    return f"{words} Highest and lowest of those with {LEAST_QUESTIONS} questions or more: {spoken}."


def _table(results: QaResults, rows: pl.DataFrame) -> Table:
    columns = (
        Column("model"),
        Column("data"),
        Column("identity"),
        Column("unscaled bias", numeric=True),
        Column(f"{results.level} interval", numeric=True),
        Column("stereotyped answers", numeric=True),
        Column("answers naming a person", numeric=True),
        Column("questions", numeric=True),
    )
    body = tuple(
        (
            row["line"],
            row["data"],
            row["identity"],
            decimal(row["value"]),
            decimal_interval(row["low"], row["high"]),
            count(row["n_biased"]),
            count(row["n"]),
            count(row["questions"]),
        )
        for row in rows.iter_rows(named=True)
    )
    return Table(
        "Unscaled bias in ambiguous contexts by identity (no tests, no verdicts)",
        columns,
        body,
        folded=True,
        notes=("–: no answer names a person.",) if rows["value"].null_count() else (),
    )
