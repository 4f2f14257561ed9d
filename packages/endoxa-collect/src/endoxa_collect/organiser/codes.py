"""Join codes: made, named, extended, revoked, shown as a poster; the address and QR code that they lead by."""

from __future__ import annotations

from datetime import timedelta
from io import BytesIO
from typing import Any

import segno
from django import forms
from django.contrib.admin import action
from django.db import transaction
from django.db.models import QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from endoxa_collect.campaign import INTERVIEWER, in_language
from endoxa_collect.contributor.joining import join_address, opened_locally, served_locally
from endoxa_collect.models import Campaign, JoinCode, Role, record
from endoxa_collect.organiser.access import EVERYBODY, READ, allowed, ask_first
from endoxa_collect.organiser.desk import CampaignForm, CampaignList
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


def make_code(campaign: Campaign, days: int, interviewer: str = "", label: str = "") -> JoinCode:
    """A random code that is valid for `days` days, which run from the opening where the campaign is not open yet."""
    ends = timezone.now() + timedelta(days=days)
    return JoinCode.objects.create(
        campaign=campaign, code=new_code(LENGTH), expires_at=ends, interviewer=interviewer, label=label
    )


DAYS = (
    ("1", gettext_lazy("one day")),
    ("7", gettext_lazy("a week")),
    ("14", gettext_lazy("two weeks")),
    ("60", gettext_lazy("two months")),
)

MORE_DAYS = 14
"""How much longer an extended code lasts."""


_NAME = forms.CharField(
    max_length=60,
    required=False,
    label=gettext_lazy("Your name for it"),
    help_text=gettext_lazy("For example “Radio” or “School of Yoff”; only organisers see it."),
)


class CodeForm(CampaignForm):
    """Makes a code; the code itself is drawn at random."""

    title, button = gettext_lazy("A new code"), gettext_lazy("Make a code")
    back = "organiser:codes"
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
    label = _NAME

    def carry_out(self, request: HttpRequest) -> HttpResponse:
        """Make it; the interviewer that it is for is declared in the settings."""
        campaign, days = self.campaign, int(self.cleaned_data["days"])
        interviewer, known = self.cleaned_data["interviewer"], self.campaign.settings.interviewers
        with transaction.atomic():
            if interviewer and interviewer not in known:
                save(campaign, campaign.version, {"interviewers": [*known, interviewer]}, request.user)
            code = make_code(campaign, days, interviewer, self.cleaned_data["label"])
            named = {"interviewer": interviewer} if interviewer else {}
            record(campaign, request.user, "code made", code=code.code, days=days, **named)
        return redirect(self.back, campaign.slug)


class NameForm(CampaignForm):
    """Names a code."""

    button = gettext_lazy("Save")
    back = "organiser:codes"
    label = _NAME

    def __init__(self, campaign: Campaign, *sent: Any, code: str) -> None:
        self.code = get_object_or_404(JoinCode, campaign=campaign, code=code)
        self.title = code
        super().__init__(campaign, *sent, initial={"label": self.code.label})

    def carry_out(self, request: HttpRequest) -> HttpResponse:
        """Store it with the code."""
        if self.has_changed():
            with transaction.atomic():
                JoinCode.objects.filter(pk=self.code.pk).update(label=self.cleaned_data["label"])
                record(self.campaign, request.user, "code changed", code=self.code.code)
        return redirect(self.back, self.campaign.slug)


class Codes(CampaignList):
    """All codes with how many people came by each, those who left since among them."""

    of = JoinCode
    heading = gettext_lazy("Join codes")
    adds = (("organiser:code_add", CodeForm.button),)
    change_list_template = "organiser/codes.html"
    ordering = ("-created_at", "-pk")
    actions = ("extend", "revoke")

    def get_queryset(self, request: HttpRequest) -> Any:
        """With the people who agreed and said no."""
        counts = {
            "agreed": Sum("arrivals__joined", default=0),
            "refused": Sum("arrivals__declined", default=0),
        }
        return super().get_queryset(request).annotate(**counts)

    def shown(self, row: JoinCode) -> str:
        """The address to which it leads."""
        return join_address(self.request, row)

    @action(description=gettext_lazy("Two weeks more"))
    def extend(self, request: HttpRequest, codes: QuerySet[JoinCode]) -> None:
        """Let codes open the campaign for longer, from now where they are over: posters that hang stay true."""
        with transaction.atomic():
            for code in _in_hand(codes):
                if code.expires_at is not None:
                    started = code.expires_at if code.in_force else timezone.now()
                    code.expires_at = started + timedelta(days=MORE_DAYS)
                    code.save(update_fields=["expires_at"])
                    record(self.campaign, request.user, "code extended", code=code.code, days=MORE_DAYS)

    @action(description=gettext_lazy("Revoke"))
    def revoke(self, request: HttpRequest, codes: QuerySet[JoinCode]) -> HttpResponse | None:
        """Stop codes from opening the campaign; who joined with them stays."""
        consequence = gettext(
            "This code and its posters will not open the campaign any more, and that cannot be taken back. Whoever "
            "joined with it can go on."
        )
        question = ask_first(
            request, self.campaign, action=gettext("Revoke"), consequence=consequence, back="organiser:codes"
        )
        if question is None:
            with transaction.atomic():
                for code in _in_hand(codes):
                    code.revoked = True
                    code.save(update_fields=["revoked"])
                    record(self.campaign, request.user, "code revoked", code=code.code)
        return question


def _in_hand(codes: QuerySet[JoinCode]) -> QuerySet[JoinCode]:
    """Those of the codes that are not revoked, locked; rows with sums cannot be locked."""
    chosen = list(codes.values_list("pk", flat=True))
    return JoinCode.objects.select_for_update().filter(pk__in=chosen, revoked=False)


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
    path("<slug:slug>/codes/", Codes.page(), name="codes"),
    path("<slug:slug>/codes/new/", CodeForm.page(), name="code_add"),
    path("<slug:slug>/codes/<slug:code>/poster/", poster, name="code_poster"),
    path("<slug:slug>/codes/<slug:code>/qr.svg", qr, name="code_qr"),
    path("<slug:slug>/codes/<slug:code>/name/", NameForm.page(), name="code_name"),
]
