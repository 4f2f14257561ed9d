"""Whom a page was made for: every form says so, and what is sent from the page of somebody else is refused.

Several people may use one phone, one after the other. A page that stayed open would store the answers of one of them
as those of the next.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.crypto import salted_hmac

from endoxa_collect.contributor import panel_access
from endoxa_collect.contributor.access import holder
from endoxa_collect.contributor.consent import secret_of
from endoxa_collect.security.codes import COOKIE, hash_secret


def owner_of(secret_hash: str) -> str:
    """A name for the holder of a cookie that nobody can make up; nobody can tell the person from it."""
    return salted_hmac("endoxa.owner", secret_hash, algorithm="sha256").hexdigest()[:16]


def owner_field(request: HttpRequest) -> tuple[str, str] | None:
    """Name and value of the field that all forms of a page carry: "" for strangers; None on the pages of accounts."""
    if request.path.startswith("/organise/"):
        return None
    # Forms of panels that lead out of a panel's pages carry nobody: there, a browser does not send the cookie.
    name, cookie = ("judge", panel_access.COOKIE) if request.path.startswith("/t/") else ("owner", COOKIE)
    secret = request.COOKIES.get(cookie, "")
    return name, owner_of(hash_secret(secret)) if secret else ""


class OwnershipMiddleware:
    """Refuses forms of pages that were made for another person than the one whose browser sends them."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer as the rest of the site does."""
        return self._get_response(request)

    def process_view(
        self, request: HttpRequest, _view: object, _positional: object, named: Mapping[str, Any]
    ) -> HttpResponse | None:
        """The page that says so, once the token of the form was looked at; None where the form may be taken."""
        field = owner_field(request)
        if request.method != "POST" or field is None:
            return None
        name, owner = field
        if request.POST.get(name, owner) == owner or (owner and _consented(request, named) == owner):
            return None
        onward = (
            reverse("panel:start", args=[named["code"]]) if name == "judge" else reverse("contributor:home")
        )
        return render(request, "contributor/somebody_else.html", {"onward": onward}, status=403)


def _consented(request: HttpRequest, named: Mapping[str, Any]) -> str:
    """Whom the consent form that is sent makes: a second tap comes with the cookie that the first one brought."""
    ticket, person = request.POST.get("ticket", ""), holder(request)
    if request.path.startswith("/t/"):
        task = panel_access.task_of_code(named["code"])
        read = panel_access.ticket_of(ticket, task) if task else None
        secret = read.secret() if read else ""
    else:
        secret = secret_of(ticket, person.campaign) if person and ticket else ""
    return owner_of(hash_secret(secret))
