"""The retry policy of all clients: which failures are temporary, how long to wait, when to stop.

Delays are drawn uniformly between 0 and an exponentially growing bound ("full jitter"), so that calls that failed
together are spread out. A waiting time set by the provider takes precedence. When nothing is answered any more, all
calls end. The client libraries raise exceptions of one shape (status, headers, body), which `read_failure` converts.
"""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

from endoxa.errors import UserError
from endoxa.models.keys import shown
from endoxa.models.transport import REFUSED_RESPONSE, RefusedResponseError

T = TypeVar("T")

ATTEMPTS = 12
"""Failures of one call after which it is given up, where nobody chose otherwise."""
PATIENCE = 180.0
"""Seconds in which every call failed after which all calls end, where nobody chose otherwise."""
CHECK_PATIENCE = 15.0
"""The same before the work begins, when it is only asked whether anybody answers."""
FIRST_BOUND = 0.5
"""Seconds: the first delay is drawn below this."""
LAST_BOUND = 30.0
"""Seconds: no delay of our own is longer."""
SPREAD = 0.1
"""A provider's own waiting time is lengthened by up to this share, for the same reason."""
SLOW = "the answer was slower than the timeout (--set timeout=SECONDS)"
SLOW_DOWN = 429
PASSING = frozenset({408, 409, 425, SLOW_DOWN, 499})
"""Statuses below 500 that pass; every one from 500 passes too (529 is Anthropic's "overloaded")."""
_SLOWER = frozenset({408, 499, 504, 524})
"""Statuses that come where somebody did not wait for the answer: it may be billed all the same."""
_NEVER_SENT = frozenset({"ConnectError", "ConnectTimeout", "PoolTimeout"})
REFUSED_TEXTS = frozenset({400, 413, 422})
"""Statuses that may blame what was asked, and not the asking."""
OUT_OF_MONEY = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})


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

    @property
    def passing(self) -> bool:
        """Asking again may help."""
        temporary = self.status == 0 or self.status >= 500 or self.status in PASSING
        return temporary and self.code not in OUT_OF_MONEY


def read_failure(problem: Exception, key: str) -> Failure:
    """An exception of a client library in one form."""
    status = int(getattr(problem, "status_code", 0) or 0)
    words, code = error_words(getattr(problem, "body", None))
    cause = problem.__cause__
    while cause is not None and type(cause).__name__ == type(problem).__name__:
        cause = cause.__cause__  # Anthropic's client wraps what is raised within it once more
    if isinstance(cause, RefusedResponseError):
        return Failure(cause.status, shown(str(cause), key), REFUSED_RESPONSE, billed=True)
    never_sent = type(cause).__name__ in _NEVER_SENT
    if type(problem).__name__ == "APITimeoutError" and not never_sent:
        words = SLOW
    message = words or (f"{problem} {cause}" if cause is not None else str(problem)) or type(problem).__name__
    headers: Mapping[str, str] = getattr(getattr(problem, "response", None), "headers", {})
    wait = requested_wait(headers, datetime.now(UTC))
    billed = status in _SLOWER if status else not never_sent
    return Failure(status, shown(message, key), code, wait, billed)


def error_words(body: Any) -> tuple[str, str]:
    """Message and code of an error's body, as OpenAI, Anthropic and most gateways write it; empty where it has none."""
    if isinstance(body, Mapping):
        error = body.get("error", body)
        if isinstance(error, Mapping):
            message = error.get("message") or error.get("detail") or ""
            return str(message), str(error.get("code") or error.get("type") or "")
        return str(error), ""
    return (str(body), "") if body else ("", "")


def requested_wait(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds that `retry-after-ms` or `Retry-After` (seconds or a date) ask for, at least 0.

    Args:
        headers: of the answer; names are looked up in lower case.
        now: the present, with its time zone.

    Returns:
        None where neither is there or can be read.
    """
    named = {name.lower(): value.strip() for name, value in headers.items()}
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        with suppress(KeyError, ValueError):
            seconds = float(named[name]) / unit
            if 0 <= seconds < math.inf:
                return seconds
    try:
        moment = parsedate_to_datetime(named.get("retry-after", ""))
    except ValueError:
        return None
    return max(0.0, (moment.replace(tzinfo=moment.tzinfo or UTC) - now).total_seconds())


def raise_if_passing(failure: Failure) -> None:
    """Raise TransientError where asking again may help."""
    if failure.passing:
        status = f"status {failure.status}: " if failure.status else ""
        raise TransientError(
            status + failure.words,
            failure.wait,
            slow_down=failure.status == SLOW_DOWN,
            billed=failure.billed,
        )


def permanent_failure(problem: Exception, key: str) -> Failure:
    """A client's exception in one form, where asking again does not help.

    Raises:
        TransientError: it may help.
    """
    failure = read_failure(problem, key)
    raise_if_passing(failure)
    return failure


def is_redirect(failure: Failure) -> bool:
    """Whether the server pointed to another address."""
    return 300 <= failure.status < 400


class SilentError(UserError):
    """Nobody answers: later, or another model, may be another matter."""


@dataclass(slots=True)
class _Course:
    """How one call went so far."""

    begun: float
    tries: int = 0
    failures: int = 0
    failing_since: float | None = None


class Retrier:
    """Tries calls to one provider again, and knows when to stop.

    A call is given up after `attempts` failures, or `patience` seconds after its first failure, only if others were
    answered meanwhile: then it is this call that the provider cannot answer. If nothing is answered for `patience`
    seconds, all calls end with one and the same error.

    Args:
        name: what is called, for the message.
        attempts: failures of one call; being told to slow down does not count.
        patience: seconds.
        clock: monotonic seconds.
        uniform: draws a number between its arguments.
        silence: what is said of it where nothing is answered.
        advice: a sentence that says what to check then, or empty.
    """

    def __init__(
        self,
        name: str,
        attempts: int,
        patience: float,
        *,
        clock: Callable[[], float] = time.monotonic,
        uniform: Callable[[float, float], float] = random.uniform,
        silence: str = "does not answer",
        advice: str = "",
    ) -> None:
        self._name, self._attempts, self._patience = name, attempts, patience
        self._clock, self._uniform = clock, uniform
        self._silence_words, self._advice = silence, f"{advice} " if advice else ""
        self._last_success: float | None = None
        self._silent_since: float | None = None
        self._over: UserError | None = None

    @property
    def worked(self) -> bool:
        """Something has been answered."""
        return self._last_success is not None

    @property
    def silent(self) -> bool:
        """Every call has failed for `patience` seconds: the next failure ends all of them."""
        return self._silent_since is not None and self._clock() - self._silent_since >= self._patience

    @property
    def over(self) -> bool:
        """No call will be sent any more."""
        return self._over is not None

    def now(self) -> float:
        """The time on this retrier's clock."""
        return self._clock()

    def answered_since(self, moment: float) -> bool:
        """Something has been answered after `moment`."""
        return self._last_success is not None and self._last_success > moment

    def note_success(self) -> None:
        """Something has been answered just now."""
        self._last_success, self._silent_since = self._clock(), None

    async def run(self, send: Callable[[], Awaitable[T]]) -> T:
        """What `send` returns, once it does.

        Raises:
            UserError: raised by any call of this retrier, or nothing was answered for `patience` seconds.
            TransientError: this call failed `attempts` times, or for `patience` seconds, while others were answered.
        """
        course = _Course(self._clock())
        while True:
            try:
                with self._noting():
                    return await send()
            except TransientError as problem:
                delay = self._delay(course, problem)
            await asyncio.sleep(delay)

    def call(self, send: Callable[[], T]) -> T:
        """The same as `run`, for a client that waits where it stands.

        Raises:
            UserError: see `run`.
            TransientError: see `run`.
        """
        course = _Course(self._clock())
        while True:
            try:
                with self._noting():
                    return send()
            except TransientError as problem:
                delay = self._delay(course, problem)
            time.sleep(delay)

    @contextmanager
    def _noting(self) -> Iterator[None]:
        """Around one attempt: nothing is sent after the end, and how it went is noted."""
        if self._over is not None:
            raise self._over
        try:
            yield
        except UserError as problem:
            self._over = problem
            raise
        self.note_success()

    def _delay(self, course: _Course, problem: TransientError) -> float:
        """Seconds to wait before the next attempt.

        Raises:
            UserError: see `run`.
            TransientError: see `run`.
        """
        now = self._clock()
        self._silent_since = now if self._silent_since is None else self._silent_since
        if self.silent:
            self._over = self._over or SilentError(
                f"{self._name} {self._silence_words}: for {self._patience:.0f} seconds every call failed ({problem}). "
                f"{self._advice}What was done is kept; the same command continues."
            )
        if self._over is not None:
            raise self._over from None
        course.tries += 1
        course.failures += not problem.slow_down
        course.failing_since = now if course.failing_since is None else course.failing_since
        delay = self._uniform(0, min(LAST_BOUND, FIRST_BOUND * 2 ** min(course.tries - 1, 16)))
        again = now if problem.wait else now + delay
        too_long = not problem.slow_down and again - course.failing_since >= self._patience
        if (course.failures >= self._attempts or too_long) and self.answered_since(course.begun):
            raise problem
        return min(problem.wait, self._patience) * (1 + self._uniform(0, SPREAD)) if problem.wait else delay


def for_server(url: str, *, checking: bool = False) -> Retrier:
    """The retrier of a client that asks a server named by its address, with the usual attempts and patience.

    Args:
        url: the address.
        checking: the work has not begun; it is only asked whether anybody answers.
    """
    return Retrier(
        f"The server {url}",
        ATTEMPTS,
        CHECK_PATIENCE if checking else PATIENCE,
        silence="does not answer as expected",
        advice="Check that it runs and its address ends in /v1.",
    )


def unreachable(url: str, words: str) -> UserError:
    """What is said of a server named by its address that refuses, or answers something else."""
    return UserError(
        f"The server {url} does not answer as expected ({words}): check that it runs and its address ends in /v1. What "
        "was done is kept; the same command continues."
    )
