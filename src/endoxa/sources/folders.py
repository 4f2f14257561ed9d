"""Folders that are written whole: checksums of their files, what was changed since, and taking a place at once."""

from __future__ import annotations

import glob
import os
import shutil
import time
from pathlib import Path

from endoxa.sources.files import sha256

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
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return sorted(
        path.as_posix()
        for path in found
        if path.as_posix() != CHECKSUMS and not set(path.parts) & set(_CACHES)
    )
