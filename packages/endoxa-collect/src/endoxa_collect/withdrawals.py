"""Tombstones of deleted rows, for releases and restored backups; they name nobody.

A tombstone is the id of a deleted row and nothing else, for everybody who holds a release. `Keys` makes the keys of
people in exports: the same person has another one in each export and release.

`withdrawals.jsonl` in the campaign's folder is a list outside the database, so that a restored backup deletes the same
people and words again. It has one line for each withdrawal, each removal of personal data and each answer taken back,
and is append-only: the campaign, the hour, the random ids of the deleted rows, as in the withdrawals of an export, and
for a person who left the hash of their random id (which finds them in an older backup and nowhere else). A line of its
own says whose list it is (`heads`).
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO
from uuid import UUID, uuid4

from django.conf import settings
from django.utils import timezone
from pydantic import BaseModel, ConfigDict, ValidationError

from endoxa.errors import UserError
from endoxa_collect.files import head_for, is_head, waiting_for
from endoxa_collect.models import Campaign, Person, Release, Tombstone

NAME = "withdrawals.jsonl"


class What(StrEnum):
    """What happened: somebody left, words were removed as personal data, or a single answer was taken back.

    An erased rehearsal has a line for each person (`ERASED`) and one at its end (`REHEARSAL`), with a random hash for
    the person, so that no two are alike, and the words that had been left by people who had gone before. Of rows in
    lines before that one nobody has to be told: nothing was released then.
    """

    PERSON = "person"
    WORDS = "words"
    ANSWER = "answer"
    ERASED = "erased"
    REHEARSAL = "rehearsal"


class Row(BaseModel):
    """A row that went: its table and its public id; of a person's key also the number of its release."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    table: str
    row: UUID
    release: str = ""


class Line(BaseModel):
    """One withdrawal; `person` is a hash, empty unless somebody left or a rehearsal ended."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    campaign: str
    hour: datetime
    person: str = ""
    what: What = What.PERSON
    rows: tuple[Row, ...]


@contextmanager
def noted(campaign: Campaign, what: What, person: UUID | None = None) -> Iterator[None]:
    """Add a line for what is buried inside; for use inside its transaction.

    The line is on disk before the transaction ends, so a crash in between can only forget what was to be forgotten.
    Without a campaign's folder nothing is written, nor where nobody left and no row was buried.
    """
    buried = Tombstone.objects.filter(campaign=campaign).order_by("pk")
    latest = buried.values_list("pk", flat=True).last() or 0
    yield
    tombstones = buried.filter(pk__gt=latest).select_related("release")
    rows = tuple(
        Row(
            table=tombstone.table,
            row=tombstone.row,
            release=tombstone.release.number if tombstone.release else "",
        )
        for tombstone in tombstones
    )
    if settings.FOLDER is not None and (person or rows):
        hour = timezone.now().replace(minute=0, second=0, microsecond=0)
        whose = hashed(person) if person else ""
        append(
            settings.FOLDER / NAME,
            [Line(campaign=campaign.slug, hour=hour, person=whose, what=what, rows=rows)],
        )


def note_rehearsal(campaign: Campaign, people: Iterable[UUID], words: Iterable[UUID]) -> None:
    """Add the lines of an erased rehearsal: its people, and pairs of people who had left before.

    As in `noted`: on disk before the transaction ends, and nothing without a campaign's folder.
    """
    if settings.FOLDER is None:
        return
    hour = timezone.now().replace(minute=0, second=0, microsecond=0)
    left = tuple(Row(table="pairs", row=word) for word in words)
    line = partial(Line, campaign=campaign.slug, hour=hour)
    lines = [line(person=hashed(person), what=What.ERASED, rows=()) for person in people]
    append(settings.FOLDER / NAME, [*lines, line(person=hashed(uuid4()), what=What.REHEARSAL, rows=left)])


def since_rehearsal(lines: Sequence[Line], slug: str) -> list[Line]:
    """The lines of a campaign after its last erased rehearsal; all where none was erased."""
    campaign_lines = [line for line in lines if line.campaign == slug]
    ends = [place for place, line in enumerate(campaign_lines) if line.what == What.REHEARSAL]
    return campaign_lines[ends[-1] + 1 :] if ends else campaign_lines


def hashed(person: UUID) -> str:
    """What the list holds of a person; their id has 122 random bits and needs no slow hash."""
    return hashlib.sha256(person.bytes).hexdigest()


def append(path: Path, lines: Iterable[Line]) -> None:
    """Add lines to a list, on disk when this returns; what a crash left of a last line is taken away first.

    A new or empty list begins with whose it is.
    """
    content = "".join(line.model_dump_json() + "\n" for line in lines)
    with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b") as file, waiting_for(file):
        before = _end_last_line(file)
        file.write((content if before else f"{head_for(settings.SECRET_KEY)}\n{content}").encode())
        file.flush()
        os.fsync(file.fileno())


def _end_last_line(file: BinaryIO) -> bytes:
    """Put the file's end behind its last whole line; what it holds then."""
    content = file.read()
    start = content.rfind(b"\n") + 1
    last = content[start:].decode(errors="replace")
    if last and not is_head(last):
        try:
            Line.model_validate_json(last)
        except ValidationError:
            file.truncate(start)
            content, last = content[:start], ""
    file.seek(0, os.SEEK_END)
    if last:
        file.write(b"\n")
    return content


def read(path: Path, *, complete: bool = True) -> list[Line]:
    """The lines of a list; none where there is no file.

    Args:
        path: the file.
        complete: False for the list that the site itself writes: a crash may have cut its last line off, which is
            left out then, because nobody was told that the withdrawal had happened.

    Raises:
        UserError: the file is no text, or a line is no withdrawal.
    """
    if not path.exists():
        return []
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise UserError(f"{path} is not UTF-8 text: use another copy of the file.") from None
    return parse(text, path.name, complete=complete)


def heads(path: Path) -> set[str]:
    """Whose list it is, as its lines say; nothing where there is none, or `read` would fail."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return set()
    return {line.strip() for line in lines if is_head(line)}


def parse(text: str, name: str, *, complete: bool = True) -> list[Line]:
    """The lines in a text; `name` is for the message, `complete` as in `read`.

    Raises:
        UserError: a line cannot be read.
    """
    *ended, last = text.split("\n")
    parsed = []
    for number, line in enumerate([*ended, last], 1):
        if not line.strip() or is_head(line):
            continue
        try:
            parsed.append(Line.model_validate_json(line))
        except ValidationError:
            if number > len(ended) and not complete:
                break
            raise UserError(
                f"{name}, line {number} is not a withdrawal: use another copy of the file."
            ) from None
    return parsed


def merged(*lists: Iterable[Line]) -> list[Line]:
    """Every line once, in the order of their first mention."""
    return list(dict.fromkeys(line for lines in lists for line in lines))


def new_salt() -> str:
    """A secret of 256 random bits."""
    return secrets.token_hex(32)


@dataclass(frozen=True)
class Keys:
    """Makes keys with a salt."""

    salt: str

    def rater(self, person: UUID) -> str:
        """The key of a person."""
        return self._key("rater", person)

    def respondent(self, person: UUID) -> str:
        """The key in the survey of somebody who has none elsewhere."""
        return self._key("respondent", person)

    def _key(self, use: str, person: UUID) -> str:
        digest = hmac.digest(self.salt.encode(), f"{use}:{person.hex}".encode(), sha256)
        return str(UUID(bytes=digest[:16], version=4))


def bury(
    campaign: Campaign, table: str, rows: Iterable[UUID], now: datetime, *, release: Release | None = None
) -> int:
    """Leave a tombstone for each row of a table, by its public id (or key in a release); how many there are."""
    hour = now.replace(minute=0, second=0, microsecond=0)
    stones = [
        Tombstone(campaign=campaign, row=row, table=table, withdrawn_hour=hour, release=release)
        for row in rows
    ]
    Tombstone.objects.bulk_create(stones, ignore_conflicts=True)
    return len(stones)


def bury_keys(campaign: Campaign, person: Person, now: datetime) -> None:
    """Leave a tombstone for the keys that a person has in releases, where the table of people has a row of theirs."""
    # The release itself, not one of its patches, which have the same keys.
    firsts = {first.salt: first for first in campaign.releases.order_by("-pk")}
    for salt, release in firsts.items():
        keys = Keys(salt)
        rows = [UUID(keys.rater(person.pk)), UUID(keys.respondent(person.pk))]
        bury(campaign, "people", rows, now, release=release)
