"""Views of the settings: the list of sections, each section, and the versions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pydantic
from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from endoxa_collect.campaign import ProfileField, SurveyQuestion, sensitive_field
from endoxa_collect.models import Campaign, Role, SettingsVersion
from endoxa_collect.organiser.access import allowed
from endoxa_collect.organiser.settings.sections import SECTIONS, SectionForm
from endoxa_collect.organiser.settings.services import (
    Change,
    ConflictError,
    changes,
    left_as_they_were,
    removed_languages,
    save,
    settings_of,
)

_NOTHING = "nothing"


class BaseForm(forms.Form):
    """The version that the organiser saw when the page was opened."""

    base = forms.IntegerField(min_value=1, widget=forms.HiddenInput)


@allowed(Role.ORGANISER)
@require_safe
def overview(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The pages of the settings, the version in force and, after saving, what was saved."""
    context = {
        "campaign": campaign,
        "sections": SECTIONS.items(),
        "version": _versions(campaign).filter(number=campaign.version).first(),
        "saved": _saved(campaign, request.GET.get("saved", "")),
    }
    return render(request, "organiser/settings.html", context)


@allowed(Role.ORGANISER)
@require_http_methods(["GET", "HEAD", "POST"])
def section(request: HttpRequest, campaign: Campaign, name: str) -> HttpResponse:
    """One page. It keeps what was typed and asks again where somebody saved meanwhile or something would be lost."""
    if name not in SECTIONS:
        raise Http404
    if request.method != "POST":
        return _page(request, campaign, name, SECTIONS[name].form(campaign.settings, None))
    form = SECTIONS[name].form(campaign.settings, request.POST)
    seen = BaseForm(request.POST)
    base = seen.cleaned_data["base"] if seen.is_valid() else 0
    if not form.is_valid():
        return _page(request, campaign, name, form, base=base)
    content = form.content()
    removed, left = removed_languages(campaign, content), left_as_they_were(campaign.settings, content)
    if (removed or left) and "sure" not in request.POST:
        return _page(request, campaign, name, form, base=base, removed=removed, left=left)
    try:
        number = save(campaign, base, content, request.user)
    except ConflictError:
        campaign.refresh_from_db()
        return _page(request, campaign, name, form, meanwhile=_since(campaign, base))
    except pydantic.ValidationError:
        return _page(request, campaign, name, form, base=base, refused=_refused(campaign, content))
    saved = number if number != base else _NOTHING
    return redirect(f"{reverse('organiser:settings', args=[campaign.slug])}?saved={saved}")


@allowed(Role.ORGANISER)
@require_safe
def versions(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """All versions, newest first."""
    context = {"campaign": campaign, "versions": _versions(campaign)}
    return render(request, "organiser/settings_versions.html", context)


@allowed(Role.ORGANISER)
@require_safe
def version(request: HttpRequest, campaign: Campaign, number: int) -> HttpResponse:
    """What one version changed."""
    shown = _versions(campaign).filter(number=number).first()
    after, before = settings_of(campaign, number), settings_of(campaign, number - 1)
    if shown is None or after is None:
        raise Http404
    context = {
        "campaign": campaign,
        "version": shown,
        "first": before is None,
        "changes": changes(before, after) if before else (),
    }
    return render(request, "organiser/settings_version.html", context)


def _page(
    request: HttpRequest, campaign: Campaign, name: str, form: SectionForm, **more: Any
) -> HttpResponse:
    context = {
        "campaign": campaign,
        "name": name,
        "section": SECTIONS[name],
        "form": form,
        "base": campaign.version,
        **more,
    }
    return render(
        request, "organiser/settings_section.html", context, status=409 if "meanwhile" in more else 200
    )


def _refused(campaign: Campaign, content: Mapping[str, Any]) -> str:
    """Why values that the form took do not go with those of other pages, in the language of this one."""
    now = campaign.settings
    profile = [ProfileField.model_validate(field) for field in content.get("profile", now.profile)]
    questions = [
        SurveyQuestion.model_validate(question) for question in content.get("questions", now.questions)
    ]
    if content.get("survey", now.survey) and not questions:
        return gettext("A survey needs at least one question.")
    if content.get("guardian", now.guardian) and (sensitive := sensitive_field(profile, questions)):
        return gettext("Minors are not asked about “%(name)s”: take that question out first.") % {
            "name": sensitive
        }
    return gettext("This does not go with what stands on another page of the settings. Nothing was saved.")


def _saved(campaign: Campaign, number: str) -> str:
    if number == _NOTHING:
        return gettext("Nothing was different, so nothing was saved.")
    before = settings_of(campaign, campaign.version - 1)
    if number != str(campaign.version) or before is None:
        return ""
    consent = campaign.settings.consent_version
    if consent == before.consent_version:
        return gettext("Saved.")
    return gettext("Saved. Who joins from now on agrees to version %(number)d of the consent.") % {
        "number": consent
    }


def _since(campaign: Campaign, base: int) -> tuple[Change, ...]:
    before = settings_of(campaign, base)
    return changes(before, campaign.settings) if before else ()


def _versions(campaign: Campaign) -> Any:
    return SettingsVersion.objects.filter(campaign=campaign).select_related("made_by").order_by("-number")
