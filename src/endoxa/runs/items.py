"""Items of a run: read in chunks, each noticed that stands in the data twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from endoxa.errors import UserError

if TYPE_CHECKING:
    from endoxa.runs.journal import JournalFile

T = TypeVar("T")

CHUNK = 512
"""Items held in memory at a time."""


def chunked(items: Iterable[T], size: int = CHUNK) -> Iterator[tuple[int, list[T]]]:
    """Items `size` at a time, each chunk with the number of its first item, from 0."""
    several, first = iter(items), 0
    while chunk := list(islice(several, size)):
        yield first, chunk
        first += len(chunk)


def each_once(
    items: Iterable[T],
    name: Callable[[T], str],
    journal: JournalFile | None,
    repeated: Callable[[str, int, int], str],
) -> Iterator[T]:
    """The items, while the journal keeps their names.

    Args:
        items: the items, in their order.
        name: what must be unique.
        journal: keeps the names; None does not look.
        repeated: the sentence about a name that is there twice, from the name and both numbers, from 1.

    Raises:
        UserError: a name is there twice.
    """
    if journal is not None:
        journal.forget_items()
    for start, chunk in chunked(items):
        twice = journal and journal.add_items((name(item), start + k) for k, item in enumerate(chunk))
        if twice:
            raise UserError(repeated(twice[0], twice[1] + 1, twice[2] + 1))
        yield from chunk
