"""Repeat withdrawals after a backup was restored, by a list that is the campaign's own and the newest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
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
    Person,
    Release,
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
from endoxa_collect.withdrawals import Line, What, hashed, heads, since_rehearsal

_IN_A_QUERY = 500
"""Ids: a database takes only so many."""


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
    people = sum(_erase_again(campaign, lines) for campaign in Campaign.objects.all())
    by_hash = {(line.campaign, line.person): line for line in lines if line.what == What.PERSON}
    for person in Person.objects.select_related("campaign"):
        line = by_hash.get((person.campaign.slug, hashed(person.pk)))
        if line is not None:
            withdraw(person, now=line.hour)
            people += 1
    for campaign in Campaign.objects.all():
        people += withdraw_again(campaign, {person for slug, person in by_hash if slug == campaign.slug})
    since = {campaign.slug: since_rehearsal(lines, campaign.slug) for campaign in Campaign.objects.all()}
    rows = _bury([line for ending in since.values() for line in ending])
    for campaign in Campaign.objects.all():
        campaign_lines = [line for line in lines if line.campaign == campaign.slug]
        named = _named(campaign_lines, What.WORDS)
        with locked(campaign.pk) as current:
            pairs = [pair for pair in Pair.objects.filter(campaign=current) if pair.public_id in named]
            mentions = [
                mention
                for mention in Mention.objects.filter(person__campaign=current)
                if mention.public_id in named
            ]
            redact_rows(current, pairs, mentions)
        _take_back(campaign, _named(campaign_lines, What.ANSWER))
        before = campaign_lines[: len(campaign_lines) - len(since[campaign.slug])]
        if not campaign.releases.perhaps_out().exists():
            # One by one: a database takes only so many ids in a query.
            for row in sorted({row.row for line in before for row in line.rows}):
                campaign.tombstones.filter(row=row).delete()
    return Replayed(people, rows, expire_all(datetime.now(UTC).date()).people)


def _erase_again(campaign: Campaign, lines: Sequence[Line]) -> int:
    """Erase a rehearsal in a backup made before it was erased; how many people."""
    campaign_lines = [line for line in lines if line.campaign == campaign.slug]
    before = campaign_lines[: len(campaign_lines) - len(since_rehearsal(campaign_lines, campaign.slug))]
    named = {line.person for line in before if line.what in (What.ERASED, What.PERSON)}
    with locked(campaign.pk) as current:
        people = [person for person in current.people.all() if hashed(person.pk) in named]
        left = current.pairs.filter(source=Source.CONTRIBUTOR, public_id__in=_named(before, What.REHEARSAL))
        if people or left.exists():
            erase(current, people)
    return len(people)


def _named(lines: Sequence[Line], what: What) -> set[UUID]:
    return {row.row for line in lines if line.what == what for row in line.rows}


def _take_back(campaign: Campaign, named: set[UUID]) -> None:
    rows = sorted(named)
    with locked(campaign.pk) as current:
        for start in range(0, len(rows), _IN_A_QUERY):
            chunk = rows[start : start + _IN_A_QUERY]
            forget(current, answers_of(person__campaign=current, public_id__in=chunk))


@transaction.atomic
def _bury(lines: Sequence[Line]) -> int:
    campaigns = {campaign.slug: campaign for campaign in Campaign.objects.all()}
    releases = {(release.campaign_id, release.number): release for release in Release.objects.finished()}
    buried = set(Tombstone.objects.values_list("row", flat=True))
    missing = {
        row.row: Tombstone(
            campaign=campaigns[line.campaign],
            row=row.row,
            table=row.table,
            release=releases.get((campaigns[line.campaign].pk, row.release)),
            withdrawn_hour=line.hour,
        )
        for line in lines
        if line.campaign in campaigns
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


_NEWEST = "the newest copy of withdrawals.jsonl from the campaign's folder"


def require_same_campaign(path: Path, secret: str) -> None:
    """Refuse a list whose first line does not say that it is of the campaign with this secret (`withdrawals.heads`).

    Raises:
        UserError: the list is empty or another campaign's, or does not say whose it is.
    """
    list_heads = heads(path)
    if list_heads - {head_for(secret)}:
        raise UserError(f"{path} is the list of another campaign. Give {_NEWEST}.")
    if not list_heads:
        raise UserError(
            f"{path} is empty or lacks its first line, which says whose list it is. Give {_NEWEST}, or "
            "--no-withdrawals if nobody withdrew since."
        )


def require_newest(lines: Sequence[Line], path: Path, recorded: Sequence[Line]) -> None:
    """Refuse lists that lack a withdrawal which the backup knows; `path` is for the message.

    Raises:
        UserError: how many are missing.
    """
    missing = len(set(recorded) - set(lines))
    if missing:
        raise UserError(
            f"{path} is older than the backup: {missing} of the withdrawals that the backup knows are missing. "
            f"Give {_NEWEST}, or --no-withdrawals if there is none and nobody withdrew since the backup."
        )


def require_list(folder: Folder, lines: Sequence[Line]) -> None:
    """Refuse the list of a campaign's folder for a database that was restored by other means, as `restore` would.

    Raises:
        UserError: it is missing or empty, another campaign's, or lacks what the database knows.
    """
    path = folder.withdrawals
    otherwise = "or give --no-withdrawals if nobody withdrew since the database was copied"
    list_heads = heads(path)
    if not list_heads:
        raise UserError(
            f"{path} is missing or empty, or lacks its first line, so nobody knows who withdrew. Put the newest copy "
            f"there, {otherwise}."
        )
    if list_heads - {head_for(settings.SECRET_KEY)}:
        raise UserError(f"{path} is the list of another campaign. Put this campaign's there, {otherwise}.")
    stones = set(Tombstone.objects.values_list("row", flat=True))
    missing = len(stones - {row.row for line in lines for row in line.rows})
    if missing:
        raise UserError(
            f"{path} is older than the database: {missing} rows that the database knows as withdrawn are missing. "
            f"Put the newest copy there, {otherwise}."
        )
