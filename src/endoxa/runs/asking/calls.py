"""Concurrent calls to a model: each job is asked until all its turns are answered, and nothing is asked twice.

A few workers share one iterator of jobs, so memory does not grow with their number. Answers are committed every half a
second, and at every end of the loop: a limit, an error, Ctrl-C. A kill loses at most that half second. A call that
costs is in the journal before it is sent, so that the next start knows what may have been billed without an answer.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Protocol

from endoxa.errors import UserError
from endoxa.models.chat.spec import Lost
from endoxa.models.chat.thoughts import spoken
from endoxa.runs.asking.cost import Budget, worst
from endoxa.runs.asking.jobs import Answered, FirstAnswers, Job, broken_off, conversation, storable
from endoxa.runs.asking.journal import AnswerJournal
from endoxa.runs.journal import chunked
from endoxa.schema import ChatAnswer, ChatModel, Message, Sampling, Usage
from endoxa.schema.chat import CountsTokens
from endoxa.schema.finish import LENGTH

COMMIT_SECONDS = 0.5
"""Answers that a kill can cost: those of so many seconds."""
SETTLE_SECONDS = 0.02
"""How long a call waits for money that others hold before it looks again."""
CHUNK = 1024
"""Jobs whose earlier answers are looked up together."""


class Report(Protocol):
    """Told how far asking a model is."""

    def __call__(self, new: int, detail: str = "", /) -> None:
        """Answers that have come since the last time, and what is under way besides."""
        ...


class BudgetSpentError(UserError):
    """The next call could cost more than is allowed.

    Args:
        name: the model.
        budget: what was spent.
        too_few: what is said where money is left, but not for a batch.
    """

    def __init__(self, name: str, budget: Budget, *, too_few: str = "") -> None:
        short = too_few or f"The next answer of {name} could exceed --max-cost"
        instead = ", or without --batch," if too_few else ""
        super().__init__(
            f"{short} (spent: ${budget.spent:.4f}). Finished work is kept; run the same command with a higher "
            f"--max-cost{instead} to continue."
        )


class ShortOfMoneyError(Exception):
    """A call may not be tried again as long as others hold the money for it."""


@dataclass(frozen=True, slots=True)
class Asking:
    """One model, and how it is asked.

    Attributes:
        model: the model.
        number: its number in the run.
        sampling: how answers are drawn; each job brings its own seed.
        concurrency: conversations under way at once.
        journal: where answers go.
        budget: what may be spent.
        report: told of progress.
        enough: tokens in which most answers that can be read are there; None where each is written to its end.
    """

    model: ChatModel
    number: int
    sampling: Sampling
    concurrency: int
    journal: AnswerJournal
    budget: Budget
    report: Report = lambda *_: None
    enough: int | None = None


@dataclass(slots=True)
class Fresh:
    """Answers that are not committed yet, and why no further one is asked for.

    Attributes:
        first: the first answers of the run, as long as none of them could be read.
        answers: those that are not committed.
        saved: when the last ones were.
        broke: the money has run out.
        thinks: the model was seen to think, so that no answer comes in few tokens.
    """

    first: FirstAnswers
    answers: list[Answered] = field(default_factory=list)
    saved: float = field(default_factory=time.monotonic)
    broke: bool = False
    thinks: bool = False


def ask_all(asking: Asking, jobs: Iterable[Job]) -> None:
    """Ask everything that the journal has no answer to.

    Args:
        asking: whom, and how.
        jobs: all jobs of the model, numbered upwards.

    Raises:
        UserError: no answer will come, or the budget is spent; what was answered is in the journal.
    """
    asyncio.run(_ask_all(asking, jobs))


async def _ask_all(asking: Asking, jobs: Iterable[Job]) -> None:
    waiting = unanswered(jobs, asking.number, asking.journal)
    fresh = Fresh(FirstAnswers(watched=asking.journal.count(asking.number) == 0))
    try:
        try:
            await asking.model.check()
        except ShortOfMoneyError:
            raise BudgetSpentError(asking.model.name, asking.budget) from None
        async with asyncio.TaskGroup() as tasks:
            saving = tasks.create_task(_save_regularly(asking, fresh))
            async with asyncio.TaskGroup() as workers:
                for _ in range(asking.concurrency):
                    workers.create_task(_work(asking, waiting, fresh))
            saving.cancel()
    except BaseExceptionGroup as problems:
        # All calls under way fail where a key is wrong or a server died: one of them without its groups.
        problem: BaseException = problems
        while isinstance(problem, BaseExceptionGroup):
            problem = problem.exceptions[0]
        raise problem from None
    finally:
        _commit(asking, fresh)
        await asking.model.close()
    if fresh.broke:
        raise BudgetSpentError(asking.model.name, asking.budget)
    fresh.first.require_readable(asking.model.name)


def sampling_of(job: Job, asking: Asking, turn: int) -> Sampling:
    """How the answer to one turn of a job is drawn."""
    drawn = asking.sampling if job.seed is None else asking.sampling.with_seed(job.seed)
    return replace(drawn, answer_schema=job.schemas[turn]) if job.schemas else drawn


def counting_lost(number: int, journal: AnswerJournal, budget: Budget) -> Lost:
    """Counts calls that may be billed without an answer, at their worst where the tokens are not known."""

    def lost(messages: Sequence[Message], sampling: Sampling, usage: Usage | None) -> None:
        if usage is None and budget.price is None:
            return
        billed = worst(messages, sampling) if usage is None else usage
        journal.add_lost(number, billed, counted=usage is not None)
        if not budget.lose(billed):
            raise ShortOfMoneyError

    return lost


def unanswered(
    jobs: Iterable[Job], model: int, journal: AnswerJournal
) -> Iterator[tuple[Job, list[ChatAnswer]]]:
    """Jobs that lack answers, each with the answers it has."""
    for _, chunk in chunked(jobs, CHUNK):
        answers_by_job = journal.answers(model, chunk[0].number, chunk[-1].number)
        for job in chunk:
            answers = answers_by_job.get(job.number, [])
            if len(answers) < len(job.turns):
                yield job, answers


async def _work(asking: Asking, waiting: Iterator[tuple[Job, list[ChatAnswer]]], fresh: Fresh) -> None:
    """Have one conversation after the other; calls under way are finished when the money runs out."""
    for job, earlier in waiting:
        if fresh.first.hopeless:
            return
        answers = list(earlier)
        while len(answers) < len(job.turns):
            if unasked := broken_off(job, answers):
                fresh.answers += unasked
                break
            answer = await _ask(asking, job, answers, fresh)
            if answer is None:
                fresh.broke = True
                return
            fresh.first.look(job, len(answers), answer)
            fresh.answers.append(Answered(job.number, len(answers), answer))
            answers.append(answer)
            if time.monotonic() - fresh.saved > COMMIT_SECONDS:
                _commit(asking, fresh)


async def _save_regularly(asking: Asking, fresh: Fresh) -> None:
    """Commit what has come while no worker gets to it, because all of them wait for slow answers.

    What is written of answers under way is shown meanwhile.
    """
    while True:
        await asyncio.sleep(COMMIT_SECONDS)
        if fresh.answers:
            _commit(asking, fresh)
        elif isinstance(asking.model, CountsTokens) and asking.model.tokens_written:
            asking.report(0, f"{asking.model.tokens_written:,} tokens")


async def _ask(asking: Asking, job: Job, answers: Sequence[ChatAnswer], fresh: Fresh) -> ChatAnswer | None:
    """The next answer of a conversation; None where there is no money for it."""
    messages = conversation(job, answers)
    sampling = sampling_of(job, asking, len(answers))
    respondent_facts = {**job.told, "turn": len(answers), "turns": len(job.turns)}
    readable = job.readable[len(answers)] if len(answers) < len(job.readable) else None
    enough = None if readable is None or fresh.thinks else asking.enough
    most = worst(messages, sampling)
    while (reserved := await _money(asking, most)) is not None:
        usage = Usage()
        try:
            with _begun(asking, job, len(answers), most):
                few = sampling if enough is None else replace(sampling, max_tokens=enough)
                answer = await asking.model.ask(messages, few, respondent_facts)
                # With its seed an answer begins as before: what the user asked for decides where nothing is read.
                if readable and enough and answer.finish == LENGTH and not readable(spoken(answer).text):
                    fresh.thinks |= bool(spoken(answer).reasoning)
                    answer = await asking.model.ask(messages, sampling, respondent_facts)
        except ShortOfMoneyError:
            continue
        else:
            usage = answer.usage
            return storable(answer)
        finally:
            asking.budget.settle(reserved, usage)
    return None


@contextmanager
def _begun(asking: Asking, job: Job, turn: int, most: Usage) -> Iterator[None]:
    """Around a call: the journal knows of one that costs until its answer is committed, or it was refused.

    Of a call that is cancelled or killed nobody knows what became of it: it stays, and the next start counts it.
    """
    if asking.budget.price is None:
        yield
        return
    asking.journal.begin_call(asking.number, job.number, turn, most)
    try:
        yield
    except (UserError, ShortOfMoneyError):
        asking.journal.end_call(asking.number, job.number, turn)
        raise


async def _money(asking: Asking, usage: Usage) -> float | None:
    """Money set aside for a call, once calls under way have turned out cheaper than feared; None where it is short."""
    while (reserved := asking.budget.hold(usage)) is None and asking.budget.calls:
        await asyncio.sleep(SETTLE_SECONDS)
    return reserved


def _commit(asking: Asking, fresh: Fresh) -> None:
    answers, fresh.answers, fresh.saved = fresh.answers, [], time.monotonic()
    asking.journal.add(asking.number, answers)
    asking.report(len(answers))
