"""Join codes: make, revoke, show as a poster; the address and the QR code that they lead by."""

from __future__ import annotations

from datetime import timedelta
from io import BytesIO
from urllib.parse import urlencode, urlsplit

import segno
from django import forms
from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy, override

from endoxa_collect.addresses import lan_address
from endoxa_collect.campaign import in_language
from endoxa_collect.models import Campaign, JoinCode, Role, record
from endoxa_collect.organiser.access import EVERYBODY, READ, READ_OR_SEND, SEND, allowed
from endoxa_collect.security.codes import new_code

_THIS_MACHINE = ("localhost", "127.", "[::1]")

LENGTH = 8
"""Characters of a code; why that is enough: `security.limits`."""


def newest_code(campaign: Campaign) -> JoinCode | None:
    """The code to show on the wall."""
    return JoinCode.objects.in_force().filter(campaign=campaign).first()


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
    return settings.LISTENING.startswith(("127.", "::1"))


def qr_code(address: str) -> bytes:
    """The address as an SVG file, black on white with the quiet zone that scanners need."""
    out = BytesIO()
    segno.make_qr(address, error="m").save(
        out, kind="svg", light="#ffffff", omitsize=True, svgclass=None, lineclass=None
    )
    return out.getvalue()


def make_code(campaign: Campaign, days: int) -> JoinCode:
    """A random code that is valid for `days` days, which run from the opening where the campaign is not open yet."""
    ends = timezone.now() + timedelta(days=days)
    return JoinCode.objects.create(campaign=campaign, code=new_code(LENGTH), expires_at=ends)


DAYS = (
    ("1", gettext_lazy("one day")),
    ("7", gettext_lazy("a week")),
    ("14", gettext_lazy("two weeks")),
    ("60", gettext_lazy("two months")),
)

MORE_DAYS = 14
"""How much longer an extended code lasts."""


def invitation(request: HttpRequest, code: JoinCode) -> str:
    """Address that opens WhatsApp with title and link to send, in the campaign's first language."""
    settings = code.campaign.settings
    first = settings.ui_languages[0]
    with override(first):
        words = gettext("Take part with your phone")
    text = f"{in_language(settings.texts.title, first)}\n{words}: {join_address(request, code)}"
    return f"https://wa.me/?{urlencode({'text': text})}"


class CodeForm(forms.Form):
    """Makes a code; the code itself is drawn at random."""

    days = forms.ChoiceField(
        choices=DAYS,
        initial="14",
        label=gettext_lazy("How long it opens the campaign"),
        help_text=gettext_lazy("Who has joined by then can go on afterwards."),
    )


@allowed(Role.ORGANISER, methods=READ_OR_SEND)
def codes(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """All codes, and a form that makes one."""
    form = CodeForm(request.POST or None)
    if form.is_valid():
        days = int(form.cleaned_data["days"])
        with transaction.atomic():
            code = make_code(campaign, days)
            record(campaign, request.user, "code made", code=code.code, days=days)
        return redirect("organiser:codes", campaign.slug)
    rows = (
        JoinCode.objects.filter(campaign=campaign).select_related("campaign").order_by("-created_at", "-pk")
    )
    context = {
        "campaign": campaign,
        "form": form,
        "codes": [(code, join_address(request, code), invitation(request, code)) for code in rows],
    }
    return render(request, "organiser/codes.html", context)


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
    path("<slug:slug>/codes/<slug:code>/extend/", extend, name="code_extend"),
    path("<slug:slug>/codes/<slug:code>/revoke/", revoke, name="code_revoke"),
]
