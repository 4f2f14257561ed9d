"""Back up a campaign to one zip, and restore it without people who withdrew since."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING
from zlib import error as ZlibError  # noqa: N812

from endoxa.errors import UserError
from endoxa_collect.files import draft, explaining, remove_dead
from endoxa_collect.project.folder import (
    MARK,
    Folder,
    enter,
    has_list,
    locked_folder,
    make_folder,
    open_folder,
    refuse_used,
)
from endoxa_collect.sqlite import check_database, copy_database, forget_sessions

if TYPE_CHECKING:
    from endoxa_collect.project.replay import Replayed
    from endoxa_collect.withdrawals import Line


_MANIFEST = "backup.json"
_DATABASE, _SECRET, _WITHDRAWALS = "db.sqlite3", "secret.key", "withdrawals.jsonl"
_FORMAT = 1

_DRAFT = "restore"


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
    # Made beside the target, readable by its owner only, and moved when it is whole.
    with (
        explaining(target, "cannot be written", "choose another file."),
        draft(target.parent, "backup") as place,
    ):
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


def read_archive(path: Path) -> Archive:
    """A backup, with its checksums verified.

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
            secret, withdrawals = parts[_SECRET].decode(), parts[_WITHDRAWALS].decode()
        intact = all(hashlib.sha256(parts[name]).hexdigest() == manifest["sha256"][name] for name in parts)
    except FileNotFoundError:
        raise UserError(f"{path} does not exist: name a file that `endoxa collect backup` wrote.") from None
    except PermissionError as problem:
        raise UserError(f"{path} cannot be read ({problem.strerror}): may this account read it?") from None
    except (OSError, zipfile.BadZipFile, ZlibError, ValueError, KeyError, TypeError):
        raise UserError(f"{path} is not an endoxa backup, or is damaged: use another file.") from None
    if not intact:
        raise UserError(f"{path} is damaged: its checksums do not match. Use another backup.")
    return Archive(manifest["made_at"], parts[_DATABASE], secret, withdrawals)


@contextmanager
def _entering() -> Iterator[None]:
    """Tell the user which folder this account may not look into."""
    try:
        yield
    except PermissionError as problem:
        raise UserError(
            f"{problem.filename} cannot be reached ({problem.strerror}): may this account use its folder?"
        ) from None


@dataclass(frozen=True)
class Restored:
    """When the backup was made; the people who were deleted, and those whose links were cut, as in `Replayed`."""

    made_at: str
    people: int
    expired: int


def back_up(folder: Folder, target: Path, *, replace: bool = False) -> int:
    """Write a backup of a campaign that may be in use; its size in bytes. Sign-ins stay out of it.

    Raises:
        UserError: the campaign is on another database, is damaged, or the file cannot be written, is in the campaign's
            own folder, or is there already (with `replace` it is overwritten).
    """
    _refuse_server("pg_dump")
    folder.need_database()
    _refuse_target(folder, target, replace=replace)
    with _drafting(Path(gettempdir()), "backup") as place:
        copy = place / "db.sqlite3"
        copy_database(folder.database, copy)
        forget_sessions(copy)
        check_database(copy)
        return write_archive(folder, copy, target)


@_entering()
def _refuse_target(folder: Folder, target: Path, *, replace: bool) -> None:
    if target.resolve().is_relative_to(folder.path):
        raise UserError(
            f"{target} is in the campaign's own folder, which a backup must outlive: choose another."
        )
    if not target.parent.is_dir():
        raise UserError(f"{target.parent} is not a folder: create it, or choose another file.")
    if target.exists() and not replace:
        raise UserError(f"{target} is there already; nothing was changed. --replace overwrites it.")


def restore(
    backup: Path,
    path: Path,
    *,
    replace: bool = False,
    withdrawals: Path | None = None,
    no_withdrawals: bool = False,
) -> Restored:
    """Restore a backup into a new folder, or with `replace` into the folder that it came from.

    It is brought up to the installed version and loses whoever withdrew after it was made, before anything is put in
    place: by the list in that folder, and by `withdrawals`, a copy of the list. Where neither is there, or not the
    newest, only `no_withdrawals` restores: the caller says that nobody withdrew since. Starts Django; once in a
    process.

    Raises:
        UserError: the backup is damaged, the folder is being served or another campaign's, a list is missing, empty,
            older than the backup or another campaign's, or cannot be read.
    """
    _refuse_server("pg_restore, then `endoxa collect replay`")
    archive = read_archive(backup)
    present = _present(path, archive, replace=replace)
    with _entering():
        if withdrawals is not None and not withdrawals.is_file():
            raise UserError(f"{withdrawals} does not exist: name a copy of withdrawals.jsonl.")
        # A backup knows only of those who left before it was made.
        if no_withdrawals and withdrawals is not None:
            raise UserError("Give --withdrawals FILE or --no-withdrawals, not both.")
        listed = present is not None and has_list(present.withdrawals)
        if not (listed or no_withdrawals or withdrawals is not None):
            raise UserError(
                f"No list of people who withdrew after {backup} was made. Give --withdrawals FILE, the newest copy of "
                "withdrawals.jsonl from the campaign's folder, or --no-withdrawals if nobody withdrew since."
            )
    # Beside the new folder, which takes its name as a whole; or in the folder that is there, as that may be a volume.
    parent = path.resolve() if path.is_dir() else path.resolve().parent
    with locked_folder(present) if present else nullcontext(), _drafting(parent, _DRAFT) as place:
        staged = make_folder(place / "campaign", secret=archive.secret)
        with explaining(place, "cannot be written", "make room."):
            staged.database.write_bytes(archive.database)
        check_database(staged.database)
        enter(staged)
        replayed, lines = _replayed(archive, present, withdrawals, trusted=no_withdrawals)
        _put_in_place(staged, present, path, lines)
    return Restored(archive.made_at, replayed.people, replayed.expired)


@contextmanager
def _drafting(parent: Path, kind: str) -> Iterator[Path]:
    with ExitStack() as stack:
        with explaining(parent, "cannot be written", "may this account use it, and is there room?"):
            parent.mkdir(parents=True, exist_ok=True)
            place = stack.enter_context(draft(parent, kind))
        yield place


def _put_in_place(staged: Folder, present: Folder | None, path: Path, lines: Sequence[Line]) -> None:
    with explaining(path, "cannot be written", "make room, or choose another folder."):
        if present is None:
            # Only what replaying itself wrote.
            staged.withdrawals.unlink(missing_ok=True)
            _complete(staged, lines)
            staged.finish()
            _move(staged, Folder(path.resolve()))
        else:
            copy_database(staged.database, present.database)
            _complete(present, lines)
            present.finish()


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
        with suppress(OSError):
            target.discard()
        raise


@_entering()
def _present(path: Path, archive: Archive, *, replace: bool) -> Folder | None:
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
    if folder.secret.read_text() != archive.secret:
        raise UserError(
            f"{path} is another campaign than the backup's; nothing was changed: name a new folder."
        )
    return folder


def _replayed(
    archive: Archive, present: Folder | None, more: Path | None, *, trusted: bool
) -> tuple[Replayed, list[Line]]:
    """Bring the staged database up to date without the people in the lists; what was done, and all lines.

    Unless `trusted`, the lists must be shown to be of this campaign and to know what the backup knows.
    """
    # Only importable once Django has started on the staged folder.
    from django.db import connections

    from endoxa_collect import withdrawals as listing
    from endoxa_collect.project.database import prepare
    from endoxa_collect.project.replay import replay, require_newest, require_same_campaign

    recorded = listing.parse(archive.withdrawals, listing.NAME, complete=False)
    lists = {more: listing.read(more)} if more else {}
    if present and has_list(present.withdrawals):
        lists[present.withdrawals] = listing.read(present.withdrawals, complete=False)
    prepare()
    if not trusted:
        for path in lists:
            require_same_campaign(path, archive.secret)
        require_newest(listing.merged(*lists.values()), next(iter(lists)), recorded)
    lines = listing.merged(recorded, *lists.values())
    replayed = replay(lines)
    connections.close_all()
    return replayed, lines


def _complete(folder: Folder, lines: Sequence[Line]) -> None:
    """Add to the folder's list what it lacks."""
    from endoxa_collect import withdrawals as listing

    recorded = set(listing.read(folder.withdrawals, complete=False))
    listing.append(folder.withdrawals, [line for line in lines if line not in recorded])


def _refuse_server(instead: str) -> None:
    if os.environ.get("DATABASE_URL"):
        raise UserError(
            f"DATABASE_URL is set, and this command copies SQLite only: use {instead} (see the manual)."
        )
