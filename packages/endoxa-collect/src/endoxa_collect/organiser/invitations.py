"""Join codes: make a new one, find the newest valid one, build the address for the QR code."""

from __future__ import annotations

from datetime import timedelta
from io import BytesIO
from urllib.parse import urlsplit

import segno
from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from endoxa_collect.addresses import lan_address
from endoxa_collect.models import Campaign, JoinCode
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
    """A random code that is valid for `days` days."""
    ends = timezone.now() + timedelta(days=days)
    return JoinCode.objects.create(campaign=campaign, code=new_code(LENGTH), expires_at=ends)
