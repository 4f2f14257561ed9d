"""From one format of pairs to another, in one pass and with the memory of one chunk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from endoxa.datasets import READERS
from endoxa.datasets.read import DEFAULTS, read_pairs
from endoxa.errors import UserError
from endoxa.schema import ReadOptions


def convert_pairs(
    path: Path,
    target: Path,
    options: ReadOptions = DEFAULTS,
    format: str | None = None,  # noqa: A002
    to: str = "native",
) -> int:
    """Write the pairs of `path` to `target` in the format called `to`; returns how many there were.

    Raises:
        UserError: the file cannot be read, the format cannot be written, or it cannot hold a pair. The
            target is then as it was before.
    """
    write = READERS.get(to).write
    if write is None:
        able = ", ".join(reader.name for reader in READERS.all().values() if reader.write)
        raise UserError(f"Format '{to}' can be read but not written. Formats that can be written: {able}.")
    counts: list[int] = []
    write(_counted(read_pairs(path, options, format), counts), target)
    return sum(counts)


def _counted(frames: Iterator[pl.DataFrame], counts: list[int]) -> Iterator[pl.DataFrame]:
    for frame in frames:
        counts.append(frame.height)
        yield frame
