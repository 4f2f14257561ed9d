"""Registries of named plug-ins: readers, rules, statistics, instruments.

A third-party package registers a plug-in through an entry point of the group `endoxa.readers`, `endoxa.rules`,
`endoxa.statistics`, `endoxa.instruments`, `endoxa.providers`, `endoxa.encoders` and others; the checks in
`endoxa.testing` apply to built-in and third-party plug-ins. Loading is lazy, duplicate names are errors, and an
unknown name is answered with the closest known names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, Protocol, TypeVar

from endoxa.errors import UserError


class Named(Protocol):
    """An object with a name."""

    @property
    def name(self) -> str:
        """The name it is registered under."""
        ...


T = TypeVar("T", bound=Named)


class Registry(Generic[T]):
    """Plug-ins of one kind by name: built-in ones, and those of installed packages.

    Args:
        kind: noun for messages ("rule").
        group: entry-point group of third-party plug-ins ("endoxa.rules"); one plug-in per entry point.
        builtin: returns the built-in plug-ins; called once, on first use. Where there are none, every entry point
            has the name of its plug-in, and `get` loads that one alone.
    """

    def __init__(self, kind: str, group: str, builtin: Callable[[], Iterable[T]] | None = None) -> None:
        self._kind, self._group, self._builtin = kind, group, builtin
        self._things: dict[str, T] | None = None
        self._points: tuple[EntryPoint, ...] | None = None

    def all(self) -> dict[str, T]:
        """All plug-ins by name, built-in ones first.

        Raises:
            UserError: two plug-ins have the same name.
        """
        if self._things is None:
            by_name: dict[str, T] = {}
            others = (point.load() for point in self._entries())
            for thing in (*(self._builtin() if self._builtin else ()), *others):
                if thing.name in by_name:
                    raise UserError(
                        f"Two {self._kind}s have the name '{thing.name}'. Uninstall one of the packages that "
                        "register it."
                    )
                by_name[thing.name] = thing
            self._things = by_name
        return self._things

    def entry_names(self) -> list[str]:
        """Names of the entry points, without loading them; for registries without built-in plug-ins."""
        return sorted(point.name for point in self._entries())

    def _entries(self) -> tuple[EntryPoint, ...]:
        """The entry points; read once, as every installed package is looked at."""
        if self._points is None:
            self._points = tuple(entry_points(group=self._group))
        return self._points

    def get(self, name: str) -> T:
        """The plug-in called `name`.

        Raises:
            UserError: the name is unknown; the closest names are suggested.
        """
        if self._builtin is None and self._things is None:
            mine = [point for point in self._entries() if point.name == name]
            if len(mine) == 1:
                thing: T = mine[0].load()
                return thing
        things = self.all()
        if name not in things:
            near = get_close_matches(name, things, n=3) or list(things)
            raise UserError(f"Unknown {self._kind} '{name}'. Did you mean: {', '.join(near)}?")
        return things[name]
