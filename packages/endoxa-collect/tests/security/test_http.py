"""Slow phones hold no thread that answers; what fails is a plain page; closed is what was opened."""

from __future__ import annotations

import asyncio
import socket
import urllib.error
import urllib.request
from contextlib import ExitStack

import pytest

from collect_support.served import served
from endoxa_collect.security.http import HEADERS, Buffered


def asked(path="/", length=None, method="POST", **headers):
    """The scope of a request."""
    named = {"content-length": length, **headers}
    sent = [(key.encode(), str(value).encode()) for key, value in named.items() if value is not None]
    scope = {"type": "http", "http_version": "1.1", "query_string": b"", "server": ("127.0.0.1", 8000)}
    return {**scope, "method": method, "path": path, "headers": sent}


async def answered(application, scope, messages):
    """What the application sends, given what it receives; the last message is repeated."""
    messages, told = list(messages), []

    async def receive():
        message = messages.pop(0) if len(messages) > 1 else messages[0]
        return await message if asyncio.iscoroutine(message) else message

    async def send(message):
        told.append(message)

    await application(scope, receive, send)
    start, body = told
    headers = {name.decode(): value.decode() for name, value in start["headers"]}
    return start["status"], headers, body["body"]


def call(application, body=b"", length=None, path="/", parts=1):
    length = len(body) if length is None else length
    size = -(-len(body) // parts) or 1
    sent = [
        {"type": "http.request", "body": body[at : at + size], "more_body": True}
        for at in range(0, len(body), size)
    ]
    sent += [{"type": "http.request", "body": b"", "more_body": False}]
    return asyncio.run(answered(application, asked(path, length), sent))


def echo(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [environ["wsgi.input"].read()]


@pytest.mark.parametrize(("path", "limit"), [("/", 2**20), ("/organise/", 3 * 2**20)])
def test_a_body_is_handed_over_whole_and_one_over_the_limit_is_not_read(path, limit):
    for length, read in ((limit, limit), (limit + 1, 0)):
        answer = call(Buffered(echo, 1), b"x" * length, path=path, parts=7)
        assert answer == (200, {"content-type": "text/plain"}, b"x" * read)


def test_a_body_that_breaks_off_is_no_request():
    assert call(Buffered(echo, 1), b"half", length=8)[0] == 400
    # Whoever hangs up is not waited for.
    gone = [{"type": "http.request", "body": b"half", "more_body": True}, {"type": "http.disconnect"}]
    assert asyncio.run(answered(Buffered(echo, 1), asked(length=8), gone))[0] == 400


def test_a_body_that_does_not_come_is_given_up():
    async def never():
        await asyncio.Event().wait()

    async def wait():
        return await answered(Buffered(echo, 1, patience=0.01), asked(length=8), [never()])

    assert asyncio.run(wait())[0] == 408


def test_a_name_with_underscores_does_not_pass_for_the_header_that_a_proxy_sets():
    def tell(environ, start_response):
        start_response("200 OK", [])
        return [repr(sorted(name for name in environ if name.startswith("HTTP_X"))).encode()]

    scope = asked(method="GET", **{"X_Forwarded_Proto": "https", "x_forwarded-proto": "https"})
    answer = asyncio.run(answered(Buffered(tell, 1), scope, [{"type": "http.disconnect"}]))
    assert answer[2] == b"[]"
    scope["headers"] += [(b"x-forwarded-proto", b"http")]
    answer = asyncio.run(answered(Buffered(tell, 1), scope, [{"type": "http.disconnect"}]))
    assert answer[2] == b"['HTTP_X_FORWARDED_PROTO']"


def test_what_fails_is_a_plain_page_with_headers_and_a_line_in_the_log(caplog):
    def broken(environ, start_response):
        raise RuntimeError("secret")

    status, headers, body = call(Buffered(broken, 1))
    assert (status, body) == (500, b"Internal Server Error")
    assert headers.items() >= {name.lower(): value for name, value in HEADERS.items()}.items()
    assert headers["cache-control"] == "no-store"
    assert "ERROR" in [record.levelname for record in caplog.records]


@pytest.mark.slow
def test_half_sent_forms_stop_nobody(tmp_path):
    with served(tmp_path / "camp") as site, ExitStack() as open_ones:
        host, port = site.address.removeprefix("http://").split(":")
        head = f"POST /organise/login/ HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1000\r\n"
        head += "Content-Type: application/x-www-form-urlencoded\r\n\r\nusername=a"
        for _ in range(128):
            slow = open_ones.enter_context(socket.create_connection((host, int(port))))
            slow.sendall(head.encode())
        for _ in range(2):
            with urllib.request.urlopen(site.address, timeout=20) as response:
                assert response.status == 200
                assert response.headers["X-Frame-Options"] == "DENY"
        large = urllib.request.Request(f"{site.address}/language/", data=b"x" * (2**20 + 1))
        with pytest.raises((urllib.error.HTTPError, OSError)):
            urllib.request.urlopen(large, timeout=20)
    assert "Traceback" not in (tmp_path / "camp.log").read_text()
