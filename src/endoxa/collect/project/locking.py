"""One at a time: locks on files, which end with the process that holds them. Without them (Windows) nothing waits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from endoxa.collect.project.folder import Folder
from endoxa.errors import UserError

try:
    import fcntl
except ImportError:  # pragma: no cover
    fcntl = None  # type: ignore[assignment]


@contextmanager
def locked(file: BinaryIO) -> Iterator[None]:
    """Wait for a turn at an open file, and hold it."""
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_UN)


@contextmanager
def held(folder: Folder) -> Iterator[None]:
    """Hold a campaign's folder, so that nobody else serves or replaces it; the worker processes share it.

    Raises:
        UserError: somebody else holds it, or this account may not write there.
    """
    try:
        file = folder.lock.open("ab")
    except OSError as problem:
        raise UserError(
            f"{folder.lock} cannot be written ({problem.strerror}): may this account use the folder?"
        ) from None
    with file:
        try:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(
                f"{folder.path} is being served or restored; nothing was changed: stop that first (Ctrl-C)."
            ) from None
        yield
