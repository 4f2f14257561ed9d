"""Back up a campaign to one zip, and restore it without people who withdrew since.

What the system refuses is an OSError, as in `folder`.
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING
from zlib import error as ZlibError  # noqa: N812

from endoxa.errors import UserError
from endoxa_collect.files import draft, remove_dead
from endoxa_collect.project.folder import (
    MARK,
    Folder,
    enter,
    locked_folder,
    making,
    open_folder,
    prepare,
    refuse_used,
)
from endoxa_collect.sqlite import check_database, copy_database, forget_sessions

if TYPE_CHECKING:
    from endoxa_collect.project.replay import Replayed
    from endoxa_collect.withdrawals import Line

_MANIFEST, _MADE_AT = "backup.json", "made_at"
_DATABASE, _SECRET, _WITHDRAWALS = "db.sqlite3", "secret.key", "withdrawals.jsonl"
_FORMAT = 1
_DRAFT = "restore"


def back_up(folder: Folder, target: Path, *, replace: bool = False) -> int:
    """Write a backup of a campaign that may be in use, readable by its owner only; its size in bytes.

    Either all of it is there or nothing. Sign-ins stay out of it.

    Raises:
        UserError: the campaign is on another database, is damaged, or the file is in the campaign's own folder, or is
            there already (with `replace` it is overwritten).
    """
    _refuse_server("pg_dump")
    folder.need_database()
    if target.resolve().is_relative_to(folder.path):
        raise UserError(
            f"{target} is in the campaign's own folder, which a backup must outlive: choose another."
        )
    if not target.parent.is_dir():
        raise UserError(f"{target.parent} is not a folder: create it, or choose another file.")
    if target.is_dir():
        raise UserError(f"{target} is a folder: name a file in it.")
    if target.exists() and not replace:
        raise UserError(f"{target} is there already; nothing was changed. --replace overwrites it.")
    with draft(Path(gettempdir()), "backup") as place:
        copy = place / _DATABASE
        copy_database(folder.database, copy)
        forget_sessions(copy)
        check_database(copy)
        withdrawals = folder.withdrawals.read_bytes() if folder.withdrawals.exists() else b""
        parts = {_DATABASE: copy.read_bytes(), _SECRET: folder.secret.read_bytes(), _WITHDRAWALS: withdrawals}
    manifest = {
        "format": _FORMAT,
        _MADE_AT: datetime.now(UTC).isoformat(timespec="seconds"),
        "sha256": {name: hashlib.sha256(content).hexdigest() for name, content in parts.items()},
    }
    # Made beside the target, and moved when it is whole.
    with draft(target.parent, "backup") as place:
        made = place / "backup.zip"
        with os.fdopen(os.open(made, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr(_MANIFEST, json.dumps(manifest))
                for name, content in parts.items():
                    archive.writestr(name, content)
            file.flush()
            os.fsync(file.fileno())
        made.replace(target)
    return target.stat().st_size


def read_archive(path: Path) -> dict[str, bytes]:
    """The parts of a backup, with its checksums verified, and when it was made.

    Raises:
        UserError: it is no backup, is damaged, or a newer endoxa made it.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            manifest = json.loads(archive.read(_MANIFEST))
            if manifest["format"] > _FORMAT:
                raise UserError(
                    f"A newer endoxa made {path}: update this one (pip install -U endoxa-collect)."
                )
            parts = {name: archive.read(name) for name in (_DATABASE, _SECRET, _WITHDRAWALS)}
        intact = all(hashlib.sha256(parts[name]).hexdigest() == manifest["sha256"][name] for name in parts)
    except FileNotFoundError:
        raise UserError(f"{path} does not exist: name a file that `endoxa collect backup` wrote.") from None
    except PermissionError:
        raise
    except (OSError, zipfile.BadZipFile, ZlibError, ValueError, KeyError, TypeError):
        raise UserError(f"{path} is not an endoxa backup, or is damaged: use another file.") from None
    if not intact:
        raise UserError(f"{path} is damaged: its checksums do not match. Use another backup.")
    return {**parts, _MADE_AT: manifest[_MADE_AT].encode()}


def restore(
    backup: Path,
    path: Path,
    *,
    replace: bool = False,
    withdrawals: Path | None = None,
    no_withdrawals: bool = False,
) -> tuple[str, Replayed]:
    """Restore a backup into a new folder, or with `replace` into the folder that it came from; when it was made.

    It is brought up to the installed version and loses whoever withdrew after it was made, before anything is put in
    place: by the list in that folder, and by `withdrawals`, a copy of the list. Where neither is there, or not the
    newest, only `no_withdrawals` restores: the caller says that nobody withdrew since. Starts Django; once in a
    process.

    Raises:
        UserError: the backup is damaged, the folder is being served or another campaign's, a list is missing, empty,
            older than the backup or another campaign's, or cannot be read.
    """
    _refuse_server("pg_restore, then `endoxa collect backup DIR --replay`")
    parts = read_archive(backup)
    present = _present(path, parts[_SECRET], replace=replace)
    if withdrawals is not None and not withdrawals.is_file():
        raise UserError(f"{withdrawals} does not exist: name a copy of withdrawals.jsonl.")
    if no_withdrawals and withdrawals is not None:
        raise UserError("Give --withdrawals FILE or --no-withdrawals, not both.")
    lists = [withdrawals] if withdrawals else []
    # An empty file is no list: the first line says whose it is.
    if present is not None and present.withdrawals.exists() and present.withdrawals.stat().st_size:
        lists.append(present.withdrawals)
    if not (lists or no_withdrawals):  # a backup knows only of those who left before it was made
        raise UserError(
            f"No list of people who withdrew after {backup} was made. Give --withdrawals FILE, the newest copy of "
            "withdrawals.jsonl from the campaign's folder, or --no-withdrawals if nobody withdrew since."
        )
    # Beside the new folder, which takes its name as a whole; or in the folder that is there, as that may be a volume.
    parent = path.resolve() if path.is_dir() else path.resolve().parent
    parent.mkdir(parents=True, exist_ok=True)
    with locked_folder(present) if present else nullcontext(), draft(parent, _DRAFT) as place:
        with making(place / "campaign", secret=parts[_SECRET].decode()) as staged:
            staged.database.write_bytes(parts[_DATABASE])
            check_database(staged.database)
            enter(staged)
            replayed, lines = _replayed(parts, lists, own=present, trusted=no_withdrawals)
            staged.withdrawals.unlink(missing_ok=True)  # only what replaying itself wrote
            _complete(present or staged, lines)
        if present is None:
            _move(staged, Folder(path))
        else:
            copy_database(staged.database, present.database)
            present.finish()
    return parts[_MADE_AT].decode(), replayed


def _present(path: Path, secret: bytes, *, replace: bool) -> Folder | None:
    """The campaign that is to be replaced; None for a new folder."""
    if not (path / MARK).exists():
        remove_dead(path, _DRAFT)
        refuse_used(path)
        return None
    if not replace:
        raise UserError(
            f"{path} is a campaign already; nothing was changed. --replace puts the backup in its place."
        )
    folder = open_folder(path)
    if folder.secret.read_bytes() != secret:
        raise UserError(
            f"{path} is another campaign than the backup's; nothing was changed: name a new folder."
        )
    return folder


def _replayed(
    parts: Mapping[str, bytes], lists: Sequence[Path], *, own: Folder | None, trusted: bool
) -> tuple[Replayed, list[Line]]:
    """Bring the staged database up to date without the people in the lists; what was done, and all lines.

    Unless `trusted`, the lists must be shown to be of this campaign and to know what the backup knows.
    """
    # Only importable once Django has started on the staged folder.
    from django.db import connections

    from endoxa_collect import withdrawals as listing
    from endoxa_collect.project.replay import replay, require_list

    recorded = listing.parse(parts[_WITHDRAWALS].decode(), listing.NAME, complete=False)
    # A crash may have cut off the last line of the list that the site itself writes.
    read = [listing.read(path, complete=own is None or path != own.withdrawals) for path in lists]
    prepare()
    if not trusted:
        lacking = len(set(recorded) - set(listing.merged(*read)))
        for path in lists:
            require_list(path, parts[_SECRET].decode(), lacking, "backup")
    lines = listing.merged(recorded, *read)
    replayed = replay(lines)
    connections.close_all()
    return replayed, lines


def _complete(folder: Folder, lines: Sequence[Line]) -> None:
    """Add to the folder's list what it lacks."""
    from endoxa_collect import withdrawals as listing

    recorded = set(listing.read(folder.withdrawals, complete=False))
    listing.append(folder.withdrawals, [line for line in lines if line not in recorded])


def _move(staged: Folder, target: Folder) -> None:
    """Put a whole new folder in its place: by its name, or where one is there file by file, the mark last."""
    if not target.path.is_dir():
        staged.path.rename(target.path)
        return
    try:
        target.path.chmod(0o700)
        for file in sorted(staged.path.iterdir(), key=lambda path: path.name == MARK):
            file.rename(target.path / file.name)
    except BaseException:
        target.discard()
        raise


def _refuse_server(instead: str) -> None:
    if os.environ.get("DATABASE_URL"):
        raise UserError(
            f"DATABASE_URL is set, and this command copies SQLite only: use {instead} (see the manual)."
        )
