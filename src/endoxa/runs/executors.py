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
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from multiprocessing import get_context
from os import cpu_count
from typing import TYPE_CHECKING, TypeVar

from endoxa.runs.options import EngineOptions

if TYPE_CHECKING:
    from endoxa.models.chat.spec import ChatOptions, ChatSpec, Lost
    from endoxa.models.spec import ModelOptions, ModelSpec
    from endoxa.schema import Model
    from endoxa.schema.chat import ChatModel

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


def computed(task: Callable[[P], T], pieces: Sequence[P], jobs: int | None = None) -> Iterator[T]:
    """What a task makes of each piece, in their order, in several processes of this machine.

    Args:
        task: a function that can be pickled.
        pieces: what it is given.
        jobs: number of processes; None takes one for each core. What takes less than `ALONE` is done in this one.
    """
    jobs = jobs or cpu_count() or 1
    began, waiting = time.monotonic(), deque(pieces)
    while waiting and (jobs == 1 or time.monotonic() - began < ALONE):
        yield task(waiting.popleft())
    if waiting:
        # Not fork: libraries that run threads may have been used.
        context = get_context("spawn")
        with ProcessPoolExecutor(
            min(jobs, len(waiting)),
            context,
            initializer=signal.signal,
            initargs=(signal.SIGINT, signal.SIG_DFL),
        ) as pool:
            yield from pool.map(task, waiting)


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
    from endoxa.runs.cluster import PooledModel, start

    with closing(start(partial(open_model, spec, options), engine, spec.text)) as pool:
        yield PooledModel(pool), pool.ahead


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
    from endoxa.runs.cluster import PooledChat, start

    pool = start(partial(open_chat, spec, options), engine, spec.text)
    return PooledChat(pool), len(pool.workers)
