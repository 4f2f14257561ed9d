"""Sentence pairs: log-probability of the stereotype minus that of the other sentence, a part for each item."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from endoxa.errors import UserError
from endoxa.instruments.pairs.estimates.records import load_records
from endoxa.study.convergence.adapters import MEASURED


def pair_parts(run: Path, rule: str = "") -> pl.DataFrame:
    """Parts of a run of `probe pairs`.

    The value is the score of the stereotypical sentence minus that of the other one, in the rule's unit. Items of one
    association are its parts: what is left of their names without the association's is the name of the part, so that
    the same template or variant is the same part for all associations.

    Args:
        run: the run folder, or its records.
        rule: the scoring rule; empty takes the first one of each model in the run.

    Returns:
        Columns of `adapters.MEASURED`.

    Raises:
        UserError: the run cannot be used, no item names an association, or a model has no such rule.
    """
    records = load_records([run]).filter(pl.col("association_id").fill_null("") != "")
    if records.is_empty():
        raise UserError(
            f"'{run}' measures no association: its items have no association_id. Make them with `endoxa build pairs`."
        )
    used = _of_rule(records, rule, run)
    sign = pl.when(pl.col("stereotypical") == "more").then(1.0).otherwise(-1.0)
    part = (
        pl.when(pl.col("item_id").str.starts_with(pl.col("association_id")))
        .then(pl.col("item_id").str.slice(pl.col("association_id").str.len_chars()))
        .otherwise(pl.col("item_id"))
    )
    return used.with_columns(value=sign * (pl.col("score_more") - pl.col("score_less")), part=part).select(
        MEASURED
    )


def _of_rule(records: pl.DataFrame, rule: str, run: Path) -> pl.DataFrame:
    if not rule:
        first = records.group_by("model", maintain_order=True).agg(pl.col("rule").first())
        return records.join(first, on=["model", "rule"], how="semi", maintain_order="left")
    kept = records.filter(rule=rule)
    lacking = [
        name for name in records["model"].unique(maintain_order=True) if name not in set(kept["model"])
    ]
    if lacking:
        rules = records.filter(model=lacking[0])["rule"].unique(maintain_order=True).to_list()
        raise UserError(
            f"'{run}' has no scores of the model '{lacking[0]}' under the rule '{rule}' (available: "
            f"{', '.join(rules)}). Leave the rule out to take the first one of each model."
        )
    return kept
