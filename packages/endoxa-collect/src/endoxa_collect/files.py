"""Files that processes share: locks, drafts, in which something is made before it gets its place, and whose a list is.

Locks are those of the operating system on open files; they end with the processes that hold them. Windows has none.

The first line of a list of withdrawals (`withdrawals.jsonl`) says whose it is. The name in it follows from the secret
of the campaign's folder, which backups hold too. So a list is known as the campaign's own also where nobody had
withdrawn yet, and one that was emptied or comes from elsewhere is known as such.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import IO

try:
    import fcntl
except ImportError:  # pragma: no cover
    fcntl = None  # type: ignore[assignment]

_LOCK = ".held"
"""What a process holds in its draft while it runs: from another container its number says nothing."""


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


@contextmanager
def draft(parent: Path, kind: str) -> Iterator[Path]:
    """A folder `.endoxa-KIND.PID.RANDOM` in `parent` that only its owner can enter; it goes at the end, if it is there.

    Those of the same kind whose process does not run any more go first.

    Raises:
        OSError: it cannot be made.
    """
    remove_dead(parent, kind)
    path = Path(mkdtemp(prefix=f".endoxa-{kind}.{os.getpid()}.", dir=parent))
    try:
        with (path / _LOCK).open("wb") as lock:
            take(lock)
            yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def remove_dead(parent: Path, kind: str) -> None:
    """Remove the drafts in `parent` whose process does not run any more, as far as this account may."""
    named = re.compile(rf"\.endoxa-{re.escape(kind)}\.(\d{{1,9}})\.\w+")
    with suppress(OSError):  # of others, or a folder that may not be listed
        for path in list(parent.iterdir()):
            match = named.fullmatch(path.name)
            if match and path.is_dir() and not path.is_symlink() and _dead(path, int(match[1])):
                shutil.rmtree(path, ignore_errors=True)


def _dead(path: Path, process: int) -> bool:
    if os.name == "nt":  # where nothing is locked, and asking for a process would end it
        return False
    try:
        with (path / _LOCK).open("r+b") as lock:
            return take(lock)
    except FileNotFoundError:  # it ended before it came to that
        return not _runs(process)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # somebody else's
        return True
    return True


_HEAD = re.compile(r'\{"list_of":"[0-9a-f]{32}"\}')


def head_for(secret: str) -> str:
    """The first line of the lists of the campaign with this secret, which says whose they are."""
    digest = hmac.digest(secret.strip().encode(), b"endoxa list of withdrawals", hashlib.sha256)
    return f'{{"list_of":"{digest.hex()[:32]}"}}'


def is_head(line: str) -> bool:
    """Whether a line says whose list it is; wherever it stands, it is no withdrawal."""
    return _HEAD.fullmatch(line.strip()) is not None
