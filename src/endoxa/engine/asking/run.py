"""A run folder from the first look at the data to its records: the same for every kind of run that asks.

One model of a run: looked at, asked, and what that took.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from endoxa.datasets.files import sha256
from endoxa.engine.asking.batches import ask_in_batches, fetch_ended
from endoxa.engine.asking.calls import Asking, Report, ask_all, counting_lost
from endoxa.engine.asking.cost import Budget, spent
from endoxa.engine.asking.jobs import Job
from endoxa.engine.asking.journal import AnswerJournal, Totals
from endoxa.engine.asking.plan import parse_models, prices, require_askable
from endoxa.engine.asking.settings import ChatRunSettings
from endoxa.engine.folder import JOURNAL, RUN, clear, now, open_folder, remove_journal, run_facts, write_json
from endoxa.engine.journal import JournalError
from endoxa.errors import UserError
from endoxa.models.chat import ChatSpec, open_chat, parse_chat_model
from endoxa.models.chat.prices import price_of
from endoxa.models.retrying import SilentError
from endoxa.schema import Message, Progress, Sampling, Usage


def find_silent(
    settings: ChatRunSettings, numbers: Iterable[int], journal: AnswerJournal
) -> dict[int, SilentError]:
    """Look at every model that is asked from here, before the first question; the models that do not answer.

    Weights are not loaded: they are looked at where the run's identity is made.

    Raises:
        UserError: wrong key, unknown model.
    """

    async def look(number: int) -> None:
        spec = parse_chat_model(settings.models[number])
        if spec.host.runs_here:
            return

        def lost(_messages: Sequence[Message], _sampling: Sampling, taken: Usage | None) -> None:
            if taken is not None:
                journal.add_lost(number, taken, known=True)

        chat = open_chat(spec, settings.options, lost)
        try:
            await chat.check()
        finally:
            await chat.close()

    async def look_at_all(several: Sequence[int]) -> list[BaseException | None]:
        return await asyncio.gather(*map(look, several), return_exceptions=True)

    several = list(numbers)
    found = dict(zip(several, asyncio.run(look_at_all(several)), strict=True))
    for problem in found.values():
        if problem is not None and not isinstance(problem, SilentError):
            raise problem
    return {number: problem for number, problem in found.items() if isinstance(problem, SilentError)}


def ask_model(
    settings: ChatRunSettings,
    number: int,
    journal: AnswerJournal,
    jobs: Callable[[], Iterable[Job]],
    *,
    turns: int,
    report: Report,
) -> dict[str, Any]:
    """Bring all answers of one model into the journal.

    Args:
        settings: the run's models, and how they are asked.
        number: which of the models.
        journal: where answers go.
        jobs: gives all jobs of the model anew, numbered upwards.
        turns: most turns of a job.
        report: told how many answers have come since the last time.

    Returns:
        The model's facts for `run.json`.

    Raises:
        UserError: no answer will come, or the budget is spent; what was answered is in the journal.
    """
    spec = parse_chat_model(settings.models[number])
    budget = _budget(settings, number, journal)
    chat = open_chat(spec, settings.options, counting_lost(number, journal, budget))
    asking = Asking(chat, number, settings.sampling, settings.options.concurrency, journal, budget, report)
    if settings.batch or journal.batches(number):
        from endoxa.models.chat import open_batch

        client = open_batch(spec, settings.options, worked=journal.worked(number))
        if settings.batch:
            asyncio.run(chat.close())  # it only names the model; the batches have a client of their own
            ask_in_batches(asking, client, jobs, turns)
            return dict(chat.describe())
        fetch_ended(asking, client)
    ask_all(asking, jobs())
    return dict(chat.describe())


def _budget(settings: ChatRunSettings, number: int, journal: AnswerJournal) -> Budget:
    """What this model may still spend: the limit less what all models have cost, or cost at most in batches."""
    specs = parse_models(settings.models)
    known = prices(settings, specs)
    already = 0.0
    for k, spec in enumerate(specs):
        already += spent(journal.totals(k), known[spec.text]) or 0.0
        if k != number:
            waiting = [Totals(1, batched=True, usage=batch.worst) for batch in journal.batches(k)]
            already += spent(waiting, known[spec.text]) or 0.0
    return Budget(settings.max_cost, known[specs[number].text], already)


def usage(settings: ChatRunSettings, number: int, journal: AnswerJournal) -> dict[str, Any]:
    """Calls, tokens and cost of one model, for `run.json`.

    "lost_calls" may be billed though no answer came: their tokens are not known, and are in the cost at their most.
    """
    totals = journal.totals(number)
    known = [one for one in totals if one.known]
    spec = parse_chat_model(settings.models[number])
    price = price_of(spec, settings.price)
    return {
        "calls": sum(one.calls for one in known),
        "prompt_tokens": sum(one.usage.prompt_tokens for one in known),
        "completion_tokens": sum(one.usage.completion_tokens for one in known),
        "reasoning_tokens": sum(one.usage.reasoning_tokens for one in known),
        "lost_calls": sum(one.calls for one in totals if not one.known),
        "errors": journal.errors(number),
        "cost_usd": spent(totals, price),
        "price": asdict(price) if price else None,
    }


def versions(specs: Sequence[ChatSpec]) -> dict[str, str]:
    """Versions of the libraries that reach these models and know their prices."""
    wanted = {name for spec in specs for name in spec.host.libraries}
    if any(spec.host.price for spec in specs):
        wanted.add("genai-prices")
    return {name: version(name) for name in sorted(wanted) if find_spec(name.replace("-", "_"))}


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
