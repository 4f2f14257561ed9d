"""Answers to sentence pairs in logs of lm-evaluation-harness, as records.

Read are logs of a task that `endoxa export task` wrote, and of the harness's own crows_pairs tasks. It
scores each sentence after an empty context, with the beginning-of-sequence token in front: the rule `sum-bos` (where
the tokenizer has no such token it puts the end-of-sequence token there). Its crows_pairs logs do not say which identity
a pair is about; that is taken from the words that differ, as from the published file.

There are no scores about other identities, so nothing is calibrated.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.instruments.pairs.estimates import analyze_run
from endoxa.instruments.pairs.probe.scoring import NUMBERS
from endoxa.runs.folder import RECORDS
from endoxa.runs.instrument import Logged
from endoxa.schema import PAIR_COLUMNS, RECORD_COLUMNS
from endoxa.sources.drafts import axis_of, direction_of
from endoxa.sources.logs import Log
from endoxa.sources.typography import differing_words

LOGLIK = "sum-bos"
EXPECTED = "sentence pairs. Expected a task of `endoxa export task`, or crows_pairs of lm-evaluation-harness."
_LANGUAGES = {"english": "en", "french": "fr"}
_TYPES = {**dict.fromkeys(RECORD_COLUMNS, pl.String), **NUMBERS}


def holds(sample: Mapping[str, Any]) -> bool:
    """Whether a sample is a sentence pair."""
    return "sent_more" in sample.get("doc", {})


def write_run(
    logs: Sequence[Log], folder: Path, _metadata: Path | None = None, _language: str | None = None
) -> dict[str, Any]:
    """Write the records in logs of one task into a run folder.

    Returns:
        Facts for `run.json`.

    Raises:
        UserError: a log is damaged or of another task.
    """
    records = pl.concat(map(records_of, logs))
    records.write_parquet(folder / RECORDS)
    pairs = records.select(list(PAIR_COLUMNS)).unique().sort("item_id")
    content = json.dumps(pairs.rows(), default=str).encode()
    return {
        "rules": records["rule"].unique(maintain_order=True).to_list(),
        "data": {"path": logs[0].group, "sha256": hashlib.sha256(content).hexdigest(), "pairs": pairs.height},
        "counts": {"items": pairs.height, "records": records.height, "unscored": 0},
    }


def records_of(log: Log) -> pl.DataFrame:
    """Records of one log, a row for each pair.

    Raises:
        UserError: the log is damaged or of another task.
    """
    rows = log.each(lambda sample: _scored(sample, log.task), EXPECTED)
    full = [{**dict.fromkeys(RECORD_COLUMNS), **row, "model": log.model, "rule": LOGLIK} for row in rows]
    return pl.DataFrame(full, schema=_TYPES)


def _scored(sample: Mapping[str, Any], task: str) -> dict[str, Any]:
    """A pair with its log-likelihoods."""
    # Log-likelihood of each continuation, by its text.
    texts = [str(argument["arg_1"]).strip() for argument in sample["arguments"].values()]
    values = [float(response[0]) for response in sample["filtered_resps"]]
    doc, scores = sample["doc"], dict(zip(texts, values, strict=True))
    pair = (
        {name: doc[name] for name in PAIR_COLUMNS if name in doc}
        if "item_id" in doc
        else _published(doc, int(sample["doc_id"]), task)
    )
    more, less = (scores[pair[name].strip()] for name in ("sent_more", "sent_less"))
    return {**pair, "score_more": more, "score_less": less}


def _published(doc: Mapping[str, Any], number: int, task: str) -> dict[str, Any]:
    """A pair of the harness's crows_pairs tasks."""
    more, less = str(doc["sent_more"]), str(doc["sent_less"])
    label = doc.get("stereo_antistereo")
    language = next((code for name, code in _LANGUAGES.items() if name in task), "und")
    return {
        "item_id": f"crows-{language}-{number}",
        "language": language,
        "axis": axis_of(doc["bias_type"]),
        "direction": direction_of(label) if isinstance(label, str) else "unknown",
        "stereotypical": "more",
        "sent_more": more,
        "sent_less": less,
        "identity": differing_words(more, less),
    }


LOGGED = Logged(holds, write_run, partial(analyze_run, keep=True))
"""What `endoxa analyze` and `endoxa report` need of these logs."""
