"""Run one export, as a working copy or as a numbered release, which never changes.

The log entry is written before the export is handed over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from django.contrib.auth.models import AnonymousUser, User
from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from endoxa.errors import UserError
from endoxa.sources.collected import WITHDRAWALS
from endoxa.sources.files import CHECKSUMS, changed_file, checksums, put_in_place, sha256
from endoxa_collect.export import editions
from endoxa_collect.export.card import NAME as AGREEMENT
from endoxa_collect.export.card import agreement, data_card, recipient_named, survey_map
from endoxa_collect.export.folder import (
    FORMATS,
    About,
    LeftOut,
    answers_before_opening,
    new_folder,
    read_about,
    write_tables,
)
from endoxa_collect.export.tables import Tables, read_tables
from endoxa_collect.models import Campaign, Release, record
from endoxa_collect.withdrawals import Keys, new_salt

_NUMBER = re.compile(r"(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?")


class NumberTakenError(UserError):
    """Another release has the number."""


class EmptyReleaseError(UserError):
    """Nobody is in a release."""


def require_number(campaign: Campaign, number: str) -> None:
    """Refuse a number that is no number of a release, or is taken.

    Raises:
        UserError: says what it should look like, or what there is.
    """
    if not _NUMBER.fullmatch(number):
        raise UserError(f"Invalid release number '{number}': write it as 1.0 (or 1.0.1 for a patch).")
    made = set(campaign.releases.finished().values_list("number", flat=True))
    if number in made:
        earlier = ", ".join(sorted(made))
        raise NumberTakenError(f"Release {number} was made before and never changes; there are: {earlier}.")


@contextmanager
def numbered(campaign: Campaign, number: str, salt: str, recipient: str = "") -> Iterator[Release]:
    """A release that is made, and finished, inside (`delivering`); nothing of one that was not finished stays.

    Raises:
        UserError: the number is none, or taken.
    """
    require_number(campaign, number)
    campaign.releases.broken_off().delete()
    release = Release.objects.create(campaign=campaign, number=number, salt=salt, recipient=recipient)
    try:
        yield release
    except BaseException:
        # As the database has it: one that was handed over stays, whatever fails later.
        campaign.releases.filter(pk=release.pk, sha256="").delete()
        raise


def next_patch(number: str) -> str:
    """The number after it: 1.0 -> 1.0.1, 1.0.1 -> 1.0.2."""
    major, minor, patch = _NUMBER.fullmatch(number).groups()  # type: ignore[union-attr]
    return f"{major}.{minor}.{int(patch or 0) + 1}"


def released(campaign: Campaign, folder: Path) -> Release:
    """The release of this campaign that lies, unchanged, in a folder.

    Raises:
        UserError: there is none, it is another campaign's, or it was changed.
    """
    about = read_about(folder)
    if about is None or not about.release:
        raise UserError(f"{folder} is not a release: name the folder of a release.")
    if about.recipient:
        raise UserError(
            f"{folder} is a restricted release, of which no patch is made: give {about.recipient} the newest "
            "withdrawals.csv, or make another release for them."
        )
    release = campaign.releases.finished().filter(number=about.release).first()
    if release is None or about.campaign != campaign.slug:
        raise UserError(f"{folder} holds a release of another campaign than '{campaign.slug}'.")
    touched = changed_file(folder)
    if touched or release.sha256 != sha256(folder / CHECKSUMS):
        raise UserError(
            f"{folder} is not as it was released ({touched or CHECKSUMS} was changed): take the published one."
        )
    return release


@dataclass(frozen=True)
class ExportReport:
    """What was written: rows of each table, what was left out, and the SHA-256 of the list of checksums."""

    folder: Path
    release: str
    rows: Mapping[str, int]
    left_out: LeftOut
    sha256: str


def export_campaign(
    campaign: Campaign,
    folder: Path,
    *,
    release: str | None = None,
    formats: Sequence[str] = FORMATS,
    recipient: str = "",
    empty: bool = False,
    user: User | AnonymousUser | None = None,
    pack: Callable[[Path], None] = lambda _: None,
) -> ExportReport:
    """Write a campaign to a folder: a working copy, or a release that is numbered and never changes.

    The export is in the log before it stands in the folder.

    Args:
        campaign: which.
        folder: where; an earlier working copy in it is replaced.
        release: its number ("1.0"), which no other release of the campaign has.
        formats: of 'csv', 'jsonl', 'parquet'. The list of withdrawals is always there as CSV too.
        recipient: who signed the conditions of a restricted release (`agreement`); "" for an ordinary one.
        empty: make a release that nobody is in.
        user: who takes it; None stands for the command line.
        pack: what is done with the finished folder before the export is written down.

    Raises:
        EmptyReleaseError: nobody would be in the release; says who is left out and why.
        UserError: an unknown format, a number that is taken or malformed, a restricted export without a number or a
            name, a folder that cannot be written.
    """
    if recipient:
        recipient = recipient_named(recipient)
        if release is None:
            raise UserError("A restricted release needs a number: give it one that no other release has.")
    unknown = sorted(set(formats) - set(FORMATS))
    if unknown or not formats:
        raise UserError(f"Unknown format '{''.join(unknown[:1])}' (available: {', '.join(FORMATS)}).")
    salt = new_salt()
    with numbered(campaign, release, salt, recipient) if release is not None else nullcontext() as made:
        tables = read_tables(campaign, Keys(salt), unmerged=bool(recipient))
        if made and not empty and not tables.frames["people"].height + tables.left_out.people:
            why = tables.left_out.reasons or [gettext("Nobody has joined yet.")]
            nobody = gettext("Nobody is in this release, so it was not made.")
            raise EmptyReleaseError(" ".join([nobody, *why]))
        about = About(
            campaign=campaign.slug,
            release=release or "",
            restricted_to=recipient,
            formats=tuple(formats),
            left_out=tables.left_out,
            answers_before_opening=answers_before_opening(campaign),
            settings_version=campaign.version,
            settings=campaign.settings,
        )
        return write_export(about, tables, folder, campaign, release=made, user=user, pack=pack)


def write_export(
    about: About,
    tables: Tables,
    folder: Path,
    campaign: Campaign,
    *,
    release: Release | None = None,
    user: User | AnonymousUser | None = None,
    pack: Callable[[Path], None] = lambda _: None,
) -> ExportReport:
    """Write tables with their card, their mark and checksums, log them and give them their name.

    `release` is its unfinished row, None for a working copy; the others are as in `export_campaign`.

    Raises:
        UserError: the folder cannot be written, or somebody else made a release of this number meanwhile.
    """
    with new_folder(folder) as draft:
        write_tables(tables.frames, draft, about.formats)
        if not (draft / WITHDRAWALS).exists():
            write_tables({"withdrawals": tables.frames["withdrawals"]}, draft, ("csv",))
        if about.settings.survey:
            (draft / "map.toml").write_text(survey_map(about.settings), encoding="utf-8")
        (draft / "README.md").write_text(data_card(about, tables.frames), encoding="utf-8")
        if about.recipient:
            text = agreement(campaign, about.release, about.recipient)
            (draft / AGREEMENT).write_text(text, encoding="utf-8")
        about.write(draft)
        (draft / CHECKSUMS).write_text(checksums(draft), encoding="utf-8")
        report = ExportReport(
            folder=folder,
            release=about.release,
            rows={name: frame.height for name, frame in tables.frames.items()},
            left_out=about.left_out,
            sha256=sha256(draft / CHECKSUMS),
        )
        pack(draft)
        recipient = {"recipient": about.recipient} if about.recipient else {}
        try:
            with transaction.atomic():
                if release is not None:
                    release.sha256 = report.sha256
                    release.save(update_fields=["sha256"])
                    if not recipient:
                        editions.keep(release, draft, tables)
                action = "restricted release" if recipient else "release" if release else "export"
                entry = record(
                    campaign,
                    user,
                    action,
                    release=report.release,
                    **recipient,
                    **report.rows,
                    people_without_key=report.left_out.people,
                    sha256=report.sha256,
                )
        except IntegrityError:
            raise NumberTakenError(f"Release {about.release} was made by somebody else meanwhile.") from None
        # Killed here, there is an entry without an export, never an export without an entry.
        try:
            put_in_place(draft, folder.resolve())
        except BaseException:
            # Both are undone where the draft is there yet, not for what fails later.
            if draft.exists():
                with transaction.atomic():
                    entry.delete()
                    if release is not None:
                        release.delete()
            raise
    return report
