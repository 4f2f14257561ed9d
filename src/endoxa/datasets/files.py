"""Opening a file that a user named: every way it can be unusable has a sentence."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import TextIO

from endoxa.datasets.collected import is_collected
from endoxa.errors import UserError

_BYTE_ORDER_MARKS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}


def near_names(path: Path) -> list[str]:
    """Names in the folder of `path` that look like its name, nearest first (at most three)."""
    folder = path.parent
    if not folder.is_dir():
        return []
    return get_close_matches(path.name, sorted(entry.name for entry in folder.iterdir()), n=3)


def require_file(path: Path) -> None:
    """Raise UserError unless `path` is a readable file with something in it."""
    try:
        if path.is_dir():
            raise UserError(f"{path} is a folder. Name a file in it.")
        if not path.exists():
            near = near_names(path)
            hint = f" Did you mean: {', '.join(near)}?" if near else " Check the spelling and the folder."
            raise UserError(f"There is no file {path}.{hint}")
        with path.open("rb") as stream:
            start = stream.read(4)
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    if not start and is_collected(path):
        raise UserError(f"{path} has no rows: the campaign has no data of this kind.")
    if not start:
        raise UserError(f"{path} is empty (0 bytes). Download or export it again.")
    for mark, encoding in _BYTE_ORDER_MARKS.items():
        if start.startswith(mark):
            raise UserError(
                f"{path} is {encoding} text (line 1 starts with its byte order mark). Save it as UTF-8."
            )


def sha256(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def require_apart(outputs: Iterable[Path | None], inputs: Iterable[Path | None]) -> None:
    """Refuse an output that is an input of the same command, or that another output goes to.

    Raises:
        UserError: two of the paths are one file.
    """
    taken = {path.resolve(): "is an input of this command" for path in inputs if path is not None}
    for path in outputs:
        if path is None:
            continue
        if path.resolve() in taken:
            raise UserError(f"{path} {taken[path.resolve()]}: name another file for the output.")
        taken[path.resolve()] = "is given for two outputs"


def open_text(path: Path, newline: str) -> TextIO:
    """Open as UTF-8 with or without a byte order mark.

    Bytes that are not UTF-8 become lone surrogates (`surrogateescape`), which no valid file can contain, so
    that the caller can name the row in which they stand instead of failing at the start of a buffer.
    """
    return path.open(encoding="utf-8-sig", errors="surrogateescape", newline=newline)


def undecodable(text: str) -> bool:
    """True where `text` holds something that is not Unicode text (a lone surrogate)."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
