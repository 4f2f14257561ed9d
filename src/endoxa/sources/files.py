"""Opening a file that a user named: every way it can be unusable has a sentence."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

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


@understood_once
def require_file(path: Path) -> None:
    """Raise UserError unless `path` is a readable file with something in it."""
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
            start = stream.read(1)
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    if not start and is_collected(path):
        raise UserError(f"{path} has no rows: the campaign has no data of this kind.")
    if not start:
        raise UserError(f"{path} is empty (0 bytes). Download or export it again.")


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
