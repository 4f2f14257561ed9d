"""Asking people again who agreed to other terms than those in force: what changed, and to agree or to leave."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from endoxa_collect.campaign import CampaignSettings, in_language
from endoxa_collect.cards.locking import locked
from endoxa_collect.contributor.access import closed, holder, next_step
from endoxa_collect.contributor.consent import ConsentForm, language_of
from endoxa_collect.models import Person, State
from endoxa_collect.terms import agreed_settings, changed_for, day

_NAMES: dict[str, Promise] = {
    "organisation": gettext_lazy("Who runs it"),
    "licence": gettext_lazy("Licence of the data"),
    "retention": gettext_lazy("Until when it is kept"),
    "minimum_age": gettext_lazy("Minimum age to take part"),
    "maximum_age": gettext_lazy("Maximum age to take part"),
    "about": gettext_lazy("What it is about"),
    "content_warning": gettext_lazy("Before you begin"),
    "consent": gettext_lazy("What you agree to"),
    "publication": gettext_lazy("What is published"),
    "keep_words": gettext_lazy("If you leave: your words"),
    "guardian": gettext_lazy("The sheet for parents and guardians"),
}
"""What may have changed, as contributors call it."""


@dataclass(frozen=True)
class Change:
    """One thing that people agree to, as it was for them and as it is now; "" where there was or is nothing."""

    name: Promise
    before: str
    now: str


def changes(person: Person, language: str) -> list[Change]:
    """What changed since a person agreed, in the language in which they read it then and in that of the page."""
    settings = person.campaign.settings
    before = agreed_settings(person.campaign, person.consent_version)
    return [
        Change(_NAMES[name], _said(before, name, person.consent_language), _said(settings, name, language))
        for name in changed_for(person)
    ]


def _said(settings: CampaignSettings, name: str, language: str) -> str:
    if name == "guardian":
        return in_language(settings.texts.guardian, language) if settings.guardian else ""
    if name in type(settings.texts).model_fields:
        return in_language(getattr(settings.texts, name), language)
    if name == "retention":
        return day(settings.retention)
    return str(getattr(settings, name) or "")


def agree(person: Person, language: str, *, keep_words: bool) -> None:
    """Keep that a person agreed to the terms in force; the consent that they gave before stays beside it."""
    with locked(person.campaign_id) as campaign:
        current = Person.objects.filter(pk=person.pk).first()
        settings = campaign.settings
        if current is None or current.consent_version == settings.consent_version:
            return
        earlier = {
            "version": current.consent_version,
            "language": current.consent_language,
            "hour": current.consent_hour.isoformat(),
        }
        current.earlier_consents = [*current.earlier_consents, earlier]
        current.consent_version = settings.consent_version
        current.consent_language = language_of(settings.texts.consent, language)
        current.consent_hour = timezone.now().replace(minute=0, second=0, microsecond=0)
        current.keep_words = keep_words
        current.save(
            update_fields=[
                "earlier_consents", "consent_version", "consent_language", "consent_hour", "keep_words",
            ]
        )  # fmt: skip


@require_http_methods(["GET", "HEAD", "POST"])
def again(request: HttpRequest) -> HttpResponse:
    """Say what changed, and ask; who agrees goes on where they were."""
    person = holder(request)
    if person is None:
        return redirect("contributor:home")
    if person.campaign.state != State.OPEN:
        return closed(request, status=403 if request.method == "POST" else 200)
    changed = changed_for(person)
    if not changed:
        return redirect(next_step(person))
    language: str = request.LANGUAGE_CODE
    # Other words need a new tick.
    kept = ("keep_words",) if person.keep_words and "keep_words" not in changed else ()
    asked = partial(ConsentForm, person.campaign.settings, language, interviewed=bool(person.interviewer))
    form = asked(request.POST if request.method == "POST" else None, ticked=kept)
    outdated = form.outdated
    if outdated:
        form = asked(ticked=kept)
    elif form.is_valid():
        agree(person, language, keep_words=form.cleaned_data["keep_words"])
        return redirect(next_step(person))
    context: dict[str, Any] = {
        "form": form,
        "outdated": outdated,
        "changes": changes(person, language),
        "before_language": person.consent_language,
        "since": date_format(timezone.localtime(person.consent_hour), "DATE_FORMAT"),
    }
    if request.method == "POST":
        form.focus()
    return render(request, "contributor/again.html", context)


urlpatterns: list[URLPattern] = [path("agree/", again, name="again")]
