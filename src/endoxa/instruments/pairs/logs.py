"""Answers to sentence pairs in logs of other harnesses, as records.

lm-evaluation-harness: logs of a task that `endoxa export task` wrote, and of the harness's own crows_pairs tasks. It
scores each sentence after an empty context, with the beginning-of-sequence token in front: the rule `sum-bos` (where
the tokenizer has no such token it puts the end-of-sequence token there). Its crows_pairs logs do not say which identity
a pair is about; that is taken from the words that differ, as from the published file.

Inspect: logs of a task that `endoxa export task` wrote, where a chat model chooses between the sentences, once in
each order. The rule is called `choice`: a sentence's score is the share of a pair's answers that chose it, so a model
that always names the first sentence has a tie. Refusals and answers that could not be read are in no share.

There are no scores about other identities, so nothing is calibrated.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.instruments.pairs.estimates import analyze_run
from endoxa.instruments.pairs.probe.scoring import NUMBERS
from endoxa.instruments.pairs.rules import CHOICE
from endoxa.runs.folder import RECORDS
from endoxa.runs.instrument import Logged
from endoxa.schema import PAIR_COLUMNS, RECORD_COLUMNS
from endoxa.sources.drafts import axis_of, direction_of
from endoxa.sources.frames import write_table
from endoxa.sources.logs import HARNESS, Log
from endoxa.sources.typography import differing_words

LOGLIK = "sum-bos"
EXPECTED = "sentence pairs. Expected a task of `endoxa export task`, or crows_pairs of lm-evaluation-harness."
_LANGUAGES = {"english": "en", "french": "fr"}
_TYPES = {**dict.fromkeys(RECORD_COLUMNS, pl.String), **NUMBERS}


def holds(sample: Mapping[str, Any]) -> bool:
    """Whether a sample is a sentence pair."""
    return "sent_more" in sample.get("doc", {}) or "stereotypical" in (sample.get("metadata") or {})


def write_run(
    logs: Sequence[Log], folder: Path, _metadata: Path | None = None, _language: str | None = None
) -> dict[str, Any]:
    """Write the records in logs of one task into a run folder; what had no answer into `unscored.csv`.

    Returns:
        Facts for `run.json`.

    Raises:
        UserError: a log is damaged or of another task.
    """
    read = [(log, *records_of(log)) for log in logs]
    records = pl.concat([records for _, records, _ in read])
    unscored = [{"model": log.model, **row} for log, _, without in read for row in without]
    records.write_parquet(folder / RECORDS)
    if unscored:
        write_table(pl.DataFrame(unscored), folder / "unscored.csv")
    pairs = records.select(list(PAIR_COLUMNS)).unique().sort("item_id")
    content = json.dumps(pairs.rows(), default=str).encode()
    return {
        "rules": records["rule"].unique(maintain_order=True).to_list(),
        "data": {"path": logs[0].group, "sha256": hashlib.sha256(content).hexdigest(), "pairs": pairs.height},
        "counts": {"items": pairs.height, "records": records.height, "unscored": len(unscored)},
    }


def records_of(log: Log) -> tuple[pl.DataFrame, list[dict[str, str]]]:
    """Records of one log, a row for each pair, and the pairs without an answer (`item_id`, `reason`).

    Raises:
        UserError: the log is damaged or of another task.
    """
    unscored: list[dict[str, str]] = []
    if log.harness == HARNESS:
        rule, rows = LOGLIK, list(log.each(lambda sample: _scored(sample, log.task), EXPECTED))
    else:
        rule, (rows, unscored) = CHOICE, _choices(log)
    full = [{**dict.fromkeys(RECORD_COLUMNS), **row, "model": log.model, "rule": rule} for row in rows]
    return pl.DataFrame(full, schema=_TYPES), unscored


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


def _choices(log: Log) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """Pairs with the shares of answers that chose each sentence, and those that were never answered."""
    pairs: dict[str, dict[str, Any]] = {}
    chosen: defaultdict[str, list[str]] = defaultdict(list)
    for pair, answer in log.each(_choice, EXPECTED):
        pairs.setdefault(pair["item_id"], pair)
        chosen[pair["item_id"]].append(answer)
    rows, unscored = [], []
    for item_id, pair in pairs.items():
        more, less = (chosen[item_id].count(side) for side in ("more", "less"))
        if more + less:
            rows.append({**pair, "score_more": more / (more + less), "score_less": less / (more + less)})
        else:
            reasons = ", ".join(sorted(set(chosen[item_id])))
            unscored.append({"item_id": item_id, "reason": f"not answered ({reasons})"})
    return rows, unscored


def _choice(sample: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """A pair as its sentences were published, and which of them was chosen: 'more', 'less', or why none."""
    metadata = sample["metadata"]
    shown = ("more", "less") if str(sample["id"]).endswith("/a") else ("less", "more")
    sentences = dict(zip(shown, (str(metadata["first"]), str(metadata["second"])), strict=True))
    scores = sample.get("scores") or {}
    answer = str(scores["choice"]["answer"]) if scores else "failed"
    pair = {
        **{name: str(metadata[name]) for name in ("item_id", "language", "axis")},
        "identity": metadata.get("identity"),
        "direction": "unknown",  # the exported task does not hold the label
        "stereotypical": shown[int(metadata["stereotypical"]) - 1],
        "sent_more": sentences["more"],
        "sent_less": sentences["less"],
    }
    return pair, shown[int(answer) - 1] if answer in ("1", "2") else answer


LOGGED = Logged(holds, write_run, partial(analyze_run, keep=True))
"""What `endoxa analyze` and `endoxa report` need of these logs."""
