"""Saving settings: always a new version, never over somebody else's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import AnonymousUser, User

from endoxa.collect.audit import record
from endoxa.collect.campaign.settings import CampaignSettings
from endoxa.collect.cards.counts import recount_needs
from endoxa.collect.cards.locking import locked
from endoxa.collect.models import Campaign, SettingsVersion
from endoxa.collect.organiser.settings.consenting import agreed_to


class ConflictError(Exception):
    """Somebody saved another version since the page was opened."""


def save(campaign: Campaign, base: int, content: Mapping[str, Any], user: User | AnonymousUser) -> int:
    """Put new content over the settings in force, and return the number of the version.

    Where nothing is different, nothing is saved. New words of consent and another day of retention raise
    `consent_version`; a new k, k_max or limit of disagreement is applied to all pairs at once.

    Args:
        campaign: whose settings.
        base: version that the organiser saw.
        content: new values by field of `CampaignSettings`.
        user: for the log.

    Raises:
        ConflictError: `base` is not the version in force.
        pydantic.ValidationError: the whole is not valid; nothing was saved.
    """
    with locked(campaign.pk) as current:
        if current.version != base:
            raise ConflictError
        before = current.settings
        after = _consented(
            before, CampaignSettings.model_validate({**before.model_dump(mode="json"), **content})
        )
        if after == before:
            return base
        SettingsVersion.objects.create(
            campaign=current,
            number=base + 1,
            content=after.model_dump(mode="json"),
            made_by=user if isinstance(user, User) else None,
        )
        current.version = base + 1
        current.save(update_fields=["version"])
        record(current, user, "settings saved", version=current.version, fields=_different(before, after))
        if _thresholds(before) != _thresholds(after):
            recount_needs(current, after.sampler)
        return current.version


def _different(before: CampaignSettings, after: CampaignSettings) -> str:
    fields = CampaignSettings.model_fields
    return ", ".join(sorted(name for name in fields if getattr(before, name) != getattr(after, name)))


def settings_of(campaign: Campaign, number: int) -> CampaignSettings | None:
    """The settings of one version, if there is one of that number."""
    row = SettingsVersion.objects.filter(campaign=campaign, number=number).first()
    return CampaignSettings.model_validate(row.content) if row else None


def _consented(before: CampaignSettings, after: CampaignSettings) -> CampaignSettings:
    if agreed_to(before) == agreed_to(after):
        return after
    return after.model_copy(update={"consent_version": before.consent_version + 1})


def _thresholds(settings: CampaignSettings) -> tuple[float, ...]:
    return settings.sampler.k, settings.sampler.k_max, settings.sampler.disagreement
