"""What an export says of people: one key, a few coarse columns, nothing that singles anybody out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import polars as pl

from endoxa.collect.campaign.settings import CampaignSettings, ProfileField
from endoxa.collect.export.columns import LEAST, OTHER, PROFILE, schema_of
from endoxa.collect.export.keys import Keys
from endoxa.collect.export.small_cells import merge_small_cells
from endoxa.collect.models import Campaign, Person

UNKNOWN_REGION = "ZZ"
"""CLDR's code of no country: the origin of people in an imported campaign of whom the export said nothing."""

UNKNOWN_VERSION = 0
"""Their consent version."""


@dataclass(frozen=True)
class Published:
    """What is said of a person.

    `rater` is empty for people from countries that fewer than `LEAST` share: which pairs they were shown, and
    whether these were about their own country, would say where they are from. Their answers cannot be
    linked to each other. `has_origin` is false also where they named no country.
    """

    rater: str
    respondent: str
    country: str
    consent: str
    profile: Mapping[str, str]

    @property
    def linked(self) -> bool:
        """Whether their answers share a key."""
        return bool(self.rater)

    @property
    def has_origin(self) -> bool:
        """Whether it can be said if a pair is about their own country."""
        return self.linked and bool(self.country)


def published_people(campaign: Campaign, keys: Keys) -> dict[UUID, Published]:
    """What is said of each person of a campaign."""
    settings = campaign.settings
    people = list(Person.objects.filter(campaign=campaign).order_by("pk"))
    # People of an imported export were made anonymous before.
    least = 1 if keys.salt is None else LEAST
    merged = merge_small_cells([_cells(person, settings) for person in people], least)
    return {
        person.pk: _published(person.pk, cells, settings, keys)
        for person, cells in zip(people, merged, strict=True)
    }


def people_frame(people: Mapping[UUID, Published], settings: CampaignSettings) -> pl.DataFrame:
    """The table of people who have a key."""
    rows = [
        {"rater": one.rater, "country": one.country, "consent": one.consent, **one.profile}
        for one in people.values()
        if one.linked
    ]
    return pl.DataFrame(rows, schema=schema_of("people", settings)).sort("rater")


def _cells(person: Person, settings: CampaignSettings) -> tuple[str, ...]:
    country = OTHER if UNKNOWN_REGION in person.origins else "; ".join(sorted(person.origins))
    declared = (_answer(person.extras, field) for field in settings.profile)
    consent = OTHER if person.consent_version == UNKNOWN_VERSION else str(person.consent_version)
    return (country, *declared, consent)


def _answer(extras: Mapping[str, Any], field: ProfileField) -> str:
    """What was chosen among the choices that the campaign declares now; anything else stays here."""
    given = extras.get(field.name, "")
    chosen = given if isinstance(given, list) else [given]
    return "; ".join(sorted(str(one) for one in chosen if one in field.choices or one == OTHER))


def _published(pk: UUID, cells: tuple[str, ...], settings: CampaignSettings, keys: Keys) -> Published:
    country, *answers, consent = cells
    linked = country != OTHER
    return Published(
        rater=keys.rater(pk) if linked else "",
        respondent=keys.rater(pk) if linked else keys.respondent(pk),
        country=country,
        consent=consent,
        profile={
            PROFILE + field.name: answer for field, answer in zip(settings.profile, answers, strict=True)
        },
    )
