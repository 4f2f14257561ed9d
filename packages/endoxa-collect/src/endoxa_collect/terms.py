"""The terms that people agreed to: what changed since, who is asked again, whose answers an export may hold.

A change of the terms raises `consent_version` (`organiser.settings.save`). A person is asked again only where what they
themselves read is different: a new French text asks nobody who agreed in Spanish, and neither does a promise that
became stricter (an earlier day of deletion, a lower minimum age).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import date
from uuid import UUID

from django.utils.formats import date_format

from endoxa_collect.campaign import CampaignSettings, in_language
from endoxa_collect.models import Campaign, Mention, Pair, Person, SettingsVersion, Source

TEXTS = ("about", "content_warning", "consent", "publication", "keep_words", "guardian")
"""Texts that people agree to."""

_FACTS: Mapping[str, Callable[[CampaignSettings, CampaignSettings], bool]] = {
    "organisation": lambda before, after: before.organisation != after.organisation,
    "licence": lambda before, after: before.licence != after.licence,
    "retention": lambda before, after: _later(before.retention, after.retention),
    "minimum_age": lambda before, after: after.minimum_age > before.minimum_age,
    "maximum_age": lambda before, after: (
        after.maximum_age < (before.maximum_age or 100) and after.maximum_age > 0
    ),
    "guardian": lambda before, after: after.guardian > before.guardian,
}
"""Settings that people agree to, and whether a change of one asks them again."""

_OF_A_RELEASE = frozenset({"organisation", "licence", "about", "consent", "publication"})
"""Terms without which an export may not hold what somebody gave."""


def _later(before: str, after: str) -> bool:
    """Whether a day of deletion is later than the one that was promised; none at all is the latest."""
    return bool(before) and before != after and (not after or after > before)


def facts_of(settings: CampaignSettings) -> tuple[object, ...]:
    """What people agree to beside texts; a change is never one of spelling alone."""
    return tuple(getattr(settings, name) for name in _FACTS if name != "organisation")


def words_of(settings: CampaignSettings) -> tuple[object, ...]:
    """What people agree to in words, in all languages; a change may be one of spelling alone."""
    return settings.organisation, *(getattr(settings.texts, name) for name in TEXTS)


def changed(before: CampaignSettings, after: CampaignSettings, language: str) -> tuple[str, ...]:
    """Names of the settings and texts that are different for somebody who agreed in a language."""
    facts = [name for name, asks in _FACTS.items() if asks(before, after)]
    texts = [
        name
        for name in TEXTS
        if (name != "guardian" or after.guardian)
        and in_language(getattr(before.texts, name), language)
        != in_language(getattr(after.texts, name), language)
    ]
    return (*facts, *texts)


def agreed_settings(campaign: Campaign, consent_version: int) -> CampaignSettings:
    """The latest settings with this version of the consent; those in force where there are none."""
    if consent_version == campaign.settings.consent_version:
        return campaign.settings
    versions = SettingsVersion.objects.filter(campaign=campaign, content__consent_version=consent_version)
    latest = versions.order_by("-number").first()
    return CampaignSettings.model_validate(latest.content) if latest else campaign.settings


def changed_for(person: Person) -> tuple[str, ...]:
    """What a person has to agree to before the next card; nothing for most."""
    now = person.campaign.settings
    if person.consent_version == now.consent_version:
        return ()
    before = agreed_settings(person.campaign, person.consent_version)
    return changed(before, now, person.consent_language)


def waiting_for_consent(campaign: Campaign, *, of_a_release: bool = False) -> frozenset[UUID]:
    """People who have not agreed to the terms in force; `of_a_release`: to those that an export stands on."""
    older = campaign.people.exclude(consent_version=campaign.settings.consent_version)
    different = {
        (version, language)
        for version, language in older.values_list("consent_version", "consent_language").distinct()
        if (terms := changed(agreed_settings(campaign, version), campaign.settings, language))
        and (not of_a_release or not _OF_A_RELEASE.isdisjoint(terms))
    }
    people = older.values_list("pk", "consent_version", "consent_language") if different else ()
    return frozenset(pk for pk, version, language in people if (version, language) in different)


def words_of_nobody_else(campaign: Campaign, people: frozenset[UUID]) -> frozenset[int]:
    """Pairs that only these people said."""
    if not people:
        return frozenset()
    theirs = Pair.objects.filter(campaign=campaign, source=Source.CONTRIBUTOR)
    authors = dict(theirs.values_list("pk", "author"))
    said = Mention.objects.filter(pair__in=theirs).values_list("pair", "person")
    others = {pair for pair, person in said if person not in people}
    return frozenset(pair for pair, author in authors.items() if author in people and pair not in others)


def promised_day_is_over(campaign: Campaign, today: date) -> list[Person]:
    """People whose link must be cut although the campaign goes on: the day that they agreed to was earlier."""
    older = campaign.people.exclude(consent_version=campaign.settings.consent_version)
    days = {
        version: agreed_settings(campaign, version).retention
        for version in older.values_list("consent_version", flat=True).distinct()
    }
    return [person for person in older if "" < days[person.consent_version] < today.isoformat()]


def day(written: str) -> str:
    """A day as settings and lists hold it (2027-01-31) in the words of the page's language; other text as it is."""
    with suppress(ValueError):
        return date_format(date.fromisoformat(written), "DATE_FORMAT")
    return written
