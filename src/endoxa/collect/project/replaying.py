"""Withdrawing again whoever had withdrawn before a backup was restored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from endoxa.collect.models import Campaign, Person, Tombstone
from endoxa.collect.privacy.withdrawal import withdraw
from endoxa.collect.project.withdrawn import Line, hashed


@dataclass(frozen=True)
class Replayed:
    """People who were deleted again, and ids of rows that were put on the list of withdrawals again."""

    people: int
    rows: int


def replay(lines: Sequence[Line]) -> Replayed:
    """Delete the people in a list of withdrawals, and complete the database's own list for coming releases."""
    people = 0
    by_hash = {(line.campaign, line.person): line for line in lines}
    for person in Person.objects.select_related("campaign"):
        line = by_hash.get((person.campaign.slug, hashed(person.pk)))
        if line is not None:
            withdraw(person, now=line.hour)
            people += 1
    return Replayed(people, _bury(lines))


@transaction.atomic
def _bury(lines: Sequence[Line]) -> int:
    campaigns = {one.slug: one for one in Campaign.objects.all()}
    known = set(Tombstone.objects.values_list("row", flat=True))
    missing = {
        row.row: Tombstone(
            campaign=campaigns[line.campaign], row=row.row, table=row.table, withdrawn_hour=line.hour
        )
        for line in lines
        if line.campaign in campaigns
        for row in line.rows
        if row.row not in known
    }
    Tombstone.objects.bulk_create(missing.values())
    return len(missing)
