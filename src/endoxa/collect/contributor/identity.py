"""Who a contributor is: the holder of a random cookie, of which only a hash is stored."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from endoxa.collect.models import Person
from endoxa.collect.security.codes import COOKIE, hash_secret

_DAYS = 60


class ContributorMiddleware:
    """Sets `request.person` from the cookie: a `Person`, or None for strangers and on the pages of accounts."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Find the person, then answer."""
        secret = request.COOKIES.get(COOKIE, "")
        wanted = secret and not request.path.startswith("/organise/")
        request.person = person_of(secret) if wanted else None  # type: ignore[attr-defined]
        return self._get_response(request)


def holder(request: HttpRequest) -> Person | None:
    """The contributor whose browser asks; None for strangers."""
    person: Person | None = request.person  # type: ignore[attr-defined]
    return person


def person_of(secret: str) -> Person | None:
    """The person whose cookie this is."""
    return Person.objects.select_related("campaign").filter(secret_hash=hash_secret(secret)).first()


def remember(response: HttpResponse, secret: str) -> None:
    """Give the browser its cookie."""
    response.set_cookie(
        COOKIE, secret, max_age=_DAYS * 86_400, httponly=True, secure=settings.HTTPS, samesite="Lax"
    )


def forget(response: HttpResponse) -> None:
    """Take the cookie back."""
    response.delete_cookie(COOKIE, samesite="Lax")
