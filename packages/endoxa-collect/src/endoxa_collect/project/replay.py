"""Repeat withdrawals after a backup was restored, by a list that is the campaign's own and the newest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.db import transaction

from endoxa.errors import UserError
from endoxa_collect.campaign import read_settings, require_name
from endoxa_collect.cards.answering import forget
from endoxa_collect.cards.locking import locked
from endoxa_collect.files import head_for
from endoxa_collect.models import (
    Campaign,
    Mention,
    Pair,
    SettingsVersion,
    Source,
    State,
    Tombstone,
    answers_of,
)
from endoxa_collect.privacy import erase, expire_all, redact_rows, withdraw
from endoxa_collect.project.folder import Folder
from endoxa_collect.tasks.adding import settings_from
from endoxa_collect.tasks.handing import withdraw_again
from endoxa_collect.tasks.rooms import room
from endoxa_collect.withdrawals import Line, What, hashed, heads, read, since_rehearsal


@dataclass(frozen=True)
class Replayed:
    """People who were deleted again, rows that were listed as withdrawn again, people whose links were cut again."""

    people: int
    rows: int
    expired: int


def replay(lines: Sequence[Line]) -> Replayed:
    """Delete what a list of withdrawals names, and complete the database's own list for coming releases.

    That is: people with all they gave, words that were removed as personal data, and single answers. What a retention
    date had ended comes back with a backup too, and is ended again, and so does an erased rehearsal.

    Raises:
        UserError: the site could not show one of the campaigns (`require_valid_campaigns`).
    """
    require_valid_campaigns()
    people = rows = 0
    for campaign in Campaign.objects.all():
        own = [line for line in lines if line.campaign == campaign.slug]
        since = since_rehearsal(own, campaign.slug)
        before = own[: len(own) - len(since)]
        people += _erase_again(campaign, before)
        by_hash = {line.person: line for line in own if line.what == What.PERSON}
        for person in campaign.people.all():
            if line := by_hash.get(hashed(person.pk)):
                withdraw(person, now=line.hour)
                people += 1
        people += withdraw_again(campaign, set(by_hash))
        rows += _bury(campaign, since)
        named = _named(own, What.WORDS)
        with locked(campaign.pk) as current:
            pairs = [pair for pair in Pair.objects.filter(campaign=current) if pair.public_id in named]
            mentions = [
                row for row in Mention.objects.filter(person__campaign=current) if row.public_id in named
            ]
            redact_rows(current, pairs, mentions)
            for chunk in _chunks(_named(own, What.ANSWER)):
                forget(current, answers_of(person__campaign=current, public_id__in=chunk))
        if not campaign.releases.perhaps_out().exists():
            for chunk in _chunks({row.row for line in before for row in line.rows}):
                campaign.tombstones.filter(row__in=chunk).delete()
    return Replayed(people, rows, expire_all(datetime.now(UTC).date()).people)


def _erase_again(campaign: Campaign, before: Sequence[Line]) -> int:
    """Erase a rehearsal in a backup made before it was erased; how many people."""
    named = {line.person for line in before if line.what in (What.ERASED, What.PERSON)}
    with locked(campaign.pk) as current:
        people = [person for person in current.people.all() if hashed(person.pk) in named]
        left = current.pairs.filter(source=Source.CONTRIBUTOR, public_id__in=_named(before, What.REHEARSAL))
        if people or left.exists():
            erase(current, people)
    return len(people)


def _named(lines: Sequence[Line], what: What) -> set[UUID]:
    return {row.row for line in lines if line.what == what for row in line.rows}


def _chunks(rows: Iterable[UUID]) -> Iterator[list[UUID]]:
    """Ids in portions: a database takes only so many in a query."""
    ordered = iter(sorted(rows))
    while chunk := list(islice(ordered, 500)):
        yield chunk


@transaction.atomic
def _bury(campaign: Campaign, lines: Sequence[Line]) -> int:
    """Complete the tombstones of a campaign; how many were missing."""
    releases = {release.number: release for release in campaign.releases.finished()}
    buried = set(Tombstone.objects.values_list("row", flat=True))
    missing = {
        row.row: Tombstone(
            campaign=campaign,
            row=row.row,
            table=row.table,
            release=releases.get(row.release),
            withdrawn_hour=line.hour,
        )
        for line in lines
        for row in line.rows
        if row.row not in buried
    }
    Tombstone.objects.bulk_create(missing.values())
    return len(missing)


def require_valid_campaigns() -> None:
    """Refuse a database whose campaigns the site could not show: names, states, settings in force, settings of tasks.

    Raises:
        UserError: something is invalid; it says what.
    """
    for campaign in Campaign.objects.all():
        where = f"The database, campaign '{campaign.slug}'"
        require_name(campaign.slug, where)
        if campaign.state not in State.values:
            raise UserError(
                f"{where}: unknown state '{campaign.state}'. Expected one of: {', '.join(State.values)}."
            )
        version = SettingsVersion.objects.filter(campaign=campaign, number=campaign.version).first()
        read_settings(version.content if version else {}, where)
        for task in campaign.tasks.all():
            settings_from(room(task.kind), task.settings)


def require_list(path: Path, secret: str, lacking: int, what: str) -> None:
    """Refuse a list of withdrawals that may not be this campaign's newest.

    Args:
        path: the list.
        secret: of the campaign's folder, from which follows what its first line says (`withdrawals.heads`).
        lacking: how many withdrawals that the restored database knows are missing from the list.
        what: was restored: "backup" or "database".

    Raises:
        UserError: the list is missing, empty, another campaign's or older, or does not say whose it is.
    """
    list_heads = heads(path)
    if list_heads - {head_for(secret)}:
        fault = "is the list of another campaign"
    elif not list_heads:
        fault = "is missing or empty, or lacks its first line, which says whose list it is"
    elif lacking:
        fault = f"is older than the {what}: {lacking} of the withdrawals that the {what} knows are missing"
    else:
        return
    raise UserError(
        f"{path} {fault}. Give the newest copy of withdrawals.jsonl from the campaign's folder, or --no-withdrawals if "
        f"nobody withdrew since the {what} was made."
    )


def replay_folder(folder: Folder, *, no_withdrawals: bool) -> Replayed:
    """Repeat withdrawals by the list of the folder whose site runs, after its database was restored by other means.

    Raises:
        UserError: as in `require_list`, unless `no_withdrawals` says that nobody withdrew since.
    """
    lines = read(folder.withdrawals, complete=False)
    if not no_withdrawals:
        stones = set(Tombstone.objects.values_list("row", flat=True))
        lacking = len(stones - {row.row for line in lines for row in line.rows})
        require_list(folder.withdrawals, settings.SECRET_KEY, lacking, "database")
    return replay(lines)
