"""The site in a worker process of `project.server`; the worker ends with the process that started it.

Nobody would tell it to end where that one was killed, and it would keep the port and the folder for good.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from threading import Thread

from endoxa.collect.asgi import application

__all__ = ["application"]

_PATIENCE = 5
"""Seconds for answers that are under way."""


def _end_after_parent() -> None:
    # Not by its number: whoever forks for it ("forkserver") may stand between.
    if parent := multiprocessing.parent_process():
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(_PATIENCE)
        os._exit(1)


Thread(target=_end_after_parent, daemon=True).start()
