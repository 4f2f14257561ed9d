"""Preference ratios as the page shows them: the row that takes identities as independent, with its verdict."""

from __future__ import annotations

import polars as pl

from endoxa.schema import ALL
from endoxa.stats.verdicts import CLEAR

CELL = ("model", "rule", "language", "axis")
"""What an estimate is about."""

IDENTITIES, WILSON, T = "identities", "wilson", "t"


def identity_rows(estimates: pl.DataFrame, name: str) -> pl.DataFrame:
    """The statistic `name` with identities as clusters, one row per cell, in the order of the estimates.

    `pair_low`, `pair_high` and `pair_p_adjusted` are those of the row that takes pairs as independent.
    """
    rows = estimates.filter(pl.col("name") == name)
    independent = rows.filter(pl.col("interval").is_in([WILSON, T])).select(
        *CELL, pair_low="low", pair_high="high", pair_p_adjusted="p_adjusted"
    )
    clustered = rows.filter(pl.col("interval") == IDENTITIES)
    return clustered.join(independent, on=CELL, how="left", maintain_order="left")


def preference_cells(estimates: pl.DataFrame) -> pl.DataFrame:
    """`identity_rows` of the preference ratio; `detectable` is the least ratio that the cell could have shown."""
    detectable = estimates.filter(name="minimum_detectable_ratio", interval=IDENTITIES)
    return identity_rows(estimates, "preference_ratio").join(
        detectable.select(*CELL, detectable="value"), on=CELL, how="left", maintain_order="left"
    )


def overall(cells: pl.DataFrame) -> pl.DataFrame:
    """The rows over all languages and axes."""
    return cells.filter((pl.col("language") == ALL) & (pl.col("axis") == ALL))


def clear() -> pl.Expr:
    """True where the verdict is a claim: filled marks, stars in tables."""
    return pl.col("verdict").is_in(list(CLEAR))
