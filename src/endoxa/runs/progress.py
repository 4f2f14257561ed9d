"""Progress on stderr: a bar on a terminal, otherwise a line at regular intervals."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING

from endoxa.schema.terminal import escaped_streams, terminal_console, terminal_text

if TYPE_CHECKING:
    from endoxa.schema import Progress

LINE_SECONDS = 5.0
"""Interval between lines if stderr is not a terminal."""
SLOW = 0.1
"""Units per second below which a rate is given per minute."""


@dataclass(frozen=True, slots=True)
class State:
    """How far a phase is.

    Attributes:
        what: what is being done.
        done: units done so far; within a phase it never decreases.
        total: units in all (0: not known).
        detail: what is under way besides.
        first: units that were done when the phase began, in an earlier run.
    """

    what: str
    done: float
    total: int
    detail: str
    first: float

    def followed_by(self, what: str, done: float, total: int, detail: str) -> State:
        """The next state: of this phase, or the first one of another."""
        done = min(done, total) if total else done
        if what != self.what:
            return State(what, done, total, detail, first=done)
        return replace(self, done=max(done, self.done), total=total, detail=detail)

    def rate(self, unit: str, seconds: float) -> str:
        """Speed of the phase; empty before there is one."""
        new = self.done - self.first
        if not new or seconds <= 0:
            return ""
        per_second = new / seconds
        return f"{per_second:.1f} {unit}/s" if per_second >= SLOW else f"{60 * per_second:.1f} {unit}/min"

    def line(self, unit: str, seconds: float) -> str:
        """The state in words."""
        counted = f"{self.done:.0f} of {self.total} {unit}" if self.total else ""
        return f"{self.what}: " + ", ".join(filter(None, (counted, self.detail, self.rate(unit, seconds))))


NOTHING = State("", 0, 0, "", 0)


_silent: ContextVar[bool] = ContextVar("silent", default=False)


@contextmanager
def without_progress() -> Iterator[None]:
    """In this block progress is not shown."""
    token = _silent.set(True)
    try:
        yield
    finally:
        _silent.reset(token)


@contextmanager
def shown(unit: str) -> Iterator[Progress]:
    """A function that reports progress; `unit` is the counted unit ("pairs")."""
    if _silent.get():
        yield lambda *_: None
        return
    with (_bar if sys.stderr.isatty() else _lines)(unit) as report:
        yield report


@contextmanager
def _bar(unit: str) -> Iterator[Progress]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[besides]}", markup=False),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=terminal_console(stderr=True)) as bar, escaped_streams():
        task = bar.add_task("", total=None, besides="")
        state, started = NOTHING, time.monotonic()

        def report(what: str, done: float, total: int, detail: str = "", /) -> None:
            nonlocal state, started
            following = state.followed_by(what, done, total, detail)
            if following.what != state.what:
                started = time.monotonic()
                bar.reset(task, description=terminal_text(what), total=total)
            state = following
            rate = state.rate(unit, time.monotonic() - started)
            bar.update(
                task, completed=state.done, total=total, besides=", ".join(filter(None, (detail, rate)))
            )

        yield report


@contextmanager
def _lines(unit: str) -> Iterator[Progress]:
    lines = _Lines(unit)
    ended = Event()
    # What came last is printed also where nothing follows for a long time.
    ticking = Thread(target=_regularly, args=(lines.print_new, ended), name="progress", daemon=True)
    ticking.start()
    try:
        yield lines.report
    finally:
        ended.set()
        lines.print_new()


def _regularly(act: Callable[[], None], ended: Event) -> None:
    while not ended.wait(LINE_SECONDS):
        act()


class _Lines:
    """Prints a line at the beginning and the end of each phase, and at intervals of `LINE_SECONDS` what is new."""

    def __init__(self, unit: str) -> None:
        self._unit = unit
        self._lock = Lock()
        self._state = self._printed = NOTHING
        self._started = self._last = time.monotonic()

    def report(self, what: str, done: float, total: int, detail: str = "", /) -> None:
        """See `Progress`."""
        with self._lock:
            following = self._state.followed_by(what, done, total, detail)
            if following.what != self._state.what:
                self._print_new()
                self._state = self._printed = following
                self._started = self._last = time.monotonic()
                _write(what)
                return
            self._state = following
            if time.monotonic() - self._last >= LINE_SECONDS:
                self._print_new()

    def print_new(self) -> None:
        """Print what was not printed yet."""
        with self._lock:
            self._print_new()

    def _print_new(self) -> None:
        if self._state != self._printed:
            self._printed, self._last = self._state, time.monotonic()
            _write(self._state.line(self._unit, time.monotonic() - self._started))


def _write(line: str) -> None:
    sys.stderr.write(f"{terminal_text(line)}\n")
    sys.stderr.flush()
