"""Who gave which row of an export: people with a key, and stand-ins for those whose rows cannot be linked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID, uuid4

import polars as pl
from django.utils import timezone

from endoxa.collect.export.columns import OTHER, PROFILE
from endoxa.collect.export.people import UNKNOWN_REGION, UNKNOWN_VERSION
from endoxa.collect.models import Campaign, Person


@dataclass
class Placed:
    """People by their key, and stand-ins, handed out so that none answers twice for one pair."""

    campaign: Campaign
    known: dict[str, Person]
    stand_ins: list[Person] = field(default_factory=list)
    used: Counter[tuple[str, str]] = field(default_factory=Counter)

    def person(self, key: str, table: str, pair: str = "") -> Person:
        """The person with a key; without one, a stand-in that has no row for this pair in this table yet."""
        if key:
            if key not in self.known:
                self.known[key] = self._stand_in(UUID(key))
            return self.known[key]
        place = self.used[table, pair]
        self.used[table, pair] += 1
        while len(self.stand_ins) <= place:
            self.stand_ins.append(self._stand_in(uuid4()))
        return self.stand_ins[place]

    def _stand_in(self, pk: UUID) -> Person:
        made = _person(self.campaign, pk, OTHER, origins=[UNKNOWN_REGION])
        made.save(force_insert=True)
        return made


def place_people(campaign: Campaign, people: pl.DataFrame) -> Placed:
    """Make the people of the table of people."""
    known = []
    for row in people.iter_rows(named=True):
        extras = {
            name.removeprefix(PROFILE): value.split("; ")
            for name, value in row.items()
            if name.startswith(PROFILE) and value
        }
        origins = row["country"].split("; ") if row["country"] else []
        known.append(_person(campaign, UUID(row["rater"]), row["consent"], origins=origins, extras=extras))
    made = Person.objects.bulk_create(known)
    return Placed(campaign, {str(person.pk): person for person in made})


def _person(
    campaign: Campaign,
    pk: UUID,
    consent: str,
    *,
    origins: Sequence[str],
    extras: Mapping[str, object] | None = None,
) -> Person:
    """A person whom no cookie and no receipt code opens."""
    return Person(
        pk=pk,
        campaign=campaign,
        secret_hash=f"imported-{pk.hex}",
        receipt_hash=f"imported-{pk.hex}",
        ui_language="en",
        consent_version=UNKNOWN_VERSION if consent == OTHER else int(consent),
        consent_language="en",
        consent_hour=timezone.now().replace(minute=0, second=0, microsecond=0),
        profile_done=True,
        origins=list(origins),
        extras=dict(extras or {}),
    )
