"""Concurrent callers who wait together are answered together."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from typing import Generic, TypeVar

GATHERING = 0.01
"""Seconds given to callers that have just been answered to come back, before a batch that is not full starts."""

Request = TypeVar("Request")
Result = TypeVar("Result")


@dataclass(slots=True, eq=False)
class _Caller(Generic[Request, Result]):
    request: Request
    future: asyncio.Future[Result]

    def answer(self, result: Result) -> None:
        if not self.future.done():
            self.future.set_result(result)


class Batch(Generic[Request, Result]):
    """Requests that are computed together, as the thread sees them that computes them."""

    def __init__(
        self,
        callers: list[_Caller[Request, Result]],
        waiting: Callable[[int], list[_Caller[Request, Result]]] = lambda _most: [],
    ) -> None:
        self._callers, self._waiting = callers, waiting
        self._loop = asyncio.get_running_loop()
        self._abandoned = threading.Event()
        self._done = 0  # callers in front who have their answers: asked after at every layer
        self.requests = [caller.request for caller in callers]

    def more(self, most: int) -> list[tuple[int, Request]]:
        """Requests that have come in the meantime, with their numbers: they belong to the batch from now on."""
        before = len(self._callers)
        self._callers += self._waiting(most)
        self.requests += [caller.request for caller in self._callers[before:]]
        return list(enumerate(self.requests))[before:]

    def abandoned(self) -> bool:
        """Whether nobody waits for the batch any more; it may then end with any results."""
        while self._done < len(self._callers) and self._callers[self._done].future.done():
            self._done += 1
        return self._abandoned.is_set() or self._done == len(self._callers)

    def deliver(self, number: int, result: Result) -> None:
        """Hand out the result of one request while the others are computed."""
        self._loop.call_soon_threadsafe(self._callers[number].answer, result)

    def give_up(self) -> None:
        """Cancel the callers and tell the thread."""
        for caller in self._callers:
            caller.future.cancel()
        self._abandoned.set()


Compute = Callable[[Batch[Request, Result]], Sequence[Result]]
"""Results of a batch in its order."""


class Batcher(Generic[Request, Result]):
    """Gathers requests of concurrent callers into batches, and computes one batch after the other in a thread.

    No more is held than what callers wait for.

    Args:
        compute: computes a batch; its errors reach every caller of the batch, and no other.
        alike: requests with the same value may share a batch.
        size: most requests in a batch.
    """

    def __init__(
        self, compute: Compute[Request, Result], alike: Callable[[Request], Hashable], size: int
    ) -> None:
        self._compute, self._alike, self._size = compute, alike, size
        self._callers: list[_Caller[Request, Result]] = []
        self._taking = threading.Lock()
        self._serving: asyncio.Task[None] | None = None

    async def submit(self, request: Request) -> Result:
        """The result of `request`, computed with whatever else waits.

        Raises:
            Exception: what `compute` raised for the batch.
        """
        loop = asyncio.get_running_loop()
        caller: _Caller[Request, Result] = _Caller(request, loop.create_future())
        with self._taking:
            self._callers.append(caller)
        if self._serving is None or self._serving.done():
            self._serving = loop.create_task(self._serve())
        return await caller.future

    async def close(self) -> None:
        """Give up what is under way and what waits; callers are cancelled."""
        if self._serving is not None and not self._serving.done():
            self._serving.cancel()
            await asyncio.wait([self._serving])
        for caller in self._callers:
            caller.future.cancel()
        self._callers = []

    async def _serve(self) -> None:
        """Answer batch after batch until nobody waits."""
        while self._callers:
            if len(self._callers) < self._size:
                await asyncio.sleep(GATHERING)
            batch = self._next()
            if batch:
                await self._answer(batch)

    def _next(self) -> list[_Caller[Request, Result]]:
        """Take the caller who waits longest, and those who can share a batch with it."""
        with self._taking:
            waiting = [caller for caller in self._callers if not caller.future.done()]
            kind = self._alike(waiting[0].request) if waiting else None
            batch = [caller for caller in waiting if self._alike(caller.request) == kind][: self._size]
            in_batch = set(map(id, batch))
            self._callers = [caller for caller in waiting if id(caller) not in in_batch]
        return batch

    def _more(self, kind: Hashable, most: int) -> list[_Caller[Request, Result]]:
        """Take callers who can join a batch, until one who cannot has waited longest."""
        with self._taking:
            waiting = [caller for caller in self._callers if not caller.future.done()]
            joining = list(takewhile(lambda caller: self._alike(caller.request) == kind, waiting))[:most]
            self._callers = waiting[len(joining) :]
        return joining

    async def _answer(self, batch: list[_Caller[Request, Result]]) -> None:
        together = Batch(batch, partial(self._more, self._alike(batch[0].request)))
        work = asyncio.ensure_future(asyncio.to_thread(self._compute, together))
        try:
            results = await asyncio.shield(work)
        except asyncio.CancelledError:
            together.give_up()
            # A thread cannot be cancelled: it is told, and waited for.
            await asyncio.wait([work])
            raise
        except Exception as problem:  # whatever it is, those who wait for it must hear of it
            for caller in batch:
                if not caller.future.done():
                    caller.future.set_exception(problem)
        else:
            for caller, result in zip(batch, results, strict=True):
                caller.answer(result)
