"""Save settings: always a new version, never over somebody else's; and compare versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Count
from django.utils.translation import get_language

from endoxa_collect import geography
from endoxa_collect.campaign import CampaignSettings
from endoxa_collect.cards.counts import recount_needs
from endoxa_collect.cards.locking import locked
from endoxa_collect.models import Campaign, Moderation, Pair, SettingsVersion, record
from endoxa_collect.organiser.settings.sections import label_of

_TEXTS = ("about", "content_warning", "consent", "publication", "keep_words", "guardian")


def agreed_to(settings: CampaignSettings) -> tuple[object, ...]:
    """All that people agree to: where it changes, there is a new version of consent."""
    return settings.retention, *(getattr(settings.texts, name) for name in _TEXTS)


def left_as_they_were(settings: CampaignSettings, content: Mapping[str, Any]) -> tuple[str, ...]:
    """Languages of the pages in which a text of consent stays, while `content` changes it in another one.

    Args:
        settings: in force.
        content: new values by field of the settings.

    Returns:
        Names in the language of the page. Languages that lack the text are not among them: their readers see another.
    """
    texts = content.get("texts", {})
    kept = set()
    for name in _TEXTS:
        before, after = getattr(settings.texts, name), texts.get(name, getattr(settings.texts, name))
        same = {code for code in settings.ui_languages if after.get(code) and after[code] == before.get(code)}
        kept |= same if before != after else set()
    shown = get_language() or "en"
    return tuple(geography.language_name(code, shown) for code in settings.ui_languages if code in kept)


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


@dataclass(frozen=True, slots=True)
class Removed:
    """A language that people may write in no more, and how many pairs that are shown now are in it."""

    language: str
    pairs: int


def removed_languages(campaign: Campaign, content: Mapping[str, Any]) -> tuple[Removed, ...]:
    """The languages with live pairs that `content`, new values by field of the settings, leaves out."""
    now = campaign.settings.data_languages
    out = set(now) - set(content.get("data_languages", now))
    counted = (
        Pair.objects.filter(campaign=campaign, moderation=Moderation.LIVE, language__in=out)
        .values_list("language")
        .annotate(pairs=Count("pk"))
        .order_by("language")
    )
    shown = get_language() or "en"
    return tuple(Removed(geography.language_name(code, shown), pairs) for code, pairs in counted)


@dataclass(frozen=True, slots=True)
class Change:
    """One value that is different, named in the language of the page; "" stands for what is not there."""

    name: str
    before: str
    after: str


def changes(before: CampaignSettings, after: CampaignSettings) -> tuple[Change, ...]:
    """The values that are different, in the order of the settings."""
    old, new = dict(_values(before.model_dump(mode="json"))), dict(_values(after.model_dump(mode="json")))
    return tuple(
        Change(label_of(path), old.get(path, ""), new.get(path, ""))
        for path in dict.fromkeys([*old, *new])
        if old.get(path, "") != new.get(path, "")
    )


def _values(content: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(content, Mapping):
        for name, value in content.items():
            yield from _values(value, (*path, name or "*"))
    elif isinstance(content, list) and content and isinstance(content[0], Mapping):
        for place, value in enumerate(content, start=1):
            yield from _values(value, (*path, str(value.get("name") or place)))
    elif isinstance(content, list):
        yield path, ", ".join(map(str, content))
    else:
        yield path, str(content)
