"""What became of the answers of a run of questions, by model, protocol and kind of context."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from endoxa.engine.asking.outcomes import AnswerCounts, count_answers
from endoxa.engine.folder import RECORDS
from endoxa.instruments.questions.estimates.answers import is_read
from endoxa.schema import PROTOCOLS

CONTEXTS = {"ambig": "ambiguous contexts", "disambig": "disambiguated contexts"}


def answer_counts(folder: Path) -> tuple[AnswerCounts, ...]:
    """Counts from the records in a run folder; the protocol is named where it is not the baseline."""
    context = pl.col("context_condition").replace_strict(CONTEXTS, return_dtype=pl.String)
    baseline = pl.col("protocol") == PROTOCOLS[0]
    return count_answers(
        pl.scan_parquet(folder / RECORDS).select(
            "model",
            "finish",
            "error",
            context=pl.when(baseline).then(context).otherwise(pl.format("{}, {}", context, "protocol")),
            read=is_read(),
            refused=pl.col("outcome") == "refused",
            blank=pl.col("answer").fill_null("").str.strip_chars() == "",
        )
    )
