"""How many associations each model makes, harmful and benign ones: a bar under the name of its provider."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import altair as alt
import polars as pl

from endoxa.instruments.stories.harm.panel import BENIGN, HARMFUL
from endoxa.instruments.stories.report.found import POOLED, by_model
from endoxa.instruments.stories.report.harm import UNRATED
from endoxa.instruments.stories.report.results import StoryResults
from endoxa.report.charts import ORANGE, bar_blocks
from endoxa.report.document import Figure, Finding, Section
from endoxa.report.tables import Column, Table
from endoxa.report.words import count, plural
from endoxa.sources.stereotales.associations import PARTS

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
    return Section(
        anchor="by-model",
        title="Associations of each model",
        findings=tuple(_findings(counted)),
        figures=(
            Figure(
                name="associations-by-model",
                title="Harmful and benign associations"
                if HARMFUL in parts or BENIGN in parts
                else "Associations",
                chart=count_bars(_bars(counted, parts), parts),
                alt=_alt(counted, parts),
            ),
        ),
        tables=(_table(counted, parts),),
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


def _bars(counted: pl.DataFrame, parts: list[str]) -> pl.DataFrame:
    note = pl.concat_str([pl.col(part).cast(pl.String) for part in parts], separator=" / ")
    return counted.with_columns(note=note).unpivot(
        parts, index=["provider", "label", "note"], variable_name="part", value_name="n"
    )


def _findings(counted: pl.DataFrame) -> Iterator[Finding]:
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


def _alt(counted: pl.DataFrame, parts: list[str]) -> str:
    rows = [
        f"{row['label']}: " + ", ".join(f"{count(row[part])} {part}" for part in parts)
        for row in counted.iter_rows(named=True)
    ]
    return f"Associations of each model. {'; '.join(rows)}."


def _table(counted: pl.DataFrame, parts: list[str]) -> Table:
    rows = tuple(
        (row["label"], row["provider"], *(count(row[part]) for part in parts))
        for row in counted.iter_rows(named=True)
    )
    columns = (Column("model"), Column("provider"), *(Column(part, numeric=True) for part in parts))
    return Table("Associations of each model, counted", columns, rows, folded=True)
