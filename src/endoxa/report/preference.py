"""Preference ratios with both of their intervals side by side, and what may be said about them."""

from __future__ import annotations

import polars as pl

from endoxa.schema import ALL

CELL = ("model", "rule", "language", "axis")
"""What an estimate is about."""

SIGNIFICANT = 0.05
"""Adjusted p-value up to which a preference is called clear."""

IDENTITY = "identity"
"""First word of the method of estimates that resample identities."""


def two_methods(estimates: pl.DataFrame, name: str) -> pl.DataFrame:
    """The statistic `name`, one row per cell, in the order of the estimates.

    The estimate that takes pairs as independent keeps the columns of the schema; the one that resamples
    identities adds `id_low`, `id_high`, `id_p_adjusted` and `id_remark` (null or NaN where it is missing).
    The column `verdict` says what may be claimed, see `verdict`.
    """
    rows = estimates.filter(pl.col("name") == name)
    by_identity = pl.col("method").str.starts_with(IDENTITY)
    clustered = rows.filter(by_identity).select(
        *CELL,
        id_low="low",
        id_high="high",
        id_p_adjusted="p_adjusted",
        id_remark=pl.col("method").str.split_exact(";", 1).struct.field("field_1").str.strip_chars(),
    )
    return (
        rows.filter(~by_identity)
        .join(clustered, on=CELL, how="left", maintain_order="left")
        .with_columns(verdict=verdict())
    )


def preference_cells(estimates: pl.DataFrame) -> pl.DataFrame:
    """`two_methods` of the preference ratio; `detectable` is the least ratio they could have shown."""
    detectable = estimates.filter(pl.col("name") == "minimum_detectable_ratio").select(
        *CELL, detectable="value"
    )
    return two_methods(estimates, "preference_ratio").join(
        detectable, on=CELL, how="left", maintain_order="left"
    )


def overall(cells: pl.DataFrame) -> pl.DataFrame:
    """The rows over all languages and axes."""
    return cells.filter((pl.col("language") == ALL) & (pl.col("axis") == ALL))


def verdict() -> pl.Expr:
    """What may be claimed about a cell of `two_methods`.

    'above' or 'below': both intervals exclude the neutral value and both adjusted p-values are at most
    `SIGNIFICANT`. 'identities': so for independent pairs, but not, or not known, once identities are
    resampled. 'correction': the interval for independent pairs excludes the neutral value, its adjusted
    p-value is larger.
    'unclear': everything else.
    """
    neutral = pl.col("neutral")

    def excluded(low: str, high: str) -> pl.Expr:
        defined = pl.all_horizontal(pl.col(low, high).is_finite())
        return (defined & ((pl.col(low) > neutral) | (pl.col(high) < neutral))).fill_null(value=False)

    def significant(p: str) -> pl.Expr:
        return (pl.col(p).is_finite() & (pl.col(p) <= SIGNIFICANT)).fill_null(value=False)

    independent = excluded("low", "high") & significant("p_adjusted")
    clustered = excluded("id_low", "id_high") & significant("id_p_adjusted")
    return (
        pl.when(independent & clustered & (pl.col("value") > neutral))
        .then(pl.lit("above"))
        .when(independent & clustered)
        .then(pl.lit("below"))
        .when(independent)
        .then(pl.lit("identities"))
        .when(excluded("low", "high"))
        .then(pl.lit("correction"))
        .otherwise(pl.lit("unclear"))
    )


def clear() -> pl.Expr:
    """True where a preference may be called clear: filled marks, stars in tables."""
    return pl.col("verdict").is_in(["above", "below"])
