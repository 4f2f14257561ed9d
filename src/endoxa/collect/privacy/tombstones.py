"""Tombstones: ids of rows that were taken back, for everybody who holds a release. They say nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from endoxa.collect.export.keys import Keys
from endoxa.collect.models import Campaign, Person, Tombstone


def bury(campaign: Campaign, table: str, rows: Iterable[UUID], now: datetime) -> int:
    """Leave a tombstone for each row of a table, by its public id; how many there are."""
    hour = now.replace(minute=0, second=0, microsecond=0)
    stones = [Tombstone(campaign=campaign, row=row, table=table, withdrawn_hour=hour) for row in rows]
    Tombstone.objects.bulk_create(stones, ignore_conflicts=True)
    return len(stones)


def bury_keys(campaign: Campaign, person: Person, now: datetime) -> None:
    """Leave a tombstone for the keys that a person has in releases, where the table of people has a row of theirs."""
    keys = [Keys(salt) for salt in sorted(set(campaign.releases.values_list("salt", flat=True)))]
    rows = [UUID(key) for one in keys for key in (one.rater(person.pk), one.respondent(person.pk))]
    bury(campaign, "people", rows, now)
