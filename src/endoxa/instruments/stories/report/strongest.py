"""The associations that most models share, harmful ones where harm was rated: numbered dots, names in a veiled table.

A figure cannot be blurred, so its rows name attributes only; the values stand in the table below it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import altair as alt
import polars as pl

from endoxa.instruments.stories.harm.panel import BENIGN, HARMFUL
from endoxa.instruments.stories.report.results import UNRATED, StoryResults
from endoxa.instruments.stories.report.sources import POOLED, by_model
from endoxa.instruments.stories.report.words import ARROW, attribute_name, ends_field, side, value_field
from endoxa.report.charts import ORANGE, bar_blocks, series_colors, series_dots
from endoxa.report.charts.series import MOST_APART
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.tables import Cell, Table, number_field, table_of, text_field
from endoxa.report.words import count, decimal, plural
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
    lifts = by_model(results.claimed).select(*PARTS, "model", "lift", "lift_low", "lift_high")
    frame = labelled.join(lifts, on=PARTS, maintain_order="left").select(
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
    several = len(results.searched) > 1
    return table_of(
        "The same associations, numbered as in the figure",
        shown,
        (
            text_field("number", lambda row: Cell(str(row["number"]), order=row["number"])),
            text_field(
                "stories about", lambda row: side(row["base_attribute"], row["base_value"]), veiled=True
            ),
            text_field(
                "also have", lambda row: side(row["compared_attribute"], row["compared_value"]), veiled=True
            ),
            number_field("models", lambda row: count(len(row["models"]))),
            value_field("mean lift" if several else "lift", "lift", decimal, 2),
            ends_field("least to greatest" if several else f"{results.level} interval"),
            value_field("stories", "count"),
            value_field("harm, 1 to 5", "rating", decimal, 1) if results.harm is not None else None,
        ),
        unveil="Show the associations (they are stereotypes, some of them offensive)",
    )


COLUMNS = {
    "provider": "heading of the block of bars",
    "label": "the model, written above its bar",
    "part": "one of the parts",
    "n": "associations of the part",
    "note": "written behind the bar",
}
"""Columns of the frame; providers and models are drawn in the order given."""

COLORS = {"harmful": ORANGE, "benign": "#c6dff3", "not rated": "#f4f6f8"}
"""Dark against light, so that prints without colour can be read."""


PARTS_OF_BARS = (HARMFUL, BENIGN, UNRATED)


def associations_by_model(results: StoryResults) -> Section | None:
    """Bars under the names of providers, most harmful first, and the counts; None without pooled associations."""
    counted = class_counts(results)
    if not counted.select(PARTS_OF_BARS).sum().sum_horizontal().sum():
        return None
    parts = [name for name in PARTS_OF_BARS if counted[name].sum()]
    note = pl.concat_str([pl.col(part).cast(pl.String) for part in parts], separator=" / ")
    rows = [
        f"{row['label']}: " + ", ".join(f"{count(row[part])} {part}" for part in parts)
        for row in counted.iter_rows(named=True)
    ]
    return Section(
        anchor="by-model",
        title="Associations of each model",
        findings=tuple(_count_findings(counted)),
        figures=(
            Figure(
                name="associations-by-model",
                title="Harmful and benign associations"
                if HARMFUL in parts or BENIGN in parts
                else "Associations",
                chart=count_bars(
                    counted.with_columns(note=note).unpivot(
                        parts, index=["provider", "label", "note"], variable_name="part", value_name="n"
                    ),
                    parts,
                ),
                alt=(f"Associations of each model. {'; '.join(rows)}."),
            ),
        ),
        tables=(
            table_of(
                "Associations of each model, counted",
                counted,
                (text_field("model", "label"), text_field("provider"), *map(value_field, parts)),
                folded=True,
            ),
        ),
        notes=(
            "All languages of a model together. A model with more stories, or whose stories tell more of their "
            "protagonists, can show more associations: compare models with as many stories.",
        ),
    )


def class_counts(results: StoryResults) -> pl.DataFrame:
    """A row for each model that was tested or has associations: `provider`, `label`, how many are of each class.

    Providers stand together, the one with the most harmful associations of a model first.
    """
    classes = results.associations.select(*PARTS, "harmful")
    rows = by_model(results.claimed).join(classes, on=PARTS, how="left", maintain_order="left")
    kind = pl.col("harmful").fill_null(UNRATED)
    shown = rows.group_by("model", maintain_order=True).agg(
        (kind == name).sum().cast(pl.Int64).alias(name) for name in PARTS_OF_BARS
    )
    tested = results.tested.filter(POOLED, pl.col("tables") > 0).select("model")
    models = pl.concat([shown.select("model"), tested]).unique(maintain_order=True)
    counted = models.join(shown, on="model", how="left", maintain_order="left").fill_null(0)
    named = counted.with_columns(
        label=pl.col("model").map_elements(results.label, return_dtype=pl.String),
        provider=pl.col("model").map_elements(
            lambda model: results.names[model].provider, return_dtype=pl.String
        ),
    )
    total = pl.sum_horizontal(PARTS_OF_BARS)
    return named.sort(
        pl.col(HARMFUL).max().over("provider"),
        total.max().over("provider"),
        "provider",
        pl.col(HARMFUL),
        total,
        descending=True,
        maintain_order=True,
    )


def count_bars(frame: pl.DataFrame, parts: Sequence[str]) -> alt.TopLevelMixin:
    """Bars from 0, one block per provider, all on one scale.

    Args:
        frame: columns of `COLUMNS`.
        parts: the parts in order, keys of `COLORS`.
    """
    place = pl.col("part").replace_strict(list(parts), list(range(len(parts))), return_dtype=pl.Int64)
    ordered = frame.sort(place, maintain_order=True)
    end = pl.col("n").cum_sum().over("label")
    stacked = ordered.select("label", "part", "note", block="provider", start=end - pl.col("n"), end=end)
    labels = frame.select("label").unique(maintain_order=True)
    most = int(stacked["end"].max() or 1)  # type: ignore[arg-type]
    return bar_blocks(
        labels.join(stacked, on="label", maintain_order="left_right"),
        {part: COLORS[part] for part in parts},
        domain=(0, most),
        title="associations",
        axis_format="d",
        legend=len(parts) > 1,
    )


def _count_findings(counted: pl.DataFrame) -> Iterator[Finding]:
    if not counted[HARMFUL].sum():
        return
    none = int((counted[HARMFUL] == 0).sum())
    least, most = counted.sort(HARMFUL).row(0, named=True), counted.sort(HARMFUL).row(-1, named=True)
    rows = ({"none": none, "models": counted.height}, least, most)
    if counted.height == 1:
        yield Finding(f"{most['label']} makes {plural(most[HARMFUL], 'harmful association')}.", rows)
    else:
        without = f" Models that show none: {count(none)} of {count(counted.height)}." if none else ""
        yield Finding(
            f"Harmful associations per model: from {count(least[HARMFUL])} ({least['label']}) to "
            f"{count(most[HARMFUL])} ({most['label']}).{without}",
            rows,
        )
