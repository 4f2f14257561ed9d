"""The lock of a campaign, and what a process remembers of the database for some seconds.

Every change of cards and pairs takes the lock first, alone or together with others. What is remembered spares reading
it anew for every card.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, Generic, TypeVar

from django.conf import settings
from django.db import connection, transaction

from endoxa_collect.files import waiting_for
from endoxa_collect.models import Campaign


class _Turn(threading.local):
    """What this thread does when the next in line has its turn; None where it has none itself."""

    then: list[Callable[[], object]] | None = None


_THREAD = _Turn()

_LOCKS = 0x656E646F
"""First key of our advisory locks ("endo"), so that they are not those of another program in the same database."""


@contextmanager
def locked(campaign_id: int) -> Iterator[Campaign]:
    """A transaction in which nobody else changes cards, pairs or answers of this campaign, or begins a release.

    PostgreSQL keeps an advisory lock with a queue, and the campaign's row, for which all wait that add a row of the
    campaign without this lock; SQLite has taken its write lock with BEGIN IMMEDIATE (see `settings`).
    """
    with _transaction(campaign_id):
        yield Campaign.objects.select_for_update().get(pk=campaign_id)


@contextmanager
def shared(campaign_id: int) -> Iterator[None]:
    """A transaction beside others of this kind, while nobody has the campaign `locked`.

    For a rating or a draw: what they change belongs to one person, whose row they lock first (`answering.lock_person`),
    or to one pair, whose row they lock next (`select_for_update`; SQLite needs neither).
    """
    with _transaction(campaign_id, together=True):
        yield


@contextmanager
def _transaction(campaign_id: int, *, together: bool = False) -> Iterator[None]:
    keys = (_LOCKS, campaign_id)
    with _in_line(), transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                if together:
                    cursor.execute("SELECT pg_advisory_xact_lock_shared(%s, %s)", keys)
                else:
                    cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", keys)
        yield


def afterwards(do: Callable[[], object]) -> None:
    """Do something once all this is committed, and nobody waits for this thread any more."""
    transaction.on_commit(lambda: do() if _THREAD.then is None else _THREAD.then.append(do))


@contextmanager
def _in_line() -> Iterator[None]:
    """Wait for one's turn where the database does not keep a queue.

    Those who wait for the lock of SQLite try again after pauses of up to 0.1 s, and the unlucky may try for minutes
    while others come and go. A lock of the operating system wakes them in turn; on Windows there is none.
    """
    file = connection.settings_dict["NAME"]
    if connection.vendor != "sqlite" or connection.in_atomic_block or not Path(file).is_file():
        yield
        return
    then: list[Callable[[], object]] = []
    with Path(f"{file}-queue").open("wb") as queue, waiting_for(queue):
        _THREAD.then = then
        try:
            yield
        finally:
            _THREAD.then = None
    for do in then:
        do()


Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

_ALL: list[Cache[Any, Any]] = []


class Cache(Generic[Key, Value]):
    """Values by key, each for `seconds` (None: `STATISTICS_SECONDS`); every worker process has its own."""

    def __init__(self, seconds: float | None = None) -> None:
        self._seconds = seconds
        self._kept: dict[Key, tuple[float, Value]] = {}
        self._reading: set[Key] = set()
        _ALL.append(self)

    def get(self, key: Key, read: Callable[[], Value]) -> Value:
        """The value of a key, read anew where it is missing or too old.

        While one thread reads, others take the old value, so that not everybody who comes then reads the same.
        """
        kept = self._kept.get(key)
        if kept is not None and (self.is_fresh(key) or key in self._reading):
            return kept[1]
        self._reading.add(key)
        try:
            value = read()
        finally:
            self._reading.discard(key)
        self.put(key, value)
        return value

    def is_fresh(self, key: Key) -> bool:
        """Whether the value of a key is there and recent enough."""
        kept = self._kept.get(key)
        seconds = settings.STATISTICS_SECONDS if self._seconds is None else self._seconds
        return kept is not None and time.monotonic() - kept[0] < seconds

    def latest(self, key: Key) -> Value | None:
        """The value that was kept last, however old; None where there is none."""
        kept = self._kept.get(key)
        return kept[1] if kept else None

    def forget(self, key: Key) -> None:
        """Read the value of a key anew the next time."""
        self._kept.pop(key, None)

    def put(self, key: Key, value: Value) -> None:
        """Keep a value from now on."""
        self._kept[key] = time.monotonic(), value

    def clear(self) -> None:
        """Forget all values."""
        self._kept.clear()


def remembered(read: Callable[[Campaign], Value]) -> Callable[[Campaign], Value]:
    """What a function says of a campaign, some seconds old at most."""
    cache: Cache[int, Value] = Cache()

    @wraps(read)
    def latest(campaign: Campaign) -> Value:
        return cache.get(campaign.pk, lambda: read(campaign))

    return latest


def clear_all() -> None:
    """Forget the values of all caches, for tests: each begins with new rows under old ids."""
    for cache in _ALL:
        cache.clear()
