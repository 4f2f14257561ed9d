"""A run folder from the first look at the data to its records: the same for every kind of run that asks."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from endoxa.datasets.files import sha256
from endoxa.errors import UserError
from endoxa.probe.asking.job import Job
from endoxa.probe.asking.journal import AnswerJournal
from endoxa.probe.asking.models import parse_models, require_askable
from endoxa.probe.asking.one_model import ask_model, find_silent, usage, versions
from endoxa.probe.asking.run import Report
from endoxa.probe.asking.settings import ChatRunSettings
from endoxa.probe.folder import JOURNAL, RUN, clear, open_folder, remove_journal, write_json
from endoxa.probe.journal_file import JournalError
from endoxa.probe.run_facts import now, run_facts
from endoxa.schema import Progress

log = logging.getLogger(__name__)

Score = Callable[[int, AnswerJournal, Report], dict[str, Any]]
"""Brings what a model of this number has to say into the journal without asking it; returns its facts."""


@dataclass(frozen=True, slots=True)
class Task:
    """What one kind of run does its own way.

    Attributes:
        kind: as `run.json` has it ("stories").
        settings: the run's settings.
        identity: everything that decides the answers.
        data: what `run.json` says of the data; `look_through` may still complete it.
        look_through: reads the data once, notices what is there twice, and counts the items.
        jobs: gives all jobs of a model anew, numbered upwards.
        turns: messages of each job.
        calls: calls that one item takes of one model.
        write: writes the records into the run folder, and counts what `run.json` keeps.
        files: SHA-256 of each file that is read again when the records are written.
        score: in the place of asking, or None.
    """

    kind: str
    settings: ChatRunSettings
    identity: dict[str, Any]
    data: Mapping[str, Any]
    look_through: Callable[[AnswerJournal], int]
    jobs: Callable[[], Iterable[Job]]
    turns: int
    calls: int
    write: Callable[[AnswerJournal, Path], dict[str, int]]
    files: Mapping[Path, str] = field(default_factory=dict)
    score: Score | None = None


@dataclass(frozen=True, slots=True)
class Filled:
    """What a run did.

    Attributes:
        folder: the run folder.
        counts: items ("items") and whatever else the kind of run counts.
        cost: US dollars by model; None where the price is not known.
        errors: conversations that ended with an error, by model.
        was_complete: the run had been finished before; nothing was asked.
    """

    folder: Path
    counts: Mapping[str, int]
    cost: Mapping[str, float | None]
    errors: Mapping[str, int]
    was_complete: bool


def fill(task: Task, out: Path, *, restart: bool, progress: Progress, command: Sequence[str]) -> Filled:
    """Ask every model everything, and write the run folder `out`.

    A run that was killed continues; a finished one is left as it is, unless what ended with an error is to be asked
    again. A model that fails does not stop the others.

    Raises:
        UserError: anything the user can mend: data, model, key, money, folder.
    """
    settings = task.settings
    specs = parse_models(settings.models)
    require_askable(settings, specs)
    before = open_folder(out, task.identity, restart=restart)
    if before and before.get("finished") and not (settings.retry_errors and (out / JOURNAL).exists()):
        return _filled(out, before, was_complete=True)
    info = run_facts(
        task.kind,
        settings,
        task.identity,
        command,
        created=before["created"] if before else now(),
        own={"notice": settings.notice, "data": dict(task.data), "models": []},
    )
    info["versions"] |= versions(specs)
    journal = AnswerJournal(out / JOURNAL)  # from here on the folder is ours alone
    try:
        if restart:
            clear(out)
            journal.clear()
        write_json(out / RUN, info)
        progress("reading the data", 0, 0)
        items = task.look_through(journal)
        info["data"] = dict(task.data)
        info["models"] = _ask_all_models(task, items, journal, progress)
        _require_unchanged(task.files)
        progress("writing records", 0, items)
        info["counts"] = {"items": items, **task.write(journal, out)}
        info["usage"] = {name: usage(settings, k, journal) for k, name in enumerate(settings.models)}
    finally:
        journal.close()
    info["finished"] = now()
    write_json(out / RUN, info)
    filled = _filled(out, info, was_complete=False)
    if not any(filled.errors.values()):
        remove_journal(out)  # otherwise --retry-errors goes on from it
    return filled


def _ask_all_models(
    task: Task, items: int, journal: AnswerJournal, progress: Progress
) -> list[dict[str, Any]]:
    """Bring the answers of all models into the journal; returns the models' facts.

    Raises:
        UserError: what went wrong with the models that could not be asked to the end.
    """
    settings = task.settings
    numbers = range(len(settings.models))
    if settings.retry_errors:
        for number in numbers:
            journal.forget_errors(number)
    open_ones = [number for number in numbers if journal.count(number) < items * task.calls]
    progress("looking at the models", 0, 0)
    failed: dict[int, UserError] = {} if task.score else dict(find_silent(settings, open_ones, journal))
    facts = []
    for number in numbers:
        try:
            if number not in failed:
                facts.append(_ask_one(task, number, items, journal, progress))
        except JournalError:
            raise
        except UserError as problem:
            failed[number] = problem
        if number in failed and len(settings.models) > 1:
            log.warning("%s The other models are asked all the same.", failed[number])
    if failed:
        raise _together(failed, len(settings.models))
    return facts


def _ask_one(
    task: Task, number: int, items: int, journal: AnswerJournal, progress: Progress
) -> dict[str, Any]:
    """Bring the answers of one model into the journal; returns the model's facts."""
    done = journal.count(number)

    def report(new: int) -> None:
        nonlocal done
        done += new
        progress(f"asking {task.settings.models[number]}", done, items * task.calls)

    report(0)
    if task.score is not None:
        return task.score(number, journal, report)
    return ask_model(task.settings, number, journal, task.jobs, turns=task.turns, report=report)


def _together(failed: Mapping[int, UserError], models: int) -> UserError:
    """What is said at the end of a run in which models failed."""
    if models == 1:
        return failed[0]
    said = " ".join(str(problem) for _, problem in sorted(failed.items()))
    return UserError(
        f"{len(failed)} of {models} models could not be asked to the end, and the others were. {said}"
    )


def _require_unchanged(files: Mapping[Path, str]) -> None:
    """Refuse to write records of other data than was asked about.

    Raises:
        UserError: a file is not what it was when the run began.
    """
    for path, expected in files.items():
        if not path.is_file() or sha256(path) != expected:
            raise UserError(
                f"{path} was changed while the run was under way, so answers could be put beside the wrong questions: "
                "put the file back as it was and give the same command, or start over with --restart."
            )


def _filled(out: Path, info: Mapping[str, Any], *, was_complete: bool) -> Filled:
    """What a finished run did, from its `run.json`."""
    used: Mapping[str, Mapping[str, Any]] = info["usage"]
    return Filled(
        out,
        info["counts"],
        {name: use["cost_usd"] for name, use in used.items()},
        {name: use.get("errors", 0) for name, use in used.items()},
        was_complete,
    )
