"""Files and folders that a user named: every way they can be unusable has a sentence; folders are written whole."""

from __future__ import annotations

import glob
import os
import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path

import polars as pl

from endoxa.errors import UserError
from endoxa.sources.collected import is_collected
from endoxa.sources.source import Source, sha256, understood_once

__all__ = ["near_names", "require_apart", "require_file", "sha256"]


def near_names(path: Path) -> list[str]:
    """Names in the folder of `path` that look like its name, nearest first (at most three)."""
    folder = path.parent
    if not folder.is_dir():
        return []
    return get_close_matches(path.name, sorted(entry.name for entry in folder.iterdir()), n=3)


_COMPRESSED = {b"\x1f\x8b": "gunzip", b"BZh": "bunzip2", b"\xfd7zXZ": "unxz", b"(\xb5/\xfd": "unzstd"}
"""How compressed files begin, and what unpacks them."""
_LONGEST_MARK = max(map(len, _COMPRESSED))


@understood_once
def require_file(path: Path, *, compressed: bool = False) -> None:
    """Raise UserError unless `path` is a readable file with something in it, compressed only where that is read."""
    if isinstance(path, Source) and not path.is_file_on_disk:
        return
    try:
        if path.is_dir():
            raise UserError(f"{path} is a folder. Name a file in it.")
        if not path.exists():
            near = near_names(path)
            hint = f" Did you mean: {', '.join(near)}?" if near else " Check the spelling and the folder."
            raise UserError(f"There is no file {path}.{hint}")
        with path.open("rb") as stream:
            start = stream.read(_LONGEST_MARK)
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    if not start and is_collected(path):
        raise UserError(f"{path} has no rows: the campaign has no data of this kind.")
    if not start:
        raise UserError(f"{path} is empty (0 bytes). Download or export it again.")
    for mark, program in _COMPRESSED.items():
        if start.startswith(mark) and not compressed:
            raise UserError(f"{path} is compressed. Unpack it first: {program} {path}")


def require_apart(outputs: Iterable[Path | None], inputs: Iterable[Path | None]) -> None:
    """Refuse an output that is an input of the same command, or that another output goes to.

    Raises:
        UserError: two of the paths are one file.
    """
    uses = {path.resolve(): "is an input of this command" for path in inputs if path is not None}
    for path in outputs:
        if path is None:
            continue
        if path.resolve() in uses:
            raise UserError(f"{path} {uses[path.resolve()]}: name another file for the output.")
        uses[path.resolve()] = "is given for two outputs"


def require_folder(path: Path) -> None:
    """Raise UserError where a file cannot be made because its folder is none, or a folder has its name."""
    if path.is_dir() or not path.parent.is_dir():
        raise UserError(
            f"{path} cannot be written: {'it' if path.is_dir() else path.parent} is "
            f"{'a folder' if path.is_dir() else 'no folder'}."
        )


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path beside `path` that takes its place when the block ends without an exception."""
    require_folder(path)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield part
        part.replace(path)
    except OSError as error:
        reason = error.strerror or str(error).replace(
            str(part), str(path)
        )  # polars' has the path in its text
        raise UserError(f"{path} cannot be written: {reason}.") from error
    except pl.exceptions.ComputeError as error:  # how polars says that a disk is full
        raise UserError(f"{path} cannot be written: {str(error).splitlines()[0]}.") from error
    finally:
        part.unlink(missing_ok=True)


CHECKSUMS = "SHA256SUMS"
LEFT_SECONDS = 3600.0
"""Age from which a draft of a process that is gone is removed."""

_CACHES = ("__pycache__", ".ipynb_checkpoints")


def checksums(folder: Path) -> str:
    """A line for every file of the folder, as `sha256sum` writes and checks them."""
    return "".join(f"{sha256(folder / name)}  {name}\n" for name in _files(folder))


def changed_file(folder: Path) -> str | None:
    """The first file that is missing, new or not as its checksum says; None where all are as they were."""
    return next(iter(changed_files(folder)), None)


def changed_files(folder: Path) -> list[str]:
    """All files that are missing, new or not as their checksums say, sorted."""
    try:
        lines = (folder / CHECKSUMS).read_text(encoding="utf-8").splitlines()
    except OSError:
        return [CHECKSUMS]
    written = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    there = _files(folder)
    odd = set(written).symmetric_difference(there)
    odd |= {name for name in there if written.get(name) != sha256(folder / name)}
    return sorted(odd)


def put_in_place(draft: Path, place: Path) -> None:
    """Give a finished draft its name; a folder that is replaced is put beside the draft until the new one stands.

    Once the draft has its name, an old folder that cannot be removed is no failure.

    Raises:
        OSError: the place cannot be taken; the old folder stands as before.
    """
    aside = draft.with_name(f"{draft.name}.old")
    try:
        if place.exists():
            place.rename(aside)
        draft.rename(place)
    except BaseException:
        if aside.exists() and not place.exists():
            aside.rename(place)
        raise
    if aside.exists():
        shutil.rmtree(aside, ignore_errors=True)


def draft_of(place: Path) -> Path:
    """Where this process makes the folder that will take a place: `.NAME.PID.part` beside it."""
    return place.with_name(f".{place.name}.{os.getpid()}.part")


def tidy(place: Path) -> None:
    """Remove drafts of processes that were killed, and give an old folder its name back whose successor never came.

    A draft counts as left where no process of its number runs on this machine and nothing was changed in it for an
    hour: it may belong to another machine.
    """
    for left in place.parent.glob(f".{glob.escape(place.name)}.*.part*"):
        number = left.name.removeprefix(f".{place.name}.").partition(".")[0]
        if not number.isdigit() or _runs(int(number)):
            continue
        if left.name.endswith(".part.old") and not place.exists():
            left.rename(place)
        elif time.time() - left.stat().st_mtime > LEFT_SECONDS:
            shutil.rmtree(left, ignore_errors=True)


def _runs(process: int) -> bool:
    """Whether a process runs; True where that cannot be found out."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _files(folder: Path) -> list[str]:
    """Names of all files under the folder, sorted, without the checksums and what interpreters leave."""
    names = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return sorted(
        path.as_posix()
        for path in names
        if path.as_posix() != CHECKSUMS and not set(path.parts) & set(_CACHES)
    )
