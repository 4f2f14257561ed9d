"""Between the server and Django: bodies are read whole before anything is answered.

A phone on a bad line takes seconds to send a form, and a server's thread has to wait for it. Django's threads are few,
since each holds a connection to the database, so they must not be the ones that wait: many reading threads of the
server take the bodies in, and hand over what is complete.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from io import BytesIO
from typing import Any
from wsgiref.types import StartResponse, WSGIEnvironment

from endoxa.collect.security.bodies import body_length
from endoxa.collect.security.headers import HEADERS, NOT_KEPT

Application = Callable[[WSGIEnvironment, StartResponse], Iterable[bytes]]

_log = logging.getLogger("endoxa.collect.buffered")


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
