"""Logs of lm-evaluation-harness: what it writes of every sample with `--log_samples`.

`samples_TASK_DATE.jsonl` has one JSON object per line; `results_DATE.json` lies beside it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from endoxa.errors import UserError
from endoxa.schema.characters import whole_characters
from endoxa.sources.dialects import open_text
from endoxa.sources.files import require_file

T = TypeVar("T")

_NAME = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d{2}-\d{2}T[\d.:-]+)")
_BEGINNING = 2000
_WRONG = (ValueError, KeyError, TypeError, AttributeError, IndexError)


@dataclass(frozen=True, slots=True)
class Log:
    """What one model answered to one task.

    Attributes:
        path: the file.
        model: as the harness was given it, else the name of the folder.
        task: name of the task.
        group: group of tasks that the harness ran it in, else the task: its pairs belong together.
    """

    path: Path
    model: str
    task: str
    group: str

    def samples(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Every sample, with words for where it is ("line 3").

        Raises:
            UserError: the file is damaged, or holds no samples.
        """
        where = ""
        with open_text(self.path, newline="\n") as stream:
            for number, line in enumerate(stream, start=1):
                if line.strip():
                    where = f"line {number}"
                    try:
                        yield where, json.loads(whole_characters(line))
                    except ValueError as problem:
                        raise UserError(f"{self.path}, {where} is no JSON: the log is damaged.") from problem
        if not where:
            raise UserError(f"{self.path} holds no samples.")

    def each(self, read: Callable[[Mapping[str, Any]], T], expected: str) -> Iterator[T]:
        """What `read` makes of each sample.

        Args:
            read: given a sample; an error such as `KeyError` or `ValueError` says that it is of another task.
            expected: which samples can be read, for the error: "sentence pairs. Expected a task ...".

        Raises:
            UserError: the log holds no samples, or some of another task.
        """
        for where, sample in self.samples():
            try:
                yield read(sample)
            except _WRONG as problem:
                raise UserError(f"{self.path}, {where} is no sample of {expected}") from problem


def is_log(path: Path) -> bool:
    """Whether a file is such a log, by its name and first characters."""
    if path.suffix.lower() != ".jsonl" or not path.is_file():
        return False
    with path.open(encoding="utf-8", errors="replace") as stream:
        return _NAME.fullmatch(path.stem) is not None or '"filtered_resps"' in stream.read(_BEGINNING)


def open_log(path: Path) -> Log:
    """The log in a file.

    Raises:
        UserError: there is no such file, or nothing in it.
    """
    require_file(path)
    named = _NAME.fullmatch(path.stem)
    task, facts = (named["task"], _results(path, named["date"])) if named else (path.stem, {})
    groups = facts.get("group_subtasks") or {}
    group = next((name for name, tasks in groups.items() if task in tasks), task)
    return Log(path, str(facts.get("model_name") or path.parent.name or "unknown"), task, group)


def _results(path: Path, date: str) -> Mapping[str, Any]:
    """What the harness wrote beside the log (`results_DATE.json`); nothing where it is not there."""
    try:
        facts = json.loads(path.with_name(f"results_{date}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return facts if isinstance(facts, dict) else {}
