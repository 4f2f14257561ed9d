"""The same jobs through a provider's batch interface: handed in, waited for, fetched; half the price, up to a day.

All first turns go in together, then all second turns. The journal knows a batch before the provider does, with the
most that it can cost, so a run killed at any moment finds its batches again and hands in nothing twice.

Where a limit of cost does not allow all of them at their most, as many are handed in as it allows. When these have
ended, what they really took is known, usually far less, and the next go in.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from endoxa.errors import UserError
from endoxa.models.chat.spec import Submission
from endoxa.models.transport import room_for_results
from endoxa.runs.asking.calls import CHUNK, Asking, BudgetSpentError, sampling_of, unanswered
from endoxa.runs.asking.cost import Budget, worst
from endoxa.runs.asking.jobs import Answered, FirstAnswers, Job, broken_off, conversation, storable
from endoxa.runs.asking.journal import Batch
from endoxa.schema import Message, Sampling, Usage

if TYPE_CHECKING:
    from endoxa.models.chat.remote import BatchClient

POLL_SECONDS = 30.0
"""How often the provider is asked whether a batch is done."""
ROUNDS = 5
"""How often a turn is handed in whose answers did not come (expired, the provider's own trouble)."""
COMMIT = 1000
"""Answers committed together."""
SMALLEST = 10
"""Requests that a batch holds at least where the limit of cost allows no more at once; the last ones may be fewer."""

log = logging.getLogger(__name__)

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
    asyncio.run(_Batches(asking, client, jobs, poll).run(turns))


def fetch_ended(asking: Asking, client: BatchClient) -> None:
    """Take home what earlier batches answered, before the rest is asked one by one.

    Raises:
        UserError: a batch is still worked on, so that its questions would be asked and paid twice.
    """
    asyncio.run(_Batches(asking, client, list, None).run(0))


@dataclass(frozen=True, slots=True)
class _Batches:
    """The batches of one model.

    Attributes:
        asking: whom, and how.
        client: the provider's batch interface.
        jobs: gives all jobs of the model anew, numbered upwards.
        poll: seconds between two questions about a batch; None where nobody waits for those that have not ended.
    """

    asking: Asking
    client: BatchClient
    jobs: Callable[[], Iterable[Job]]
    poll: float | None

    async def run(self, turns: int) -> None:
        """Take home what was handed in earlier, then hand in and take home turn by turn."""
        asking = self.asking
        begins = asking.journal.count(asking.number) == 0
        try:
            for batch in asking.journal.batches(asking.number):
                asking.budget.claim(batch.worst, batched=True)
            await self.collect()
            for turn in range(turns):
                await self.ask_turn(turn, watched=begins)
        finally:
            await self.client.close()

    def require_readable(self, turn: int) -> None:
        """Stop before a turn is handed in where none of the first answers can be read.

        Raises:
            UserError: none can, and there is more to ask.
        """
        asking, chunk = self.asking, list(islice(self.jobs(), CHUNK))
        answered = asking.journal.answers(asking.number, chunk[0].number, chunk[-1].number) if chunk else {}
        first = FirstAnswers(watched=True)
        for job in chunk:
            for place, answer in enumerate(answered.get(job.number, ())):
                first.look(job, place, answer)
        if first.hopeless and next(self.requests(turn), None) is not None:
            first.require_readable(asking.model.name)

    async def ask_turn(self, turn: int, *, watched: bool) -> None:
        """Hand in a turn of every job and take its answers home, in as many batches as the limit of cost needs."""
        asking = self.asking
        rounds, warned = 0, False
        while rounds < ROUNDS:
            if watched:
                self.require_readable(turn)
            before = asking.journal.count(asking.number)
            handed_in, few = await self.hand_in(turn)
            if handed_in == 0:
                if few is not None:
                    # Nothing is under way, and the next batch is not covered by what is left of the budget.
                    name = asking.model.name
                    allowed = f"--max-cost allows only {few} more requests to {name}"
                    too_few = f"{allowed}, and a batch holds at least {SMALLEST}" if few else ""
                    raise BudgetSpentError(name, asking.budget, too_few=too_few)
                return
            if few is not None and not warned:
                warned = True
                log.warning(
                    "%s: --max-cost allows %s requests at once, each counted at its maximum cost; the others follow "
                    "when these have ended.",
                    asking.model.name,
                    f"{handed_in:,}",
                )
            await self.collect()
            # A round is lost where requests are still open although nothing was held back, or nothing came at all.
            rounds += few is None or asking.journal.count(asking.number) == before
        if next(self.requests(turn), None) is not None:
            raise UserError(
                f"{asking.model.name}: some answers are missing after {ROUNDS} batches. Finished work is kept; run "
                "the same command again, with or without --batch, to continue."
            )

    async def hand_in(self, turn: int) -> tuple[int, int | None]:
        """Hand in every job whose next unanswered turn is `turn`, as far as the budget allows.

        Returns:
            How many were handed in; and where others wait, because they could exceed the limit of cost, how many of
            these would not. None where none waits.
        """
        asking, client, handed_in = self.asking, self.client, 0
        for group in _groups(self.requests(turn), client.max_requests, client.max_bytes):
            count, most = _affordable(group, asking.budget)
            if count == 0 or count < SMALLEST < len(group):
                return handed_in, count
            asking.budget.claim(most, batched=True)
            submission = Submission(f"endoxa-{secrets.token_hex(12)}", count, await client.mark())
            asking.journal.begin_batch(asking.number, submission, most)
            batch_id = await client.submit(group[:count], submission)
            if batch_id is not None:
                asking.journal.name_batch(asking.number, submission.tag, batch_id)
            handed_in += count
            if count < len(group):
                return handed_in, 0
        return handed_in, None

    def requests(self, turn: int) -> Iterator[Request]:
        """The requests of a turn; jobs whose last answer failed are closed."""
        for job, answers in unanswered(self.jobs(), self.asking.number, self.asking.journal):
            if unasked := broken_off(job, answers):
                self.keep(unasked)
            elif len(answers) == turn:
                drawn = sampling_of(job, self.asking, turn)
                yield f"{job.number}-{len(answers)}", conversation(job, answers), drawn

    async def collect(self) -> None:
        """Take the answers of every batch under way home; where nobody waits, of those that have ended."""
        asking = self.asking
        for batch in asking.journal.batches(asking.number):
            with room_for_results(batch.submission.requests, asking.sampling.max_tokens):
                tag, usage = batch.submission.tag, Usage()
                batch_id = batch.batch_id or await self.find(batch)
                if batch_id is not None:
                    await self.wait(tag, batch_id)
                    usage = await self.fetch(batch_id)
                asking.journal.end_batch(asking.number, tag)
                asking.budget.settle(asking.budget.price_of(batch.worst, batched=True), usage, batched=True)

    async def find(self, batch: Batch) -> str | None:
        """The provider's id of a batch of which it is not known whether it arrived; None where it did not."""
        asking, tag = self.asking, batch.submission.tag
        lookup = await self.client.find(batch.submission)
        if lookup.state == "absent" and self.poll is not None:  # it may have been made a moment ago
            await asyncio.sleep(self.poll)
            lookup = await self.client.find(batch.submission)
        while lookup.state == "unfinished":
            await self.pause(
                f"the batch {lookup.batch_id} is not finished and may hold questions of this run"
            )
            lookup = await self.client.find(batch.submission)
        if lookup.state == "found":
            asking.journal.name_batch(asking.number, tag, lookup.batch_id)
            return lookup.batch_id
        if lookup.state == "unknown":  # it counts as paid
            asking.journal.lose_batch(asking.number, tag)
            asking.budget.lose(batch.worst, batched=True)
        return None

    async def pause(self, unfinished: str) -> None:
        """Wait before the provider is asked again; an error where nobody waits."""
        if self.poll is None:
            raise UserError(
                f"{self.asking.model.name}: {unfinished}; without it, its questions would be asked and paid for twice. "
                "Wait for it with --batch, or cancel it at the provider and run the same command again to fetch its "
                "answers."
            )
        self.asking.report(0)
        await asyncio.sleep(self.poll)

    async def wait(self, tag: str, batch_id: str) -> None:
        """Wait until a batch has ended."""
        while (status := await self.client.status(batch_id)).state == "working":
            done = f"{status.done} of {status.total} done"
            await self.pause(f"the batch {batch_id} is not finished ({done})")
        if status.state == "failed":
            self.asking.journal.end_batch(self.asking.number, tag)
            raise UserError(
                f"{self.asking.model.name}: the provider reports that the batch {batch_id} failed ({status.message})."
            )

    async def fetch(self, batch_id: str) -> Usage:
        """Keep the answers of a batch; returns the tokens they took."""
        answered: list[Answered] = []
        usage = Usage()
        async for name, answer in self.client.results(batch_id):
            job, turn = map(int, name.split("-"))
            if answer is not None:
                answered.append(Answered(job, turn, storable(answer), batched=True))
                usage += answer.usage
            if len(answered) >= COMMIT:
                self.keep(answered)
                answered = []
        self.keep(answered)
        return usage

    def keep(self, answered: Sequence[Answered]) -> None:
        """Commit answers to the journal."""
        self.asking.journal.add(self.asking.number, answered)
        self.asking.report(len(answered))


def _affordable(group: Sequence[Request], budget: Budget) -> tuple[int, Usage]:
    """How many of the requests, from the first, the budget allows at their most, and the most tokens these take."""
    most = Usage()
    for count, (_, messages, sampling) in enumerate(group):
        more = most + worst(messages, sampling)
        if not budget.fits(more, batched=True):
            return count, most
        most = more
    return len(group), most


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
