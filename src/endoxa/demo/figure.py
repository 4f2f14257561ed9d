"""The picture of the demonstration: a real model, and below it what was planted in simulated models and found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from endoxa.demo.planted import PLANTS, SHARES, levels, plant_of, planted_share
from endoxa.report.document import Figure, Finding
from endoxa.report.figures import Measure, series_figure
from endoxa.report.words import count, decimal, percent
from endoxa.schema import ALL
from endoxa.stats.verdicts import CLEAR, UNTESTED

MEASURED, SIMULATED = "The model", "Simulated models, whose preference was planted"
RAW, CALIBRATED, PLANTED = "found", "found, compared with other groups", "planted"
SERIES = (CALIBRATED, RAW, PLANTED)
MEANINGS = {"neutral": "no stereotype", "frequency": "word frequency", "stereotyped": "stereotypes"}
COLUMNS = ("panel", "row", "what", "share", "low", "high", "claimed")
STATISTICS = {"preference_ratio": RAW, "calibrated_preference_ratio": CALIBRATED}


def marks(
    estimates: pl.DataFrame, model: str = "", shares: Mapping[str, Mapping[str, Any]] | None = None
) -> pl.DataFrame:
    """What the figure shows: a row for each mark.

    Args:
        estimates: `estimates.csv` of a run of the planted models on the sample.
        model: name of the model that was measured, if any.
        shares: its estimates by `RAW` and `CALIBRATED`.
    """
    found = of_plants(estimates)
    rows = [_mark(MEASURED, model, what, estimate) for what, estimate in (shares or {}).items()]
    shown = [(meaning, plant, ALL) for plant, meaning in MEANINGS.items()]
    shown += [(f"– {axis}", "stereotyped", axis) for axis in SHARES]
    for row, plant, axis in shown:
        rows.append((SIMULATED, row, PLANTED, planted_share(plant, axis), None, None, True))
        here = found.filter(
            pl.lit(axis == ALL) | (pl.col("name") == "preference_ratio"), plant=plant, axis=axis
        )
        rows += [_mark(SIMULATED, row, STATISTICS[each["name"]], each) for each in here.to_dicts()]
    table = pl.DataFrame(rows, list(COLUMNS), orient="row", infer_schema_length=None)
    return table.with_columns(pl.col("low", "high").fill_nan(None))


def _mark(panel: str, row: str, what: str, estimate: Mapping[str, Any]) -> tuple[Any, ...]:
    claimed = None if estimate["verdict"] == UNTESTED else estimate["verdict"] in CLEAR
    return (panel, row, what, estimate["value"], estimate["low"], estimate["high"], claimed)


def of_plants(estimates: pl.DataFrame) -> pl.DataFrame:
    """The estimates that decide, over all languages, with the plant of their model."""
    rows = estimates.filter(pl.col("name").is_in(list(STATISTICS)), interval="identities", language=ALL)
    return rows.with_columns(plant=pl.col("model").map_elements(plant_of, return_dtype=pl.String))


def planted_finding(records: pl.DataFrame, estimates: pl.DataFrame) -> Finding:
    """What is found of what was planted: signs, errors, and the model that only knows which words are frequent."""
    rows = records.select("model", "sent_more", "sent_less").iter_rows()
    planted = [levels(plant_of(model))[more] - levels(plant_of(model))[less] for model, more, less in rows]
    found = records.select(
        "model", found=pl.col("score_more") - pl.col("score_less"), planted=pl.Series(planted)
    )
    right = found.filter(pl.col("found").sign() == pl.col("planted").sign()).height
    errors = found.group_by("model").agg(error=(pl.col("found") - pl.col("planted")).abs().mean())["error"]
    fooled = of_plants(estimates).filter(plant="frequency", axis=ALL)
    raw, compared = (fooled.filter(name=name)["value"].item() for name in STATISTICS)
    rests = {"right": right, "pairs": found.height, "error": errors.max(), "raw": raw, "compared": compared}
    return Finding(
        f"In {len(PLANTS)} simulated models {count(right)} of {count(found.height)} differences have the planted sign, "
        f"with a mean error of at most {decimal(rests['error'])} nats. The model that only knows which words are "
        f"frequent prefers {percent(raw)} of the stereotypical sentences, and {percent(compared)} compared with other "
        "groups.",
        ({**rests, "models": len(PLANTS)},),
    )


SHARE = Measure("pairs in which the stereotypical sentence is preferred", 0.5, ".0%", 0.5, 0.1)


def planted_figure(table: pl.DataFrame) -> Figure:
    """Planted and found shares, a row for each model or axis; the dashed line is an unbiased model.

    Args:
        table: see `marks`.
    """
    texts = (
        f"{row['row']}, {row['what']}: {100 * row['share']:.1f} %" for row in table.iter_rows(named=True)
    )
    place = pl.col("what").replace_strict({what: place for place, what in enumerate(SERIES)})
    number = pl.col("share").map_elements(lambda share: percent(share, 0), return_dtype=pl.String)
    frame = table.select(
        "low",
        "high",
        block="panel",
        label="row",
        series="what",
        value="share",
        filled="claimed",
        note=number.sort_by(place).str.join(" · ").over("panel", "row"),
    )
    return series_figure(
        frame,
        SHARE,
        SERIES,
        name="found",
        title="Pairs in which the stereotypical sentence is preferred",
        alt="; ".join(texts) + ".",
        rows=table,
    )
