"""What became of the answers of a run of questions, by model, protocol and kind of context."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.instruments.questions.estimates.answers import is_read
from endoxa.runs.asking.outcomes import AnswerCounts, count_answers
from endoxa.runs.asking.spread import equal_repeats
from endoxa.runs.folder import RECORDS
from endoxa.schema import PROTOCOLS
from endoxa.sources.served import versions_apart

CONTEXTS = {"ambig": "ambiguous contexts", "disambig": "disambiguated contexts"}


def repeats_alike(folder: Path, facts: Mapping[str, Any]) -> tuple[str, ...]:
    """A sentence for each model whose repeats all read alike; likelihoods are not drawn, and have none.

    Args:
        folder: the run folder.
        facts: its `run.json`.
    """
    records = versions_apart(pl.scan_parquet(folder / RECORDS))
    drawn = records.filter(~pl.col("ask").fill_null("").str.starts_with("loglik"))
    return tuple(equal_repeats(drawn, facts, item=("item_id", "protocol"), answer="choice"))


def answer_counts(folder: Path) -> tuple[AnswerCounts, ...]:
    """Counts from the records in a run folder; the protocol is named where it is not the baseline."""
    context = pl.col("context_condition").replace_strict(CONTEXTS, return_dtype=pl.String)
    baseline = pl.col("protocol") == PROTOCOLS[0]
    return count_answers(
        versions_apart(pl.scan_parquet(folder / RECORDS)).select(
            "model",
            "finish",
            "error",
            context=pl.when(baseline).then(context).otherwise(pl.format("{}, {}", context, "protocol")),
            read=is_read(),
            refused=pl.col("outcome") == "refused",
            blank=pl.col("answer").fill_null("").str.strip_chars() == "",
        )
    )
