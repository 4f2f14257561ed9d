"""Named things that others can add to: readers, rules, statistics.

A third-party package adds one through an entry point of the group `endoxa.readers`, `endoxa.rules`,
`endoxa.statistics`, `endoxa.providers`, `endoxa.encoders` and others; where `endoxa.testing` has a battery of checks
for the kind, it runs over theirs and ours alike. Loading is lazy, two things of one name are refused, and a misspelt
name is answered with the nearest one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from importlib.metadata import entry_points
from typing import Generic, Protocol, TypeVar

from endoxa.errors import UserError


class Named(Protocol):
    """Anything with a name."""

    @property
    def name(self) -> str:
        """The word it is found by."""
        ...


T = TypeVar("T", bound=Named)


class Registry(Generic[T]):
    """Things of one kind by name: ours, and those of installed packages.

    Args:
        kind: what they are called in messages ("rule").
        group: entry-point group others register in ("endoxa.rules"); an entry point gives one thing.
        builtin: returns ours; called once, on first use.
    """

    def __init__(self, kind: str, group: str, builtin: Callable[[], Iterable[T]]) -> None:
        self._kind, self._group, self._builtin = kind, group, builtin
        self._things: dict[str, T] | None = None

    def all(self) -> dict[str, T]:
        """Every thing by name, ours first.

        Raises:
            UserError: two things share a name.
        """
        if self._things is None:
            found: dict[str, T] = {}
            others = (point.load() for point in entry_points(group=self._group))
            for thing in (*self._builtin(), *others):
                if thing.name in found:
                    raise UserError(
                        f"Two {self._kind}s are called '{thing.name}': uninstall one of the packages that bring it."
                    )
                found[thing.name] = thing
            self._things = found
        return self._things

    def names(self) -> list[str]:
        """The names under which others are registered; nothing is loaded. For a registry without things of ours."""
        return sorted(point.name for point in entry_points(group=self._group))

    def get(self, name: str) -> T:
        """The thing called `name`.

        Raises:
            UserError: there is none; the nearest names are suggested.
        """
        things = self.all()
        if name not in things:
            near = get_close_matches(name, things, n=3) or list(things)
            raise UserError(f"Unknown {self._kind} '{name}'. Did you mean: {', '.join(near)}?")
        return things[name]
