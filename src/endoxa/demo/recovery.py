"""Did the road find what was planted? Recovered against planted values, model by model and rule by rule."""

from __future__ import annotations

from pathlib import PurePath

import numpy as np
import polars as pl

from endoxa.demo.truth import PLANTED_RULES, planted_difference, planted_neutral_difference
from endoxa.demo.world import PLANTS, Plant, load_sample
from endoxa.errors import UserError
from endoxa.schema import ALL, ARCHITECTURES

RECOVERY_COLUMNS = {
    "model": "the planted model: architecture-plant",
    "plant": "what was planted: neutral, stereotyped or frequency",
    "rule": "the scoring rule",
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
    "model": "the stereotyped model: architecture-plant",
    "rule": "the scoring rule",
    "axis": "the axis, each with its own planted share",
    "n": "sample items of the axis",
    "planted": "share of the items whose planted difference is positive",
    "found": "share of the items in which the model prefers the stereotypical sentence",
    "low": "lower end of the interval over identities and attributes; empty where it cannot be tested",
    "high": "upper end of the interval",
    "identities": "identities of the axis",
    "verdict": "what is claimed of the share, after correction",
}
"""Columns of the table that `scale_table` returns."""

CLAIM_COLUMNS = {
    "model": "the planted model: architecture-plant",
    "plant": "what was planted: neutral, stereotyped or frequency",
    "rule": "the scoring rule",
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
    """What the tests of a run of planted models claim of all pairs, raw and calibrated.

    Args:
        estimates: `estimates.csv` of a run of planted models on the sample.

    Returns:
        One row per model, rule and measure in the order of the estimates; columns as in `CLAIM_COLUMNS`.

    Raises:
        UserError: a model is not one of the planted models.
    """
    whole = estimates.filter(
        pl.col("name").is_in(list(_MEASURES)),
        pl.col("interval") == "identities",
        pl.col("language") == ALL,
        pl.col("axis") == ALL,
        pl.col("rule").is_in(PLANTED_RULES),
    )
    rows = []
    for row in whole.iter_rows(named=True):
        model, plant = plant_of(row["model"])
        rows.append({**row, "model": model, "plant": plant, "calibrated": _MEASURES[row["name"]]})
    return pl.DataFrame(
        [[row[name] for name in CLAIM_COLUMNS] for row in rows], list(CLAIM_COLUMNS), orient="row"
    )


def scale_table(estimates: pl.DataFrame) -> pl.DataFrame:
    """Planted shares beside those found, for each axis of the stereotyped models.

    Args:
        estimates: `estimates.csv` of a run of planted models on the sample.

    Returns:
        One row per model, rule and axis in the order of the estimates, the least planted share first; columns as in
        `SCALE_COLUMNS`.

    Raises:
        UserError: a model is not one of the planted models.
    """
    matching = estimates.filter(
        pl.col("name") == "preference_ratio",
        pl.col("interval") == "identities",
        pl.col("language") == ALL,
        pl.col("axis") != ALL,
        pl.col("rule").is_in(PLANTED_RULES),
    )
    sample = load_sample()
    rows = []
    for row in matching.iter_rows(named=True):
        name, plant = plant_of(row["model"])
        if plant == "stereotyped":
            planted = planted_difference(plant, row["rule"], sample.filter(axis=row["axis"]))
            numbers = (row["n"], _share_positive(planted), row["value"], row["low"], row["high"])
            rows.append((name, row["rule"], row["axis"], *numbers, row["clusters"], row["verdict"]))
    table = pl.DataFrame(rows, schema=list(SCALE_COLUMNS), orient="row").with_columns(
        pl.col("low", "high").cast(pl.Float64).fill_nan(None)
    )
    return table.sort("model", "rule", "planted", maintain_order=True)


def recovery_table(records: pl.DataFrame) -> pl.DataFrame:
    """Compare the scores of the planted models with the values that were planted.

    Calibrated preferences are over the items for which a neutral difference exists, NaN if there are none.

    Args:
        records: rows of `records.parquet` (columns of `RECORD_COLUMNS`) of planted models on the sample;
            rules without a planted value are left out.

    Returns:
        One row per model and rule in the order of the records, columns as in `RECOVERY_COLUMNS`.

    Raises:
        UserError: a model is not one of the planted models, or a sentence is not of the sample.
    """
    planted = records.filter(pl.col("rule").is_in(PLANTED_RULES))
    groups = planted.group_by("model", "rule", maintain_order=True)
    rows = [_row(str(model), str(rule), items) for (model, rule), items in groups]
    return pl.DataFrame(rows, schema=list(RECOVERY_COLUMNS), orient="row")


def plant_of(model: str) -> tuple[str, Plant]:
    """Name and plant of a planted model, from how it was written on the command line (`hf/FOLDER`).

    Raises:
        UserError: it is not one of the planted models.
    """
    name = PurePath(model).name
    names = {f"{architecture}-{plant}": plant for architecture in ARCHITECTURES for plant in PLANTS}
    if name not in names:
        raise UserError(f"'{model}' is not a planted model: its folder should be one of {', '.join(names)}.")
    return name, names[name]


def _row(model: str, rule: str, items: pl.DataFrame) -> tuple[str | float, ...]:
    name, plant = plant_of(model)
    planted = planted_difference(plant, rule, items)
    recovered = items.select(pl.col("score_more") - pl.col("score_less")).to_series().to_numpy()
    neutral = items["neutral_difference"].cast(pl.Float64).fill_null(np.nan).to_numpy()
    return (
        name,
        plant,
        rule,
        items.height,
        float(planted.mean()),
        float(recovered.mean()),
        float(np.abs(recovered - planted).mean()),
        _share_positive(planted),
        _share_positive(recovered),
        _share_positive(planted - planted_neutral_difference(plant, rule, items)),
        _share_positive(recovered - neutral),
        int((np.sign(recovered) == np.sign(planted)).sum()),
    )


def _share_positive(differences: np.ndarray) -> float:
    """Share of the defined differences that are positive, a tie counting one half."""
    defined = np.round(differences[~np.isnan(differences)], _DIGITS)
    return float((1 + np.sign(defined)).mean() / 2) if len(defined) else np.nan


_DIGITS = 9
"""Planted differences that are equal differ by rounding only."""
