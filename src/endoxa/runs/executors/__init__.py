"""Where local weights run: in this process, or in workers of a Ray cluster.

What is asked of a model, and in which pieces, does not depend on it: records are the same. A worker holds one copy of a
model; the run's journal stays with the process that was started, so resuming, counting and progress are those of a
local run.
"""

from __future__ import annotations

import signal
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from multiprocessing import get_context
from os import cpu_count
from typing import TYPE_CHECKING, TypeVar

from endoxa.runs.options import Cluster, EngineOptions

if TYPE_CHECKING:
    from endoxa.models.chat.spec import ChatOptions, ChatSpec, Lost
    from endoxa.models.encoders.encoder import Encoder, EncoderOptions, EncoderSpec
    from endoxa.models.spec import ModelOptions, ModelSpec
    from endoxa.schema import Model
    from endoxa.schema.chat import ChatModel

__all__ = ["begun_ahead", "chat_model", "computed", "encoders", "scoring_model"]

P = TypeVar("P")
T = TypeVar("T")

ALONE = 2.0
"""Seconds of work that are not worth starting other processes."""


def begun_ahead(begun: Iterable[T], depth: int) -> Iterator[T]:
    """What an iterable begins, in its order, with `depth` things begun before the first is handed out.

    Where beginning means sending work to a worker, this keeps all workers busy, and holds no more than they need.
    """
    waiting: deque[T] = deque()
    for item in begun:
        waiting.append(item)
        if len(waiting) >= depth:
            yield waiting.popleft()
    yield from waiting


def computed(
    task: Callable[[P], T], pieces: Sequence[P], cluster: Cluster, jobs: int | None = None
) -> Iterator[T]:
    """What a task makes of each piece, in their order, in several processes of this machine or of a cluster.

    Args:
        task: a function that can be pickled.
        pieces: what it is given.
        cluster: where it runs.
        jobs: processes on this machine, this one among them; None takes one for each core. What takes less than
            `ALONE` is done in this one.

    Raises:
        UserError: what the task raises, or there is no cluster.
    """
    if cluster.engine == "ray":
        from endoxa.runs.executors.workers import computed_on

        yield from computed_on(task, pieces, cluster)
        return
    jobs = jobs or cpu_count() or 1
    began, waiting = time.monotonic(), deque(pieces)
    while waiting and (jobs == 1 or time.monotonic() - began < ALONE):
        yield task(waiting.popleft())
    if waiting:
        # Not fork: libraries that run threads may have been used.
        others = min(jobs - 1, len(waiting))
        with ProcessPoolExecutor(
            others, get_context("spawn"), initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_DFL)
        ) as pool:
            yield from _shared_out(task, waiting, pool, 2 * others)


def _shared_out(
    task: Callable[[P], T], waiting: deque[P], pool: ProcessPoolExecutor, ahead: int
) -> Iterator[T]:
    """What a task makes of each piece, in order: the pool has `ahead` pieces at any time, this process does others."""
    begun = deque[Future[T]]()
    while waiting or begun:
        while begun and (begun[0].done() or not waiting):
            yield begun.popleft().result()
        while waiting and sum(not future.done() for future in begun) < ahead:
            begun.append(pool.submit(task, waiting.popleft()))
        if waiting:
            local = Future[T]()
            local.set_result(task(waiting.popleft()))
            begun.append(local)


@contextmanager
def scoring_model(
    spec: ModelSpec, options: ModelOptions, engine: EngineOptions
) -> Iterator[tuple[Model, int]]:
    """A model that scores, and how many calls of `score` it takes before the first is read.

    Raises:
        UserError: the model or the cluster cannot be had.
    """
    from endoxa.models.scoring import open_model

    if engine.engine == "local" or not spec.runs_here:
        yield open_model(spec, options), 1
        return
    from endoxa.runs.executors.remote import PooledModel
    from endoxa.runs.executors.workers import start

    with closing(start(partial(open_model, spec, options), engine, spec.text)) as pool:
        yield PooledModel(pool), pool.ahead


@contextmanager
def encoders(
    spec: EncoderSpec,
    options: EncoderOptions,
    poolings: Sequence[str],
    texts: Sequence[str],
    engine: EngineOptions,
) -> Iterator[tuple[Sequence[Encoder], int]]:
    """The encoders that `endoxa.models.encoders.open_encoders` opens, and how many calls of `encode` they take ahead.

    Raises:
        UserError: the encoder or the cluster cannot be had, or a text cannot be encoded.
    """
    from endoxa.models.encoders import ENCODERS, open_encoders

    opened: Callable[[], list[Encoder]] = partial(open_encoders, spec, options, poolings, texts)
    if engine.engine == "local" or "torch" not in ENCODERS.get(spec.kind).libraries:
        yield opened(), 1
        return
    from endoxa.runs.executors.remote import pooled_encoders
    from endoxa.runs.executors.workers import start

    with closing(start(opened, engine, spec.text)) as pool:
        yield pooled_encoders(pool), pool.ahead


def chat_model(
    spec: ChatSpec, options: ChatOptions, lost: Lost, engine: EngineOptions
) -> tuple[ChatModel, int]:
    """A chat model, and by how much more it may be asked at once than one copy; closing it ends its workers.

    Raises:
        UserError: the model or the cluster cannot be had.
    """
    from endoxa.models.chat import open_chat

    if engine.engine == "local" or not spec.host.runs_here:
        return open_chat(spec, options, lost), 1
    from endoxa.runs.executors import workers
    from endoxa.runs.executors.remote import PooledChat

    pool = workers.start(partial(open_chat, spec, options), engine, spec.text)
    return PooledChat(pool), len(pool.workers)
