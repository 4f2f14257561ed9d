"""Tombstones: ids of rows that were taken back, for everybody who holds a release. They say nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from endoxa.collect.models import Campaign, Person, Release, Tombstone
from endoxa.collect.withdrawals.keys import Keys


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
    firsts = {one.salt: one for one in campaign.releases.order_by("-pk")}
    for salt, release in firsts.items():
        keys = Keys(salt)
        rows = [UUID(keys.rater(person.pk)), UUID(keys.respondent(person.pk))]
        bury(campaign, "people", rows, now, release=release)
