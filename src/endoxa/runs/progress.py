"""Progress on stderr: a bar on a terminal, otherwise a line at regular intervals."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
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
WINDOW_SECONDS = 15.0
"""Speed is that of the last one to three such intervals in which something was done."""


def duration(seconds: float) -> str:
    """Seconds in the unit that people would use ("40 s", "12 min", "3.5 h")."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


@dataclass(frozen=True, slots=True)
class State:
    """How far a phase is.

    Attributes:
        what: what is being done.
        done: units done so far; within a phase it never decreases.
        total: units in all (0: not known).
        detail: what is under way besides.
        marks: seconds and units done at the beginning of the last intervals; what was done in an earlier run is in the
            first one.
    """

    what: str
    done: float
    total: int
    detail: str
    marks: tuple[tuple[float, float], ...]

    def followed_by(self, what: str, done: float, total: int, detail: str) -> State:
        """The next state: of this phase, or the first one of another."""
        done = min(done, total) if total else done
        now = time.monotonic()
        if what != self.what:
            return State(what, done, total, detail, ((now, done),))
        done, marks = max(done, self.done), self.marks
        if done > self.done and now - marks[-1][0] >= WINDOW_SECONDS:
            marks = (*marks, (now, done))[-3:]
        return replace(self, done=done, total=total, detail=detail, marks=marks)

    def pace(self, unit: str) -> str:
        """Speed of late and about how long the rest will take at it; empty before there is one."""
        since, before = self.marks[0]
        seconds, new = time.monotonic() - since, self.done - before
        if not new or seconds <= 0:
            return ""
        rate = new / seconds
        speed = f"{rate:.1f} {unit}/s" if rate >= SLOW else f"{60 * rate:.1f} {unit}/min"
        rest = (self.total - self.done) / rate
        return f"{speed}, about {duration(rest)} left" if rest >= 1 else speed

    def line(self, unit: str) -> str:
        """The state in words."""
        counted = f"{self.done:.0f} of {self.total} {unit}" if self.total else ""
        return f"{self.what}: " + ", ".join(filter(None, (counted, self.detail, self.pace(unit))))


NOTHING = State("", 0, 0, "", ())


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
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[besides]}", markup=False),
    )
    with Progress(*columns, console=terminal_console(stderr=True)) as bar, escaped_streams():
        task = bar.add_task("", total=None, besides="")
        state = NOTHING

        def report(what: str, done: float, total: int, detail: str = "", /) -> None:
            nonlocal state
            following = state.followed_by(what, done, total, detail)
            if following.what != state.what:
                bar.reset(task, description=terminal_text(what), total=total)
            state = following
            besides = ", ".join(filter(None, (detail, state.pace(unit))))
            bar.update(task, completed=state.done, total=total, besides=besides)

        yield report


@contextmanager
def _lines(unit: str) -> Iterator[Progress]:
    """Print a line at the beginning and the end of each phase, and at intervals of `LINE_SECONDS` what is new."""
    lock, ended = Lock(), Event()
    state = printed = NOTHING
    last = time.monotonic()

    def print_new() -> None:
        nonlocal printed, last
        if state != printed:
            printed, last = state, time.monotonic()
            _write(state.line(unit))

    def report(what: str, done: float, total: int, detail: str = "", /) -> None:
        nonlocal state, printed, last
        with lock:
            following = state.followed_by(what, done, total, detail)
            if following.what != state.what:
                print_new()
                state = printed = following
                last = time.monotonic()
                _write(what)
                return
            state = following
            if time.monotonic() - last >= LINE_SECONDS:
                print_new()

    def print_regularly() -> None:
        # What came last is printed also where nothing follows for a long time.
        while not ended.wait(LINE_SECONDS):
            with lock:
                print_new()

    Thread(target=print_regularly, name="progress", daemon=True).start()
    try:
        yield report
    finally:
        ended.set()
        with lock:
            print_new()


def _write(line: str) -> None:
    sys.stderr.write(f"{terminal_text(line)}\n")
    sys.stderr.flush()
