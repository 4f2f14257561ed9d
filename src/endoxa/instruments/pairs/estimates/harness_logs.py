"""Scores of sentence pairs that lm-evaluation-harness has logged (`--log_samples`), as records.

Read are logs of a task that `endoxa export lm-eval` wrote, and of the harness's own crows_pairs tasks. The harness
scores each sentence after an empty context, with the beginning-of-sequence token in front: the rule `sum-bos` (where
the tokenizer has no such token it puts the end-of-sequence token there). Its logs do not say which identity a pair of
CrowS-Pairs is about; that is taken from the words that differ, as from the published file. There are no scores with
neutral identities, so nothing is calibrated.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.datasets.drafts import axis_of, direction_of
from endoxa.datasets.harness_logs import model_of, read_samples, task_of
from endoxa.datasets.spans import differing_words
from endoxa.schema import PAIR_COLUMNS

RULE = "sum-bos"
EXPECTED = (
    "sentence pairs logged by lm-evaluation-harness. Expected a task of `endoxa export lm-eval`, or crows_pairs, run "
    "with --log_samples."
)
_LANGUAGES = {"english": "en", "french": "fr"}


def read_log(path: Path) -> pl.DataFrame:
    """Records of one log of samples: a row for each pair.

    Args:
        path: `samples_TASK_DATE.jsonl`, in the folder where the harness wrote it; the model's name is taken from
            `results_DATE.json` beside it, else from the folder.

    Raises:
        UserError: the file is no such log, or of another task.
    """
    model, task = model_of(path), task_of(path)
    rows = [
        {**row, "model": model, "rule": RULE}
        for row in read_samples(path, lambda sample: _row(sample, task), EXPECTED)
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def _row(sample: Mapping[str, Any], task: str) -> dict[str, Any]:
    """A pair with its scores."""
    doc, scores = sample["doc"], _scores(sample)
    pair = _exported(doc) if "item_id" in doc else _published(doc, int(sample["doc_id"]), task)
    more, less = (scores[pair[name].strip()] for name in ("sent_more", "sent_less"))
    return {**pair, "score_more": more, "score_less": less}


def _scores(sample: Mapping[str, Any]) -> dict[str, float]:
    """Log-likelihood of each continuation, by its text."""
    texts = [str(one["arg_1"]).strip() for one in sample["arguments"].values()]
    found = [float(one[0]) for one in sample["filtered_resps"]]
    return dict(zip(texts, found, strict=True))


def _exported(doc: Mapping[str, Any]) -> dict[str, Any]:
    """A pair of our own task, which says everything."""
    return {name: doc[name] for name in PAIR_COLUMNS if name in doc}


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
