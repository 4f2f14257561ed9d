"""Join codes: make, revoke, show as a poster; the address and the QR code that they lead by."""

from __future__ import annotations

from datetime import timedelta
from io import BytesIO

import segno
from django import forms
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from endoxa_collect.campaign import INTERVIEWER, in_language
from endoxa_collect.contributor.joining import (
    join_address,
    opened_locally,
    served_locally,
)
from endoxa_collect.models import Campaign, JoinCode, Role, record
from endoxa_collect.organiser.access import EVERYBODY, READ, READ_OR_SEND, SEND, allowed, ask_first
from endoxa_collect.organiser.settings import save
from endoxa_collect.security.codes import new_code

LENGTH = 8
"""Characters of a code; why that is enough: `security.limits`."""


def newest_code(campaign: Campaign) -> JoinCode | None:
    """The code to show on the wall; never one of an interviewer."""
    return JoinCode.objects.in_force().filter(campaign=campaign, interviewer="").first()


def qr_code(address: str) -> bytes:
    """The address as an SVG file, black on white with the quiet zone that scanners need."""
    out = BytesIO()
    segno.make_qr(address, error="m").save(
        out, kind="svg", light="#ffffff", omitsize=True, svgclass=None, lineclass=None
    )
    return out.getvalue()


def make_code(campaign: Campaign, days: int, interviewer: str = "") -> JoinCode:
    """A random code that is valid for `days` days, which run from the opening where the campaign is not open yet."""
    ends = timezone.now() + timedelta(days=days)
    return JoinCode.objects.create(
        campaign=campaign, code=new_code(LENGTH), expires_at=ends, interviewer=interviewer
    )


DAYS = (
    ("1", gettext_lazy("one day")),
    ("7", gettext_lazy("a week")),
    ("14", gettext_lazy("two weeks")),
    ("60", gettext_lazy("two months")),
)

MORE_DAYS = 14
"""How much longer an extended code lasts."""


class NamedForm(forms.Form):
    """The organisers' name of a code."""

    label = forms.CharField(
        max_length=60,
        required=False,
        label=gettext_lazy("Your name for it"),
        help_text=gettext_lazy("For example “Radio” or “School of Yoff”; only organisers see it."),
    )

    def name(self, code: JoinCode) -> None:
        """Store it with the code."""
        code.label = self.cleaned_data["label"]
        code.save(update_fields=["label"])


class CodeForm(NamedForm):
    """Makes a code; the code itself is drawn at random."""

    days = forms.ChoiceField(
        choices=DAYS,
        initial="14",
        label=gettext_lazy("How long it opens the campaign"),
        help_text=gettext_lazy("Who has joined by then can go on afterwards."),
    )
    interviewer = forms.RegexField(
        INTERVIEWER,
        required=False,
        max_length=4,
        label=gettext_lazy("Interviewer, if it is the code of one"),
        help_text=gettext_lazy(
            "A short name such as I1, never a real one. With this code one person enters for many speakers, "
            "and reads the consent aloud. The name is kept and exported with the answers."
        ),
        error_messages={
            "invalid": gettext_lazy("Please write a capital letter and up to three digits, such as I1.")
        },
    )


@allowed(Role.ORGANISER, methods=READ_OR_SEND)
def codes(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """All codes, and a form that makes one."""
    form = CodeForm(request.POST or None)
    if form.is_valid():
        days, interviewer = int(form.cleaned_data["days"]), form.cleaned_data["interviewer"]
        with transaction.atomic():
            if interviewer and interviewer not in campaign.settings.interviewers:
                declared = {"interviewers": [*campaign.settings.interviewers, interviewer]}
                save(campaign, campaign.version, declared, request.user)
            code = make_code(campaign, days, interviewer)
            form.name(code)
            named = {"interviewer": interviewer} if interviewer else {}
            record(campaign, request.user, "code made", code=code.code, days=days, **named)
        return redirect("organiser:codes", campaign.slug)
    rows = (
        JoinCode.objects.filter(campaign=campaign).select_related("campaign").order_by("-created_at", "-pk")
    )
    context = {
        "campaign": campaign,
        "form": form,
        "codes": [
            (
                code,
                join_address(request, code),
                NamedForm(initial={"label": code.label}, auto_id=f"{code.code}_%s"),
            )
            for code in rows
        ],
    }
    return render(request, "organiser/codes.html", context)


@allowed(Role.ORGANISER, methods=SEND)
def name(request: HttpRequest, campaign: Campaign, code: str) -> HttpResponse:
    """Name a code."""
    with transaction.atomic():
        row = get_object_or_404(JoinCode.objects.select_for_update(), campaign=campaign, code=code)
        form = NamedForm(request.POST, initial={"label": row.label})
        if form.is_valid() and form.has_changed():
            form.name(row)
            record(campaign, request.user, "code changed", code=code)
    return redirect("organiser:codes", campaign.slug)


@allowed(Role.ORGANISER, methods=SEND)
def extend(request: HttpRequest, campaign: Campaign, code: str) -> HttpResponse:
    """Let a code open the campaign for two weeks more, from now where it is over: posters that hang stay true."""
    with transaction.atomic():
        row = (
            JoinCode.objects.select_for_update()
            .filter(campaign=campaign, code=code, revoked=False, expires_at__isnull=False)
            .first()
        )
        if row is not None and row.expires_at is not None:
            row.expires_at = (row.expires_at if row.in_force else timezone.now()) + timedelta(days=MORE_DAYS)
            row.save(update_fields=["expires_at"])
            record(campaign, request.user, "code extended", code=code, days=MORE_DAYS)
    return redirect("organiser:codes", campaign.slug)


@allowed(Role.ORGANISER, methods=SEND)
def revoke(request: HttpRequest, campaign: Campaign, code: str) -> HttpResponse:
    """Stop a code from opening the campaign; who joined with it stays."""
    consequence = gettext(
        "This code and its posters will not open the campaign any more, and that cannot be taken back. Whoever joined "
        "with it can go on."
    )
    question = ask_first(
        request, campaign, action=gettext("Revoke"), consequence=consequence, back="organiser:codes"
    )
    if question is not None:
        return question
    with transaction.atomic():
        revoked = JoinCode.objects.filter(campaign=campaign, code=code, revoked=False).update(revoked=True)
        if revoked:
            record(campaign, request.user, "code revoked", code=code)
    return redirect("organiser:codes", campaign.slug)


@allowed(Role.ORGANISER, methods=READ)
def poster(request: HttpRequest, campaign: Campaign, code: str) -> HttpResponse:
    """A page to print or to show, with the code in big letters."""
    shown = _in_force(campaign, code)
    texts, first = campaign.settings.texts, campaign.settings.ui_languages[0]
    context = {
        "campaign": campaign,
        "title": in_language(texts.title, first),
        "about": in_language(texts.about, first).strip().partition("\n")[0],
        "code": shown,
        "address": join_address(request, shown),
        "local": opened_locally(request),
        "unreachable": served_locally(),
    }
    return render(request, "organiser/code_poster.html", context)


@allowed(*EVERYBODY, methods=READ)
def qr(request: HttpRequest, campaign: Campaign, code: str) -> HttpResponse:
    """The QR code as a picture; also on the projector page, so for every account of the campaign."""
    drawn = qr_code(join_address(request, _in_force(campaign, code)))
    return HttpResponse(drawn, content_type="image/svg+xml")


def _in_force(campaign: Campaign, code: str) -> JoinCode:
    return get_object_or_404(JoinCode.objects.in_force(), campaign=campaign, code=code)


urlpatterns = [
    path("<slug:slug>/codes/", codes, name="codes"),
    path("<slug:slug>/codes/<slug:code>/poster/", poster, name="code_poster"),
    path("<slug:slug>/codes/<slug:code>/qr.svg", qr, name="code_qr"),
    path("<slug:slug>/codes/<slug:code>/name/", name, name="code_name"),
    path("<slug:slug>/codes/<slug:code>/extend/", extend, name="code_extend"),
    path("<slug:slug>/codes/<slug:code>/revoke/", revoke, name="code_revoke"),
]
