"""The list of withdrawals outside the database, so that a restored backup forgets the same people again.

`withdrawals.jsonl` in the campaign's folder has one line for each withdrawal and is only ever added to: the campaign,
the hour, the hash of the person's random id (which finds them in an older backup and nowhere else), and the random ids
of the rows that went, as in the withdrawals of an export.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.utils import timezone
from pydantic import BaseModel, ConfigDict, ValidationError

from endoxa.collect.models import Campaign, Tombstone
from endoxa.errors import UserError

NAME = "withdrawals.jsonl"


class Row(BaseModel):
    """A row that went: its table and its public id."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    table: str
    row: UUID


class Line(BaseModel):
    """One withdrawal; `person` is a hash."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    campaign: str
    hour: datetime
    person: str
    rows: tuple[Row, ...]


@contextmanager
def noted(campaign: Campaign, person: UUID) -> Iterator[None]:
    """Add a line for the withdrawal that happens inside; for use inside its transaction.

    The line is on disk before the transaction ends, so a crash in between can only forget somebody who asked for it.
    Without a campaign's folder nothing is written.
    """
    buried = Tombstone.objects.filter(campaign=campaign).order_by("pk")
    latest = buried.values_list("pk", flat=True).last() or 0
    yield
    if settings.FOLDER is not None:
        rows = tuple(Row(table=one.table, row=one.row) for one in buried.filter(pk__gt=latest))
        hour = timezone.now().replace(minute=0, second=0, microsecond=0)
        append(
            settings.FOLDER / NAME,
            [Line(campaign=campaign.slug, hour=hour, person=hashed(person), rows=rows)],
        )


def hashed(person: UUID) -> str:
    """What the list holds of a person; their id has 122 random bits and needs no slow hash."""
    return hashlib.sha256(person.bytes).hexdigest()


def append(path: Path, lines: Iterable[Line]) -> None:
    """Add lines to a list, in one write that is on disk when this returns."""
    content = "".join(line.model_dump_json() + "\n" for line in lines)
    number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(number, content.encode())
        os.fsync(number)
    finally:
        os.close(number)


def read(path: Path) -> list[Line]:
    """The lines of a list; none where there is no file. A last line without its end was cut off by a crash and is left.

    Raises:
        UserError: another line cannot be read.
    """
    if not path.is_file():
        return []
    return parse(path.read_text(encoding="utf-8"), path.name)


def parse(text: str, name: str) -> list[Line]:
    """The lines in a text; `name` is for the message.

    Raises:
        UserError: a line cannot be read.
    """
    whole = text[: text.rfind("\n") + 1]
    found = []
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            found.append(Line.model_validate_json(line))
        except ValidationError:
            raise UserError(
                f"{name}, line {number} is no withdrawal: take the file from another copy."
            ) from None
    return found


def merged(*lists: Iterable[Line]) -> list[Line]:
    """Every line once, in the order of their first mention."""
    return list(dict.fromkeys(line for lines in lists for line in lines))
