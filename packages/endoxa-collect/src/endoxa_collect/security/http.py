"""Requests and responses: bodies limited and read whole before anything is answered, headers on every answer.

A phone on a bad line takes seconds to send a form. Django's threads are few, since each holds a connection to the
database, so they must not be the ones that wait: the server's event loop takes the bodies in, and hands over what is
complete (`Buffered`). What a browser may send is limited before any of it is read (`BodyLimit`); the headers keep
browsers from doing what these pages never ask for.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from io import BytesIO
from types import MappingProxyType
from typing import Any
from urllib.parse import quote_from_bytes
from wsgiref.types import StartResponse, WSGIEnvironment

from asgiref.wsgi import WsgiToAsgiInstance
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import get_template
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import gettext

from endoxa.errors import UserError
from endoxa_collect.faults import TooOftenError, is_full

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "worker-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_UNUSED = (
    "accelerometer=(), browsing-topics=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), "
    "magnetometer=(), microphone=(), midi=(), payment=(), publickey-credentials-get=(), serial=(), usb=()"
)
HEADERS = MappingProxyType(
    {
        "Content-Security-Policy": CONTENT_SECURITY_POLICY,
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": _UNUSED,
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
"""The next user of a phone must not see the last person's cards with the back button."""

Application = Callable[[WSGIEnvironment, StartResponse], Iterable[bytes]]
Message = Mapping[str, Any]
"""A message of ASGI 3, or the scope of a request."""
Headers = list[tuple[str, str]]
Answer = tuple[int, Headers, bytes]
"""Status, headers and body."""
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

_log = logging.getLogger("endoxa_collect.security.http")


class BodyLimit(MiddlewareMixin):
    """Middleware that refuses requests over the settings' `BODY_MAX`, or under /organise/ `ORGANISER_BODY_MAX` bytes.

    Django's own limit leaves uploaded files out. A request that does not say how long it is has no body for Django.
    Forms in another encoding than UTF-8, which no browser sends from our pages, are refused with 415: Django would fail
    at them again while it makes its page about the error.
    """

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        """The page that says that it was too much; None for all other requests."""
        if body_length(request.META) is None:
            megabytes = _limit(request.path) // 2**20
            return render(request, "413.html", {"megabytes": megabytes}, status=413)
        charset = (request.content_params or {}).get("charset", "utf-8")
        return None if charset.strip().lower() in {"utf-8", "utf8"} else HttpResponse(status=415)


class Faults(MiddlewareMixin):
    """Middleware that says on the page what went wrong, where that is known.

    That is something that was tried too often, a full disk, or a user's error.
    """

    def process_exception(self, request: HttpRequest, problem: Exception) -> HttpResponse | None:
        """The page of errors with the sentence; None for every other fault."""
        if isinstance(problem, TooOftenError):
            return too_often(request, problem.seconds)
        if is_full(problem):
            fault = gettext(
                "The disk of the server is full, so this was not done. Tell whoever runs the site to make room, and "
                "try again then."
            )
        elif isinstance(problem, UserError):
            fault = str(problem)
        else:
            return None
        _log.error("A page could not do what was asked.", exc_info=problem)
        # Without the request, as Django's own page of errors: what it reads of the database could fail, too.
        page = get_template("500.html").render({"fault": fault})
        return HttpResponse(page, status=HTTPStatus.INTERNAL_SERVER_ERROR)


def too_often(request: HttpRequest, seconds: int) -> HttpResponse:
    """The page that asks for patience, with status 429 and the time to wait."""
    response = render(request, "429.html", {"minutes": -(-seconds // 60)}, status=429)
    response.headers["Retry-After"] = str(seconds)
    return response


def body_length(environ: Mapping[str, Any]) -> int | None:
    """The bytes of a request's body, from its WSGI environment; None if it is too long or says no number."""
    length = environ.get("CONTENT_LENGTH") or "0"
    within = length.isdecimal() and int(length) <= _limit(environ.get("PATH_INFO", ""))
    return int(length) if within else None


def _limit(path: str) -> int:
    limit: int = settings.ORGANISER_BODY_MAX if path.startswith("/organise/") else settings.BODY_MAX
    return limit


class SecurityHeaders(MiddlewareMixin):
    """The outermost middleware: sets the headers, and keeps pages out of every cache. Static files set their own."""

    def process_response(self, _request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """The answer of the rest of the site, with the headers added."""
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        response.headers.setdefault("Cache-Control", NOT_KEPT)
        return response


class Buffered:
    """The site for an asynchronous server (ASGI 3): a request is read whole first, then answered in one of `threads`.

    While a slow phone sends its form, only a buffer waits; the answer is handed to the server whole, so a slow reader
    holds no thread either. Bodies over the limit are not read: the application hears their length and refuses them.
    What is not there after `patience` seconds is refused with 408. What the application fails at is a plain 500.
    """

    def __init__(self, application: Application, threads: int, patience: float = 60.0) -> None:
        self._application = application
        self._answering = ThreadPoolExecutor(threads, thread_name_prefix="answering")
        self._patience = patience

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Read, answer, send."""
        environ = _environ(scope)
        length = body_length(environ) or 0
        try:
            async with asyncio.timeout(self._patience):
                body = await _read(receive, length)
        except TimeoutError:
            answer = _plainly(HTTPStatus.REQUEST_TIMEOUT)
        else:
            if len(body) < length:
                # The client has disconnected.
                answer = _plainly(HTTPStatus.BAD_REQUEST)
            else:
                buffered = {**environ, "wsgi.input": BytesIO(body)}
                loop = asyncio.get_running_loop()
                answer = await loop.run_in_executor(self._answering, self._answer, buffered)
        status, told, body = answer
        headers = [(name.lower().encode("latin1"), value.encode("latin1")) for name, value in told]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    def _answer(self, environ: WSGIEnvironment) -> Answer:
        told: list[tuple[int, Headers]] = []

        def start(status: str, headers: Headers, _exc_info: object = None, /) -> Callable[[bytes], object]:
            # An error page may tell them anew (PEP 3333).
            told.append((int(status.split(" ", 1)[0]), headers))
            return _write

        try:
            body = _all_of(self._application(environ, start))
            return *told[-1], body
        except Exception:
            _log.exception("An error page could not be made.")
            return _plainly(HTTPStatus.INTERNAL_SERVER_ERROR)


def _write(_data: bytes) -> None:
    raise NotImplementedError("Applications give their body back.")


def _environ(scope: Message) -> WSGIEnvironment:
    """The WSGI environment of an ASGI request (PEP 3333), but for its body."""
    # With an underscore it would pass for the one with dashes, which only the proxy may set (`X-Forwarded-Proto`).
    headers = [(name, value) for name, value in scope["headers"] if b"_" not in name and name != b"cookie"]
    # HTTP/2 may send a cookie in parts (RFC 9113, 8.2.3).
    if cookies := [value for name, value in scope["headers"] if name == b"cookie"]:
        headers.append((b"cookie", b"; ".join(cookies)))
    query = quote_from_bytes(scope["query_string"], safe=_ASCII)
    bridge = WsgiToAsgiInstance(None, duplicate_header_limit=None)
    bridge.scope = {**scope, "root_path": "", "query_string": query.encode(), "headers": headers}
    environ: WSGIEnvironment = bridge.build_environ(bridge.scope, None)
    return environ


_ASCII = "".join(map(chr, range(128)))


async def _read(receive: Receive, length: int) -> bytes:
    """The first `length` bytes of a body; fewer if the sender has gone."""
    parts = bytearray()
    while len(parts) < length:
        message = await receive()
        if message["type"] != "http.request":
            break
        parts += message.get("body", b"")
        if not message.get("more_body"):
            break
    return bytes(parts[:length])


def _all_of(response: Iterable[bytes]) -> bytes:
    try:
        return b"".join(response)
    finally:
        close: Callable[[], Any] | None = getattr(response, "close", None)
        if close is not None:
            close()


def _plainly(status: HTTPStatus) -> Answer:
    headers = {**HEADERS, "Cache-Control": NOT_KEPT, "Content-Type": "text/plain; charset=utf-8"}
    return status.value, list(headers.items()), status.phrase.encode()
