"""Slow phones hold no thread that answers; what fails is a plain page; closed is what was opened."""

from __future__ import annotations

import socket
import threading
import urllib.error
import urllib.request
from contextlib import ExitStack
from io import BytesIO
from wsgiref.util import setup_testing_defaults

import pytest

from endoxa.collect.security.http import HEADERS, Buffered
from support.collect.served import served


def call(application, body=b"", length=None, path="/"):
    environ = {"PATH_INFO": path, "wsgi.input": BytesIO(body)}
    environ["CONTENT_LENGTH"] = str(len(body) if length is None else length)
    setup_testing_defaults(environ)
    told = []
    answer = application(environ, lambda status, headers: told.append((status, dict(headers))))
    return *told[0], b"".join(answer)


def echo(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [environ["wsgi.input"].read()]


def test_a_body_is_handed_over_whole():
    assert call(Buffered(echo, 1), b"x" * 2**20) == ("200 OK", {"Content-Type": "text/plain"}, b"x" * 2**20)


@pytest.mark.parametrize(
    ("path", "length", "read"),
    [
        ("/", 2**20, 2**20),
        ("/", 2**20 + 1, 0),
        ("/organise/", 3 * 2**20, 3 * 2**20),
        ("/organise/", 3 * 2**20 + 1, 0),
    ],
)
def test_a_body_over_the_limit_is_not_read(path, length, read):
    assert len(call(Buffered(echo, 1), b"x" * length, path=path)[2]) == read


def test_a_body_that_breaks_off_is_no_request():
    assert call(Buffered(echo, 1), b"half", length=8)[0] == "400 Bad Request"


def test_what_fails_is_a_plain_page_with_headers_and_a_line_in_the_log(caplog):
    def broken(environ, start_response):
        raise RuntimeError("secret")

    status, headers, body = call(Buffered(broken, 1))
    assert (status, body) == ("500 Internal Server Error", b"Internal Server Error")
    assert headers.items() >= HEADERS.items()
    assert headers["Cache-Control"] == "no-store"
    assert [record.levelname for record in caplog.records] == ["ERROR"]


def test_a_response_is_read_and_closed_by_the_thread_that_answers():
    seen = []

    class Streamed:
        def __iter__(self):
            for part in (b"one ", b"two"):
                seen.append(threading.current_thread().name)
                yield part

        def close(self):
            seen.append(threading.current_thread().name)

    def stream(environ, start_response):
        start_response("200 OK", [])
        return Streamed()

    assert call(Buffered(stream, 1))[2] == b"one two"
    assert len(seen) == 3
    assert all(name.startswith("answering") for name in seen)


def test_no_more_than_the_threads_answer_at_once():
    together = threading.Barrier(2)
    running = threading.Semaphore(2)

    def answer(environ, start_response):
        assert running.acquire(blocking=False)
        together.wait(timeout=20)
        running.release()
        return echo(environ, start_response)

    application, statuses = Buffered(answer, 2), []
    callers = [threading.Thread(target=lambda: statuses.append(call(application)[0])) for _ in range(6)]
    for one in callers:
        one.start()
    for one in callers:
        one.join()
    assert statuses == ["200 OK"] * 6


@pytest.mark.slow
def test_half_sent_forms_stop_nobody(tmp_path):
    with served(tmp_path / "camp") as site, ExitStack() as open_ones:
        host, port = site.address.removeprefix("http://").split(":")
        head = f"POST /organise/login/ HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1000\r\n"
        head += "Content-Type: application/x-www-form-urlencoded\r\n\r\nusername=a"
        for _ in range(40):
            slow = open_ones.enter_context(socket.create_connection((host, int(port))))
            slow.sendall(head.encode())
        for _ in range(8):
            with urllib.request.urlopen(site.address, timeout=20) as response:
                assert response.status == 200
                assert response.headers["X-Frame-Options"] == "DENY"
        sent = urllib.request.Request(f"{site.address}/language/", data=b"x" * 2**20)
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(sent, timeout=20)
        large = urllib.request.Request(f"{site.address}/language/", data=b"x" * (2**20 + 1))
        with pytest.raises((urllib.error.HTTPError, OSError)):
            urllib.request.urlopen(large, timeout=20)
    assert "Traceback" not in (tmp_path / "camp.log").read_text()
