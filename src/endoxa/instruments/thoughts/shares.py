"""Shares of thoughts with each code, by the majority of reader models: of stories, profiles and ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from endoxa.instruments.thoughts.agreement import majority
from endoxa.instruments.thoughts.texts import Codes, ThoughtText
from endoxa.schema.thoughts import CODES, THOUGHT_COLUMNS
from endoxa.sources.frames import column_types
from endoxa.stats.intervals import clustered_share

METHOD = "single thoughts as units"
"""Thoughts about one prompt or association are not independent; the journal does not say which are."""
_TEXTS = (
    *("data", "model", "protocol", "context_condition", "measure", "method"),
    *("verdict", "verdict_reason"),
)
_TYPES = column_types(THOUGHT_COLUMNS, texts=_TEXTS, counts=("n",))


def shares_by_readers(
    thoughts: Sequence[ThoughtText], readers: Mapping[str, Mapping[str, Codes]], *, confidence: float
) -> pl.DataFrame:
    """Shares of every model's thoughts, and of those that did not end: `schema.thoughts.THOUGHT_COLUMNS`.

    Args:
        thoughts: all thoughts, cut-off ones included.
        readers: codes by reader and name of the thought.
        confidence: confidence level of the intervals.
    """
    rows = []
    for model in dict.fromkeys(thought.model for thought in thoughts):
        of_model = [thought for thought in thoughts if thought.model == model]
        coded = [majority(readers, thought.name) for thought in of_model if not thought.cut_off]
        values = {code: [codes[code] for codes in coded if code in codes] for code in CODES}
        values["cut_off"] = [thought.cut_off for thought in of_model]
        rows += [
            _row(model, name, np.array(coded_values, float), confidence)
            for name, coded_values in values.items()
            if coded_values
        ]
    return pl.DataFrame(rows, schema=_TYPES).with_columns(pl.selectors.float().fill_nan(None))


def _row(model: str, measure: str, values: np.ndarray, confidence: float) -> dict[str, object]:
    interval = clustered_share(np.ones(len(values)), values, float(values.var()), confidence)
    return {
        "data": "",
        "model": model,
        "protocol": "",
        "context_condition": "",
        "measure": measure,
        "n": len(values),
        "value": float(values.mean()),
        "low": interval.low,
        "high": interval.high,
        "confidence": confidence,
        "method": METHOD,
        "verdict": "",
        "verdict_reason": "",
    }
