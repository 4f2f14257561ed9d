"""Consent: told plainly, given in separate boxes, refused as easily as given."""

from __future__ import annotations

from django.conf import settings as django_settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from endoxa.collect.campaign.settings import Texts, in_language
from endoxa.collect.contributor.access import next_step
from endoxa.collect.contributor.identity import holder, remember
from endoxa.collect.contributor.joining.codes import with_code
from endoxa.collect.contributor.joining.consent_form import ConsentForm
from endoxa.collect.contributor.joining.entrance import other_campaign
from endoxa.collect.contributor.joining.tickets import secret_of
from endoxa.collect.models import Campaign, Person
from endoxa.collect.security.codes import hash_receipt, hash_secret, receipt_of
from endoxa.collect.security.limits import ENROLMENTS, refuse


@require_http_methods(["GET", "HEAD", "POST"])
@with_code
def consent(request: HttpRequest, campaign: Campaign, code: str) -> HttpResponse:
    """Tell and ask; with the needed boxes ticked, make a person, whose receipt comes next."""
    person = holder(request)
    if person is not None and person.campaign_id == campaign.pk:
        return redirect(next_step(person))
    language: str = request.LANGUAGE_CODE
    form = ConsentForm(campaign.settings, language, request.POST if request.method == "POST" else None)
    outdated, expired = form.outdated, form.expired
    if outdated or expired:
        # Other words need new ticks.
        form = ConsentForm(campaign.settings, language, ticked=() if outdated else form.ticked)
    elif form.is_valid():
        if not ENROLMENTS.count(code):
            return refuse(request, ENROLMENTS)
        secret = secret_of(form.cleaned_data["ticket"], campaign)
        _enrol(campaign, secret, language, keep_words=form.cleaned_data["keep_words"])
        response = redirect("contributor:receipt")
        remember(response, secret)
        return response
    context = {
        "form": form,
        "code": code,
        "outdated": outdated,
        "expired": expired,
        "lines": headed(in_language(campaign.settings.texts.about, language)),
        "retention": campaign.settings.retention,
        "warning": in_language(campaign.settings.texts.content_warning, language),
        "text": in_language(campaign.settings.texts.consent, language),
        "text_language": language_of(campaign.settings.texts.consent, language),
        "other": other_campaign(person, campaign),
    }
    return render(request, "contributor/consent.html", context)


@require_safe
def declined(request: HttpRequest) -> HttpResponse:
    """Thank whoever said no, and leave nothing on their phone."""
    response = render(request, "contributor/declined.html")
    if holder(request) is None:
        for cookie in (django_settings.CSRF_COOKIE_NAME, django_settings.LANGUAGE_COOKIE_NAME):
            if cookie in request.COOKIES:
                response.delete_cookie(cookie, samesite="Lax")
    return response


def language_of(texts: Texts, language: str) -> str:
    """The language in which `in_language` gives a text."""
    return next((code for code in (language, "en", *texts) if texts.get(code)), language)


def headed(about: str) -> list[tuple[str, str]]:
    """The lines of the short text with their headings: what, why, what is kept, what is published, how to leave.

    A text of more or fewer than five lines is the campaign's own way of telling it, and gets none.
    """
    lines = [line.strip() for line in about.splitlines() if line.strip()]
    headings = (
        _("What you do"),
        _("Why"),
        _("What is kept"),
        _("What is published"),
        _("How to leave"),
    )
    return (
        list(zip(headings, lines, strict=True))
        if len(lines) == len(headings)
        else [("", line) for line in lines]
    )


def _enrol(campaign: Campaign, secret: str, language: str, *, keep_words: bool) -> None:
    """Store a new person; one who sent the form twice is there already."""
    settings = campaign.settings
    Person.objects.get_or_create(
        secret_hash=hash_secret(secret),
        defaults={
            "campaign": campaign,
            "receipt_hash": hash_receipt(receipt_of(secret)),
            "ui_language": language,
            "consent_version": settings.consent_version,
            "consent_language": language_of(settings.texts.consent, language),
            "consent_hour": timezone.now().replace(minute=0, second=0, microsecond=0),
            "keep_words": keep_words,
        },
    )
