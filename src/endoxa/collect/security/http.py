"""Requests and responses: bodies limited and read whole before anything is answered, headers on every answer.

A phone on a bad line takes seconds to send a form, and a server's thread has to wait for it. Django's threads are few,
since each holds a connection to the database, so they must not be the ones that wait: many reading threads of the
server take the bodies in, and hand over what is complete (`Buffered`). What a browser may send is limited before any of
it is read (`BodyLimit`); the headers keep browsers from doing what these pages never ask for.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from io import BytesIO
from types import MappingProxyType
from typing import Any
from wsgiref.types import StartResponse, WSGIEnvironment

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_UNUSED = (
    "accelerometer",
    "browsing-topics",
    "camera",
    "display-capture",
    "geolocation",
    "gyroscope",
    "magnetometer",
    "microphone",
    "midi",
    "payment",
    "publickey-credentials-get",
    "serial",
    "usb",
)
HEADERS = MappingProxyType(
    {
        "Content-Security-Policy": CONTENT_SECURITY_POLICY,
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": ", ".join(f"{feature}=()" for feature in _UNUSED),
        "Referrer-Policy": "same-origin",
        # Without one the server tells which it is.
        "Server": "web",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "X-Robots-Tag": "noindex, nofollow, noarchive",
    }
)
"""On every response, static files and errors included."""

NOT_KEPT = "no-store"
"""Whoever takes the phone next must not find the last person's cards with the back button."""

Application = Callable[[WSGIEnvironment, StartResponse], Iterable[bytes]]

_log = logging.getLogger("endoxa.collect.security.http")


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


class SecurityHeaders:
    """The outermost middleware: sets the headers, and keeps pages out of every cache. Static files set their own."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer as the rest of the site does, with the headers added."""
        response = self._get_response(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        response.headers.setdefault("Cache-Control", NOT_KEPT)
        return response


class Buffered:
    """A WSGI application that reads a request's body in the thread it is called in, and answers in one of `threads`.

    The answer is made whole there as well, so a slow reader holds none of them either. Bodies over the limit are not
    read: the application hears their length and refuses them. What the application fails at is a plain 500.
    """

    def __init__(self, application: Application, threads: int) -> None:
        self._application = application
        self._answering = ThreadPoolExecutor(threads, thread_name_prefix="answering")

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Read, then wait for the answer."""
        length = body_length(environ) or 0
        try:
            body = environ["wsgi.input"].read(length) if length else b""
        except OSError:
            body = b""
        if len(body) < length:
            # Whoever sent it has gone.
            return _plainly(HTTPStatus.BAD_REQUEST, start_response)
        whole = {**environ, "wsgi.input": BytesIO(body)}
        return self._answering.submit(self._answer, whole, start_response).result()

    def _answer(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        try:
            return _all_of(self._application(environ, start_response))
        except Exception:
            _log.exception("An error page could not be made.")
            return _plainly(HTTPStatus.INTERNAL_SERVER_ERROR, start_response)


def _all_of(response: Iterable[bytes]) -> list[bytes]:
    try:
        return list(response)
    finally:
        close: Callable[[], Any] | None = getattr(response, "close", None)
        if close is not None:
            close()


def _plainly(status: HTTPStatus, start_response: StartResponse) -> list[bytes]:
    headers = {**HEADERS, "Cache-Control": NOT_KEPT, "Content-Type": "text/plain; charset=utf-8"}
    start_response(f"{status.value} {status.phrase}", list(headers.items()))
    return [status.phrase.encode()]
