"""One at a time: a campaign's folder is served or replaced by one process and its workers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from endoxa.collect.filelock import take
from endoxa.collect.project.folder import Folder
from endoxa.errors import UserError


@contextmanager
def held(folder: Folder) -> Iterator[None]:
    """Hold a campaign's folder, so that nobody else serves or replaces it; the worker processes share it.

    Raises:
        UserError: somebody else holds it, or this account may not write there.
    """
    try:
        file = folder.lock.open("a+b", buffering=0)
    except OSError as problem:
        raise UserError(
            f"{folder.lock} cannot be written ({problem.strerror}): may this account use the folder?"
        ) from None
    with file:
        if not take(file):
            file.seek(0)
            raise UserError(
                f"{folder.path} is being served or restored; nothing was changed: stop that first (Ctrl-C; it is "
                f"process {file.read().decode()})."
            )
        file.truncate(0)
        file.write(str(os.getpid()).encode())
        yield
