"""Did the road find what was planted? Recovered against planted values, plant by plant."""

from __future__ import annotations

import numpy as np
import polars as pl

from endoxa.demo.planted import plant_of
from endoxa.demo.world import Plant, load_sample, planted_difference, planted_neutral_difference
from endoxa.schema import ALL

RECOVERY_COLUMNS = {
    "plant": "what was planted: neutral, stereotyped or frequency",
    "n": "sample items scored",
    "planted_difference": "mean of score_more - score_less in the planted world (nats)",
    "recovered_difference": "the same mean as the model was scored (nats)",
    "mean_absolute_error": "mean of |recovered - planted| over the items (nats)",
    "planted_preference": "share of items whose planted difference is positive",
    "raw_preference": "share of items whose recovered difference is positive",
    "planted_calibrated": "as planted_preference, after subtracting the planted difference of others",
    "calibrated_preference": "as raw_preference, after subtracting the recovered difference of others",
    "signs_as_planted": "items whose recovered difference has the planted sign",
}
"""Columns of the table that `recovery_table` returns. An unbiased model has a preference of 0.5."""

SCALE_COLUMNS = {
    "axis": "the axis, each with its own planted share",
    "n": "sample items of the axis",
    "planted": "share of the items whose planted difference is positive",
    "found": "share of the items in which the model prefers the stereotypical sentence",
    "low": "lower end of the interval over identities and attributes; empty where it cannot be tested",
    "high": "upper end of the interval",
    "clusters": "identities of the axis",
    "verdict": "what is claimed of the share, after correction",
}
"""Columns of the table that `scale_table` returns."""

CLAIM_COLUMNS = {
    "plant": "what was planted: neutral, stereotyped or frequency",
    "calibrated": "whether compared with other identities",
    "value": "share of the sample's pairs in which the model prefers the stereotypical sentence",
    "low": "lower end of the interval over identities and attributes",
    "high": "upper end of the interval",
    "p_adjusted": "p-value after correction for all tests of the run",
    "n": "pairs",
    "clusters": "identities",
    "attributes": "attributes",
    "verdict": "what is claimed of the share, after correction",
}
"""Columns of the table that `claims_table` returns."""

_MEASURES = {"preference_ratio": False, "calibrated_preference_ratio": True}


def claims_table(estimates: pl.DataFrame) -> pl.DataFrame:
    """What the tests of a run of planted models claim of all pairs, raw and calibrated: columns of `CLAIM_COLUMNS`.

    Args:
        estimates: `estimates.csv` of a run of planted models on the sample.

    Raises:
        UserError: a model is not one of the planted models.
    """
    overall_rows = _deciding(estimates, *_MEASURES).filter(axis=ALL)
    return overall_rows.with_columns(calibrated=pl.col("name").replace_strict(_MEASURES)).select(
        *CLAIM_COLUMNS
    )


def scale_table(estimates: pl.DataFrame) -> pl.DataFrame:
    """Planted shares beside those found, for each axis of the stereotyped model, the least planted share first.

    Args:
        estimates: `estimates.csv` of a run of planted models on the sample.

    Returns:
        Columns of `SCALE_COLUMNS`.

    Raises:
        UserError: a model is not one of the planted models.
    """
    sample = load_sample()
    planted = {
        str(axis): _share_positive(planted_difference("stereotyped", items))
        for (axis,), items in sample.group_by("axis")
    }
    rows = _deciding(estimates, "preference_ratio").filter(pl.col("axis") != ALL, plant="stereotyped")
    return (
        rows.with_columns(
            planted=pl.col("axis").replace_strict(planted, return_dtype=pl.Float64), found="value"
        )
        .select(*SCALE_COLUMNS)
        .with_columns(pl.col("low", "high").cast(pl.Float64).fill_nan(None))
        .sort("planted", maintain_order=True)
    )


def _deciding(estimates: pl.DataFrame, *names: str) -> pl.DataFrame:
    """The estimates of these names that decide, over all languages, with the plant of their model."""
    rows = estimates.filter(pl.col("name").is_in(names), interval="identities", language=ALL)
    return rows.with_columns(plant=pl.col("model").map_elements(plant_of, return_dtype=pl.String))


def recovery_table(records: pl.DataFrame) -> pl.DataFrame:
    """Compare the scores of planted models with what was planted: a row for each, columns of `RECOVERY_COLUMNS`.

    Calibrated preferences are over the items for which a neutral difference exists, NaN if there are none.

    Args:
        records: rows of `records.parquet` (columns of `RECORD_COLUMNS`) of planted models on the sample.

    Raises:
        UserError: a model is not one of the planted models, or a sentence is not of the sample.
    """
    groups = records.group_by("model", maintain_order=True)
    rows = [_row(plant_of(str(model)), items) for (model,), items in groups]
    return pl.DataFrame(rows, schema=list(RECOVERY_COLUMNS), orient="row")


def _row(plant: Plant, items: pl.DataFrame) -> tuple[str | float, ...]:
    planted = planted_difference(plant, items)
    recovered = items.select(pl.col("score_more") - pl.col("score_less")).to_series().to_numpy()
    neutral = items["neutral_difference"].cast(pl.Float64).fill_null(np.nan).to_numpy()
    return (
        plant,
        items.height,
        float(planted.mean()),
        float(recovered.mean()),
        float(np.abs(recovered - planted).mean()),
        _share_positive(planted),
        _share_positive(recovered),
        _share_positive(planted - planted_neutral_difference(plant, items)),
        _share_positive(recovered - neutral),
        int((np.sign(recovered) == np.sign(planted)).sum()),
    )


def _share_positive(differences: np.ndarray) -> float:
    """Share of the defined differences that are positive, a tie counting one half."""
    defined = np.round(differences[~np.isnan(differences)], _DIGITS)
    return float((1 + np.sign(defined)).mean() / 2) if len(defined) else np.nan


_DIGITS = 9
"""Planted differences that are equal differ by rounding only."""
