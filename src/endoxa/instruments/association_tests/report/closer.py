"""Every effect size in one chart whose rows readers choose by encoder, language, axis and test."""

from __future__ import annotations

from typing import Any

import polars as pl

from endoxa.instruments.association_tests.report.results import Associations
from endoxa.report.charts import symmetric_domain
from endoxa.report.closer import EACH, MOST_DRAWN, Box, Scale, look_closer
from endoxa.report.document import Section
from endoxa.report.words import decimal_interval, language_name, signed

LEAST_ROWS = 20
"""With fewer tests the other figures show all of them at once."""

UNSAID = "not stated"


def closer(results: Associations) -> Section | None:
    """All effect sizes to choose from; None where there are few, or where tests share a name."""
    cells = results.estimates.drop_nulls("effect_size").filter(pl.col("effect_size").is_not_nan())
    rows = _rows(cells)
    chosen = ("encoder", "language", "axis", "test")
    if cells.height < LEAST_ROWS or rows.select(chosen).is_duplicated().any():
        return None
    several = rows["test"].n_unique() > 1
    first = rows["encoder"][0] if several else EACH
    boxes = (
        Box("encoder", "encoder", first),
        Box("test", "test"),
        Box("axis", "axis"),
        Box("language", "language"),
    )
    ends = [*rows["value"], *rows["low"].drop_nulls(), *rows["high"].drop_nulls()]
    scale = Scale(0.0, symmetric_domain(ends, 0.0, 0.5, 0.5), "effect size", "+.2~f")
    figure = look_closer(rows, boxes, scale, name="closer", title="Effect size of every test")
    return Section(
        anchor="closer",
        title="Look closer",
        figures=(figure,),
        notes=(
            "Effect sizes with their intervals. The dashed line is no difference; a filled dot is "
            f"significant after correction. Where scripts run, choose above the chart; it draws at most {MOST_DRAWN} "
            "tests, the highest first. The download holds all of them.",
        ),
    )


def _rows(cells: pl.DataFrame) -> pl.DataFrame:
    """Tests as readers choose and download them."""
    named = cells.select(
        "encoder",
        pl.col("language").fill_null("").map_elements(_language, return_dtype=pl.String),
        pl.col("axis").fill_null("").replace({"": UNSAID}),
        "test",
        pl.col("effect_size").alias("value"),
        "low",
        "high",
        (pl.col("n_x") + pl.col("n_y")).alias("n"),
        "p_adjusted",
        "verdict",
    ).fill_nan(None)
    reading = pl.Series([_reading(row) for row in named.iter_rows(named=True)], dtype=pl.String)
    return named.with_columns(reading=reading)


def _language(code: str) -> str:
    return language_name(code) if code else UNSAID


def _reading(row: dict[str, Any]) -> str:
    """'+0.52 (0.11 to 0.93)', or the effect size alone where it has no interval."""
    value = signed(row["value"], 2)
    if row["low"] is None or row["high"] is None:
        return value
    return f"{value} ({decimal_interval(row['low'], row['high'], 2)})"
