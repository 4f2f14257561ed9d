"""The associations that most models share, harmful ones where harm was rated: numbered dots, names in a veiled table.

A figure cannot be blurred, so its rows name attributes only; the values stand in the table below it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from endoxa.instruments.stories.harm.panel import HARMFUL
from endoxa.instruments.stories.report.found import by_model
from endoxa.instruments.stories.report.results import StoryResults
from endoxa.instruments.stories.report.words import ARROW, attribute_name, side
from endoxa.report.charts import series_colors, series_dots
from endoxa.report.charts.series import MOST_APART
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.tables import Cell, Column, Table
from endoxa.report.words import NO_VALUE, count, decimal, plural
from endoxa.sources.stereotales.associations import PARTS

MOST_ROWS = 15
"""Associations that are drawn; the table of associations below holds all."""

LABEL_ROOM = 230
LEAST_DOMAIN = 4.0
"""The axis of lifts reaches at least this far."""


def strongest(results: StoryResults) -> Section | None:
    """The associations of the most models, of these the greatest lift first; None without pooled associations."""
    pooled = results.associations.filter(pl.col("models").list.len() > 0)
    harmful = pooled.filter(pl.col("harmful") == HARMFUL)
    rows = (harmful if harmful.height else pooled).sort(
        pl.col("models").list.len(), "lift", descending=True, nulls_last=True, maintain_order=True
    )
    if rows.is_empty():
        return None
    kind = "harmful association" if harmful.height else "association"
    shown = rows.head(MOST_ROWS).with_row_index("number", offset=1)
    which = f"{kind}s" if shown.height > 1 else kind
    return Section(
        anchor="strongest",
        title=f"The {which} that most models share"
        if len(results.searched) > 1
        else f"The strongest {which}",
        findings=(_finding(results, rows, kind),),
        figures=(_figure(results, shown, which),),
        tables=(_table(results, shown),),
        notes=(
            "Lift is how many times more often the second trait comes in stories about people with the first than in "
            f"all stories of the table; right of the line: more often. {_reading(results)} Rows name attributes only; "
            "the values stand in the table under the same number. All associations are in the table of the next "
            "section.",
        ),
    )


def _reading(results: StoryResults) -> str:
    if len(results.writers) <= MOST_APART:
        return f"Bars are {results.level} intervals of the lift of a model."
    return "A dot is a model; intervals are in the CSV file."


def _finding(results: StoryResults, rows: pl.DataFrame, kind: str) -> Finding:
    """How many models share the first association, and how strong it is."""
    first, models = rows.row(0, named=True), len(results.searched)
    reach = len(first["models"])
    alike = rows.filter(pl.col("models").list.len() == reach).height
    numbers = {"alike": alike, "models": models, "reach": reach, "number": 1, "lift": first["lift"]}
    lift = decimal(first["lift"], 2)
    if models == 1:
        text = f"The strongest {kind} (number 1 below) has a lift of {lift}{_interval(results, first)}."
        return Finding(text, (numbers | {"low": first["low"], "high": first["high"]},))
    if alike == 1:
        text = f"One {kind} is found in more models than any other, {reach} of {models} (number 1 below"
        text += f"; {'mean lift' if reach > 1 else 'lift'} {lift})."
        return Finding(text, (numbers,))
    where = "each in one model only" if reach == 1 else f"each in {reach} of {models} models"
    return Finding(
        f"{plural(alike, kind)} {'are' if reach == 1 else 'are shared by the most models and'} found {where}; the "
        f"strongest of them (number 1 below) has a {'mean lift' if reach > 1 else 'lift'} of {lift}.",
        (numbers,),
    )


def _interval(results: StoryResults, row: Mapping[str, Any]) -> str:
    """' (95 % interval 2.10 to 4.30)', or nothing where none is known."""
    if row["low"] is None or row["high"] is None:
        return ""
    return f" ({results.level} interval {decimal(row['low'], 2)} to {decimal(row['high'], 2)})"


def _label(row: Mapping[str, Any]) -> str:
    """'1. urbanicity → pet': attributes, without the values that could offend."""
    base, compared = (attribute_name(row[name]) for name in ("base_attribute", "compared_attribute"))
    return f"{row['number']}. {base} {ARROW} {compared}"


def _figure(results: StoryResults, shown: pl.DataFrame, which: str) -> Figure:
    models = len(results.searched)
    labelled = shown.select(
        *PARTS,
        label=pl.struct(shown.columns).map_elements(_label, return_dtype=pl.String),
        note=pl.struct("lift", "models").map_elements(
            lambda row: _note(row["lift"], len(row["models"]), models), return_dtype=pl.String
        ),
    )
    own = by_model(results.claimed).select(*PARTS, "model", "lift", "lift_low", "lift_high")
    frame = labelled.join(own, on=PARTS, maintain_order="left").select(
        "label",
        "note",
        series=pl.col("model").map_elements(results.label, return_dtype=pl.String),
        value="lift",
        low="lift_low",
        high="lift_high",
        filled=pl.lit(value=True),
    )
    ends = pl.concat([frame["value"], frame["low"], frame["high"]]).drop_nulls().drop_nans()
    positive = ends.filter(ends > 0)
    low, high = (float(str(end or 1.0)) for end in (positive.min(), positive.max()))
    spoken = "; ".join(f"{label}: {note}" for label, note in labelled.select("label", "note").iter_rows())
    return Figure(
        name="strongest",
        title=f"Lift of the {which} that most models share"
        if models > 1
        else f"Lift of the strongest {which}",
        chart=series_dots(
            frame,
            series_colors([results.label(model) for model in results.writers]),
            neutral=1.0,
            domain=(min(0.8, 0.9 * low), max(LEAST_DOMAIN, 1.1 * high)),
            title="lift (1: as often as in all stories)",
            axis_format="~g",
            log=True,
            label_limit=LABEL_ROOM,
        ),
        alt=f"Lift of numbered associations in the stories of {plural(models, 'model')}, 1: none. {spoken}.",
        wide=True,
    )


def _note(lift: float, reach: int, models: int) -> str:
    return f"× {decimal(lift, 2)}" + (f", {reach} of {models} models" if models > 1 else "")


def _table(results: StoryResults, shown: pl.DataFrame) -> Table:
    rated = results.harm is not None
    several = len(results.searched) > 1
    columns = (
        Column("number"),
        Column("stories about", veiled=True),
        Column("also have", veiled=True),
        Column("models", numeric=True),
        Column("mean lift" if several else "lift", numeric=True),
        Column("least to greatest" if several else f"{results.level} interval", numeric=True),
        Column("stories", numeric=True),
        *([Column("harm, 1 to 5", numeric=True)] if rated else []),
    )
    rows: tuple[tuple[str | Cell, ...], ...] = tuple(
        (
            Cell(str(row["number"]), order=row["number"]),
            side(row["base_attribute"], row["base_value"]),
            side(row["compared_attribute"], row["compared_value"]),
            count(len(row["models"])),
            decimal(row["lift"], 2),
            NO_VALUE if row["low"] is None else f"{decimal(row['low'], 2)} to {decimal(row['high'], 2)}",
            NO_VALUE if row["count"] is None else count(row["count"]),
            *([decimal(row["rating"], 1)] if rated else []),
        )
        for row in shown.iter_rows(named=True)
    )
    return Table(
        "The same associations, numbered as in the figure",
        columns,
        rows,
        unveil="Show the associations (they are stereotypes, some of them offensive)",
    )
