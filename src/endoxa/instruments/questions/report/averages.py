"""Averages by provider and size (Pelosio et al. 2025, Figures 3 and 4).

A bar for every model, under the name of its provider; large models dark, small ones light.
"""

from __future__ import annotations

from dataclasses import dataclass

import altair as alt
import polars as pl

from endoxa.instruments.questions.report.results import SPOKEN_CONDITIONS, QaResults
from endoxa.page.charts import (
    BAR,
    BLUE,
    INK,
    MUTED,
    OFFSET,
    ROW,
    WIDTH,
    finish,
    known,
    numbered,
    row_axis,
    row_labels,
    symmetric_domain,
)
from endoxa.page.document import Figure, Section
from endoxa.page.labels import LARGE, SMALL, ModelName
from endoxa.page.words import decimal, plural

COLUMNS = {
    "provider": "heading of the block of bars",
    "label": "the model, written above its bar",
    "size": "'large', 'small', or anything else",
    "value": "length of the bar, null where it is undefined",
    "note": "the number, written beside the bar",
}
"""Columns of the frame; providers and models are drawn in the order given."""

FILLS = {LARGE: BLUE, SMALL: "#c6dff3", "size not stated": "white"}
OTHER = "size not stated"


def model_bars(
    frame: pl.DataFrame, *, domain: tuple[float, float], title: str, axis_format: str
) -> alt.TopLevelMixin:
    """Bars from 0, one block per provider, all on one scale.

    Args:
        frame: columns of `COLUMNS`.
        domain: range of the value axis; holds 0.
        title: title of the value axis.
        axis_format: d3 format of its labels.
    """
    sized = frame.with_columns(
        fill=pl.when(pl.col("size").is_in([LARGE, SMALL])).then("size").otherwise(pl.lit(OTHER))
    )
    fills = [name for name in FILLS if name in set(sized["fill"])]
    providers = sized["provider"].unique(maintain_order=True).to_list()
    blocks = [
        _block(
            sized.filter(pl.col("provider") == provider),
            provider,
            fills,
            domain=domain,
            axis=alt.Axis(
                format=axis_format,
                tickCount=5,
                title=title if provider == providers[-1] else None,
                labels=provider == providers[-1],
            ),
        )
        for provider in providers
    ]
    return finish(alt.vconcat(*blocks, spacing=8))


def _block(
    frame: pl.DataFrame, provider: str, fills: list[str], *, domain: tuple[float, float], axis: alt.Axis
) -> alt.LayerChart | alt.FacetChart:
    rows = numbered(frame, "label").with_columns(zero=pl.lit(0.0))
    y = row_axis()
    scale = alt.Scale(domain=domain, nice=False, clamp=True)
    color = alt.Color(
        "fill:N",
        scale=alt.Scale(domain=fills, range=[FILLS[name] for name in fills]),
        legend=alt.Legend(title=None, orient="bottom", symbolType="square", symbolStrokeColor=INK)
        if fills != [OTHER]
        else None,
    )
    drawn = known(rows, "value")
    bars = (
        alt.Chart(drawn)
        .mark_bar(height=BAR, stroke=INK, strokeWidth=0.6, yOffset=OFFSET)
        .encode(y=y, x=alt.X("value:Q", scale=scale, axis=axis), x2="zero:Q", color=color)
    )
    zero = (
        alt.Chart(rows)
        .mark_tick(color=MUTED, size=BAR + 6, thickness=1.2, yOffset=OFFSET)
        .encode(y=y, x=alt.X("zero:Q", scale=scale))
    )
    notes = (
        alt.Chart(rows)
        .mark_text(align="left", yOffset=OFFSET)
        .encode(y=y, x=alt.value(WIDTH + 8), text="note:N")
    )
    return alt.layer(bars, zero, notes, row_labels(rows, y)).properties(
        width=WIDTH,
        height=ROW * rows["row"].n_unique(),
        title=alt.TitleParams(provider, frame="bounds"),
    )


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
    cells = _cells(results)
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
        figures=tuple(_figure(results, average) for average in _AVERAGES),
        notes=tuple(notes),
    )


def average_of_cells(results: QaResults, column: str) -> dict[str, float | None]:
    """Mean of `column` over data sets and contexts for each model; None where a value is missing or undefined."""
    wanted = len(_cells(results))
    rows = results.main(results.overall).group_by("model").agg(pl.col(column).drop_nulls())
    found: dict[str, list[float]] = dict(rows.iter_rows())
    return {
        model: sum(found[model]) / wanted if len(found.get(model, [])) == wanted else None
        for model in results.names
    }


def _cells(results: QaResults) -> list[str]:
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
    known = [value for value in values.values() if value is not None]
    reach = symmetric_domain(known, 0.0, 0.1, 0.1)[1]
    domain = (
        (0.0, 1.0) if average.column == "accuracy" else (-reach if min(known, default=0) < 0 else 0.0, reach)
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


def _place(results: QaResults, name: ModelName) -> tuple[int, int, float, int]:
    """By provider as they come, large before small, larger numbers first, then as the models come."""
    providers = list(dict.fromkeys(other.provider for other in results.names.values()))
    rank = {LARGE: 0, SMALL: 2}.get(name.size, 1)
    number = -float(name.size) if name.size not in ("", LARGE, SMALL) else 0.0
    return providers.index(name.provider), rank, number, list(results.names).index(name.model)
