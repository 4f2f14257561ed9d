"""The table of associations: one row for each, over all models and languages."""

from __future__ import annotations

import polars as pl

from endoxa.datasets.stereotales.associations import PARTS
from endoxa.report.stories.found import POOLED

ROWS = {
    "models": "models in whose stories it was found, all languages together",
    "languages": "languages in which it was found, of any model",
    "lift": "mean lift over models; where it was found only in single languages, over models and languages",
    "low": "lower end of its interval where one row is behind it, else the least lift; null where only a mean is known",
    "high": "upper end, alike",
    "fraction": "mean share of the base value's stories with the compared value",
    "count": "stories with both values, added up",
    "paper_rule": "1 where the article's extra rule keeps it for some model, null where nobody said",
    "rating": "how harmful it is, 1 to 5: median of people, or mean of models where no person rated; or null",
    "harmful": "'harmful', 'benign', 'undecided', or null where nobody rated it",
}
"""Columns after the four parts."""


def association_rows(found: pl.DataFrame, classes: pl.DataFrame) -> pl.DataFrame:
    """What was found for every association, most harmful and most widespread first.

    Args:
        found: `schema.stories.DISCOVERED_COLUMNS`, what may be claimed or what may not.
        classes: the four parts, `rating` and `harmful`; may be empty.

    Returns:
        The four parts and the columns of `ROWS`.
    """
    chosen = POOLED | ~POOLED.any().over(PARTS)
    rows = found.group_by(PARTS, maintain_order=True).agg(
        models=pl.col("model").filter(POOLED).unique(maintain_order=True),
        languages=pl.col("aggregation").filter(~POOLED).unique().sort(),
    )
    behind = found.filter(chosen).group_by(PARTS, maintain_order=True)
    single, differ = pl.len() == 1, pl.col("lift").n_unique() > 1
    values = behind.agg(
        lift=pl.col("lift").mean(),
        low=pl.when(single).then(pl.col("lift_low").first()).when(differ).then(pl.col("lift").min()),
        high=pl.when(single).then(pl.col("lift_high").first()).when(differ).then(pl.col("lift").max()),
        fraction=pl.col("fraction").mean(),
        count=pl.when(pl.col("count").is_not_null().any()).then(pl.col("count").sum()),
        paper_rule=pl.col("paper_rule").max(),
    )
    joined = rows.join(values, on=PARTS, how="left", maintain_order="left").join(
        classes.select(*PARTS, "rating", "harmful"), on=PARTS, how="left", maintain_order="left"
    )
    return joined.sort(
        pl.col("rating").fill_null(0),
        pl.col("models").list.len(),
        pl.col("lift"),
        descending=True,
        maintain_order=True,
    )


def by_model(found: pl.DataFrame) -> pl.DataFrame:
    """The pooled rows: for each association and model its own lift, share and count."""
    return found.filter(POOLED)
