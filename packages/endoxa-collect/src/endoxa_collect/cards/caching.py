"""What a process remembers of the database for some seconds, so that not every card reads it anew."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

from django.conf import settings

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

_ALL: list[Cache[Any, Any]] = []


class Cache(Generic[Key, Value]):
    """Values by key, each for `seconds` (None: `STATISTICS_SECONDS`); every worker process has its own."""

    def __init__(self, seconds: float | None = None) -> None:
        self._seconds = seconds
        self._kept: dict[Key, tuple[float, Value]] = {}
        self._reading: set[Key] = set()
        _ALL.append(self)

    def get(self, key: Key, read: Callable[[], Value]) -> Value:
        """The value of a key, read anew where it is missing or too old.

        While one thread reads, others take the old value, so that not everybody who comes then reads the same.
        """
        kept = self._kept.get(key)
        if kept is not None and (self.is_fresh(key) or key in self._reading):
            return kept[1]
        self._reading.add(key)
        try:
            value = read()
        finally:
            self._reading.discard(key)
        self.put(key, value)
        return value

    def is_fresh(self, key: Key) -> bool:
        """Whether the value of a key is there and recent enough."""
        kept = self._kept.get(key)
        seconds = settings.STATISTICS_SECONDS if self._seconds is None else self._seconds
        return kept is not None and time.monotonic() - kept[0] < seconds

    def latest(self, key: Key) -> Value | None:
        """The value that was kept last, however old; None where there is none."""
        kept = self._kept.get(key)
        return kept[1] if kept else None

    def forget(self, key: Key) -> None:
        """Read the value of a key anew the next time."""
        self._kept.pop(key, None)

    def put(self, key: Key, value: Value) -> None:
        """Keep a value from now on."""
        self._kept[key] = time.monotonic(), value

    def clear(self) -> None:
        """Forget all values."""
        self._kept.clear()


def clear_all() -> None:
    """Forget the values of all caches, for tests: each begins with new rows under old ids."""
    for cache in _ALL:
        cache.clear()
