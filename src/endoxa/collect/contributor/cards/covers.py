"""Whether pairs that may hurt are shown on request, or always, as this browser was told."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse

COOKIE = "endoxa_uncovered"
_SECONDS = 60 * 86_400


def lifted(request: HttpRequest) -> bool:
    """Whether this browser was told to show all pairs at once."""
    return request.COOKIES.get(COOKIE) == "1"


def lift(response: HttpResponse) -> None:
    """Show all pairs at once from now on."""
    response.set_cookie(
        COOKIE, "1", max_age=_SECONDS, httponly=True, secure=settings.HTTPS, samesite="Lax", path="/card/"
    )


def put_back(response: HttpResponse) -> None:
    """Cover pairs that may hurt again."""
    response.delete_cookie(COOKIE, samesite="Lax", path="/card/")
