"""Run the web server (Granian) without an access log, and the site in its worker processes.

A worker ends with the process that started it. Nobody would tell it to end where that one was killed, and it would keep
the port and the folder for good.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from threading import Thread

from django.db import connections
from granian import Granian
from granian.constants import Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels

from endoxa.errors import UserError
from endoxa_collect.privacy import erase_traces
from endoxa_collect.security.http import Buffered

_WORKERS = 2
"""Default number of processes."""
_OPEN = 2048
"""Maximum number of requests that a process reads at once; further connections wait."""
_KEPT_OPEN = 75_000
"""Milliseconds that a connection stays open without a request: longer than a card takes, so that phones seldom connect
anew, or send an answer in the moment in which the connection ends."""
_SOON = 10.0
"""Seconds within which a death counts as one at the start."""
_TRIES = 3
_PATIENCE = 5
"""Seconds that a worker may take to end, with answers that are under way."""
_SWITCH_SECONDS = 0.0005
"""How long a thread waits for another one that computes. With Python's 5 ms, who holds the lock of a campaign waits for
that after each answer of PostgreSQL, and all others with it: 95 % of answers came within 300 ms, now within 190."""


def serve(host: str, port: int, workers: int | None) -> None:
    """Answer until interrupted; start again if a worker process dies.

    Python runs one thread of a process at a time, and a thread that holds the turn to write must not wait for that:
    so there are few threads and, also on SQLite, where writers stand in line (`cards.locking`), two processes. With
    47 requests a second 95 % were answered within 25 ms; within 250 ms by four threads of one process.
    These threads answer (`settings.ANSWERING_THREADS`); what slow phones send is waited for without threads
    (`security.http.Buffered`).

    Raises:
        UserError: workers die as soon as they are started.
    """
    _erase_traces()
    signal.set_wakeup_fd(-1)  # from here on the server ends itself, after answers that are under way
    # A terminal tells all its processes; workers are told by theirs.
    if hasattr(os, "register_at_fork"):
        deaf = partial(signal.pthread_sigmask, signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
        os.register_at_fork(after_in_child=deaf)
    started, early = time.monotonic(), 0
    try:
        while _died(host, port, workers or _WORKERS):
            early = early + 1 if time.monotonic() - started < _SOON else 0
            if early == _TRIES:
                raise UserError(
                    "The site cannot run: its worker process ends at once. Is there enough memory and disk space?"
                )
            started = time.monotonic()
    finally:
        _erase_traces()


def _erase_traces() -> None:
    """Erase while no worker has the database open; they must not inherit a connection either."""
    erase_traces()
    connections.close_all()


def _died(host: str, port: int, workers: int) -> bool:
    """Answer until interrupted, or until a worker dies: True then."""
    server = Granian(
        "endoxa_collect.project.server:application",
        factory=True,
        address=host,
        port=port,
        interface=Interfaces.ASGINL,
        workers=workers,
        backlog=_OPEN,
        backpressure=_OPEN,
        http1_settings=HTTP1Settings(header_read_timeout=_KEPT_OPEN),
        websockets=False,
        log_level=LogLevels.critical,
        log_access=False,
        # Granian takes a worker that hears of the end before itself for a dead one; told to start it again, it could
        # wait for ever. And a worker that hears of it twice may not end by itself.
        respawn_failed_workers=False,
        workers_kill_timeout=_PATIENCE,
    )
    server.on_startup(partial(_end_with_the_terminal, server.signal_handler_interrupt))
    try:
        server.serve()
    except SystemExit:
        return not server.interrupt_signal
    return False


def _end_with_the_terminal(end: Callable[..., None]) -> None:
    # Granian takes the closing of a terminal as an order to reload, and the site would go on unseen.
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, end)


def application() -> Buffered:
    """The site in a worker process."""
    from endoxa_collect.asgi import application

    sys.setswitchinterval(_SWITCH_SECONDS)
    # What is there now stays. Else the garbage collector goes through all of it now and then, and everybody whom this
    # process answers waits for 0.3 s; so it is less than 0.01 s.
    gc.collect()
    gc.freeze()
    Thread(target=_end_after_parent, daemon=True).start()
    return application


def _end_after_parent() -> None:
    # Not by its number: whoever forks for it ("forkserver") may stand between.
    if parent := multiprocessing.parent_process():
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(_PATIENCE)
        os._exit(1)
