"""Every lean in one chart whose rows readers choose by context, model, data set and category."""

from __future__ import annotations

from typing import Any

import polars as pl

from endoxa.instruments.questions.report.results import CONDITIONS, SPOKEN_CONDITIONS, QaResults
from endoxa.report.closer import Box, closer_section
from endoxa.report.document import Section
from endoxa.report.figures import Measure
from endoxa.report.words import decimal, decimal_interval
from endoxa.schema import ALL

EVERY = "all categories"

LEAN = Measure("lean", 0.0, "+.2~f", 0.1, 0.1)


def closer(results: QaResults) -> Section | None:
    """All leans to choose from; None where there are few."""
    cells = results.estimates.drop_nulls("lean").filter(pl.col("lean").is_not_nan())
    if cells.is_empty():
        return None
    first = next(name for name in CONDITIONS if name in set(cells["context_condition"]))
    return closer_section(
        _rows(cells),
        (
            Box("contexts", "kind of context", SPOKEN_CONDITIONS[first]),
            Box("model", "model"),
            Box("data", "data set", cells["data"][0]),
            Box("category", "category", EVERY if ALL in set(cells["category"]) else "", together=EVERY),
        ),
        LEAN,
        title="Lean of every cell",
        reading=f"The lean of every model, data set and category with its {results.level} interval over templates: "
        "bias score in ambiguous contexts, accuracy gap in disambiguated ones.",
        line="no lean",
    )


def _rows(cells: pl.DataFrame) -> pl.DataFrame:
    """Cells as readers choose and download them."""
    category = pl.col("category").replace({ALL: EVERY})
    named = cells.select(
        pl.col("context_condition")
        .replace_strict(SPOKEN_CONDITIONS, return_dtype=pl.String)
        .alias("contexts"),
        pl.col("line").alias("model"),
        "data",
        category,
        pl.col("lean").alias("value"),
        pl.col("lean_low").alias("low"),
        pl.col("lean_high").alias("high"),
        pl.col("n_lean").alias("n"),
        "p_adjusted",
        "verdict",
    ).fill_nan(None)
    reading = pl.Series([_reading(row) for row in named.iter_rows(named=True)], dtype=pl.String)
    return named.with_columns(reading=reading)


def _reading(row: dict[str, Any]) -> str:
    """'0.12 (0.02 to 0.22)', or the lean alone where it has no interval."""
    value = decimal(row["value"])
    if row["low"] is None or row["high"] is None:
        return value
    return f"{value} ({decimal_interval(row['low'], row['high'], 2)})"
