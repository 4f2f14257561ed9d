"""Scores of sentence pairs that lm-evaluation-harness has logged (`--log_samples`), as records.

Read are logs of a task that `endoxa export lm-eval` wrote, and of the harness's own crows_pairs tasks. The harness
scores each sentence after an empty context, with the beginning-of-sequence token in front: the rule `sum-bos` (where
the tokenizer has no such token it puts the end-of-sequence token there). Its logs do not say which identity a pair of
CrowS-Pairs is about; that is taken from the words that differ, as from the published file. There are no scores with
neutral identities, so nothing is calibrated.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from endoxa.datasets.drafts import axis_of, direction_of
from endoxa.datasets.files import open_text, require_file
from endoxa.datasets.spans import differing_words
from endoxa.errors import UserError
from endoxa.schema import PAIR_COLUMNS

SUFFIX = ".jsonl"
RULE = "sum-bos"
_NAME = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d{2}-\d{2}T[\d.:-]+)")
_LANGUAGES = {"english": "en", "french": "fr"}


def read_log(path: Path) -> pl.DataFrame:
    """Records of one log of samples: a row for each pair.

    Args:
        path: `samples_TASK_DATE.jsonl`, in the folder where the harness wrote it; the model's name is taken from
            `results_DATE.json` beside it, else from the folder.

    Raises:
        UserError: the file is no such log, or of another task.
    """
    require_file(path)
    model, task = _model(path), _task(path)
    rows = [{**row, "model": model, "rule": RULE} for row in _rows(path, task)]
    if not rows:
        raise UserError(f"{path} holds no samples.")
    return pl.DataFrame(rows, infer_schema_length=None)


def _rows(path: Path, task: str) -> Iterator[dict[str, Any]]:
    with open_text(path, newline="\n") as stream:
        for number, line in enumerate(stream, start=1):
            if not line.strip():
                continue
            try:
                sample = json.loads(line)
                doc, scores = sample["doc"], _scores(sample)
                pair = _exported(doc) if "item_id" in doc else _published(doc, int(sample["doc_id"]), task)
                more, less = (scores[pair[name].strip()] for name in ("sent_more", "sent_less"))
            except (ValueError, KeyError, TypeError, AttributeError) as problem:
                raise UserError(
                    f"{path}, line {number} is no sample of sentence pairs logged by lm-evaluation-harness. Expected a "
                    "task of `endoxa export lm-eval`, or crows_pairs, run with --log_samples."
                ) from problem
            yield {**pair, "score_more": more, "score_less": less}


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


def _task(path: Path) -> str:
    named = _NAME.fullmatch(path.stem)
    return named["task"] if named else path.stem


def _model(path: Path) -> str:
    """The model as the harness was given it, else the name of the folder."""
    named = _NAME.fullmatch(path.stem)
    results = path.with_name(f"results_{named['date']}.json") if named else None
    try:
        facts = json.loads(results.read_text(encoding="utf-8")) if results else {}
    except (OSError, ValueError):
        facts = {}
    model = facts.get("model_name") if isinstance(facts, dict) else None
    return str(model or path.parent.name or "unknown")
