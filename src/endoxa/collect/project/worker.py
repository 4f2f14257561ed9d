"""The site in a process of `project.server`, which ends with the process that started it.

Nobody would tell it to end where that one was killed, and it would keep the port and the folder for good.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from threading import Thread

from endoxa.collect.wsgi import application

__all__ = ["application"]

_LOOK = 1
"""Seconds between two looks at who the parent is."""
_PATIENCE = 5
"""Seconds for answers that are under way."""


def _end_after(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(_PATIENCE)
    os._exit(1)


_parent = multiprocessing.parent_process()
if _parent is not None and _parent.pid is not None:
    Thread(target=_end_after, args=(_parent.pid,), daemon=True).start()
