"""The same jobs through a provider's batch interface: handed in, waited for, fetched; half the price, up to a day.

All first turns go in together, then all second turns. The journal knows a batch before the provider does, with the
most that it can cost, so a run killed at any moment finds its batches again and hands in nothing twice.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from operator import add
from typing import TYPE_CHECKING

from endoxa.engine.asking.calls import Asking, budget_spent, sampling_of, unanswered
from endoxa.engine.asking.cost import worst
from endoxa.engine.asking.jobs import Answered, Job, broken_off, conversation, storable
from endoxa.engine.asking.journal import Batch
from endoxa.errors import UserError
from endoxa.schema import ChatAnswer, Message, Sampling, Usage

if TYPE_CHECKING:
    from endoxa.models.chat import BatchClient

POLL_SECONDS = 30.0
"""How often the provider is asked whether a batch is done."""
ROUNDS = 5
"""How often a turn is handed in whose answers did not come (expired, the provider's own trouble)."""
COMMIT = 1000
"""Answers committed together."""

Request = tuple[str, list[Message], Sampling]


def ask_in_batches(
    asking: Asking,
    client: BatchClient,
    jobs: Callable[[], Iterable[Job]],
    turns: int,
    *,
    poll: float = POLL_SECONDS,
) -> None:
    """Ask everything that the journal has no answer to, in batches.

    Args:
        asking: whom, and how; its model is only named, nothing is asked one by one.
        client: the provider's batch interface.
        jobs: gives all jobs of the model anew, numbered upwards.
        turns: most turns of a job.
        poll: seconds between two questions about a batch.

    Raises:
        UserError: the provider refused a batch, answers failed to come `ROUNDS` times, or the budget is spent.
    """
    asyncio.run(_ask_in_batches(asking, client, jobs, turns, poll))


def fetch_ended(asking: Asking, client: BatchClient) -> None:
    """Take home what earlier batches answered, before the rest is asked one by one.

    Raises:
        UserError: a batch is still worked on, so that its questions would be asked and paid twice.
    """
    asyncio.run(_fetch_ended(asking, client))


async def _fetch_ended(asking: Asking, client: BatchClient) -> None:
    try:
        _claim(asking)
        await _collect(asking, client, poll=None)
    finally:
        await client.close()


async def _ask_in_batches(
    asking: Asking, client: BatchClient, jobs: Callable[[], Iterable[Job]], turns: int, poll: float
) -> None:
    try:
        _claim(asking)
        await _collect(asking, client, poll)
        for turn in range(turns):
            for _ in range(ROUNDS):
                handed_in = await _hand_in(asking, client, jobs(), turn)
                if not handed_in:
                    break
                await _collect(asking, client, poll)
            else:
                raise UserError(
                    f"{asking.model.name}: some answers are missing after {ROUNDS} batches. Finished work is kept; run "
                    "the same command again, with or without --batch, to continue."
                )
    finally:
        await client.close()


def _claim(asking: Asking) -> None:
    """Set aside what the batches cost at most that an earlier process handed in."""
    for batch in asking.journal.batches(asking.number):
        asking.budget.claim(batch.worst, batched=True)


async def _hand_in(asking: Asking, client: BatchClient, jobs: Iterable[Job], turn: int) -> int:
    """Hand in every job whose next unanswered turn is `turn`; returns how many there were."""
    handed_in = 0
    requests = (
        _request(job, answers, sampling_of(job, asking, turn))
        for job, answers in _open(asking, jobs)
        if len(answers) == turn
    )
    for group in _groups(requests, client.max_requests, client.max_bytes):
        most = _worst(group)
        if asking.budget.hold(most, batched=True) is None:
            raise budget_spent(asking.model.name, asking.budget, handed_in=handed_in > 0)
        tag = f"endoxa-{secrets.token_hex(12)}"
        asking.journal.begin_batch(asking.number, tag, most)
        batch_id = await client.submit(group, tag=tag)
        asking.journal.name_batch(asking.number, tag, batch_id)
        handed_in += len(group)
    return handed_in


def _open(asking: Asking, jobs: Iterable[Job]) -> Iterator[tuple[Job, list[ChatAnswer]]]:
    """Jobs that can go on; those whose last answer failed are closed."""
    for job, answers in unanswered(jobs, asking.number, asking.journal):
        if unasked := broken_off(job, answers):
            _keep(asking, unasked)
        else:
            yield job, answers


def _request(job: Job, answers: Sequence[ChatAnswer], sampling: Sampling) -> Request:
    return f"{job.number}-{len(answers)}", conversation(job, [answer.text for answer in answers]), sampling


def _worst(group: Sequence[Request]) -> Usage:
    """The most tokens that a batch can take."""
    return reduce(add, (worst(messages, sampling) for _, messages, sampling in group), Usage())


def _groups(requests: Iterable[Request], most: int, most_bytes: int) -> Iterator[list[Request]]:
    """Requests in groups that the provider takes; half its bytes are left for what JSON adds."""
    group: list[Request] = []
    size = 0
    for request in requests:
        length = sum(len(message.content.encode()) for message in request[1]) + 500
        if group and (len(group) >= most or size + length > most_bytes // 2):
            yield group
            group, size = [], 0
        group.append(request)
        size += length
    if group:
        yield group


async def _collect(asking: Asking, client: BatchClient, poll: float | None) -> None:
    """Take the answers of every batch under way home; where `poll` is None, those that have ended."""
    for batch in asking.journal.batches(asking.number):
        taken = Usage()
        batch_id = batch.batch_id or await _found(asking, client, batch)
        if batch_id is not None:
            await _wait(asking, client, batch.tag, batch_id, poll)
            taken = await _fetch(asking, client, batch_id)
        asking.journal.end_batch(asking.number, batch.tag)
        asking.budget.settle(asking.budget.price_of(batch.worst, batched=True), taken, batched=True)


async def _found(asking: Asking, client: BatchClient, batch: Batch) -> str | None:
    """The provider's id of a batch of which only our tag is known."""
    ids = await client.find(batch.tag)
    if ids is None:  # nobody can tell whether it is worked on: it counts as paid
        asking.journal.add_lost(asking.number, batch.worst, known=False, batched=True)
        asking.budget.lose(batch.worst, batched=True)
    return ids[0] if ids else None


async def _wait(asking: Asking, client: BatchClient, tag: str, batch_id: str, poll: float | None) -> None:
    while (status := await client.status(batch_id)).state == "working":
        if poll is None:
            raise UserError(
                f"{asking.model.name}: the batch {batch_id} is not finished ({status.done} of {status.total} done); "
                "without it, its questions would be asked and paid for twice. Wait for it with --batch, or cancel "
                "it at "
                "the provider and run the same command again to fetch its answers."
            )
        asking.report(0)
        await asyncio.sleep(poll)
    if status.state == "failed":
        asking.journal.end_batch(asking.number, tag)
        raise UserError(
            f"{asking.model.name}: the provider reports that the batch {batch_id} failed ({status.message})."
        )


async def _fetch(asking: Asking, client: BatchClient, batch_id: str) -> Usage:
    """Keep the answers of a batch; returns the tokens they took."""
    answered: list[Answered] = []
    taken = Usage()
    async for name, answer in client.results(batch_id):
        job, turn = map(int, name.split("-"))
        if answer is not None:
            answered.append(Answered(job, turn, storable(answer), batched=True))
            taken += answer.usage
        if len(answered) >= COMMIT:
            _keep(asking, answered)
            answered = []
    _keep(asking, answered)
    return taken


def _keep(asking: Asking, answered: Sequence[Answered]) -> None:
    asking.journal.add(asking.number, answered)
    asking.report(len(answered))
