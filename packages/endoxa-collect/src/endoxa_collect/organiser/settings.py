"""Pages of the settings: sections, saving, always as a new version and never over somebody else's, and versions."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Count, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils.translation import get_language, gettext, ngettext

from endoxa_collect import geography, groups
from endoxa_collect.campaign import CampaignSettings, read_settings
from endoxa_collect.cards.counts import recount_needs
from endoxa_collect.cards.locking import locked
from endoxa_collect.models import (
    HOLDING,
    Action,
    Campaign,
    Card,
    CardState,
    Claim,
    Moderation,
    Pair,
    Role,
    record,
)
from endoxa_collect.organiser.access import READ, READ_OR_SEND, allowed
from endoxa_collect.organiser.decisions import LOGGED
from endoxa_collect.organiser.setting_forms import SECTIONS, label_of
from endoxa_collect.terms import TEXTS, day, facts_of, waiting_for_consent, words_of


def asks_again(before: CampaignSettings, after: CampaignSettings) -> bool | None:
    """Whether other settings change what people agree to; None: only its words.

    Then the organiser says whether they still mean the same.
    """
    if facts_of(before) != facts_of(after):
        return True
    return None if words_of(before) != words_of(after) else False


def left_as_they_were(before: CampaignSettings, after: CampaignSettings) -> tuple[str, ...]:
    """Languages of the pages in which a text of consent stays, while another one changes, by their names.

    Languages that lack the text are not among them: their readers see another.
    """
    kept = set()
    for name in TEXTS:
        old, new = getattr(before.texts, name), getattr(after.texts, name)
        if old != new:
            kept |= {code for code in before.ui_languages if new.get(code) and new[code] == old.get(code)}
    shown = get_language() or "en"
    return tuple(geography.language_name(code, shown) for code in before.ui_languages if code in kept)


class ConflictError(Exception):
    """Somebody saved another version since the page was opened."""


def save(
    campaign: Campaign,
    base: int,
    content: Mapping[str, Any],
    user: User | AnonymousUser,
    *,
    means_the_same: bool = False,
    retire: bool = False,
) -> int:
    """Put new content over the settings in force, and return the number of the version.

    Where nothing is different, nothing is saved. Other terms (`terms`) raise `consent_version`; a new k, k_max or limit
    of disagreement is applied to all pairs at once.

    Args:
        campaign: whose settings.
        base: version that the organiser saw.
        content: new values by field of `CampaignSettings`.
        user: for the log.
        means_the_same: other words of the terms are a matter of spelling, and nobody is asked again.
        retire: hide the live pairs of what the new settings leave out (`left_pairs`).

    Raises:
        ConflictError: `base` is not the version in force.
        pydantic.ValidationError: the whole is not valid; nothing was saved.
    """
    with locked(campaign.pk) as current:
        if current.version != base:
            raise ConflictError
        before = current.settings
        after = CampaignSettings.model_validate({**before.model_dump(mode="json"), **content})
        asks = asks_again(before, after)
        if asks or (asks is None and not means_the_same):
            after = after.model_copy(update={"consent_version": before.consent_version + 1})
        if after == before:
            return base
        hidden = sum(_retire(pairs) for pairs in left_pairs(current, after).values()) if retire else 0
        made_by = user if isinstance(user, User) else None
        content = after.model_dump(mode="json")
        current.versions.create(number=base + 1, content=content, made_by=made_by)
        current.version = base + 1
        current.save(update_fields=["version"])
        names = sorted(CampaignSettings.model_fields)
        fields = ", ".join(name for name in names if getattr(before, name) != getattr(after, name))
        same = {"means_the_same": True} if asks is None and means_the_same else {}
        record(current, user, "settings saved", version=current.version, fields=fields, **same)
        if hidden:
            record(current, user, LOGGED[Action.HIDE], pairs=hidden)
        if _thresholds(before) != _thresholds(after):
            recount_needs(current, after.sampler)
        if (before.groups, before.profile) != (after.groups, after.profile):
            groups.place_everybody(current)
        return current.version


def save_from_file(campaign: Campaign, content: Mapping[str, Any], source: str) -> list[Removed]:
    """Put what a file says over the settings in force; returns what it leaves out.

    Raises:
        UserError: the whole is not valid; nothing was saved.
    """
    out = removed(campaign, read_settings({**campaign.settings.model_dump(mode="json"), **content}, source))
    save(campaign, campaign.version, content, AnonymousUser())
    campaign.refresh_from_db()
    return out


def settings_of(campaign: Campaign, number: int) -> CampaignSettings | None:
    """The settings of one version, if there is one of that number."""
    row = campaign.versions.filter(number=number).first()
    return CampaignSettings.model_validate(row.content) if row else None


def _thresholds(settings: CampaignSettings) -> tuple[float, ...]:
    return settings.sampler.k, settings.sampler.k_max, settings.sampler.disagreement


@dataclass(frozen=True, slots=True)
class Removed:
    """A language, country, group or answer that new settings leave out, by `setting`, and its live `pairs`."""

    setting: str
    name: str
    pairs: int = 0


def left_pairs(campaign: Campaign, after: CampaignSettings) -> dict[str, QuerySet[Pair]]:
    """Live pairs in languages, and about countries or groups, that other settings leave out, by setting."""
    before = campaign.settings
    live = Pair.objects.filter(campaign=campaign, moderation=Moderation.LIVE)
    old, new = groups.listed(before), groups.listed(after)
    about = live.exclude(country__in=new) if new else live.none()  # no list: all countries
    if old and bool(before.groups) == bool(after.groups):
        about = about.filter(country__in=old)
    return {
        "data_languages": live.filter(language__in=set(before.data_languages) - set(after.data_languages)),
        "countries": about,
    }


def removed(campaign: Campaign, after: CampaignSettings) -> list[Removed]:
    """What other settings leave out although there are pairs or answers of it."""
    before, shown = campaign.settings, get_language() or "en"
    left = left_pairs(campaign, after)

    said = {
        (question, answer)
        for extras in campaign.people.values_list("extras", flat=True)
        for question, chosen in extras.items()
        for answer in (chosen if isinstance(chosen, list) else [chosen])
    }
    kept = {(field.name, choice) for field in after.profile for choice in field.choices}
    out = []
    for setting, column in (("data_languages", "language"), ("countries", "country")):
        for code, pairs in left[setting].values_list(column).annotate(Count("pk")).order_by(column):
            named = (
                geography.language_name(code, shown)
                if column == "language"
                else groups.name(code, shown, before)
            )
            out.append(Removed(setting, named, pairs))
    for field in before.profile:
        lost = [choice for choice in field.choices if (field.name, choice) in said - kept]
        out += [Removed("profile", f"{field.name}: {choice}") for choice in lost]
    return out


def _retire(pairs: QuerySet[Pair]) -> int:
    """Hide pairs, as a moderator would each of them; how many."""
    Card.objects.filter(pair__in=pairs, state__in=HOLDING).update(state=CardState.LAPSED)
    Claim.objects.filter(pair__in=pairs).delete()
    return pairs.update(moderation=Moderation.HIDDEN)


def changes(before: CampaignSettings, after: CampaignSettings) -> list[tuple[str, str, str]]:
    """Names of the values that are different, in the language of the page, with what was there and what is."""
    old, new = dict(_values(before.model_dump(mode="json"))), dict(_values(after.model_dump(mode="json")))
    return [
        (label_of(path), day(old.get(path, "")), day(new.get(path, "")))
        for path in dict.fromkeys([*old, *new])
        if old.get(path, "") != new.get(path, "")
    ]


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


_NOTHING = "nothing"
_SAME = "same"
_TERMS = (_SAME, "ask")
"""Whether changed words of the terms still mean the same, or people are asked again."""


@allowed(Role.ORGANISER, methods=READ)
def overview(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The pages of the settings, the version in force and, after saving, what was saved."""
    context = {
        "campaign": campaign,
        "sections": SECTIONS.items(),
        "version": campaign.versions.select_related("made_by").latest("number"),
        "saved": _saved(campaign, request.GET.get("saved", "")),
    }
    return render(request, "organiser/settings.html", context)


@allowed(Role.ORGANISER, methods=READ_OR_SEND)
def section(request: HttpRequest, campaign: Campaign, name: str) -> HttpResponse:
    """One page. It keeps what was typed and asks again where somebody saved meanwhile or something would be lost."""
    if name not in SECTIONS:
        raise Http404
    before, page, sent = campaign.settings, SECTIONS[name], request.POST
    form = page.form(before, sent if request.method == "POST" else None)
    context = {"campaign": campaign, "section": page, "form": form, "base": campaign.version}
    if request.method == "POST":
        typed = sent.get("base", "")
        context["base"] = base = int(typed) if re.fullmatch(r"[0-9]{1,9}", typed) else 0
        if after := page.checked(form, before):
            left, out, terms = left_as_they_were(before, after), removed(campaign, after), sent.get("terms")
            asked = asks_again(before, after) is None and campaign.people.exists()
            if (not (out or left) or "sure" in sent) and (not asked or terms in _TERMS):
                same, retire = terms == _SAME, "retire" in sent
                try:
                    number = save(
                        campaign, base, form.content(), request.user, means_the_same=same, retire=retire
                    )
                except ConflictError:
                    return _somebody_saved(request, campaign, context)
                saved = number if number != base else _NOTHING
                return redirect(f"{reverse('organiser:settings', args=[campaign.slug])}?saved={saved}")
            context |= {"removed": out, "left": left, "asked": asked}
    return render(request, "organiser/settings_section.html", context)


def _somebody_saved(request: HttpRequest, campaign: Campaign, context: dict[str, Any]) -> HttpResponse:
    campaign.refresh_from_db()
    seen = settings_of(campaign, context["base"])
    meanwhile = changes(seen, campaign.settings) if seen else []
    context |= {"base": campaign.version, "meanwhile": meanwhile}
    return render(request, "organiser/settings_section.html", context, status=409)


@allowed(Role.ORGANISER, methods=READ)
def versions(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """All versions, newest first, and what each changed."""
    rows = list(campaign.versions.select_related("made_by").order_by("-number"))
    read = [CampaignSettings.model_validate(row.content) for row in rows]
    changed = [changes(before, after) for after, before in itertools.pairwise(read)]
    context = {"campaign": campaign, "versions": list(itertools.zip_longest(rows, changed))}
    return render(request, "organiser/settings_versions.html", context)


def _saved(campaign: Campaign, number: str) -> str:
    if number == _NOTHING:
        return gettext("Nothing was different, so nothing was saved.")
    before = settings_of(campaign, campaign.version - 1)
    if number != str(campaign.version) or before is None:
        return ""
    consent = campaign.settings.consent_version
    if consent == before.consent_version:
        return gettext("Saved.")
    waiting = len(waiting_for_consent(campaign))
    said = gettext("Saved. Who joins from now on agrees to version %(number)d of the consent.")
    asked = ngettext(
        "%(waiting)d person who joined before is asked again before the next card.",
        "%(waiting)d people who joined before are asked again before the next card.",
        waiting,
    )
    return (f"{said} {asked}" if waiting else said) % {"number": consent, "waiting": waiting}


urlpatterns = [
    path("<slug:slug>/settings/", overview, name="settings"),
    path("<slug:slug>/settings/versions/", versions, name="settings_versions"),
    path("<slug:slug>/settings/<slug:name>/", section, name="settings_section"),
]
