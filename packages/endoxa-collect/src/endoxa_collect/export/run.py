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
from endoxa_collect.models import Campaign, Edition, Release, record
from endoxa_collect.withdrawals import Keys, new_salt

_NUMBER = re.compile(r"(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?")


class NumberError(UserError):
    """It is no number of a release, or another release has it."""


class EmptyReleaseError(UserError):
    """Nobody is in a release."""


@contextmanager
def numbered(campaign: Campaign, number: str, salt: str, recipient: str = "") -> Iterator[Release]:
    """A release that is made, and finished, inside (`delivering`); nothing of one that was not finished stays.

    Raises:
        NumberError: the number is none, or taken.
    """
    if not _NUMBER.fullmatch(number):
        raise NumberError(f"Invalid release number '{number}': write it as 1.0 (or 1.0.1 for a patch).")
    made = set(campaign.releases.finished().values_list("number", flat=True))
    if number in made:
        earlier = ", ".join(sorted(made))
        raise NumberError(f"Release {number} was made before and never changes; there are: {earlier}.")
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


@dataclass(frozen=True)
class Delivery:
    """For whom an export is made.

    Attributes:
        campaign: which.
        release: its unfinished row; None for a working copy.
        user: who takes it; None stands for the command line.
        pack: what is done with the finished folder before it is written down.
    """

    campaign: Campaign
    release: Release | None = None
    user: User | AnonymousUser | None = None
    pack: Callable[[Path], None] = lambda _: None

    @contextmanager
    def written_down(self, draft: Path, report: ExportReport, tables: Tables) -> Iterator[None]:
        """Finish the release, log the export, keep the edition of a public one, and hand it over inside.

        `draft` is not there any more then. Both are undone where it is there yet, not for what fails later. Killed in
        between, there is an entry without an export, never an export without an entry.

        Raises:
            NumberError: somebody else made a release of this number meanwhile.
        """
        self.pack(draft)
        try:
            with transaction.atomic():
                if self.release is not None:
                    self.release.sha256 = report.sha256
                    self.release.save(update_fields=["sha256"])
                recipient = self.release.recipient if self.release else ""
                if self.release is not None and not recipient:
                    editions.keep(self.release, draft, tables)
                entry = record(
                    self.campaign,
                    self.user,
                    "restricted release" if recipient else "release" if report.release else "export",
                    release=report.release,
                    **({"recipient": recipient} if recipient else {}),
                    **report.rows,
                    people_without_key=report.left_out.people,
                    sha256=report.sha256,
                )
        except IntegrityError:
            message = f"Release {report.release} was made by somebody else meanwhile."
            raise NumberError(message) from None
        try:
            yield
        except BaseException:
            if draft.exists():
                with transaction.atomic():
                    if self.release is not None:
                        self.release.sha256 = ""
                        self.release.save(update_fields=["sha256"])
                        Edition.objects.filter(release=self.release).delete()
                    entry.delete()
            raise


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
        return write_export(about, tables, folder, Delivery(campaign, made, user, pack))


def write_export(about: About, tables: Tables, folder: Path, delivery: Delivery) -> ExportReport:
    """Write tables with their card, their mark and checksums, log them and give them their name.

    Raises:
        UserError: the folder cannot be written.
    """
    with new_folder(folder) as draft:
        write_tables(tables.frames, draft, about.formats)
        if not (draft / WITHDRAWALS).exists():
            write_tables({"withdrawals": tables.frames["withdrawals"]}, draft, ("csv",))
        if about.settings.survey:
            (draft / "map.toml").write_text(survey_map(about.settings), encoding="utf-8")
        (draft / "README.md").write_text(data_card(about, tables), encoding="utf-8")
        if about.recipient:
            text = agreement(delivery.campaign, about.release, about.recipient)
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
        with delivery.written_down(draft, report, tables):
            put_in_place(draft, folder.resolve())
    return report
