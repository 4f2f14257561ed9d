"""Results on disk while they come: one line a campaign, appended at once, so that a killed run goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from endoxa.errors import UserError

Key = tuple[str, str, int]
"""Cell, arm, seed."""

_ROWS = "rows.jsonl"
_SETUP = "setup.json"


@dataclass(frozen=True)
class Store:
    """The rows of one folder."""

    folder: Path

    @classmethod
    def open(cls, folder: Path, setup: Mapping[str, Any]) -> Store:
        """The folder, made if needed; `setup` is what its rows depend on.

        Raises:
            UserError: the folder holds rows of another setup, or cannot be written.
        """
        path = folder / _SETUP
        wanted = json.loads(json.dumps(setup))
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                path.write_text(json.dumps(wanted, indent=1), encoding="utf-8")
            found = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as problem:
            raise UserError(
                f"{folder} cannot hold the results ({problem}): name another folder with -o."
            ) from None
        if found != wanted:
            different = ", ".join(sorted(name for name in wanted if found.get(name) != wanted[name]))
            raise UserError(
                f"{folder} holds campaigns with other settings ({different}): name another folder with -o, "
                "or add --restart to begin anew there."
            )
        _mend(folder / _ROWS)
        return cls(folder)

    def append(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Write rows."""
        with (self.folder / _ROWS).open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)

    def rows(self) -> Iterator[dict[str, Any]]:
        """All rows, in the order in which they came."""
        path = self.folder / _ROWS
        if path.exists():
            with path.open(encoding="utf-8") as file:
                yield from map(json.loads, file)

    def done(self) -> set[Key]:
        """What there is."""
        return {(row["cell"], row["arm"], row["seed"]) for row in self.rows()}

    def clear(self) -> None:
        """Remove the rows and the setup."""
        for name in (_ROWS, _SETUP):
            (self.folder / name).unlink(missing_ok=True)


def _mend(path: Path) -> None:
    """Drop the end of a row that a crash cut off."""
    if path.exists():
        content = path.read_bytes()
        path.write_bytes(content[: content.rfind(b"\n") + 1])
