"""The journal, a crash-safe file that remembers what a run has done, and the items of the run, read in chunks.

The journal is SQLite in WAL mode inside the run folder. What is remembered is the business of each kind of run; here is
what they share: one process at a time, whole transactions, the ids of items, and a sentence for everything that a disk
can do. A table that has a column `model` means by it the number of the model in the run, from 0.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import blake2b
from heapq import nsmallest
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from endoxa.errors import UserError
from endoxa.runs.options import RunSettings
from endoxa.stats.apportionment import apportioned_within
from endoxa.stats.verdicts import too_few

ITEMS = "CREATE TABLE IF NOT EXISTS items (item_id TEXT PRIMARY KEY, number INTEGER) WITHOUT ROWID;"

TABLES = "SELECT name FROM sqlite_master WHERE type = 'table'"

COMMIT_SECONDS = 2.0
"""Seconds between two commits of what is new."""


class JournalError(UserError):
    """Nothing can be remembered any more, so nothing more may be asked."""


class JournalFile:
    """The file and its table of item ids.

    Args:
        path: the file, opened or created; only one process at a time may.
        tables: SQL that makes the tables of this kind of run, where they are not there.

    Raises:
        JournalError: another process works on this run, or the disk refuses.
    """

    def __init__(self, path: Path, tables: str) -> None:
        self._path = path
        with self._explained():
            self._db = sqlite3.connect(path, timeout=2, isolation_level=None)
            self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.executescript(ITEMS + tables)

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def empty(self) -> bool:
        """Whether nothing is remembered but ids of items."""
        return not any(
            self._rows(f"SELECT 1 FROM {name} LIMIT 1")  # noqa: S608 - our own tables
            for (name,) in self._rows(TABLES)
            if name != "items"
        )

    def clear(self) -> None:
        """Forget everything."""
        with self._explained(), self._transaction():
            for (name,) in self._rows(TABLES):
                self._db.execute(f"DELETE FROM {name}")  # noqa: S608 - names of our own tables

    def forget_models(self, first: int) -> None:
        """Forget what is remembered of the models from number `first` on, in every table that has a column `model`."""
        query = (
            "SELECT t.name FROM sqlite_master t JOIN pragma_table_info(t.name) c "
            "WHERE t.type = 'table' AND c.name = 'model'"
        )
        with self._explained(), self._transaction():
            for (name,) in self._rows(query):
                self._db.execute(f"DELETE FROM {name} WHERE model >= ?", (first,))  # noqa: S608 - our own tables

    def add_items(self, numbered: Iterable[tuple[str, int]]) -> tuple[str, int, int] | None:
        """Remember item ids; return the first id that is there twice with both its numbers, else None."""
        with self._explained(), self._transaction():
            for item_id, number in numbered:
                try:
                    self._db.execute("INSERT INTO items VALUES (?, ?)", (item_id, number))
                except sqlite3.IntegrityError:
                    query = "SELECT number FROM items WHERE item_id = ?"
                    first = self._db.execute(query, (item_id,)).fetchone()[0]
                    return item_id, first, number
        return None

    def forget_items(self) -> None:
        """Empty the table of ids, before they are read again."""
        self._rows("DELETE FROM items")

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """What one statement gives."""
        with self._explained():
            return self._db.execute(query, values).fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as problem:
            folder = self._path.parent
            if "locked" in str(problem):
                raise JournalError(
                    f"Another process is working on the run {folder}. Wait for it, or stop it."
                ) from problem
            raise JournalError(
                f"The run folder {folder} cannot be written ({problem}): free some space or choose another --out. "
                "Finished work is kept; run the same command again to continue."
            ) from problem
        except sqlite3.DatabaseError as problem:
            raise JournalError(
                f"The journal of the run {self._path} is damaged ({problem}): start over with --restart."
            ) from problem


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
