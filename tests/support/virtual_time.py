"""An event loop whose clock jumps to the next timer, so that hours of waiting are tested at once."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


STEP = 1e-9
"""Seconds that pass at least: on a clock that stands still, a timer set a hair too early would be set for ever."""


class _Selector(selectors.SelectSelector):
    now = 0.0

    def select(self, timeout: float | None = None) -> list[Any]:
        ready = super().select(0)
        if timeout is None and not ready:
            raise RuntimeError("everything waits for something that is not time")
        if not ready:
            self.now += max(timeout or 0.0, STEP)
        return ready


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self.clock = _Selector()
        super().__init__(self.clock)

    def time(self) -> float:
        return self.clock.now


def now() -> float:
    """Seconds on the running loop's clock."""
    return asyncio.get_running_loop().time()


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run `main` on such a loop; nothing in it may wait for anything but time."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(main)
