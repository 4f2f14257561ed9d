"""The file of a backup: one zip with the database, the secret, the list of withdrawals and their checksums."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from zlib import error as ZlibError  # noqa: N812

from endoxa.collect.drafts import draft
from endoxa.collect.project.folder import Folder
from endoxa.errors import UserError

_MANIFEST = "backup.json"
_DATABASE, _SECRET, _WITHDRAWALS = "db.sqlite3", "secret.key", "withdrawals.jsonl"
_FORMAT = 1


@dataclass(frozen=True)
class Archive:
    """What a backup holds."""

    made_at: str
    database: bytes
    secret: str
    withdrawals: str


def write_archive(folder: Folder, database: Path, target: Path) -> int:
    """Write a backup that only its owner can read; its size in bytes. Either all of it is there or nothing.

    Raises:
        UserError: it cannot be written there.
    """
    withdrawals = folder.withdrawals.read_bytes() if folder.withdrawals.exists() else b""
    parts = {_DATABASE: database.read_bytes(), _SECRET: folder.secret.read_bytes(), _WITHDRAWALS: withdrawals}
    manifest = {
        "format": _FORMAT,
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "sha256": {name: hashlib.sha256(content).hexdigest() for name, content in parts.items()},
    }
    try:
        _write(target, {_MANIFEST: json.dumps(manifest).encode(), **parts})
    except OSError as problem:
        raise UserError(f"{target} cannot be written ({problem.strerror}): choose another file.") from None
    return target.stat().st_size


def _write(target: Path, parts: Mapping[str, bytes]) -> None:
    # Made beside the target, readable by its owner only, and moved when it is whole.
    with draft(target.parent, "backup") as place:
        made = place / "backup.zip"
        with os.fdopen(os.open(made, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                for name, content in parts.items():
                    archive.writestr(name, content)
            file.flush()
            os.fsync(file.fileno())
        made.replace(target)


def read_archive(path: Path) -> Archive:
    """A backup, with its checksums verified.

    Raises:
        UserError: it is no backup, is damaged, or a newer endoxa made it.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            manifest = json.loads(archive.read(_MANIFEST))
            if manifest["format"] > _FORMAT:
                raise UserError(f"A newer endoxa made {path}: update this one (pip install -U endoxa).")
            parts = {name: archive.read(name) for name in (_DATABASE, _SECRET, _WITHDRAWALS)}
            secret, withdrawals = parts[_SECRET].decode(), parts[_WITHDRAWALS].decode()
        whole = all(hashlib.sha256(parts[name]).hexdigest() == manifest["sha256"][name] for name in parts)
    except FileNotFoundError:
        raise UserError(f"{path} does not exist: name a file that `endoxa collect backup` wrote.") from None
    except (OSError, zipfile.BadZipFile, ZlibError, ValueError, KeyError, TypeError):
        raise UserError(f"{path} is no backup of ours, or is damaged: take another one.") from None
    if not whole:
        raise UserError(f"{path} is damaged: its checksums do not agree. Take another one.")
    return Archive(manifest["made_at"], parts[_DATABASE], secret, withdrawals)
