"""Verdicts on tables and associations, and the counts that reports print beside them.

The counts are the denominators of claims: families and tables tested, those with an association, stories with refusals
and unknown attributes.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from endoxa.instruments.stories.associations.tables import Table
from endoxa.instruments.stories.associations.tested import Tested, Within
from endoxa.instruments.stories.options import PUBLISHED, Discovery
from endoxa.sources.stereotales import UNKNOWN, Profiles
from endoxa.stats.correction import adjust
from endoxa.stats.verdicts import ABOVE, CORRECTED, UNCLEAR, UNTESTED, Decision

NO_TABLE = "fewer than two values on a side"
NOT_WITHIN = "not distinguishable from chance within languages"
UNTESTED_WITHIN = "cannot be tested within languages"


def table_verdict(table: Table, tested: Tested, settings: Discovery) -> Decision:
    """Whether base and compared attribute go together.

    `above`: the table is kept by step 1 and, with several languages, by the test within languages as well.
    """
    units = table.prompts
    if units is not None and units.least_p > settings.alpha:
        return Decision(UNTESTED, f"{units.prompts} prompts are too few for a p-value of {settings.alpha:g}")
    if tested.significant:
        within = tested.within
        return _within(within, None if within is None else within.p_adjusted, settings)
    return Decision(UNCLEAR, CORRECTED if tested.p_value <= settings.alpha < tested.p_adjusted else "")


def cell_verdict(
    table: Decision, within: Within | None, p_adjusted: float | None, settings: Discovery
) -> Decision:
    """Whether an association that both steps found may be claimed.

    Args:
        table: verdict of its table.
        within: the tests within languages of its table; None with one language.
        p_adjusted: of the cell, within languages; None with one language.
        settings: alpha, and whether the published test alone decides.
    """
    return _within(within, p_adjusted, settings) if table.verdict == ABOVE else table


def adjusted_within(within: Within | None) -> np.ndarray | None:
    """P-values of a table's cells within languages, after Benjamini-Yekutieli over them."""
    if within is None or within.log_p is None:
        return None
    return adjust(np.exp(within.log_p), dependent=True)


def _within(within: Within | None, p_adjusted: float | None, settings: Discovery) -> Decision:
    if within is None or p_adjusted is None or settings.pooled == PUBLISHED:
        return Decision(ABOVE)
    if np.isnan(p_adjusted):
        return Decision(UNCLEAR, UNTESTED_WITHIN)
    return Decision(ABOVE) if p_adjusted < settings.alpha else Decision(UNCLEAR, NOT_WITHIN)


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


def overview(profiles: Profiles) -> pl.DataFrame:
    """One row per model and language.

    Returns:
        Columns model, language, stories, nothing_known (stories of which no attribute could be read: refusals, as a
        rule), and for each attribute `unknown:ATTRIBUTE`, the share of the other stories in which it could not be read.
    """
    words = np.array([profiles.code(k, UNKNOWN) for k in range(len(profiles.attributes))])
    unknown = (profiles.codes < 0) | (profiles.codes == words)
    nothing = unknown.all(axis=1)
    rows = []
    for model, language in sorted(set(zip(profiles.model.tolist(), profiles.language.tolist(), strict=True))):
        here = (profiles.model == model) & (profiles.language == language)
        told = here & ~nothing
        shares = unknown[told].mean(axis=0) if told.any() else np.full(len(words), np.nan)
        rows.append(
            {
                "model": profiles.models[model],
                "language": profiles.languages[language],
                "stories": int(here.sum()),
                "nothing_known": int((here & nothing).sum()),
                **{
                    f"unknown:{name}": float(share)
                    for name, share in zip(profiles.attributes, shares, strict=True)
                },
            }
        )
    return pl.DataFrame(rows).fill_nan(None)
