"""The picture of the demonstration: a real model, and below it what was planted in simulated models and found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from endoxa.report.document import Figure
from endoxa.report.figures import Measure, series_figure
from endoxa.report.words import percent
from endoxa.stats.verdicts import CLEAR, UNTESTED

MEASURED, SIMULATED = "The model", "Simulated models, whose preference was planted"
RAW, CALIBRATED, PLANTED = "found", "found, compared with other groups", "planted"
SERIES = (CALIBRATED, RAW, PLANTED)
MEANINGS = {"neutral": "no stereotype", "frequency": "word frequency", "stereotyped": "stereotypes"}
FIGURE_COLUMNS = ("panel", "row", "what", "share", "low", "high", "claimed")


def figure_table(
    claims: pl.DataFrame,
    scale: pl.DataFrame,
    recovery: pl.DataFrame,
    models: Mapping[str, Mapping[str, Mapping[str, Any]]],
) -> pl.DataFrame:
    """What the figure shows: a row for each mark.

    Args:
        claims: `recovery.claims_table` of the simulated models.
        scale: `recovery.scale_table` of them.
        recovery: `recovery.recovery_table` of them.
        models: estimates by name of the model, and `RAW` or `CALIBRATED`; empty where none is measured.
    """
    rows: list[tuple[Any, ...]] = []

    def add(panel: str, row: str, what: str, estimate: Mapping[str, Any], value: str = "value") -> None:
        verdict = str(estimate["verdict"])
        claimed = None if verdict == UNTESTED else verdict in CLEAR
        rows.append((panel, row, what, estimate[value], estimate["low"], estimate["high"], claimed))

    def plant(row: str, share: float) -> None:
        rows.append((SIMULATED, row, PLANTED, share, None, None, True))

    for name, estimates in models.items():
        for what, estimate in estimates.items():
            add(MEASURED, name, what, estimate)
    for name, meaning in MEANINGS.items():
        for row in recovery.filter(plant=name).iter_rows(named=True):
            plant(meaning, row["planted_calibrated"])
        for estimate in claims.filter(plant=name).iter_rows(named=True):
            add(SIMULATED, meaning, CALIBRATED if estimate["calibrated"] else RAW, estimate)
    for estimate in scale.iter_rows(named=True):
        plant(f"– {estimate['axis']}", estimate["planted"])
        add(SIMULATED, f"– {estimate['axis']}", RAW, estimate, "found")
    types = {"claimed": pl.Boolean, "share": pl.Float64, "low": pl.Float64, "high": pl.Float64}
    table = pl.DataFrame(rows, list(FIGURE_COLUMNS), schema_overrides=types, orient="row")
    return table.with_columns(pl.col("low", "high").fill_nan(None))


SHARE = Measure("pairs in which the stereotypical sentence is preferred", 0.5, ".0%", 0.5, 0.1)


def planted_figure(marks: pl.DataFrame) -> Figure:
    """Planted and found shares, a row for each model or axis; the dashed line is an unbiased model.

    Args:
        marks: see `figure_table`.
    """
    texts = (
        f"{row['row']}, {row['what']}: {100 * row['share']:.1f} %" for row in marks.iter_rows(named=True)
    )
    place = pl.col("what").replace_strict({what: place for place, what in enumerate(SERIES)})
    number = pl.col("share").map_elements(lambda share: percent(share, 0), return_dtype=pl.String)
    numbers = number.sort_by(place).str.join(" · ").over("panel", "row")
    frame = marks.select(
        "low",
        "high",
        block="panel",
        label="row",
        series="what",
        value="share",
        filled="claimed",
        note=numbers,
    )
    return series_figure(
        frame,
        SHARE,
        SERIES,
        name="found",
        title="Pairs in which the stereotypical sentence is preferred",
        alt="; ".join(texts) + ".",
        rows=marks,
    )
