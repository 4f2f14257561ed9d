"""The pages that lead in: code, consent, receipt, language, information; and being asked again once terms changed."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.conf import settings as django_settings
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext, gettext_lazy
from django.views.i18n import set_language

from endoxa_collect import geography
from endoxa_collect.access import READ, READ_OR_SEND, SEND, Door, allowed, campaign_of_code
from endoxa_collect.addresses import lan_address
from endoxa_collect.anonymous import TakenError, enrol, forget, holder, remember, secret_of
from endoxa_collect.campaign import CampaignSettings, CampaignTexts, in_language
from endoxa_collect.cards.locking import locked
from endoxa_collect.contributor.consent import ConsentForm, headed, language_of
from endoxa_collect.contributor.results import is_over, only_campaign
from endoxa_collect.contributor.survey import next_step
from endoxa_collect.frame import campaign_of, nearest_first, speak_within, speaks
from endoxa_collect.models import Arrivals, Campaign, JoinCode, Person
from endoxa_collect.security.codes import hash_receipt, letters_of, receipt_code, receipt_of
from endoxa_collect.security.limits import ENROLMENTS, INTERVIEWS, JOIN, REFUSALS
from endoxa_collect.terms import agreed_settings, changed_for, day

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


def code_field(**options: object) -> forms.CharField:
    """A field for a code, which people type in capitals or not."""
    attributes = {"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false", "dir": "ltr"}
    return forms.CharField(max_length=40, widget=forms.TextInput(attrs=attributes), **options)  # type: ignore[arg-type]


class CodeForm(forms.Form):
    """A join code, typed as people type; wrong ones are counted. `found` is what a right one opens."""

    guesses = JOIN
    unknown = gettext_lazy("This code does not open anything. Please check it, or ask who gave it to you.")
    found: Any
    code = code_field(
        label=gettext_lazy("Code"),
        help_text=gettext_lazy("Capitals and spaces do not matter."),
        error_messages={"required": gettext_lazy("Please type the code that you were given.")},
    )

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request.POST if request.method == "POST" else None)
        self._request = request

    def clean_code(self) -> str:
        """The code as it is stored, if it opens something."""
        self.guesses.check(self._request)
        code = letters_of(self.cleaned_data["code"])
        self.found = self.look_up(code)
        if self.found is None:
            self.guesses.missed(self._request)
            raise forms.ValidationError(self.unknown)
        return code

    def look_up(self, code: str) -> Campaign | Person | None:
        """What the code opens."""
        return campaign_of_code(code, holder(self._request))


@allowed(Door.ANYBODY, methods=READ_OR_SEND)
def home(request: HttpRequest) -> HttpResponse:
    """Ask for the code; show people who joined already where they were."""
    person, form = holder(request), CodeForm(request)
    if form.is_valid():
        return redirect("contributor:join", form.cleaned_data["code"])
    campaign = person.campaign if person else only_campaign()
    over = ""
    if campaign is not None:
        speak_within(request, campaign)
        if is_over(campaign):
            over = in_language(campaign.settings.texts.title, request.LANGUAGE_CODE)
    context = {"form": form, "onward": next_step(person) if person else "", "over": over}
    return render(request, "contributor/home.html", context)


@allowed(Door.CODE, methods=READ_OR_SEND)
def join(request: HttpRequest, campaign: Campaign, code: str) -> HttpResponse:
    """Tell and ask; with the needed boxes ticked, make a person, whose profile comes next with the receipt code.

    Who belongs to the campaign goes on where they were; who takes part in another is told that the phone forgets it.
    """
    person = holder(request)
    if person is not None and person.campaign_id == campaign.pk:
        return redirect(next_step(person))
    settings, language = campaign.settings, str(request.LANGUAGE_CODE)
    interviewer = JoinCode.objects.values_list("interviewer", flat=True).get(code=code)
    sent = request.POST if request.method == "POST" else None
    form = ConsentForm(settings, language, sent, interviewed=bool(interviewer))
    if form.is_valid():
        return _joined(request, campaign, code, interviewer, form.cleaned_data)
    form.focus()
    texts = settings.texts
    context = {
        "code": code,
        "minutes": settings.minutes if settings.setting == "workshop" else None,
        "other": in_language(person.campaign.settings.texts.title, person.ui_language) if person else "",
        "retention": settings.retention,
        "form": form,
        "interviewer": interviewer,
        "lines": headed(in_language(texts.about, language)),
        "warning": in_language(texts.content_warning, language),
        "text": in_language(texts.consent, language),
        "text_language": language_of(texts.consent, language),
        "stranger_tongue": len(settings.ui_languages) > 1 and not speaks(request, settings.ui_languages),
    }
    return render(request, "contributor/consent.html", context)


def _joined(
    request: HttpRequest, campaign: Campaign, code: str, interviewer: str, sent: dict[str, Any]
) -> HttpResponse:
    (INTERVIEWS if interviewer else ENROLMENTS).spend(code)
    language, secret = str(request.LANGUAGE_CODE), secret_of(sent["ticket"], campaign)
    facts = {
        "campaign": campaign,
        "receipt_hash": hash_receipt(receipt_of(secret)),
        "ui_language": language,
        "interviewer": interviewer,
        **_agreed(campaign.settings, language, keep_words=sent["keep_words"]),
    }
    try:
        with transaction.atomic():
            if enrol(Person, secret, **facts):
                Arrivals.count(code, "joined")
    except TakenError:
        return redirect("contributor:resume")
    response = redirect("contributor:profile")
    remember(request, response, secret)
    return response


def _agreed(settings: CampaignSettings, language: str, *, keep_words: bool) -> dict[str, object]:
    """What is stored of a consent to the terms in force."""
    return {
        "consent_version": settings.consent_version,
        "consent_language": language_of(settings.texts.consent, language),
        "consent_hour": timezone.now().replace(minute=0, second=0, microsecond=0),
        "keep_words": keep_words,
    }


@allowed(Door.CODE, methods=SEND)
def decline(_request: HttpRequest, _campaign: Campaign, code: str) -> HttpResponse:
    """Count that somebody said no, within a limit, and nothing else; an interviewer goes on to the next speaker."""
    if REFUSALS.count(code):
        Arrivals.count(code, "declined")
    if JoinCode.objects.exclude(interviewer="").filter(code=code).exists():
        return redirect("contributor:join", code)
    return redirect("contributor:declined")


@allowed(Door.ANYBODY, methods=READ)
def declined(request: HttpRequest) -> HttpResponse:
    """Thank whoever said no, and leave nothing on their phone."""
    response = render(request, "contributor/declined.html")
    if holder(request) is None:
        for cookie in (django_settings.CSRF_COOKIE_NAME, django_settings.LANGUAGE_COOKIE_NAME):
            if cookie in request.COOKIES:
                response.delete_cookie(cookie, samesite="Lax")
    return response


@allowed(Door.CONTRIBUTOR, methods=SEND)
def next_speaker(_request: HttpRequest, person: Person) -> HttpResponse:
    """Forget the person on an interviewer's phone, and lead to the consent of the next while the code is in force."""
    if not person.interviewer:
        return redirect("contributor:thanks")
    codes = JoinCode.objects.in_force().filter(campaign=person.campaign, interviewer=person.interviewer)
    code = codes.first()
    response = redirect("contributor:join", code.code) if code else redirect("contributor:home")
    forget(response)
    return response


_TERMS = CampaignSettings.model_fields | CampaignTexts.model_fields


@allowed(Door.CONTRIBUTOR, methods=READ_OR_SEND)
def again(request: HttpRequest, person: Person) -> HttpResponse:
    """Say what changed since somebody agreed, and ask; who agrees goes on where they were."""
    changed = changed_for(person)
    if not changed:
        return redirect(next_step(person))
    settings, language = person.campaign.settings, str(request.LANGUAGE_CODE)
    # Other words need a new tick.
    kept = ("keep_words",) if person.keep_words and "keep_words" not in changed else ()
    sent = request.POST if request.method == "POST" else None
    form = ConsentForm(settings, language, sent, ticked=kept, interviewed=bool(person.interviewer))
    if form.is_valid():
        _agree_again(person, language, keep_words=form.cleaned_data["keep_words"])
        return redirect(next_step(person))
    form.focus()
    before = agreed_settings(person.campaign, person.consent_version)
    context = {
        "form": form,
        "changes": [
            (
                gettext(str(_TERMS[name].title)),
                _term(before, name, person.consent_language),
                _term(settings, name, language),
            )
            for name in changed
        ],
        "before_language": person.consent_language,
        "since": date_format(timezone.localtime(person.consent_hour), "DATE_FORMAT"),
    }
    return render(request, "contributor/again.html", context)


def _term(settings: CampaignSettings, name: str, language: str) -> str:
    """One thing that people agree to, as settings have it; "" where there is nothing."""
    if name == "guardian" and not settings.guardian:
        return ""
    if name in CampaignTexts.model_fields:
        return in_language(getattr(settings.texts, name), language)
    return day(settings.retention) if name == "retention" else str(getattr(settings, name) or "")


def _agree_again(person: Person, language: str, *, keep_words: bool) -> None:
    """Keep that a person agreed to the terms in force; the consent that they gave before stays beside it."""
    with locked(person.campaign_id) as campaign:
        current = Person.objects.filter(pk=person.pk)
        before = current.exclude(consent_version=campaign.settings.consent_version).first()
        if before is None:
            return
        earlier = {
            "version": before.consent_version,
            "language": before.consent_language,
            "hour": before.consent_hour.isoformat(),
        }
        current.update(
            earlier_consents=[*before.earlier_consents, earlier],
            **_agreed(campaign.settings, language, keep_words=keep_words),
        )


@allowed(Door.ANYBODY, methods=READ)
def receipt(request: HttpRequest) -> HttpResponse:
    """Show the code to the phone it belongs to, as often as it asks."""
    person = holder(request)
    if person is None:
        return redirect("contributor:home")
    code = receipt_code(request, person)
    if not code:
        return redirect(next_step(person))
    return render(request, "contributor/receipt.html", {"code": code, "onward": next_step(person)})


@allowed(Door.CODE, methods=READ)
def guardian(request: HttpRequest, campaign: Campaign, code: str) -> HttpResponse:
    """The sheet for parents and guardians, to read or to print."""
    if not campaign.settings.guardian:
        return redirect("contributor:join", code)
    texts, language = campaign.settings.texts, request.LANGUAGE_CODE
    context = {
        "code": code,
        "title": in_language(texts.title, language),
        "text": in_language(texts.guardian, language),
        "text_language": language_of(texts.guardian, language),
        "retention": campaign.settings.retention,
    }
    return render(request, "contributor/guardian.html", context)


@allowed(Door.ANYBODY, methods=SEND)
def language(request: HttpRequest) -> HttpResponse:
    """Keep the language in this browser and with the person, and go back to where the choice was made."""
    person, campaign, chosen = holder(request), campaign_of(request), request.POST.get("language", "")
    if person is not None and campaign is not None and chosen in campaign.settings.ui_languages:
        Person.objects.filter(pk=person.pk).update(ui_language=chosen)
    return set_language(request)


@allowed(Door.ANYBODY, methods=READ)
def help_page(request: HttpRequest) -> HttpResponse:
    """Help lines, nearest first, and how to skip, stop and leave."""
    person = holder(request)
    language: str = request.LANGUAGE_CODE
    lines = nearest_first(person.campaign.settings, person.origins) if person else ()
    shown = [(geography.name(line.country, language) if line.country else "", line) for line in lines]
    return render(request, "contributor/help.html", {"lines": shown})


@allowed(Door.ANYBODY, methods=READ)
def privacy(request: HttpRequest) -> HttpResponse:
    """What is kept about a contributor, until when, and what they may ask for."""
    person = holder(request)
    return render(
        request, "contributor/privacy.html", {"settings": person.campaign.settings if person else None}
    )
