"""What to make of an answer that is none: try again, note it for this one request, or give up.

Both client libraries raise exceptions of one build (status, headers, body), which are read here into one form.

How long a provider asks to be left alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from endoxa.errors import UserError
from endoxa.models.chat.clients import shown
from endoxa.models.chat.spec import ChatSpec
from endoxa.schema import ChatAnswer


def asked_wait(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds that `retry-after-ms` or `Retry-After` (seconds or a date) ask for, at least 0.

    Args:
        headers: of the answer; names are looked up in lower case.
        now: the present, with its time zone.

    Returns:
        None where neither is there or can be read.
    """
    named = {name.lower(): value.strip() for name, value in headers.items()}
    for value, unit in ((named.get("retry-after-ms"), 1000.0), (named.get("retry-after"), 1.0)):
        seconds = None if value is None else _number(value)
        if seconds is not None:
            return max(0.0, seconds / unit)
    try:
        moment = parsedate_to_datetime(named.get("retry-after", ""))
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None


SLOW = "the answer was slower than --timeout"
SLOW_DOWN = 429
PASSING = frozenset({408, 409, 425, SLOW_DOWN, 499})
"""Statuses below 500 that pass; every one from 500 passes too (529 is Anthropic's "overloaded")."""
ONE_REQUEST = frozenset({400, 413, 422})
"""Statuses that may blame this one request."""
_SLOWER = frozenset({408, 499, 504, 524})
"""Statuses that come where somebody did not wait for the answer: it may be billed all the same."""
_NEVER_SENT = frozenset({"ConnectError", "ConnectTimeout", "PoolTimeout"})
_OUT_OF_MONEY = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
_FILTERED = re.compile(
    r"content[ _-](filter|polic|management)|usage polic|was flagged|requires moderation|responsible.ai", re.I
)
_TOO_LONG = re.compile(
    r"context.(length|window|size|limit)|maximum context|input token count|too long|reduce the length|too_large",
    re.I,
)


class TransientError(Exception):
    """It did not work this time.

    Attributes:
        wait: seconds the provider asks to wait, or None.
        slow_down: it is only told to ask less often.
        billed: an answer may have been made, and may be billed.
    """

    def __init__(
        self, reason: str, wait: float | None = None, *, slow_down: bool = False, billed: bool = False
    ) -> None:
        super().__init__(reason)
        self.wait, self.slow_down, self.billed = wait, slow_down, billed


@dataclass(frozen=True, slots=True)
class Failure:
    """What came instead of an answer.

    Attributes:
        status: HTTP status, or 0 where none came.
        words: what the provider or the client says, on one line, without any key.
        code: the provider's own name of the problem, or empty.
        wait: seconds it asks to wait, or None.
        billed: an answer may have been made, and may be billed.
    """

    status: int
    words: str
    code: str = ""
    wait: float | None = None
    billed: bool = False


def read_failure(problem: Exception, key: str) -> Failure:
    """An exception of a client library in one form."""
    status = int(getattr(problem, "status_code", 0) or 0)
    words, code = error_words(getattr(problem, "body", None))
    cause = problem.__cause__
    never_sent = type(cause).__name__ in _NEVER_SENT
    if type(problem).__name__ == "APITimeoutError" and not never_sent:
        words = SLOW
    said = words or (f"{problem} {cause}" if cause is not None else str(problem)) or type(problem).__name__
    headers: Mapping[str, str] = getattr(getattr(problem, "response", None), "headers", {})
    wait = asked_wait(headers, datetime.now(UTC))
    billed = status in _SLOWER if status else not never_sent
    return Failure(status, shown(said, key), code, wait, billed)


def error_words(body: Any) -> tuple[str, str]:
    """Message and code of an error's body, as OpenAI, Anthropic and most gateways write it; empty where it has none."""
    if isinstance(body, Mapping):
        error = body.get("error", body)
        if isinstance(error, Mapping):
            message = error.get("message") or error.get("detail") or ""
            return str(message), str(error.get("code") or error.get("type") or "")
        return str(error), ""
    return (str(body), "") if body else ("", "")


def judge(failure: Failure, spec: ChatSpec, *, worked: bool) -> ChatAnswer:
    """The answer that stands for a request refused for good.

    Args:
        failure: what came.
        spec: the model, to name it.
        worked: the same settings have been answered before, so a refusal blames this one request.

    Raises:
        TransientError: try again.
        UserError: no request will be answered.
    """
    text = f"{failure.code} {failure.words}"
    if failure.status < 500 or not _TOO_LONG.search(failure.words):
        raise_if_passing(failure)
    if failure.status in ONE_REQUEST | {403, 451} and _FILTERED.search(text):
        return ChatAnswer("", finish="content_filter", refused=True, error=failure.words)
    if failure.status == 413 or (failure.status not in {401, 402, 403, 404} and _TOO_LONG.search(text)):
        return ChatAnswer("", finish="error", error=failure.words)
    if worked and failure.status in ONE_REQUEST:
        return ChatAnswer("", finish="error", error=failure.words)
    raise permanent(failure, spec)


def raise_if_passing(failure: Failure) -> None:
    """Raise TransientError where asking again may help."""
    passing = failure.status == 0 or failure.status >= 500 or failure.status in PASSING
    if passing and failure.code not in _OUT_OF_MONEY:
        status = f"status {failure.status}: " if failure.status else ""
        raise TransientError(
            status + failure.words,
            failure.wait,
            slow_down=failure.status == SLOW_DOWN,
            billed=failure.billed,
        )


def permanent(failure: Failure, spec: ChatSpec) -> UserError:
    """The sentence for a refusal that asking again does not mend."""
    model, where = f"The model '{spec.text}'", spec.base_url
    if failure.status == 401:
        return UserError(f"{model}: {where} refuses the key in the environment variable {spec.key_variable}.")
    if failure.status == 403:
        return UserError(
            f"{model}: the key in {spec.key_variable} may not use it at {where} ({failure.words})."
        )
    if failure.status == 404:
        return UserError(
            f"{model}: {where} has no model '{spec.served_name}', or is not the address of a chat interface "
            f"({failure.words})."
        )
    if failure.status == 402 or failure.code in _OUT_OF_MONEY:
        return UserError(
            f"{model}: the account of {spec.key_variable} has no money or quota left ({failure.words}). What was "
            "done is kept; the same command continues."
        )
    return UserError(f"{model}: {where} refused the request with status {failure.status} ({failure.words}).")
