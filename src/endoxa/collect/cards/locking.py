"""The lock of a campaign: every change of cards and pairs takes it first."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from django.db import connection, transaction

from endoxa.collect.files import waiting_for
from endoxa.collect.models import Campaign


class _Turn(threading.local):
    """What this thread does when the next in line has its turn; None where it has none itself."""

    then: list[Callable[[], object]] | None = None


_OWN = _Turn()


@contextmanager
def locked(campaign_id: int) -> Iterator[Campaign]:
    """A transaction in which nobody else draws or answers in this campaign.

    PostgreSQL locks the campaign's row; SQLite has taken its write lock with BEGIN IMMEDIATE (see `settings`), and
    `select_for_update` does nothing there. So the code is the same for both.
    """
    with _in_line(), transaction.atomic():
        yield Campaign.objects.select_for_update().get(pk=campaign_id)


def afterwards(do: Callable[[], object]) -> None:
    """Do something once all this is committed, and nobody waits for this thread any more."""
    transaction.on_commit(lambda: do() if _OWN.then is None else _OWN.then.append(do))


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
        _OWN.then = then
        try:
            yield
        finally:
            _OWN.then = None
    for do in then:
        do()
