"""The site in a worker process of `project.server`; the worker ends with the process that started it.

Nobody would tell it to end where that one was killed, and it would keep the port and the folder for good.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import time
from threading import Thread

from endoxa_collect.asgi import application

__all__ = ["application"]

_PATIENCE = 5
"""Seconds for answers that are under way."""

_SWITCH_SECONDS = 0.0005
"""How long a thread waits for another one that computes. With Python's 5 ms, who holds the lock of a campaign waits for
that after each answer of PostgreSQL, and all others with it: 95 % of answers came within 300 ms, now within 190."""


def _end_after_parent() -> None:
    # Not by its number: whoever forks for it ("forkserver") may stand between.
    if parent := multiprocessing.parent_process():
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(_PATIENCE)
        os._exit(1)


sys.setswitchinterval(_SWITCH_SECONDS)
# What is there now stays. Else the garbage collector goes through all of it now and then, and everybody whom this
# process answers waits for 0.3 s; so it is less than 0.01 s.
gc.collect()
gc.freeze()
Thread(target=_end_after_parent, daemon=True).start()
