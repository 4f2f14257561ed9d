"""Models whose copies are in workers of a Ray cluster, with the interfaces of those in this process.

A worker that dies is started again by Ray, on another machine where its own is gone, and what it was doing is done
again. Work that kills its worker twice is halved: most often memory ran out.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from logging.handlers import MemoryHandler
from threading import current_thread, main_thread
from typing import Any

from endoxa.errors import UserError, installation
from endoxa.runs.options import EngineOptions
from endoxa.schema import Architecture, Model, Request, Score, Unscorable
from endoxa.schema.chat import ChatAnswer, ChatModel, Message, Sampling
from endoxa.schema.typed import is_typed

try:
    import ray
    from ray import exceptions
except ImportError as problem:
    raise UserError(
        f"--set engine=ray needs a library that is not installed: {installation('scale')}."
    ) from problem

log = logging.getLogger(__name__)

AHEAD = 2
"""Pieces of work that a worker has: one that it does, one that waits."""
DEATHS = 2
"""Workers that may die of a piece of work before it is halved."""
ROOM = 30.0
"""Seconds after which a run says that it waits for room on the cluster."""
PATIENCE = 300.0
"""Seconds to wait for a worker that was started again."""
WARNINGS = 1000
"""Maximum number of warnings that a worker keeps until its next task has ended."""


class Holder:
    """What runs in a worker: a copy that is opened at once; a refusal to open it is the answer to every task."""

    def __init__(self, opened: Callable[[], Any]) -> None:
        self._warnings = MemoryHandler(WARNINGS, flushLevel=logging.CRITICAL + 1)
        self._warnings.setLevel(logging.WARNING)
        logging.getLogger("endoxa").addHandler(self._warnings)
        self._copy = ThreadPoolExecutor(1).submit(opened)

    async def do(self, task: Callable[..., Any], *arguments: Any) -> tuple[Any, list[str]]:
        """The result of a task on the copy, and the warnings since the last one; tasks that wait run side by side."""
        result = task(await asyncio.wrap_future(self._copy), *arguments)
        result = await result if inspect.isawaitable(result) else result
        warnings = [record.getMessage() for record in self._warnings.buffer]
        self._warnings.buffer.clear()
        return result, warnings

    async def ready(self) -> int:
        """The process id; answers once the worker is there."""
        return os.getpid()


@dataclass(slots=True, eq=False)
class Worker:
    """A worker as the run sees it.

    Attributes:
        actor: its handle.
        busy: tasks that it has.
        back: answers when a worker that died is there again; None for one that is.
    """

    actor: Any
    busy: int = 0
    back: Any = None

    def await_return(self) -> None:
        """Ask it to answer when it is there again."""
        self.back = self.actor.ready.options(max_task_retries=-1).remote()


Sent = tuple[Worker, Any]
"""Who does a task, and Ray's reference to its result."""


class DeadlyPieceError(UserError):
    """Workers died of a piece of work again and again."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name}: workers died again and again of one piece of work, most likely of memory. Choose a smaller "
            "model, --set dtype=bfloat16, a smaller batch_size, or machines with more memory."
        )


@dataclass(slots=True, eq=False)
class Pool:
    """Workers with a copy of one model each.

    Attributes:
        name: the model.
        workers: the workers.
    """

    name: str
    workers: list[Worker]
    _logged: set[str] = field(init=False, default_factory=set)

    @property
    def ahead(self) -> int:
        """Pieces of work that keep all of them busy."""
        return AHEAD * len(self.workers)

    async def result(self, task: Callable[..., Any], *arguments: Any, sent: Sent | None = None) -> Any:
        """The result of a task; sends it to another worker where its own is gone.

        Args:
            task: a function of a module, given the copy and the arguments.
            arguments: what else it is given.
            sent: where it was sent already.

        Raises:
            UserError: what the task raised.
            DeadlyPieceError: more than `DEATHS` workers died of it.
        """
        for _ in range(DEATHS + 1):
            worker, reference = sent or self.send(task, *arguments)
            sent = None
            try:
                result, warnings = await reference
            except exceptions.RayTaskError as problem:
                raise (problem.cause if isinstance(problem.cause, UserError) else problem) from None
            except exceptions.RayError as problem:  # the worker or its machine is gone
                if worker.back is None:
                    log.warning(
                        "%s: a worker is gone (%s); its work is done again", self.name, _short(problem)
                    )
                    worker.await_return()
                continue
            finally:
                worker.busy -= 1
            for warning in warnings:
                if warning not in self._logged:  # said once for all workers
                    self._logged.add(warning)
                    log.warning("%s", warning)
            return result
        raise DeadlyPieceError(self.name)

    def do(self, task: Callable[..., Any], *arguments: Any) -> Any:
        """Begin a task and wait for its result; see `result`."""
        return asyncio.run(self.result(task, *arguments))

    def each(self, task: Callable[..., Any], items: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """Pairs (index, result) that a task gives for items; sent now, waited for when they are read.

        Of items whose workers died again and again each half is tried.

        Raises:
            UserError: what the task raised, or a single item cost several workers.
        """
        return self._each(task, items, self.send(task, items))

    def _each(self, task: Callable[..., Any], items: Sequence[Any], sent: Sent) -> Iterator[tuple[int, Any]]:
        try:
            yield from asyncio.run(self.result(task, items, sent=sent))
        except DeadlyPieceError:
            if len(items) == 1:
                raise
        else:
            return
        middle = len(items) // 2
        message = "%s: workers died of %d texts at once (most likely of memory): going on with %d"
        log.warning(message, self.name, len(items), middle)
        for start, half in ((0, items[:middle]), (middle, items[middle:])):
            for index, result in self.each(task, half):
                yield start + index, result

    def close(self) -> None:
        """End the workers."""
        for worker in self.workers:
            ray.kill(worker.actor)

    def send(self, task: Callable[..., Any], *arguments: Any) -> Sent:
        """Send a task to the worker with least to do, among those that are there.

        Raises:
            UserError: no worker came back, or none can start.
        """
        end = time.monotonic() + PATIENCE
        while not (there := [worker for worker in self.workers if self._is_there(worker)]):
            if time.monotonic() > end:
                raise UserError(
                    f"All workers of {self.name} are gone, and none came back in {PATIENCE / 60:.0f} minutes. Finished "
                    "work is kept; run the same command again to continue."
                )
            time.sleep(0.2)
        worker = min(there, key=lambda worker: worker.busy)
        worker.busy += 1
        return worker, worker.actor.do.remote(task, *arguments)

    def _is_there(self, worker: Worker) -> bool:
        """Whether a worker is there, perhaps again.

        Raises:
            UserError: no worker can start (endoxa is missing on that machine, most likely).
        """
        if worker.back is None or not ray.wait([worker.back], timeout=0)[0]:
            return worker.back is None
        try:
            ray.get(worker.back)
        except exceptions.RayError as problem:  # it was tried without end
            reason = str(problem).strip().splitlines()[-1]
            raise UserError(
                f"A worker of {self.name} cannot start: {reason}. Install the same version of endoxa, with the extras "
                '"local" and "scale", on every machine of the cluster.'
            ) from problem
        worker.back = None
        return True


def _short(problem: Exception) -> str:
    return " ".join(str(problem).split())[:120]


def start(opened: Callable[[], Any], engine: EngineOptions, name: str) -> Pool:
    """Connect to the cluster and start the workers.

    Raises:
        UserError: the cluster cannot be had, or has no room for a worker.
    """
    connect(engine.ray_address)
    machines = _machines()
    if not machines:
        raise UserError(
            "No machine of the Ray cluster has processors to work with. Add one, or use --set engine=local."
        )
    all_gpus = sum(machine.get("GPU", 0) for machine in machines)
    gpus = engine.num_gpus if engine.num_gpus is not None else float(all_gpus > 0)
    if gpus > all_gpus:
        raise UserError(f"--set num_gpus={gpus:g}: the cluster has {all_gpus:g} GPUs.")
    count = engine.workers or (int(all_gpus / gpus) if gpus else len(machines))
    cpus, per_machine = min(machine["CPU"] for machine in machines), -(-count // len(machines))
    needed = cpus // per_machine or cpus / per_machine
    actor: Any = ray.remote(num_cpus=needed, num_gpus=gpus, max_restarts=-1, scheduling_strategy="SPREAD")(
        Holder
    )
    pool = Pool(name, [Worker(actor.remote(opened)) for _ in range(count)])
    if not ray.wait([worker.actor.ready.remote() for worker in pool.workers], timeout=ROOM)[0]:
        log.warning(
            "%s: the Ray cluster has no room for a worker yet (each takes %g processors and %g GPUs); waiting. Free "
            "the cluster, or interrupt and take fewer workers or another num_gpus (--set).",
            name,
            needed,
            gpus,
        )
    return pool


def _machines() -> list[dict[str, float]]:
    """Resources of the machines that do work."""
    return [
        node["Resources"]
        for node in ray.nodes()  # type: ignore[no-untyped-call]
        if node["Alive"] and node["Resources"].get("CPU")
    ]


def connect(address: str | None) -> None:
    """Connect to a cluster, or start one on this machine; does nothing where there is a connection.

    Raises:
        UserError: nobody answers there, or only a file names it.
    """
    if ray.is_initialized():
        return
    if address and not is_typed(address):
        raise UserError(
            f"A file asks to compute on the Ray cluster {address}, and the command does not. If that is meant, add "
            f"--set ray_address={address} to the command."
        )
    try:
        # Not None, which joins whatever cluster was started last on this machine.
        joined = address or os.environ.get("RAY_ADDRESS") or "local"
        handler = signal.getsignal(signal.SIGTERM)
        ray.init(address=joined, log_to_driver=False, logging_level=logging.ERROR)
        if current_thread() is main_thread():
            # Ray answers SIGTERM by an exit of its own, without the commits that an interrupted run makes.
            signal.signal(signal.SIGTERM, handler)
    except Exception as problem:  # Ray raises nothing narrower where it cannot start
        where = f"at '{address}'" if address else "on this machine"
        raise UserError(
            f"There is no Ray cluster {where}: {_short(problem)}. Start one with 'ray start --head', or leave out "
            "ray_address."
        ) from problem


def _facts_of_model(model: Model) -> tuple[Any, ...]:
    tokenizer = getattr(model, "tokenizer", None)
    return model.name, model.architecture, model.max_tokens, tokenizer, dict(model.describe())


def _score(model: Model, requests: Sequence[Request]) -> list[tuple[int, Score | Unscorable]]:
    return list(model.score(requests))


def _unknown_share(model: Model, texts: Sequence[str]) -> float | None:
    return model.unknown_share(texts)


class PooledModel:
    """A model that scores, with copies in workers.

    Rules that look at the tokenizer find it here too: requests are made in this process, once.
    """

    name: str
    architecture: Architecture
    max_tokens: int | None
    tokenizer: Any

    def __init__(self, pool: Pool) -> None:
        """Open the first copy.

        Raises:
            UserError: the model cannot be had.
        """
        self._pool, facts = pool, pool.do(_facts_of_model)
        self.name, self.architecture, self.max_tokens, self.tokenizer, self._described = facts

    def describe(self) -> Mapping[str, Any]:
        """Facts for `run.json`."""
        return dict(self._described)

    def unknown_share(self, texts: Sequence[str]) -> float | None:
        """See `endoxa.schema.Model.unknown_share`."""
        share: float | None = self._pool.do(_unknown_share, texts)
        return share

    def score(self, requests: Sequence[Request]) -> Iterator[tuple[int, Score | Unscorable]]:
        """See `endoxa.schema.Model.score`; the requests are sent to a worker now."""
        return self._pool.each(_score, requests) if requests else iter(())


async def _facts_of_chat(model: ChatModel) -> tuple[str, dict[str, Any]]:
    await model.check()
    return model.name, dict(model.describe())


async def _ask(model: ChatModel, messages: Sequence[Message], sampling: Sampling) -> ChatAnswer:
    return await model.ask(messages, sampling)


class PooledChat:
    """A chat model with copies in workers, each of which generates together what waits together."""

    name: str

    def __init__(self, pool: Pool) -> None:
        """Open the first copy.

        Raises:
            UserError: the model cannot be had.
        """
        self._pool = pool
        self.name, self._described = pool.do(_facts_of_chat)

    def describe(self) -> Mapping[str, Any]:
        """Facts for `run.json`."""
        return dict(self._described)

    async def check(self) -> None:
        """The first copy has been tried."""

    async def ask(
        self, messages: Sequence[Message], sampling: Sampling, told: Mapping[str, Any] | None = None
    ) -> ChatAnswer:
        """See `endoxa.schema.chat.ChatModel.ask`; a conversation whose worker is gone is asked for again.

        Raises:
            UserError: what the model raised, or workers died of the conversation.
        """
        del told  # for simulated respondents only
        answer: ChatAnswer = await self._pool.result(_ask, tuple(messages), sampling)
        return answer

    async def close(self) -> None:
        """End the workers."""
        self._pool.close()
