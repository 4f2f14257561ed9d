"""Averages over cells in blocks of bars by provider, as Pelosio et al. (2025) draw them."""

from __future__ import annotations

from dataclasses import dataclass

import altair as alt
import polars as pl

from endoxa.instruments.questions.report.results import (
    SPOKEN_CONDITIONS,
    QaResults,
)
from endoxa.report.charts import BLUE, bar_blocks, symmetric_domain
from endoxa.report.document import Figure, Section
from endoxa.report.labels import LARGE, SMALL, ModelName
from endoxa.report.words import decimal, plural

COLUMNS = {
    "provider": "heading of the block of bars",
    "label": "the model, written above its bar",
    "size": "'large', 'small', or anything else",
    "value": "length of the bar, null where it is undefined",
    "note": "the number, written beside the bar",
}
"""Columns of the frame; providers and models are drawn in the order given."""

OTHER = "size not stated"
FILLS = {LARGE: BLUE, SMALL: "#c6dff3", OTHER: "white"}


@dataclass(frozen=True, slots=True)
class _Average:
    figure: int
    column: str
    spoken: str
    name: str


_AVERAGES = (
    _Average(3, "accuracy", "accuracy", "average-accuracy"),
    _Average(4, "bias_score", "bias score", "average-bias"),
)


def averages(results: QaResults) -> Section:
    """One bar per model: the plain mean over data sets and contexts."""
    cells = _averaged(results)
    sizes = any(name.size for name in results.names.values())
    notes = [
        f"Every bar is the plain mean of {plural(len(cells), 'value')}: {'; '.join(cells)}. Figures 3 and 4 of "
        "Pelosio et al. (2025) average two data sets in two kinds of contexts so. It weighs them equally and has no "
        "interval; the tables have one for each value."
    ]
    if not sizes:
        notes.append(
            "Sizes are not guessed from names: give them in a table with the columns model, label, provider "
            "and size (large or small) with --labels."
        )
    return Section(
        anchor="averages",
        title="Averages by provider and size",
        folded=True,
        figures=tuple(_figure(results, average) for average in _AVERAGES),
        notes=tuple(notes),
    )


def average_of_cells(results: QaResults, column: str) -> dict[str, float | None]:
    """Mean of `column` over data sets and contexts for each model; None where a value is missing or undefined."""
    wanted = len(_averaged(results))
    rows = results.main(results.overall).group_by("model").agg(pl.col(column).drop_nulls())
    values: dict[str, list[float]] = dict(rows.iter_rows())
    return {
        model: sum(values[model]) / wanted if len(values.get(model, [])) == wanted else None
        for model in results.names
    }


def _averaged(results: QaResults) -> list[str]:
    """What is averaged: 'Name, ambiguous', ..."""
    cells = results.overall.select("data", "context_condition").unique(maintain_order=True).sort("data")
    return [f"{data}, {SPOKEN_CONDITIONS[condition]}" for data, condition in cells.iter_rows()]


def _figure(results: QaResults, average: _Average) -> Figure:
    values = average_of_cells(results, average.column)
    names = sorted(results.names.values(), key=lambda name: _place(results, name))
    frame = pl.DataFrame(
        {
            "provider": [name.provider for name in names],
            "label": [name.sized_label for name in names],
            "size": [name.size for name in names],
            "value": pl.Series([values[name.model] for name in names], dtype=pl.Float64),
            "note": [
                "undefined" if values[name.model] is None else decimal(values[name.model]) for name in names
            ],
        }
    )
    defined = [value for value in values.values() if value is not None]
    reach = symmetric_domain(defined, 0.0, 0.1, 0.1)[1]
    domain = (
        (0.0, 1.0)
        if average.column == "accuracy"
        else (-reach if min(defined, default=0) < 0 else 0.0, reach)
    )
    spoken = "; ".join(f"{label} {note}" for label, note in frame.select("label", "note").iter_rows())
    return Figure(
        name=average.name,
        title=f"Average {average.spoken}",
        chart=model_bars(
            frame,
            domain=domain,
            title=f"mean {average.spoken}",
            axis_format=".0%" if average.column == "accuracy" else ".2f",
        ),
        alt=f"Mean {average.spoken} of each model over data sets and contexts. {spoken}.",
    )


def model_bars(
    frame: pl.DataFrame, *, domain: tuple[float, float], title: str, axis_format: str
) -> alt.TopLevelMixin:
    """Bars from 0, one block per provider, all on one scale; large models dark, small ones light.

    Args:
        frame: columns of `COLUMNS`.
        domain: range of the value axis; holds 0.
        title: title of the value axis.
        axis_format: d3 format of its labels.
    """
    size = pl.when(pl.col("size").is_in([LARGE, SMALL])).then("size").otherwise(pl.lit(OTHER))
    bars = frame.select("label", "note", block="provider", part=size, start=pl.lit(0.0), end="value")
    fills = {name: fill for name, fill in FILLS.items() if name in set(bars["part"])}
    return bar_blocks(
        bars,
        fills,
        domain=domain,
        title=title,
        axis_format=axis_format,
        zero=True,
        legend=list(fills) != [OTHER],
    )


def _place(results: QaResults, name: ModelName) -> tuple[int, int, float, int]:
    """By provider as they come, large before small, larger numbers first, then as the models come."""
    providers = list(dict.fromkeys(other.provider for other in results.names.values()))
    rank = {LARGE: 0, SMALL: 2}.get(name.size, 1)
    number = -float(name.size) if name.size not in ("", LARGE, SMALL) else 0.0
    return providers.index(name.provider), rank, number, list(results.names).index(name.model)
