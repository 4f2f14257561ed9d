"""Logs of other harnesses: what lm-evaluation-harness (`--log_samples`) and Inspect write of every sample.

lm-evaluation-harness: `samples_TASK_DATE.jsonl`, one JSON object per line, with `results_DATE.json` beside it.
Inspect: `.json`, to which `inspect log convert` brings its archives (https://inspect.aisi.org.uk/eval-logs.html).
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

HARNESS, INSPECT = "lm-evaluation-harness", "Inspect"
ARCHIVE = ".eval"
_NAME = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d{2}-\d{2}T[\d.:-]+)")
_BEGINNING = 2000
_HEADER = re.compile(r'^\s*\{[^{\[]*"eval"\s*:\s*\{')
_WRONG = (ValueError, KeyError, TypeError, AttributeError, IndexError)


@dataclass(frozen=True, slots=True)
class Log:
    """What one model answered to one task.

    Attributes:
        path: the file.
        harness: `HARNESS` or `INSPECT`.
        model: as the harness was given it, else the name of the folder.
        task: name of the task.
        group: group of tasks that the harness ran it in, else the task: its pairs belong together.
    """

    path: Path
    harness: str
    model: str
    task: str
    group: str

    def samples(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Every sample, with words for where it is ("line 3").

        Raises:
            UserError: the file is damaged, or holds no samples.
        """
        any_sample = False
        for where, text in (_lines if self.harness == HARNESS else _listed)(self.path):
            any_sample = True
            try:
                sample = json.loads(whole_characters(text)) if isinstance(text, str) else text
            except ValueError as problem:
                raise UserError(f"{self.path}, {where} is no JSON: the log is damaged.") from problem
            yield where, sample
        if not any_sample:
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
    suffix = path.suffix.lower()
    if suffix == ARCHIVE:
        return True
    if suffix not in (".jsonl", ".json") or not path.is_file():
        return False
    with path.open(encoding="utf-8", errors="replace") as stream:
        start = stream.read(_BEGINNING)
    if suffix == ".json":
        return _HEADER.match(start) is not None
    return _NAME.fullmatch(path.stem) is not None or '"filtered_resps"' in start


def open_log(path: Path) -> Log:
    """The log in a file.

    Raises:
        UserError: there is no such file, or its header cannot be read.
    """
    require_file(path)
    if path.suffix.lower() == ".jsonl":
        named = _NAME.fullmatch(path.stem)
        task, facts = (named["task"], _results(path, named["date"])) if named else (path.stem, {})
        groups = facts.get("group_subtasks") or {}
        group = next((name for name, tasks in groups.items() if task in tasks), task)
        return Log(path, HARNESS, str(facts.get("model_name") or path.parent.name or "unknown"), task, group)
    if path.suffix.lower() == ARCHIVE:
        raise UserError(
            f"{path}: archives of Inspect are not read. Convert the log first: "
            f"inspect log convert {path} --to json --output-dir logs"
        )
    header = _document(path)
    try:
        model, task = str(header["eval"]["model"]), str(header["eval"]["task"]).rpartition("/")[2]
    except _WRONG as problem:
        raise UserError(f"{path} names no model and task: it is no log of Inspect.") from problem
    return Log(path, INSPECT, model, task, task)


def _results(path: Path, date: str) -> Mapping[str, Any]:
    """What the harness wrote beside the log (`results_DATE.json`); nothing where it is not there."""
    try:
        facts = json.loads(path.with_name(f"results_{date}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return facts if isinstance(facts, dict) else {}


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    with open_text(path, newline="\n") as stream:
        for number, line in enumerate(stream, start=1):
            if line.strip():
                yield f"line {number}", line


def _listed(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for sample in _document(path).get("samples") or ():
        yield f"sample {sample.get('id')!r}", sample


def _document(path: Path) -> Mapping[str, Any]:
    with open_text(path, newline="\n") as stream:
        text = stream.read()
    try:
        document = json.loads(whole_characters(text))
    except ValueError as problem:
        raise UserError(f"{path} is no JSON: the log is damaged ({problem}).") from problem
    if not isinstance(document, dict):
        raise UserError(f"{path} holds no JSON object: it is no log of Inspect.")
    return document
