"""Saying no; what people take along: a link for others, a reminder for their calendar, a certificate.

Nothing of it is stored but how many said no.

The browser keeps, signed, the code that somebody came by; whoever runs the campaign says for each code whether people
may pass it on and get a certificate.
"""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import urlencode, urlsplit
from uuid import uuid4

from django.conf import settings
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.translation import get_language, gettext, override
from django.views.decorators.http import require_POST, require_safe

from endoxa_collect.addresses import lan_address
from endoxa_collect.campaign import in_language
from endoxa_collect.contributor.access import contributor, holder
from endoxa_collect.contributor.interviews import interviewer_of
from endoxa_collect.contributor.joining import with_code
from endoxa_collect.models import Arrivals, Campaign, JoinCode, Person
from endoxa_collect.security.codes import CAME_BY
from endoxa_collect.security.limits import REFUSALS

_THIS_MACHINE = ("localhost", "127.", "[::1]")
_DAYS = {"1": 1, "7": 7}
"""After how many days a reminder comes."""
_LONGEST_LINE = 75
"""Bytes of a line of a calendar file (RFC 5545, 3.1)."""


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


def invitation(request: HttpRequest, code: JoinCode, language: str) -> str:
    """Address that opens WhatsApp with title and link to send, in this language."""
    with override(language):
        words = gettext("Take part with your phone")
    title = in_language(code.campaign.settings.texts.title, language)
    text = f"{title}\n{words}: {join_address(request, code)}"
    return f"https://wa.me/?{urlencode({'text': text})}"


def came_by(request: HttpRequest, person: Person) -> JoinCode | None:
    """The code of their campaign that somebody came by; None where the browser does not know it."""
    try:
        code = signing.loads(request.COOKIES.get(CAME_BY, ""), salt=CAME_BY)
    except signing.BadSignature:
        return None
    codes = JoinCode.objects.select_related("campaign")
    return codes.filter(campaign=person.campaign_id, code=code).first()


def taken_along(request: HttpRequest, person: Person) -> dict[str, object]:
    """What the page of thanks offers: a link to pass on (`link`, `whatsapp`) and a certificate, as the code allows."""
    code = came_by(request, person)
    if code is None:
        return {}
    offered: dict[str, object] = {"certificate": code.certificate}
    if code.shared and code.in_force:
        language = get_language() or "en"
        offered |= {"link": join_address(request, code), "whatsapp": invitation(request, code, language)}
    return offered


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
@contributor
def reminder(request: HttpRequest, person: Person) -> HttpResponse:
    """A calendar file for the phone: the title and the way back, at 18:00 of its own clock in a day or a week."""
    days = _DAYS.get(request.GET.get("days", ""))
    if days is None:
        raise Http404
    title = in_language(person.campaign.settings.texts.title, get_language() or "en")
    address = request.build_absolute_uri(reverse("contributor:home"))
    # The hour of the site's clock is not the phone's: a time without a zone is the phone's own.
    start = f"{timezone.localdate() + timedelta(days=days):%Y%m%d}T180000"
    lines = (
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//endoxa//collect//EN",
        "BEGIN:VEVENT",
        f"UID:{uuid4()}",
        f"DTSTAMP:{timezone.now():%Y%m%dT%H%M%SZ}",
        f"DTSTART:{start}",
        "DURATION:PT15M",
        f"SUMMARY:{_escaped(title)}",
        f"DESCRIPTION:{_escaped(address)}",
        "BEGIN:VALARM",
        "ACTION:DISPLAY",
        "TRIGGER:PT0S",
        f"DESCRIPTION:{_escaped(title)}",
        "END:VALARM",
        "END:VEVENT",
        "END:VCALENDAR",
    )
    response = HttpResponse("".join(map(_folded, lines)), content_type="text/calendar; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="reminder.ics"'
    return response


def _escaped(text: str) -> str:
    """A text of a calendar file (RFC 5545, 3.3.11) in one line."""
    line = " ".join(text.split())
    return line.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")


def _folded(line: str) -> str:
    """A line with its end, broken where it is too long, never within a letter."""
    rows, size = [""], 0
    for letter in line:
        more = len(letter.encode())
        if size + more > _LONGEST_LINE:
            rows.append(" ")
            size = 1
        rows[-1] += letter
        size += more
    return "".join(f"{row}\r\n" for row in rows)


@require_safe
def certificate(request: HttpRequest) -> HttpResponse:
    """A page to print for whoever gave an answer; the name is typed into the page and has no field to be sent in."""
    person = holder(request)
    if person is None:
        return redirect("contributor:home")
    code = came_by(request, person)
    answered = person.ratings.exists() or person.mentions.exists() or person.statements.exists()
    if code is None or not code.certificate or not answered:
        raise Http404
    title = in_language(person.campaign.settings.texts.title, get_language() or "en")
    return render(request, "contributor/certificate.html", {"title": title, "day": timezone.localdate()})


urlpatterns: list[URLPattern] = [
    path("j/<str:code>/no-thanks/", decline, name="decline"),
    path("reminder.ics", reminder, name="reminder"),
    path("certificate/", certificate, name="certificate"),
]
