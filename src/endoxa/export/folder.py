"""Making a folder as one step: it is there whole, with its checksums, or it is not there at all."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from endoxa.datasets.sources import sha256
from endoxa.errors import UserError

CHECKSUMS = "SHA256SUMS"
PROVENANCE = "endoxa.json"

_CACHES = ("__pycache__", ".ipynb_checkpoints")


@contextmanager
def new_folder(target: Path, provenance: Mapping[str, Any], *, overwrite: bool) -> Iterator[Path]:
    """A draft folder that becomes `target` when the block ends without an exception.

    `endoxa.json` (the `provenance`) and `SHA256SUMS` are added at the end. A folder that is replaced is put
    aside until the new one stands.

    Args:
        target: where the folder will be; missing parents are made.
        provenance: what the folder was made from and how; must not hold times, so that a repeat is equal.
        overwrite: replace a folder that an export made and nobody has touched since.

    Raises:
        UserError: `target` is in the way and may not be replaced, or the place cannot be written.
    """
    require_free(target, overwrite=overwrite)
    place = target.resolve()
    draft = place.with_name(f".{place.name}.{os.getpid()}.part")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        draft.mkdir()
        yield draft
        _write_json(draft / PROVENANCE, provenance)
        (draft / CHECKSUMS).write_text(checksums(draft), encoding="utf-8")
        _put_in_place(draft, place)
    except OSError as problem:
        raise UserError(f"The folder {target} cannot be written: {problem.strerror or problem}.") from problem
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def require_free(target: Path, *, overwrite: bool) -> None:
    """Refuse a place where something would be lost.

    Raises:
        UserError: `target` is a file, or a folder with something in it; with `overwrite`, a folder that no
            export made or in which something was added, changed or taken away since.
    """
    if not target.exists():
        return
    if not target.is_dir():
        raise UserError(f"{target} is a file: name a folder that is empty or not there yet.")
    if not any(target.iterdir()):
        return
    if not (target / PROVENANCE).is_file() or not (target / CHECKSUMS).is_file():
        raise UserError(f"The folder {target} holds other files: name one that is empty or not there yet.")
    if not overwrite:
        raise UserError(f"The folder {target} holds an earlier export: say --overwrite to replace it.")
    touched = _touched(target)
    if touched:
        raise UserError(
            f"The folder {target} was changed after it was exported ({touched}): move it away, so that "
            "nothing is lost."
        )


def checksums(folder: Path) -> str:
    """A line for every file of the folder, as `sha256sum` writes and checks them."""
    return "".join(f"{sha256(folder / name)}  {name}\n" for name in _files(folder))


def _files(folder: Path) -> list[str]:
    """Names of all files under the folder, sorted, without the checksums and what interpreters leave."""
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return sorted(
        path.as_posix()
        for path in found
        if path.as_posix() != CHECKSUMS and not set(path.parts) & set(_CACHES)
    )


def _touched(folder: Path) -> str | None:
    """The first file that is not as the checksums say, or None."""
    lines = (folder / CHECKSUMS).read_text(encoding="utf-8").splitlines()
    written = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    there = _files(folder)
    odd = set(written).symmetric_difference(there)
    odd |= {name for name in there if written.get(name) != sha256(folder / name)}
    return min(odd, default=None)


def _put_in_place(draft: Path, place: Path) -> None:
    if not place.exists():
        draft.rename(place)
        return
    aside = place.with_name(f".{place.name}.{os.getpid()}.old")
    place.rename(aside)
    try:
        draft.rename(place)
    except OSError:
        aside.rename(place)
        raise
    shutil.rmtree(aside)


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
