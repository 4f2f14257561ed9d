"""The folder of an export: written as a whole or not at all, with checksums."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from endoxa.collect.drafts import draft
from endoxa.collect.export.about import read_about
from endoxa.datasets.collected import neutralised
from endoxa.datasets.folders import changed_file
from endoxa.errors import UserError

FORMATS = ("csv", "jsonl", "parquet")


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A draft beside `target`, for `put_in_place` to give it that name; it goes when the block ends (see `drafts`).

    It lies in a folder of its own, and there an earlier copy is put aside, so that both go.

    `target` is free, or an earlier working copy in which nothing was changed.

    Raises:
        UserError: `target` holds something else or a release, or cannot be written.
    """
    require_replaceable(target)
    place = target.resolve()
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with draft(place.parent, "export") as made:
            new = made / "new"
            new.mkdir(mode=0o700)
            yield new
    except (OSError, pl.exceptions.ComputeError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem).splitlines()[0]
        raise UserError(f"The folder {target} cannot be written: {reason}. Nothing was changed.") from problem


def require_replaceable(target: Path) -> None:
    """Refuse a place where something would be lost.

    Raises:
        UserError: a file, a folder of another kind, a release, or an export that was changed since.
    """
    if not target.exists():
        return
    if not target.is_dir():
        raise UserError(f"{target} is a file: name a folder that is empty or not there yet.")
    if not any(target.iterdir()):
        return
    about = read_about(target)
    if about is None:
        raise UserError(f"{target} holds other files: name a folder that is empty or not there yet.")
    if about.release:
        raise UserError(f"{target} holds a release, which never changes: name another folder.")
    touched = changed_file(target)
    if touched:
        raise UserError(
            f"{target} was changed after the export ({touched}): name another folder, or move it away."
        )


def write_tables(frames: Mapping[str, pl.DataFrame], folder: Path, formats: Sequence[str]) -> None:
    """Write each table in each format; text that a spreadsheet could run is neutralised in CSV only."""
    for name, frame in frames.items():
        writers: dict[str, Callable[[Path], object]] = {
            "csv": _safe(frame).write_csv,
            "jsonl": frame.write_ndjson,
            "parquet": frame.write_parquet,
        }
        for kind in formats:
            writers[kind](folder / f"{name}.{kind}")


def _safe(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.col(pl.String).map_elements(neutralised, return_dtype=pl.String))
