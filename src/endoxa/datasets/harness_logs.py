"""Logs of samples that lm-evaluation-harness writes (`--log_samples`): one JSON object per line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from endoxa.datasets.files import open_text, require_file
from endoxa.errors import UserError

T = TypeVar("T")

SUFFIX = ".jsonl"
_NAME = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d{2}-\d{2}T[\d.:-]+)")


def read_samples(path: Path, read: Callable[[dict[str, Any]], T], expected: str) -> Iterator[T]:
    """What `read` makes of each sample.

    Args:
        path: `samples_TASK_DATE.jsonl`.
        read: given a sample; a `ValueError`, `KeyError`, `TypeError` or `AttributeError` says that it is of another
            task.
        expected: which samples can be read, for the error: "sentence pairs ... Expected a task ...".

    Raises:
        UserError: the file holds no samples, or some of another task.
    """
    require_file(path)
    found = False
    with open_text(path, newline="\n") as stream:
        for number, line in enumerate(stream, start=1):
            if not line.strip():
                continue
            found = True
            try:
                yield read(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError) as problem:
                raise UserError(f"{path}, line {number} is no sample of {expected}") from problem
    if not found:
        raise UserError(f"{path} holds no samples.")


def task_of(path: Path) -> str:
    """The task, from the file's name."""
    named = _NAME.fullmatch(path.stem)
    return named["task"] if named else path.stem


def model_of(path: Path) -> str:
    """The model as the harness was given it (`results_DATE.json` beside the log), else the name of the folder."""
    named = _NAME.fullmatch(path.stem)
    results = path.with_name(f"results_{named['date']}.json") if named else None
    try:
        facts = json.loads(results.read_text(encoding="utf-8")) if results else {}
    except (OSError, ValueError):
        facts = {}
    model = facts.get("model_name") if isinstance(facts, dict) else None
    return str(model or path.parent.name or "unknown")
