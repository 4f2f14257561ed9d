"""A limit on what a browser may send, before any of it is read."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


class BodyLimit:
    """Middleware that refuses requests over the settings' `BODY_MAX`, or under /organise/ `ORGANISER_BODY_MAX` bytes.

    Django's own limit leaves uploaded files out. A request that does not say how long it is has no body for Django.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer, or say that it was too much."""
        organiser = request.path.startswith("/organise/")
        limit = settings.ORGANISER_BODY_MAX if organiser else settings.BODY_MAX
        length = request.META.get("CONTENT_LENGTH") or "0"
        if length.isdecimal() and int(length) <= limit:
            return self._get_response(request)
        return render(request, "413.html", {"megabytes": limit // 2**20}, status=413)
