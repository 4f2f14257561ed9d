"""The pages that lead in: code, consent, receipt, language, information."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any, Concatenate
from urllib.parse import urlsplit

from django import forms
from django.conf import settings as django_settings
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path, reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from endoxa_collect import geography
from endoxa_collect.addresses import lan_address
from endoxa_collect.campaign import in_language
from endoxa_collect.contributor.access import (
    closed,
    holder,
    keep_language,
    nearest_first,
    next_step,
    offered_language,
    remember,
    speak_within,
    speaks,
)
from endoxa_collect.contributor.consent import (
    ConsentForm,
    GoneOnElsewhereError,
    enrol,
    headed,
    language_of,
    secret_of,
)
from endoxa_collect.contributor.interviews import interviewer_of
from endoxa_collect.contributor.profile import profile
from endoxa_collect.contributor.results import is_over, only_campaign
from endoxa_collect.models import Arrivals, Campaign, JoinCode, Person, State
from endoxa_collect.security.codes import receipt_code
from endoxa_collect.security.limits import (
    ENROLMENTS,
    INTERVIEWS,
    JOIN_BROWSER,
    JOIN_SITE,
    REFUSALS,
    may_guess,
    missed,
    refuse,
)

Page = Callable[Concatenate[HttpRequest, Campaign, ...], HttpResponse]
"""A view that is handed the campaign in the place of its code."""


_THIS_MACHINE = ("localhost", "127.", "[::1]")


def join_address(request: HttpRequest, code: JoinCode) -> str:
    """The whole address of the join page, by the name under which this page was opened.

    Where that name means this machine only, which no phone can reach, the address in the local network
    takes its place, if the site listens there.
    """
    address = request.build_absolute_uri(reverse("contributor:join", args=[code.code]))
    if not opened_locally(request) or served_locally():
        return address
    parts = urlsplit(address)
    host = lan_address()
    return parts._replace(netloc=f"{host}:{parts.port}" if parts.port else host).geturl()


def opened_locally(request: HttpRequest) -> bool:
    """Whether this page was opened by a name that means only this machine."""
    return request.get_host().startswith(_THIS_MACHINE)


def served_locally() -> bool:
    """Whether the site listens only to this machine; behind a proxy it does, and is opened by another name."""
    return django_settings.LISTENING.startswith(("127.", "::1"))


def tidy(typed: str) -> str:
    """A code as it is stored, from one that was typed small, with spaces or with dashes."""
    return "".join(letter for letter in typed.upper() if letter.isalnum())


def campaign_of_code(code: str, person: Person | None) -> Campaign | None:
    """The campaign that a code opens; None for codes that are unknown, over or revoked, and for drafts.

    A code that is over or revoked still leads those who belong to its campaign where they were, and everybody to the
    word that a campaign is closed, with its results.
    """
    join_code = JoinCode.objects.filter(code=tidy(code)).select_related("campaign").first()
    if join_code is None or join_code.campaign.state == State.DRAFT:
        return None
    campaign = join_code.campaign
    belongs = person is not None and person.campaign_id == campaign.pk
    return campaign if belongs or campaign.state == State.CLOSED or join_code.in_force else None


def with_code(page: Page) -> Callable[..., HttpResponse]:
    """Open a page `/j/<code>/...` to holders of a code that opens a campaign (`campaign_of_code`).

    All other codes get one and the same answer, and are counted.
    """

    @wraps(page)
    def view(request: HttpRequest, code: str) -> HttpResponse:
        if not may_guess(request, JOIN_BROWSER):
            return refuse(request, JOIN_BROWSER)
        campaign = campaign_of_code(code, holder(request))
        if campaign is None:
            if full := missed(request, JOIN_BROWSER, JOIN_SITE):
                return refuse(request, full)
            return render(request, "contributor/no_such_code.html", status=404)
        speak_within(request, campaign)
        if campaign.state != State.OPEN:
            return closed(request)
        if not campaign.settings.joined:
            return render(request, "contributor/tasks_only.html", status=404)
        return page(request, campaign, tidy(code))

    return view


def code_field(**options: Any) -> forms.CharField:
    """A field for a code, which people type in capitals or not."""
    attributes = {"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false", "dir": "ltr"}
    return forms.CharField(max_length=40, widget=forms.TextInput(attrs=attributes), **options)


class CodeForm(forms.Form):
    """A join code, typed as people type; `person` is who takes part on this phone."""

    def __init__(self, person: Person | None, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._person = person

    code = code_field(
        label=gettext_lazy("Code"),
        help_text=gettext_lazy("Capitals and spaces do not matter."),
        error_messages={"required": gettext_lazy("Please type the code that you were given.")},
    )

    def clean_code(self) -> str:
        """The code as it is stored, if it opens a campaign."""
        code = tidy(self.cleaned_data["code"])
        if campaign_of_code(code, self._person) is None:
            raise forms.ValidationError(
                gettext_lazy("This code does not open anything. Please check it, or ask who gave it to you."),
                code="unknown",
            )
        return code


@require_http_methods(["GET", "HEAD", "POST"])
def home(request: HttpRequest) -> HttpResponse:
    """Ask for the code; show people who joined already where they were."""
    person = holder(request)
    form = CodeForm(person, request.POST if request.method == "POST" else None)
    if request.method == "POST":
        if not may_guess(request, JOIN_BROWSER):
            return refuse(request, JOIN_BROWSER)
        if form.is_valid():
            return redirect("contributor:join", form.cleaned_data["code"])
        wrong = form.has_error("code", "unknown")
        if wrong and (full := missed(request, JOIN_BROWSER, JOIN_SITE)):
            return refuse(request, full)
    campaign = person.campaign if person else only_campaign()
    if campaign is not None:
        speak_within(request, campaign)
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
    interviewer = interviewer_of(code)
    asked = partial(ConsentForm, campaign.settings, language, interviewed=bool(interviewer))
    form = asked(request.POST if request.method == "POST" else None)
    outdated, expired = form.outdated, form.expired
    if outdated or expired:
        # Other words need new ticks.
        form = asked(ticked=() if outdated else form.ticked)
    elif form.is_valid():
        limit = INTERVIEWS if interviewer else ENROLMENTS
        if not limit.count(code):
            return refuse(request, limit)
        secret = secret_of(form.cleaned_data["ticket"], campaign)
        keep_words = form.cleaned_data["keep_words"]
        try:
            with transaction.atomic():
                if enrol(campaign, secret, language, keep_words=keep_words, interviewer=interviewer):
                    Arrivals.count(code, "joined")
        except GoneOnElsewhereError:
            return redirect("contributor:resume")
        response = redirect("contributor:profile")
        remember(request, response, secret)
        return response
    settings = campaign.settings
    context = {
        "title": in_language(settings.texts.title, language),
        "minutes": settings.minutes if settings.setting == "workshop" else None,
        "guardian": settings.guardian,
        "form": form,
        "code": code,
        "interviewer": interviewer,
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


@require_POST
@with_code
def decline(_request: HttpRequest, _campaign: Campaign, code: str) -> HttpResponse:
    """Count that somebody said no, within a limit, and nothing else; an interviewer goes on to the next speaker."""
    if REFUSALS.count(code):
        Arrivals.count(code, "declined")
    if interviewer_of(code):
        return redirect("contributor:join", code)
    return redirect("contributor:declined")


@require_safe
def declined(request: HttpRequest) -> HttpResponse:
    """Thank whoever said no, and leave nothing on their phone."""
    response = render(request, "contributor/declined.html")
    if holder(request) is None:
        for cookie in (django_settings.CSRF_COOKIE_NAME, django_settings.LANGUAGE_COOKIE_NAME):
            if cookie in request.COOKIES:
                response.delete_cookie(cookie, samesite="Lax")
    return response


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
    wanted = request.POST.get("next", "")
    # Paths of this site only: whole addresses would let others send people away through us.
    inside = wanted.startswith("/") and url_has_allowed_host_and_scheme(wanted, allowed_hosts=None)
    response = redirect(wanted if inside else reverse("contributor:home"))
    chosen = request.POST.get("language", "")
    if chosen not in offered_language(request):
        return response
    keep_language(response, chosen)
    person = holder(request)
    if person is not None:
        Person.objects.filter(pk=person.pk).update(ui_language=chosen)
    return response


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


urlpatterns: list[URLPattern] = [
    path("", home, name="home"),
    path("language/", language, name="language"),
    path("j/<str:code>/", join, name="join"),
    path("j/<str:code>/consent/", consent, name="consent"),
    path("j/<str:code>/guardian/", guardian, name="guardian"),
    path("j/<str:code>/no-thanks/", decline, name="decline"),
    path("no-thanks/", declined, name="declined"),
    path("receipt/", receipt, name="receipt"),
    path("profile/", profile, name="profile"),
    path("help/", help_page, name="help"),
    path("privacy/", privacy, name="privacy"),
]
