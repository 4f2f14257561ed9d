"""Stopping on Ctrl-C and SIGTERM: said at once, and the process ends within seconds whatever it is doing.

Python runs signal handlers between two of its own instructions, in the main thread. A matrix product, a chart or a
thread that is waited for can keep it from that for minutes. So a second thread listens too: it says that the command
stops, and ends the process on a second signal, or when `GRACE` is over. Nothing is lost by that: what is done is in a
journal that survives a kill, and files are replaced as a whole.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Lock, Thread
from types import FrameType

GRACE = 5.0
"""Seconds in which a command can end by itself: commit answers, end workers, remove drafts."""
EXIT_CODE = 2

_STOPPING = frozenset({signal.SIGINT, signal.SIGTERM})


class Farewell:
    """The last sentence of a stopped command, said once by whichever thread ends the process.

    Args:
        sentence: what is kept, and how to go on.
    """

    def __init__(self, sentence: str) -> None:
        self._sentence = sentence
        self._lock = Lock()
        self._done = False

    def announce(self) -> None:
        """Say that the command stops, unless it has."""
        with self._lock:
            if not self._done:
                _say("stopping ... (a second signal stops at once)")

    def say(self) -> None:
        """Print the sentence, unless it was printed."""
        with self._lock:
            if not self._done:
                self._done = True
                _say(self._sentence)


@contextmanager
def stoppable(farewell: Farewell) -> Iterator[None]:
    """In this block the first SIGINT or SIGTERM raises KeyboardInterrupt, and a second one ends the process.

    SIGTERM does so where SIGINT is ignored, too: shells start background jobs of a script that way.
    """
    interrupt, terminate = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    if interrupt is signal.SIG_IGN:
        # SIGINT stays without effect, but there is a handler, which asyncio replaces by one that ends its tasks.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, _interrupt)
    receiver, sender = socket.socketpair()
    sender.setblocking(False)
    signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_stop_listening)
    stopping = Event()
    Thread(target=_listen, args=(receiver, stopping, farewell), name="stopping", daemon=True).start()
    try:
        yield
    finally:
        if not stopping.is_set():  # else the end of the process is listened to as well: it waits for threads
            _stop_listening()
            sender.close()
            signal.signal(signal.SIGINT, interrupt)
            signal.signal(signal.SIGTERM, terminate)


def _interrupt(_number: int, frame: FrameType | None) -> None:
    """What SIGINT does now: asyncio cancels its tasks, everything else is left by an exception."""
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler):
        raise KeyboardInterrupt
    handler(signal.SIGINT, frame)


def _stop_listening() -> None:
    signal.set_wakeup_fd(-1)


def _listen(receiver: socket.socket, stopping: Event, farewell: Farewell) -> None:
    """Wait for a signal, and then for the end of the process; runs in a thread of its own."""
    with receiver:
        if not _signalled(receiver):
            return
        stopping.set()
        farewell.announce()
        receiver.settimeout(GRACE)
        with suppress(TimeoutError):
            _signalled(receiver)
    farewell.say()
    # Where nothing has loaded this module there are no children; to import it here could wait for the main thread.
    for child in getattr(sys.modules.get("multiprocessing.process"), "active_children", list)():
        child.kill()
    os._exit(EXIT_CODE)


def _signalled(receiver: socket.socket) -> bool:
    """Wait until a signal of `_STOPPING` comes; False where nothing can come any more."""
    while numbers := receiver.recv(1):
        if numbers[0] in _STOPPING:
            return True
    return False


def _say(sentence: str) -> None:
    with suppress(OSError):  # nobody may be reading any more
        sys.stderr.write(f"endoxa: {sentence}\n")
        sys.stderr.flush()
