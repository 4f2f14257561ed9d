"""A limit on what a browser may send, before any of it is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


class BodyLimit:
    """Middleware that refuses requests over the settings' `BODY_MAX`, or under /organise/ `ORGANISER_BODY_MAX` bytes.

    Django's own limit leaves uploaded files out. A request that does not say how long it is has no body for Django.
    Forms in another encoding than UTF-8, which no browser sends from our pages, are refused with 415: Django would fail
    at them again while it makes its page about the error.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer, or say that it was too much."""
        if body_length(request.META) is None:
            megabytes = _limit(request.path) // 2**20
            return render(request, "413.html", {"megabytes": megabytes}, status=413)
        charset = (request.content_params or {}).get("charset", "utf-8")
        if charset.strip().lower() not in {"utf-8", "utf8"}:
            return HttpResponse(status=415)
        return self._get_response(request)


def body_length(environ: Mapping[str, Any]) -> int | None:
    """The bytes of a request's body, from its WSGI environment; None if it is too long or says no number."""
    length = environ.get("CONTENT_LENGTH") or "0"
    within = length.isdecimal() and int(length) <= _limit(environ.get("PATH_INFO", ""))
    return int(length) if within else None


def _limit(path: str) -> int:
    limit: int = settings.ORGANISER_BODY_MAX if path.startswith("/organise/") else settings.BODY_MAX
    return limit
