"""How often answers are right: both kinds of contexts beside one another, a figure for each data set."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from endoxa.instruments.questions.report.results import SPOKEN_CONDITIONS, QaResults
from endoxa.report.charts import series_colors, series_dots
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.words import listed, percent, slug

MOST_FIGURES = 6
"""Data sets that are drawn; the first table of the page holds all."""


def accuracy(results: QaResults) -> Section | None:
    """Right answers of every model, the most first; None where no answer could be read."""
    rows = results.main(results.overall).drop_nulls("accuracy")
    data = [name for name in results.data if name in set(rows["data"])]
    if not data:
        return None
    drawn = data[:MOST_FIGURES]
    left_out = Finding(
        f"The figures show the first {len(drawn)} of {len(data)} data sets; the table of leans holds all of them.",
        ({"shown": len(drawn), "data": len(data)},),
    )
    return Section(
        anchor="accuracy",
        title="How often the answers are right",
        findings=(left_out,) if len(drawn) < len(data) else (),
        figures=tuple(_figures(results, rows, drawn)),
        notes=(
            "Of the answers that were read. In ambiguous contexts the right answer is that it cannot be known, in "
            f"disambiguated ones it is the person whom the text names. Bars are {results.level} intervals; models are "
            "sorted by the mean of both.",
        ),
    )


def _figures(results: QaResults, rows: pl.DataFrame, data: list[str]) -> Iterator[Figure]:
    for name in data:
        own = rows.filter(data=name)
        present = [
            spoken for code, spoken in SPOKEN_CONDITIONS.items() if code in set(own["context_condition"])
        ]
        text = pl.col("accuracy").map_elements(percent, return_dtype=pl.String)
        frame = own.with_columns(
            series=pl.col("context_condition").replace_strict(SPOKEN_CONDITIONS),
            note=text.str.join(" · ").over("line"),
            mean=pl.col("accuracy").mean().over("line"),
        ).sort(-pl.col("mean"), "line", "series", maintain_order=True)
        spoken = "; ".join(
            f"{row['line']}, {row['series']} {percent(row['accuracy'])}"
            for row in frame.iter_rows(named=True)
        )
        title = f"Right answers in {listed(present)} contexts" + (
            f", {name}" if len(results.data) > 1 else ""
        )
        yield Figure(
            name=f"accuracy-{slug(name)}",
            title=title,
            chart=series_dots(
                frame.select(
                    "series",
                    "note",
                    label="line",
                    value="accuracy",
                    low="accuracy_low",
                    high="accuracy_high",
                    filled=pl.lit(value=True),
                ),
                series_colors(present),
                neutral=None,
                domain=(0.0, 1.0),
                title="share of right answers",
                axis_format=".0%",
            ),
            alt=f"{title}. {spoken}.",
            wide=True,
        )
