"""Locks of the operating system on open files, which end with the processes that hold them; none of them on Windows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

try:
    import fcntl
except ImportError:  # pragma: no cover
    fcntl = None  # type: ignore[assignment]


@contextmanager
def waiting_for(file: IO[bytes]) -> Iterator[None]:
    """Wait for a turn at a file, and hold it. Those who wait get it in the order of their coming."""
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_UN)


def take(file: IO[bytes]) -> bool:
    """Take a file until it is closed, unless somebody else holds it; whether it is ours now."""
    try:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
