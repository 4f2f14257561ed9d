"""The lock of a campaign: every change of cards and pairs takes it first, alone or together with others."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

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


def _in_line() -> AbstractContextManager[None]:
    """Wait for one's turn where the database does not keep a queue.

    Those who wait for the lock of SQLite try again after pauses of up to 0.1 s, and the unlucky may try for minutes
    while others come and go. A lock of the operating system wakes them in turn; on Windows there is none.
    """
    file = connection.settings_dict["NAME"]
    if connection.vendor != "sqlite" or connection.in_atomic_block or not Path(file).is_file():
        return nullcontext()
    return _turn(Path(f"{file}-queue"))


@contextmanager
def _turn(path: Path) -> Iterator[None]:
    then: list[Callable[[], object]] = []
    with path.open("wb") as queue, waiting_for(queue):
        _THREAD.then = then
        try:
            yield
        finally:
            _THREAD.then = None
    for do in then:
        do()
