"""Workers of a Ray cluster, each with a copy of one model.

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
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from logging.handlers import MemoryHandler
from threading import Thread
from typing import Any, TypeVar

from endoxa.errors import UserError, installation
from endoxa.runs.executors import begun_ahead
from endoxa.runs.options import Cluster, EngineOptions
from endoxa.schema.typed import is_typed

try:
    import ray
    from ray import exceptions
except ImportError as problem:
    raise UserError(
        f"--set engine=ray needs a library that is not installed: {installation('scale')}."
    ) from problem

log = logging.getLogger(__name__)
P = TypeVar("P")
R = TypeVar("R")

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


class Worker:
    """A worker as the run sees it.

    Attributes:
        actor: its handle.
        busy: tasks that it has.
        back: answers when a worker that died is there again; None for one that is.
    """

    def __init__(self, actor: Any) -> None:
        self.actor, self.busy = actor, 0
        self.back: Any = None

    def await_return(self) -> None:
        """Ask it to answer when it is there again."""
        self.back = self.actor.ready.options(max_task_retries=-1).remote()

    def is_there(self) -> bool:
        """Whether it is there, perhaps again."""
        if self.back is not None and ray.wait([self.back], timeout=0)[0]:
            with suppress(exceptions.RayError):
                ray.get(self.back)
                self.back = None
                return True
            self.await_return()
        return self.back is None


class DeadlyTaskError(UserError):
    """Workers died of a task again and again."""


class Pool:
    """Workers with a copy of one model each.

    Args:
        name: the model.
        workers: the workers.
    """

    def __init__(self, name: str, workers: Sequence[Worker]) -> None:
        self.name, self.workers = name, workers
        self._logged: set[str] = set()
        started = Future[None]()
        Thread(target=asyncio.run, args=(self._serve(started),), daemon=True).start()
        started.result()

    async def _serve(self, started: Future[None]) -> None:
        """Give tasks that are begun a loop until the pool is closed, which ends them."""
        self._loop, self._closed = asyncio.get_running_loop(), asyncio.Event()
        started.set_result(None)
        await self._closed.wait()

    @property
    def ahead(self) -> int:
        """Tasks that keep all of them busy."""
        return AHEAD * len(self.workers)

    def begin(self, task: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Send a task now; see `result`."""
        return asyncio.run_coroutine_threadsafe(self.result(task, *arguments), self._loop)

    def do(self, task: Callable[..., Any], *arguments: Any) -> Any:
        """Begin a task and wait for its result; see `result`."""
        return self.begin(task, *arguments).result()

    async def result(self, task: Callable[..., Any], *arguments: Any) -> Any:
        """What a function of a module makes of a copy and the arguments; another worker does it where one died.

        Raises:
            UserError: what the task raised, or no worker is there.
            DeadlyTaskError: more than `DEATHS` workers died of it.
        """
        for _ in range(DEATHS + 1):
            worker = await self._idlest()
            worker.busy += 1
            try:
                result, warnings = await worker.actor.do.remote(task, *arguments)
            except exceptions.RayTaskError as problem:
                raise (problem.cause if isinstance(problem.cause, UserError) else problem) from None
            except exceptions.RayError as problem:  # the worker or its machine is gone
                self._note_death(worker, problem)
            else:
                for warning in dict.fromkeys(warnings):
                    if warning not in self._logged:  # said once for all workers
                        self._logged.add(warning)
                        log.warning("%s", warning)
                return result
            finally:
                worker.busy -= 1
        raise DeadlyTaskError(
            f"{self.name}: workers died again and again of one piece of work, most likely of memory. Choose a smaller "
            "model, --set dtype=bfloat16, a smaller batch_size, or machines with more memory."
        )

    def each(self, task: Callable[..., Any], items: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """Pairs (index, result) that a task gives for items; sent now, waited for when they are read.

        Of items whose workers died again and again each half is tried.

        Raises:
            UserError: what the task raised, or a single item cost several workers.
        """
        return self._each(task, items, self.begin(task, items))

    def _each(
        self, task: Callable[..., Any], items: Sequence[Any], begun: Future[Any]
    ) -> Iterator[tuple[int, Any]]:
        try:
            yield from begun.result()
        except DeadlyTaskError:
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
        self._loop.call_soon_threadsafe(self._closed.set)

    def _note_death(self, worker: Worker, problem: exceptions.RayError) -> None:
        """Wait for a worker to come back.

        Raises:
            UserError: it cannot start (endoxa is missing on that machine, most likely).
        """
        if getattr(problem, "actor_init_failed", False):
            reason = str(problem).strip().splitlines()[-1]
            raise UserError(
                f"A worker of {self.name} cannot start: {reason}. Install the same version of endoxa, with the "
                'extras "local" and "scale", on every machine of the cluster.'
            ) from problem
        if worker.back is None:
            log.warning("%s: a worker is gone (%s); its work is done again", self.name, _short(problem))
            worker.await_return()

    async def _idlest(self) -> Worker:
        """The worker with least to do, among those that are there.

        Raises:
            UserError: none came back.
        """
        end = time.monotonic() + PATIENCE
        while not (there := [worker for worker in self.workers if worker.is_there()]):
            if time.monotonic() > end:
                raise UserError(
                    f"All workers of {self.name} are gone, and none came back in {PATIENCE / 60:.0f} minutes. Finished "
                    "work is kept; run the same command again to continue."
                )
            await asyncio.sleep(0.2)
        return min(there, key=lambda worker: worker.busy)


def _short(problem: Exception) -> str:
    return " ".join(str(problem).split())[:120]


def start(opened: Callable[[], Any], engine: EngineOptions, name: str) -> Pool:
    """Connect to the cluster and start the workers.

    Raises:
        UserError: the cluster cannot be had, or has no room for a worker.
    """
    machines = _machines(engine)
    all_gpus = sum(machine.get("GPU", 0) for machine in machines)
    gpus = engine.num_gpus if engine.num_gpus is not None else float(all_gpus > 0)
    if gpus > all_gpus:
        raise UserError(f"--set num_gpus={gpus:g}: the cluster has {all_gpus:g} GPUs.")
    count = engine.workers or (int(all_gpus / gpus) if gpus else len(machines))
    cpus, per_machine = min(machine["CPU"] for machine in machines), -(-count // len(machines))
    return _pool(opened, name, count, cpus // per_machine or cpus / per_machine, gpus)


def _pool(opened: Callable[[], Any], name: str, count: int, cpus: float, gpus: float) -> Pool:
    """Workers that take so many processors and GPUs each."""
    actor: Any = ray.remote(num_cpus=cpus, num_gpus=gpus, max_restarts=-1, scheduling_strategy="SPREAD")(
        Holder
    )
    pool = Pool(name, [Worker(actor.remote(opened)) for _ in range(count)])
    if not ray.wait([worker.actor.ready.remote() for worker in pool.workers], timeout=ROOM)[0]:
        log.warning(
            "%s: the Ray cluster has no room for a worker yet (each takes %g processors and %g GPUs); waiting. Free "
            "the cluster, or interrupt and take fewer workers or another num_gpus (--set).",
            name,
            cpus,
            gpus,
        )
    return pool


def computed_on(task: Callable[[P], R], pieces: Sequence[P], cluster: Cluster) -> Iterator[R]:
    """What a task makes of each piece, in their order, with a worker on each processor of a cluster.

    Raises:
        UserError: what the task raises, there is no cluster, or a piece cost process after process.
    """
    processors = int(sum(machine["CPU"] for machine in _machines(cluster)))
    with closing(_pool(lambda: task, "The analysis", processors, 1, 0)) as pool:
        for begun in begun_ahead((pool.begin(_applied, piece) for piece in pieces), pool.ahead):
            yield begun.result()


def _applied(task: Callable[[P], R], piece: P) -> R:
    return task(piece)


def _machines(cluster: Cluster) -> list[dict[str, float]]:
    """Connect to a cluster; resources of its machines that do work.

    Raises:
        UserError: there is no cluster, or no machine in it.
    """
    connect(cluster.ray_address)
    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]  # type: ignore[no-untyped-call]
    if machines := [resources for resources in nodes if resources.get("CPU")]:
        return machines
    raise UserError(
        "No machine of the Ray cluster has processors to work with. Add one, or use --set engine=local."
    )


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
    # Ray answers SIGTERM by an exit of its own, without the commits that an interrupted run makes.
    handler = signal.getsignal(signal.SIGTERM)
    try:
        # Not None, which joins whatever cluster was started last on this machine.
        joined = address or os.environ.get("RAY_ADDRESS") or "local"
        ray.init(address=joined, log_to_driver=False, logging_level=logging.ERROR)
    except Exception as problem:  # Ray raises nothing narrower where it cannot start
        where = f"at '{address}'" if address else "on this machine"
        raise UserError(
            f"There is no Ray cluster {where}: {_short(problem)}. Start one with 'ray start --head', or leave out "
            "ray_address."
        ) from problem
    finally:
        with suppress(ValueError):  # another thread than the main one has no signals
            signal.signal(signal.SIGTERM, handler)
