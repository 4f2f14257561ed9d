"""How many families and tables were tested, and how many of them show an association: the denominators of claims."""

from __future__ import annotations

import polars as pl

from endoxa.stats.verdicts import ABOVE, UNTESTED

TALLY = {
    "model": pl.String,
    "aggregation": pl.String,
    "families": pl.Int64,
    "families_found": pl.Int64,
    "tables": pl.Int64,
    "untested": pl.Int64,
    "few_prompts": pl.Int64,
    "kept": pl.Int64,
    "open": pl.Int64,
    "cells": pl.Int64,
    "by_prompts": pl.Int64,
    "within": pl.Int64,
    "cells_within": pl.Int64,
    "found": pl.Int64,
    "claimed": pl.Int64,
    "alpha": pl.Float64,
}
"""Columns of `tally`."""
KEYS = ("model", "aggregation")
FAMILY = (*KEYS, "base_attribute")


def tally(tables: pl.DataFrame, associations: pl.DataFrame, alpha: float) -> pl.DataFrame:
    """A row for each model and aggregation.

    Args:
        tables: `ASSOCIATION_TEST_COLUMNS`.
        associations: `DISCOVERED_COLUMNS`.
        alpha: false-discovery rate of both steps.

    Returns:
        Columns of `TALLY`: families (base attributes) of which a table was tested and those with an association that
        may be claimed; tables tested, those that could not be tested, and of these the ones with too few prompts;
        tables kept, and those decided within sampling error; cells tested in those kept; tables whose units are
        prompts; tables and cells tested within languages; associations found and those that may be claimed; alpha.
    """
    tested = pl.col("verdict") != UNTESTED
    kept = tested & (pl.col("significant") == 1)
    cells, several = pl.col("rows") * pl.col("columns"), pl.col("stratified_p_value").is_not_null()
    counts = tables.group_by(KEYS, maintain_order=True).agg(
        families=pl.col("base_attribute").filter(tested).n_unique(),
        tables=tested.sum(),
        untested=(~tested).sum(),
        few_prompts=(~tested & (pl.col("unit") == "prompt")).sum(),
        kept=kept.sum(),
        open=(tested & (pl.col("decision_stable") == 0)).sum(),
        cells=cells.filter(kept).sum(),
        by_prompts=(tested & (pl.col("unit") == "prompt")).sum(),
        within=(tested & several).sum(),
        cells_within=cells.filter(kept & several).sum(),
    )
    claimed = pl.col("verdict") == ABOVE
    found = associations.group_by(KEYS).agg(
        families_found=pl.col("base_attribute").filter(claimed).n_unique(),
        found=pl.len(),
        claimed=claimed.sum(),
    )
    joined = counts.join(found, on=KEYS, how="left", maintain_order="left").with_columns(alpha=pl.lit(alpha))
    return joined.select(pl.col(name).cast(kind) for name, kind in TALLY.items()).with_columns(
        pl.col("families_found", "found", "claimed").fill_null(0)
    )


def no_tally() -> pl.DataFrame:
    """Nothing was tested."""
    return pl.DataFrame(schema=TALLY)
