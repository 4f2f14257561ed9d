"""HTTP clients and their guard: bodies have a byte limit, redirects are refused, and keys never come back.

Servers are other people's programs. `guard` and `async_guard` make the arguments that every client of this package is
built with (OpenAI's, also for other interfaces, and Anthropic's), so whatever a server sends passes through here before
anything reads it: body, headers and reason phrase.

- The limit follows from what was asked (`byte_limit`): the maximum number of tokens, the number of texts, the length
  of the prompts. Compressed bodies count after decompression.
- A redirect (any status from 300 to 399) is refused with the names of both hosts; the request is not sent again.
- The key that was sent is replaced by `(key)` wherever the server repeats it, JSON escapes included.
- A half of a character is replaced by U+FFFD: bytes that are no UTF-8, and one of the two escapes of an emoji.
"""

from __future__ import annotations

import json
import logging
import os
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urljoin, urlsplit

from endoxa.errors import installation
from endoxa.models.spec import require_libraries
from endoxa.schema.characters import whole_characters

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI


MIB = 2**20
BASE_BYTES = MIB // 4
"""Room of every answer for what is not text: names, counts, headers of a gateway."""
TOKEN_BYTES = 64
"""Room per token of an answer; a token has about 4 characters, each of at most 12 bytes in JSON."""
LOGPROB_BYTES = 192
"""Room per log-probability: the token as text and as bytes, its number, its rank."""
VECTOR_BYTES = MIB // 2
"""Room per text whose vector is asked for: 16,384 numbers of 32 characters."""
USUAL_TOKENS = 2**17
"""Tokens of a chat answer whose maximum was not given."""
MOST_BYTES = 512 * MIB
"""No answer has more room, whatever was asked for."""
LISTING_BYTES = 16 * MIB
"""Room of what is fetched rather than asked: lists of models and batches, statuses."""
ERROR_BYTES = MIB // 16
"""Room of an error's body; what is longer is left unread, and its status counts."""
MIN_SECRET = 8
"""Keys of fewer characters ("EMPTY", "ollama") are no secrets, and could be words of an answer."""
KEY_MARK = "(key)"
REFUSED_RESPONSE = "not-taken"
"""Name of the problem of a response that was refused here, where providers have names of their own."""
TOO_LARGE = 413
"""Status that stands for an answer over its limit: like "content too large", it blames one request for good."""
_GZIP_OR_ZLIB = 47
"""`wbits` of zlib for either header."""
_PROMPT_LOGPROBS = ("echo", "prompt_logprobs", "return_logprob")
"""Fields of requests that ask for the log-probabilities of the prompt."""

Problem = Callable[..., Exception]
"""Makes an exception of a message and a request."""

_results_bytes: ContextVar[int | None] = ContextVar("results_bytes", default=None)


class RefusedResponseError(Exception):
    """What a server sent is not taken; asking again does not help.

    Attributes:
        status: that of a redirect, or `TOO_LARGE`.
    """

    def __init__(self, words: str, status: int) -> None:
        super().__init__(words)
        self.status = status


@contextmanager
def room_for_results(requests: int, tokens: int | None) -> Iterator[None]:
    """Let files of results that are fetched in this block have room for so many answers.

    Args:
        requests: number of answers.
        tokens: maximum number of tokens per answer, or None.
    """
    each = BASE_BYTES // 8 + TOKEN_BYTES * (tokens or USUAL_TOKENS)
    token = _results_bytes.set(min(BASE_BYTES + requests * each, MOST_BYTES))
    try:
        yield
    finally:
        _results_bytes.reset(token)


def byte_limit(request: Any) -> int:
    """Maximum number of bytes of the answer to a request, decompressed.

    Args:
        request: of httpx, already sent.
    """
    if request.method == "GET":
        return _results_bytes.get() or LISTING_BYTES
    if not request.headers.get("content-type", "").startswith("application/json"):
        return LISTING_BYTES
    body = json.loads(request.content)
    return body_limit(body, len(request.content)) if isinstance(body, Mapping) else LISTING_BYTES


def body_limit(body: Mapping[str, Any], length: int) -> int:
    """Maximum number of bytes of the answer to a request with this JSON body of `length` bytes."""
    if "requests" in body or "input_file_id" in body:  # a batch is handed in: its description comes back
        return LISTING_BYTES
    texts = len(body["input"]) if isinstance(body.get("input"), list) else int("input" in body)
    fields = [
        *body.items(),
        *(field for part in body.values() if isinstance(part, Mapping) for field in part.items()),
    ]
    tokens = max((_count(value) for name, value in fields if "tokens" in name), default=0) or (
        USUAL_TOKENS if "messages" in body else 0
    )
    logprobs = LOGPROB_BYTES * (1 + _count(body.get("top_logprobs"))) if body.get("logprobs") else 0
    per_prompt_byte = 2 * LOGPROB_BYTES if any(body.get(name) for name in _PROMPT_LOGPROBS) else 16
    limit = (
        BASE_BYTES
        + max(1, _count(body.get("n"))) * tokens * (TOKEN_BYTES + logprobs)
        + texts * VECTOR_BYTES
        + length * per_prompt_byte
    )
    return min(limit, MOST_BYTES)


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def hide_key(text: str, key: str) -> str:
    """`text` without the key, however JSON may have escaped its characters; short keys are left (`MIN_SECRET`)."""
    if len(key) < MIN_SECRET:
        return text
    text = text.replace(key, KEY_MARK)
    return _escaped(key).sub(KEY_MARK, text) if "\\" in text else text


@lru_cache(maxsize=16)
def _escaped(key: str) -> re.Pattern[str]:
    """Matches a key whose characters may be written as JSON escapes, also within a JSON text inside JSON."""
    return re.compile("".join(rf"(?:\\*{re.escape(letter)}|\\+u00(?i:{ord(letter):02x}))" for letter in key))


class _Body:
    """The body of a response as it comes in, decompressed, and no longer than its limit.

    Args:
        response: of httpx, whose body is not read yet.
        key: the key, or empty.
    """

    def __init__(self, response: Any, key: str) -> None:
        self._response, self._key = response, key
        self._failed = response.status_code >= 400
        self._limit = ERROR_BYTES if self._failed else byte_limit(response.request)
        encoding = response.headers.get("content-encoding", "identity").strip().lower()
        if encoding not in {"identity", "gzip", "x-gzip", "deflate"}:
            raise RefusedResponseError(
                f"{_host(response)} compressed its answer with '{hide_key(encoding, key)}', which was not asked for",
                TOO_LARGE,
            )
        self._inflate = None if encoding == "identity" else zlib.decompressobj(_GZIP_OR_ZLIB)
        self._received = 0
        self._content = bytearray()

    def add(self, chunk: bytes) -> bool:
        """Take a piece as it came; False where no more is wanted.

        Raises:
            RefusedResponseError: the answer is longer than its limit.
        """
        self._received += len(chunk)
        while chunk:
            chunk = self._take(chunk)
            if max(len(self._content), self._received) > self._limit:
                if self._failed:
                    return False
                raise RefusedResponseError(
                    f"{_host(self._response)} sent more than {self._limit:,} bytes, the most that what was asked for "
                    "can take",
                    TOO_LARGE,
                )
        return True

    def _take(self, chunk: bytes) -> bytes:
        """Take a piece, and return what has to wait: decompressed, it may exceed the limit many times."""
        if self._inflate is None:
            self._content += chunk
            return b""
        self._content += self._inflate.decompress(chunk, self._limit - len(self._content) + 1)
        if not self._inflate.eof:
            return self._inflate.unconsumed_tail
        rest = self._inflate.unused_data
        self._inflate = zlib.decompressobj(_GZIP_OR_ZLIB)  # gzip may have several members
        return rest

    def replace(self) -> None:
        """Give the response the body that was taken, whole characters and no key; likewise headers and reason."""
        response, key = self._response, self._key
        content: bytes = bytes(self._content)
        if len(content) > self._limit:
            error = {"message": f"(its error text has more than {self._limit:,} bytes and was not read)"}
            content = json.dumps({"error": error}).encode()
        else:
            content = hide_key(whole_characters(content), key).encode()
        for name, value in list(response.headers.items()):
            response.headers[name] = hide_key(value, key)
        response.headers.pop("content-encoding", None)
        response.encoding = "utf-8"
        reason = response.extensions.get("reason_phrase", b"").decode("ascii", "replace")
        response.extensions["reason_phrase"] = hide_key(reason, key).encode()
        response.stream = type(response)(response.status_code, content=content).stream


def _refuse_redirect(response: Any, key: str) -> None:
    """Raise where a server points elsewhere: what was asked, and the key, would go there.

    Raises:
        RefusedResponseError: it does.
    """
    if not 300 <= response.status_code < 400:
        return
    requested = str(response.request.url)
    location = urljoin(requested, response.headers.get("location", ""))
    try:
        there = urlsplit(location).netloc.rpartition("@")[2]
    except ValueError:
        there = "an address that cannot be read"
    words = (
        f"{_host(response)} redirects to {hide_key(there, key)} (status {response.status_code}), and that is refused, "
        "since what is asked goes only to the address that was given: give the address at which the server answers"
    )
    raise RefusedResponseError(words, response.status_code)


def _host(response: Any) -> str:
    netloc: str = urlsplit(str(response.request.url)).netloc
    return netloc.rpartition("@")[2]


@contextmanager
def _taking(response: Any, key: str, problem: Problem) -> Iterator[_Body]:
    """Around reading the body of a response, which then replaces it."""
    try:
        _refuse_redirect(response, key)
        body = _Body(response, key)
        yield body
        body.replace()
    except (RefusedResponseError, zlib.error) as refused:
        raise problem(message=str(refused), request=response.request) from refused


def _client_settings(check: Callable[[Any], Any]) -> dict[str, Any]:
    """Arguments of a client of httpx whose responses are checked; of compressions gzip alone is read up to a limit."""
    return {
        "follow_redirects": False,
        "headers": {"Accept-Encoding": "gzip"},
        "event_hooks": {"response": [check]},
    }


def guard(key: str, problem: Problem) -> dict[str, Any]:
    """Arguments of a client of httpx that waits where it stands.

    Args:
        key: the key that its requests carry, or empty.
        problem: what the library that uses the client raises where no answer comes.
    """

    def check(response: Any) -> None:
        stream = response.stream
        try:
            with _taking(response, key, problem) as body:
                for chunk in stream:
                    if not body.add(chunk):
                        break
        finally:
            stream.close()

    return _client_settings(check)


def async_guard(key: str, problem: Problem) -> dict[str, Any]:
    """The same for an asynchronous client."""

    async def check(response: Any) -> None:
        stream = response.stream
        try:
            with _taking(response, key, problem) as body:
                async for chunk in stream:
                    if not body.add(chunk):
                        break
        finally:
            await stream.aclose()

    return _client_settings(check)


Client = TypeVar("Client", "OpenAI", "AsyncOpenAI")

SECONDS = 120.0
"""Timeout of a call of `server_client`."""
CONNECT_SECONDS = 20.0
"""Most seconds for a connection to a chat provider."""
_LOGGERS = ("httpx", "httpx2", "httpcore", "httpcore2", "openai", "anthropic")


def server_client(what: str, url: str, key: str, *, is_openai: bool = False) -> OpenAI:
    """A client that waits where it stands; it does not retry by itself (`endoxa.models.retrying` does).

    Args:
        what: what needs it, for the message ("The model 'http://...'").
        url: base address of the server.
        key: the key, or `NO_KEY`.
        is_openai: the server is OpenAI's own, which may learn of the organization.

    Raises:
        UserError: the openai package is not installed.
    """
    require_libraries(what, ("openai",), installation("server"))
    import openai

    keep_quiet()
    client = openai.OpenAI(
        base_url=url,
        api_key=key,
        max_retries=0,
        timeout=SECONDS,
        http_client=openai.DefaultHttpxClient(**guard(key, openai.APIConnectionError)),
        default_headers=None if is_openai else foreign_headers(key),
    )
    return client if is_openai else without_organization(client)


def provider_settings(library: Any, url: str, key: str, timeout: float) -> dict[str, Any]:
    """Arguments for the asynchronous clients of the libraries openai and anthropic; neither retries by itself.

    Args:
        library: the module.
        url: base address of the interface.
        key: the key.
        timeout: seconds without a byte after which a call is given up.
    """
    keep_quiet()
    return {
        "api_key": key,
        "base_url": url,
        "max_retries": 0,
        "timeout": library.Timeout(timeout, connect=min(timeout, CONNECT_SECONDS), pool=None),
        "http_client": library.DefaultAsyncHttpxClient(**async_guard(key, library.APIConnectionError)),
    }


def without_organization(client: Client) -> Client:
    """The client of a server that is not OpenAI's, which must not see OPENAI_ORG_ID and OPENAI_PROJECT_ID."""
    client.organization = client.project = None
    return client


def foreign_headers(key: str, environment: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """Headers for a server that is not OpenAI's: none of OPENAI_CUSTOM_HEADERS, which the client adds by itself."""
    import openai

    lines = environment.get("OPENAI_CUSTOM_HEADERS", "").splitlines()
    names = {line.partition(":")[0].strip() for line in lines if ":" in line}
    others = {name for name in names if name.lower() != "authorization"}
    return {**dict.fromkeys(others, openai.Omit()), "Authorization": f"Bearer {key}"}


def keep_quiet() -> None:
    """Silence the libraries: a log line could quote a key."""
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.WARNING)
