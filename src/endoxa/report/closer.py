"""A figure whose rows readers choose: boxes above one sorted chart of estimates with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl

from endoxa.report.claims import CHIPS, marked
from endoxa.report.document import Figure, Section
from endoxa.report.figures import Measure
from endoxa.report.plots import Axis, dot_plot
from endoxa.report.words import count

LETTERS = "letters"
"""A column that rows may have: letters of what the first box names, written where nothing else varies."""

EACH = ""
"""Choice of a box: a dot for each of its values."""

MOST_DRAWN = 100
"""Dots drawn at once, those with the highest estimates."""


@dataclass(frozen=True, slots=True)
class Box:
    """A box to choose from.

    Attributes:
        column: column of the rows.
        noun: what one of its values is ("model").
        first: the value first chosen, or `EACH`.
        together: the value of rows that pool the others ("all axes"), or empty; `EACH` leaves it out.
        options: its values in the order listed, which the section fills in.
    """

    column: str
    noun: str
    first: str = EACH
    together: str = ""
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Choices:
    """What the page's script needs to draw other rows.

    Attributes:
        boxes: the boxes, those with one value only left out.
        axis: the value axis.
        most: dots drawn at once.
    """

    boxes: tuple[Box, ...]
    axis: Axis
    most: int = MOST_DRAWN


LEAST_ROWS = 20
"""With fewer estimates the other figures show all of them at once."""


def closer_section(
    rows: pl.DataFrame,
    boxes: Sequence[Box],
    measure: Measure,
    *,
    title: str,
    reading: str,
    line: str,
    name: str = "closer",
) -> Section | None:
    """The section 'Look closer'; None where there are few estimates, or where boxes do not tell them apart.

    The figure is drawn with what is chosen first; all rows are there to download, and boxes for who has scripts.

    Args:
        rows: one row per estimate: the columns of the boxes (texts), `value`, `low` and `high` (or null), `n`,
            `verdict`, and `reading`, the estimate and its interval in words; further columns are only downloaded.
        boxes: what can be chosen. A row must differ from every other one in what the boxes say.
        measure: the value axis.
        title: heading of the figure.
        reading: a sentence on what is drawn.
        line: what the dashed line is.
        name: name of the figure and anchor of the section.
    """
    if rows.height < LEAST_ROWS or rows.select(box.column for box in boxes).is_duplicated().any():
        return None
    figure = look_closer(rows, boxes, measure, name=name, title=title)
    note = (
        f"{reading} The dashed line is {line}; a filled dot is significant after correction, a dotted one cannot be "
        f"tested. Where scripts run, choose above the chart; it draws at most {MOST_DRAWN} rows, the highest first. "
        "The download holds all of them."
    )
    return Section(anchor=name, title="Look closer", figures=(figure,), notes=(note,))


def look_closer(
    rows: pl.DataFrame, boxes: Sequence[Box], measure: Measure, *, name: str, title: str
) -> Figure:
    """The figure of `closer_section`; boxes with one value are left out."""
    used = tuple(
        replace(box, options=tuple(rows[box.column].unique(maintain_order=True)))
        for box in boxes
        if rows[box.column].n_unique() > 1
    )
    first, axis = first_view(rows, used), measure.axis(measure.domain(rows))
    return Figure(
        name=name,
        title=title,
        plot=dot_plot(first, axis),
        alt=f"{measure.title}, neutral at {measure.neutral:g}. {'; '.join(first['tip'])}.",
        wide=True,
        rows=rows,
        choices=Choices(used, axis),
    )


def first_view(rows: pl.DataFrame, boxes: Sequence[Box]) -> pl.DataFrame:
    """The rows first chosen, the highest first, as `plots.dot_plot` takes them."""
    for box in boxes:
        column = pl.col(box.column)
        rows = rows.filter(column != box.together if box.first == EACH else column == box.first)
    varying = [box.column for box in boxes if box.first == EACH] or [boxes[0].column]
    words = pl.concat_str([box.column for box in boxes], separator=" · ")
    chip = pl.col("verdict").fill_null("").replace_strict(CHIPS, return_dtype=pl.String)
    number = pl.col("n").map_elements(count, return_dtype=pl.String)
    lettered = LETTERS in rows.columns and varying == [boxes[0].column]
    note = pl.concat_str("reading", LETTERS, separator="  ", ignore_nulls=True) if lettered else "reading"
    return (
        rows.with_columns(pl.col("value", "low", "high").fill_nan(None))
        .drop_nulls("value")
        .sort("value", descending=True, maintain_order=True)
        .head(MOST_DRAWN)
        .select(
            *("value", "low", "high"),
            label=pl.concat_str(varying, separator=" · "),
            note=note,
            filled=marked(),
            tip=pl.format("{}: {}, n {}, {}", words, "reading", number, chip),
        )
    )
