"""Items of a run: the part of the data that it takes, read in chunks, each noticed that stands there twice."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import blake2b
from heapq import nsmallest
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from endoxa.errors import UserError
from endoxa.runs.options import RunSettings
from endoxa.stats.apportionment import apportioned_within
from endoxa.stats.verdicts import too_few

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


Stratum = tuple[str, ...]

AVAILABLE = "available"
"""Key of `counts` in `run.json`: items that the data holds after the filters, where a run takes a part of them."""


def chosen(
    items: Callable[[], Iterable[T]],
    settings: RunSettings,
    stratum: Callable[[T], Stratum],
    content: Callable[[T], str],
) -> Iterator[T]:
    """The items that a run takes, in their order.

    A sample depends on the seed and on what the items say, not on their order. The data is read twice for it; memory
    holds a number for each item, and no item.

    Args:
        items: reads the items anew, after the filters.
        settings: limit, sample and seed.
        stratum: the groups of an item, from the widest to the narrowest ("axis, template, identity"); see
            `endoxa.stats.apportionment`.
        content: all that the item says, without a name that may come from its place in the file.
    """
    if settings.sample is None:
        yield from islice(items(), settings.limit)
        return
    seed = settings.seed
    drawn: dict[Stratum, array[int]] = {}
    for item in items():
        drawn.setdefault(stratum(item), array("Q")).append(_number(seed, content(item)))
    places = apportioned_within(
        {group: len(numbers) for group, numbers in drawn.items()},
        settings.sample,
        lambda group: _number(seed, "\x1f".join(group)),
    )
    wanted = {group: Counter(nsmallest(places[group], numbers)) for group, numbers in drawn.items()}
    for item in items():
        left, number = wanted[stratum(item)], _number(seed, content(item))
        if left[number]:
            left[number] -= 1
            yield item


def _number(seed: int, text: str) -> int:
    """A random number of 64 bits that follows from the seed and a text."""
    digest = blake2b(f"{seed}|{text}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def counted(items: Callable[[], Iterable[Any]], settings: RunSettings) -> Callable[[], int] | None:
    """What counts the items that a run takes a part of (`Work.available`); None where it takes all."""
    if settings.limit is None and settings.sample is None:
        return None
    return lambda: sum(1 for _ in items())


def part_of_run(facts: Mapping[str, Any]) -> str:
    """What part of the items a run took, from its `run.json`; empty where it took all of them."""
    counts, settings = facts.get("counts") or {}, facts.get("settings") or {}
    available = counts.get(AVAILABLE)
    if available is None:
        return ""
    seed = None if settings.get("sample") is None else settings.get("seed", 0)
    return part_words(counts["items"], available, seed)


def part_words(items: int, available: int, seed: int | None, noun: str = "items") -> str:
    """'stratified sample of 200 of 300 items (seed 0)'; empty where all of them were taken.

    Args:
        items: how many were taken.
        available: how many there are.
        seed: seed of the sample; None where the first ones were taken.
        noun: what they are.
    """
    if items >= available:
        return ""
    share = f"{items:,} of {available:,} {noun}"
    return f"first {share}" if seed is None else f"stratified sample of {share} (seed {seed})"


def untestable(settings: RunSettings, units: int, noun: str, needed: int) -> str:
    """What a plan says where nothing could be tested: too few of what tests resample; empty where there are enough.

    Args:
        settings: of the planned run.
        units: templates, identities ... that its items have.
        noun: what they are, in the plural.
        needed: fewest with which a test can reach its level.
    """
    few = too_few(units, noun, needed)
    if not few:
        return ""
    if settings.limit is not None:
        advice = "Use --sample N instead of --limit: it spreads the items over all groups."
    elif settings.sample is not None:
        advice = "Use a larger --sample, or more data."
    else:
        advice = "More data is needed."
    return f"Warning: nothing could be tested ({few}). {advice}"
