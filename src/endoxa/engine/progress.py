"""Progress on stderr: a bar on a terminal, otherwise a line at regular intervals."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from endoxa.schema import Progress

LINE_SECONDS = 5.0
"""Interval between lines if stderr is not a terminal."""


@contextmanager
def shown(unit: str) -> Iterator[Progress]:
    """A function that reports progress; `unit` is the counted unit ("pairs")."""
    if sys.stderr.isatty():
        with _bar(unit) as report:
            yield report
    else:
        yield _lines(unit)


@contextmanager
def _bar(unit: str) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=None, rate="")

        def report(what: str, done: float, total: int) -> None:
            if bar.tasks[0].description != what:
                bar.reset(task, description=what, total=total, rate="")
            speed = bar.tasks[0].speed
            bar.update(task, completed=done, rate=f"{speed:.1f} {unit}/s" if speed else "")

        yield report


def _lines(unit: str) -> Progress:
    started = printed = time.monotonic()
    current, first = "", 0.0

    def report(what: str, done: float, total: int) -> None:
        nonlocal started, printed, current, first
        now = time.monotonic()
        if what != current:
            current, started, first = what, now, done
            print(what, file=sys.stderr, flush=True)
        elif now - printed > LINE_SECONDS:
            rate = (done - first) / (now - started)
            print(f"{what}: {done:.0f} of {total} {unit}, {rate:.1f} {unit}/s", file=sys.stderr, flush=True)
        else:
            return
        printed = now

    return report
