"""A long table written part by part, never held whole, and never half there."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import polars as pl

from endoxa.errors import UserError
from endoxa.sources.write import replacing


class AddPart(Protocol):
    """Adds rows at the end of the table."""

    def __call__(self, frame: pl.DataFrame) -> None:
        """Write them to disk at once."""
        ...


@contextmanager
def parquet_in_parts(path: Path) -> Iterator[AddPart]:
    """Give a function that takes frames; at the end they replace `path` as one Parquet file.

    Raises:
        UserError: the disk refuses.
    """
    parts = path.parent / "parts"
    shutil.rmtree(parts, ignore_errors=True)
    number = 0

    def add(frame: pl.DataFrame) -> None:
        nonlocal number
        frame.write_parquet(parts / f"{number:08}.parquet")
        number += 1

    try:
        parts.mkdir()
        yield add
        with replacing(path) as draft:
            pl.scan_parquet(parts / "*.parquet").sink_parquet(draft)
    except (OSError, pl.exceptions.PolarsError) as problem:  # a full disk is either of them
        raise UserError(
            f"The records cannot be written to {path.parent}: {_reason(problem)}. Finished work is kept; run the "
            "same command again to continue."
        ) from problem
    shutil.rmtree(parts, ignore_errors=True)


def _reason(problem: Exception) -> str:
    """The problem in a few words, whoever says it."""
    return getattr(problem, "strerror", None) or str(problem).partition("\n")[0]
