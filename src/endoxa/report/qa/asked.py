"""What each model was asked, and by whom it was served, as the records have it."""

from __future__ import annotations

import polars as pl


def asked(answers: pl.DataFrame) -> pl.DataFrame:
    """What each model was asked: one row per data set, model and protocol.

    `items`, `variants` and `repeats` count different ones, `orders` the orders the options were shown in;
    `with_names` says that names stand for groups (the items have variants); `answers`, `refused`, `unparsed` and
    `failed` (the provider refused the request) count answers; `ask` lists how answers were asked for, `served` the
    names under which the provider served the model.
    """
    return answers.group_by("data", "model", "protocol", maintain_order=True).agg(
        items=pl.struct("category", "example_id").n_unique(),
        variants=pl.col("variant").fill_null("").n_unique(),
        with_names=(pl.col("variant").fill_null("") != "").any(),
        repeats=pl.col("repeat").n_unique(),
        orders=pl.col("order").n_unique(),
        ask=pl.col("ask").unique(maintain_order=True).str.join(", "),
        served=pl.col("served_model").filter(pl.col("served_model") != "").unique(maintain_order=True),
        answers=pl.len(),
        refused=(pl.col("outcome") == "refused").sum(),
        unparsed=(pl.col("outcome") == "unparsed").sum(),
        failed=(pl.col("error").fill_null("") != "").sum(),
    )
