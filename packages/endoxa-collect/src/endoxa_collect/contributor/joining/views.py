"""Views of the pages that lead in: code, consent, receipt, profile, language, information."""

from __future__ import annotations

from django import forms
from django.conf import settings as django_settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from endoxa_collect import geography
from endoxa_collect.campaign import Texts, in_language
from endoxa_collect.contributor.access import contributor, holder, next_step, remember
from endoxa_collect.contributor.frame import keep_language, nearest_first, offered_language
from endoxa_collect.contributor.joining.forms import ConsentForm, ProfileForm
from endoxa_collect.contributor.joining.services import (
    campaign_of_code,
    country_of_browser,
    secret_of,
    speaks,
    tidy,
    with_code,
)
from endoxa_collect.contributor.receipts import receipt_picture
from endoxa_collect.contributor.results import is_over, only_campaign
from endoxa_collect.models import Campaign, Person
from endoxa_collect.security.codes import hash_receipt, hash_secret, receipt_code, receipt_of
from endoxa_collect.security.limits import (
    BUSY,
    ENROLMENTS,
    JOIN_BROWSER,
    JOIN_SITE,
    PICTURES,
    may_guess,
    missed,
    refuse,
)


class CodeForm(forms.Form):
    """A join code, typed as people type."""

    code = forms.CharField(
        max_length=40,
        label=gettext_lazy("Code"),
        help_text=gettext_lazy("Capitals and spaces do not matter."),
        error_messages={"required": gettext_lazy("Please type the code that you were given.")},
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false", "dir": "ltr"}
        ),
    )

    def clean_code(self) -> str:
        """The code as it is stored, if it opens a campaign."""
        code = tidy(self.cleaned_data["code"])
        if campaign_of_code(code) is None:
            raise forms.ValidationError(
                gettext_lazy("This code does not open anything. Please check it, or ask who gave it to you."),
                code="unknown",
            )
        return code


@require_http_methods(["GET", "HEAD", "POST"])
def home(request: HttpRequest) -> HttpResponse:
    """Ask for the code; show people who joined already where they were."""
    person = holder(request)
    form = CodeForm(request.POST if request.method == "POST" else None)
    if request.method == "POST":
        if not may_guess(request, JOIN_BROWSER):
            return refuse(request, JOIN_BROWSER)
        if form.is_valid():
            return redirect("contributor:join", form.cleaned_data["code"])
        wrong = form.has_error("code", "unknown")
        if wrong and (full := missed(request, JOIN_BROWSER, JOIN_SITE)):
            return refuse(request, full)
    campaign = person.campaign if person else only_campaign()
    over = campaign is not None and is_over(campaign)
    context = {
        "form": form,
        "onward": next_step(person) if person else "",
        "over": in_language(campaign.settings.texts.title, request.LANGUAGE_CODE)
        if campaign and over
        else "",
    }
    return render(request, "contributor/home.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@with_code
def join(request: HttpRequest, campaign: Campaign, code: str) -> HttpResponse:
    """The consent at once for strangers; who takes part, here or in another campaign, is asked what they want."""
    person = holder(request)
    if person is None:
        return _consent(request, campaign, code)
    settings = campaign.settings
    context = {
        "code": code,
        "title": in_language(settings.texts.title, request.LANGUAGE_CODE),
        "about": in_language(settings.texts.about, request.LANGUAGE_CODE).strip().partition("\n")[0],
        "minutes": settings.minutes if settings.setting == "workshop" else None,
        "other": other_campaign(person, campaign),
        "onward": next_step(person),
    }
    return render(request, "contributor/join.html", context)


def other_campaign(person: Person | None, campaign: Campaign) -> str:
    """The title of another campaign that this phone takes part in; "" if there is none."""
    if person is None or person.campaign_id == campaign.pk:
        return ""
    return in_language(person.campaign.settings.texts.title, person.ui_language)


@require_http_methods(["GET", "HEAD", "POST"])
@with_code
def consent(request: HttpRequest, campaign: Campaign, code: str) -> HttpResponse:
    """As `join`, also for phones that take part in another campaign and want this one."""
    return _consent(request, campaign, code)


def _consent(request: HttpRequest, campaign: Campaign, code: str) -> HttpResponse:
    """Tell and ask; with the needed boxes ticked, make a person, whose profile comes next with the receipt code."""
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
        response = redirect("contributor:profile")
        remember(response, secret)
        return response
    settings = campaign.settings
    context = {
        "title": in_language(settings.texts.title, language),
        "minutes": settings.minutes if settings.setting == "workshop" else None,
        "guardian": settings.guardian,
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
        "stranger_tongue": len(settings.ui_languages) > 1 and not speaks(request, settings.ui_languages),
    }
    if request.method == "POST":
        form.focus()
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


@require_http_methods(["GET", "HEAD", "POST"])
@contributor
def profile(request: HttpRequest, person: Person) -> HttpResponse:
    """Ask, each thing with its why. POST with `add` turns typed names into boxes and asks on."""
    language: str = request.LANGUAGE_CODE
    here = country_of_browser(request, person.campaign.settings.countries)
    form = ProfileForm(person, language, request.POST if request.method == "POST" else None, here=here)
    adding = request.POST.get("add", "")
    valid = form.is_valid()
    # Asked once more, and only once: without a country cards can be about anything.
    first = person.campaign.settings.cards and not person.profile_done and "reminded" not in request.POST
    reminds = valid and first and form.nameless
    if valid and not adding and not reminds:
        form.save(person)
        return redirect(next_step(person))
    if adding in form.fields:
        form.fields[adding].widget.attrs["autofocus"] = True
    context = {"form": form, "cards": person.campaign.settings.cards}
    context["reminds"] = reminds and not adding
    context["more"] = "more" in request.GET
    context["code"] = "" if person.profile_done else receipt_code(request, person)
    return render(request, "contributor/profile.html", context)


@require_safe
def receipt(request: HttpRequest) -> HttpResponse:
    """Show the code to the phone it belongs to, as often as it asks."""
    person = holder(request)
    if person is None:
        return redirect("contributor:home")
    code = receipt_code(request, person)
    if not code:
        return redirect(next_step(person))
    return render(request, "contributor/receipt.html", {"code": code, "onward": next_step(person)})


@require_safe
def receipt_image(request: HttpRequest) -> HttpResponse:
    """The receipt as a picture to keep; for the phone it belongs to."""
    person = holder(request)
    code = receipt_code(request, person) if person else ""
    if not person or not code:
        return redirect("contributor:home")
    address = request.build_absolute_uri(reverse("contributor:leave"))
    with PICTURES.taken() as free:
        if not free:
            return refuse(request, BUSY)
        picture = receipt_picture(code, person.campaign.settings.texts.title, address)
    response = HttpResponse(picture, content_type="image/png")
    response["Content-Disposition"] = f'attachment; filename="{code}.png"'
    return response


@require_safe
@with_code
def guardian(request: HttpRequest, campaign: Campaign, code: str) -> HttpResponse:
    """The sheet for parents and guardians, to read or to print."""
    settings = campaign.settings
    if not settings.guardian:
        return redirect("contributor:join", code)
    language: str = request.LANGUAGE_CODE
    context = {
        "code": code,
        "title": in_language(settings.texts.title, language),
        "text": in_language(settings.texts.guardian, language),
        "text_language": language_of(settings.texts.guardian, language),
        "ages": (settings.minimum_age, settings.maximum_age),
        "retention": settings.retention,
    }
    return render(request, "contributor/guardian.html", context)


@require_POST
def language(request: HttpRequest) -> HttpResponse:
    """Keep the language in this browser and with the person, and go back to where the choice was made."""
    response = redirect(_back(request))
    chosen = request.POST.get("language", "")
    if chosen not in offered_language(request):
        return response
    keep_language(response, chosen)
    person = holder(request)
    if person is not None:
        Person.objects.filter(pk=person.pk).update(ui_language=chosen)
    return response


def _back(request: HttpRequest) -> str:
    wanted = request.POST.get("next", "")
    # Paths of this site only: whole addresses would let others send people away through us.
    inside = wanted.startswith("/") and url_has_allowed_host_and_scheme(wanted, allowed_hosts=None)
    return wanted if inside else reverse("contributor:home")


@require_safe
def help_page(request: HttpRequest) -> HttpResponse:
    """Help lines, nearest first, and how to skip, stop and leave."""
    person = holder(request)
    language: str = request.LANGUAGE_CODE
    lines = nearest_first(person.campaign.settings, person.origins) if person else ()
    shown = [(geography.name(line.country, language) if line.country else "", line) for line in lines]
    return render(request, "contributor/help.html", {"lines": shown})


@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    """What is kept about a contributor, until when, and what they may ask for."""
    person = holder(request)
    return render(
        request, "contributor/privacy.html", {"settings": person.campaign.settings if person else None}
    )
