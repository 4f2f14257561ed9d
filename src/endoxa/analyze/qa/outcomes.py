"""What became of the answers: how often each outcome came."""

from __future__ import annotations

import polars as pl

from endoxa.schema import NOT_KNOWN, OUTCOME_COLUMNS

CELL = ("data", "model", "protocol", "context_condition")
OUTCOME_TYPES: dict[str, type[pl.DataType]] = {
    name: pl.Int64 if name == "n" else pl.Float64 if name == "share" else pl.String
    for name in OUTCOME_COLUMNS
}


def outcome_counts(answers: pl.DataFrame) -> pl.DataFrame:
    """The outcomes of each data set, model, protocol and context: `schema.OUTCOME_COLUMNS`.

    Args:
        answers: checked answers; an empty outcome is counted as `schema.NOT_KNOWN`.
    """
    shown = pl.when(pl.col("outcome").fill_null("") == "").then(pl.lit(NOT_KNOWN)).otherwise("outcome")
    counted = (
        answers.with_columns(outcome=shown)
        .group_by(*CELL, "outcome", maintain_order=True)
        .agg(n=pl.len().cast(pl.Int64))
    )
    return counted.with_columns(share=pl.col("n") / pl.col("n").sum().over(CELL)).select(list(OUTCOME_TYPES))
