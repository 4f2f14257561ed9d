"""Progress on stderr: a bar on a terminal, otherwise a line at regular intervals. Rich counts and keeps the speed."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING

from endoxa.schema.terminal import escaped_streams, terminal_console, terminal_text

if TYPE_CHECKING:
    from rich.progress import Task

    from endoxa.schema import Progress

LINE_SECONDS = 5.0
"""Interval between lines if stderr is not a terminal."""
SLOW = 0.1
"""Units per second below which a rate is given per minute."""
WINDOW_SECONDS = 300.0
"""Speed is that of the last seconds."""


def duration(seconds: float) -> str:
    """Seconds in the unit that people would use ("40 s", "12 min", "3.5 h")."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def pace(task: Task, unit: str) -> str:
    """Speed of late and about how long the rest will take at it; empty before there is one."""
    rate = task.speed
    if not rate:
        return ""
    speed = f"{rate:.1f} {unit}/s" if rate >= SLOW else f"{60 * rate:.1f} {unit}/min"
    rest = (task.remaining or 0) / rate
    return f"{speed}, about {duration(rest)} left" if rest >= 1 else speed


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
    """A function that reports progress; `unit` is the counted unit ("pairs").

    Where stderr is no terminal there is a line at the beginning and the end of each phase, and at intervals of
    `LINE_SECONDS` what is new, also where nothing follows for a long time.
    """
    if _silent.get():
        yield lambda *_: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bar

    terminal, lock, ended = sys.stderr.isatty(), Lock(), Event()
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[besides]}", markup=False),
    )
    bar = Bar(
        *columns,
        console=terminal_console(stderr=True),
        disable=not terminal,
        get_time=time.monotonic,
        speed_estimate_period=WINDOW_SECONDS,
    )
    number = bar.add_task("", total=None, besides="")
    task = bar.tasks[0]
    printed, last = "", time.monotonic()

    def line() -> str:
        counted = f"{task.completed:.0f} of {task.total} {unit}" if task.total else ""
        return f"{task.description}: {', '.join(filter(None, (counted, task.fields['besides'])))}"

    def print_new() -> None:
        nonlocal printed, last
        if printed not in ("", line()):
            printed, last = line(), time.monotonic()
            _write(printed)

    def report(what: str, done: float, total: int, detail: str = "", /) -> None:
        nonlocal printed, last
        with lock:
            name, new = terminal_text(what), task.description != terminal_text(what)
            if new:
                print_new()
                bar.reset(number, description=name, total=total)
            bar.update(
                number, completed=max(task.completed, min(done, total) if total else done), total=total
            )
            bar.update(number, besides=", ".join(filter(None, (detail, pace(task, unit)))))
            if new and not terminal:
                printed, last = line(), time.monotonic()
                _write(name)
            elif time.monotonic() - last >= LINE_SECONDS:
                print_new()

    def print_regularly() -> None:
        while not ended.wait(LINE_SECONDS):
            with lock:
                print_new()

    if not terminal:
        Thread(target=print_regularly, name="progress", daemon=True).start()
    with bar, escaped_streams() if terminal else nullcontext():
        try:
            yield report
        finally:
            ended.set()
            with lock:
                print_new()


def _write(line: str) -> None:
    sys.stderr.write(f"{terminal_text(line)}\n")
    sys.stderr.flush()
