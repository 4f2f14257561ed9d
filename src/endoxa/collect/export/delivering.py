"""Handing an export over: it is in the log first, so that none leaves unseen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.contrib.auth.models import AnonymousUser, User
from django.db import IntegrityError, transaction

from endoxa.collect.audit import record
from endoxa.collect.export.about import LeftOut
from endoxa.collect.export.releases import NumberTakenError
from endoxa.collect.models import AuditEntry, Campaign, Release


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
    def written_down(self, draft: Path, report: ExportReport) -> Iterator[None]:
        """Finish the release and log the export, then hand it over inside, so that `draft` is not there any more.

        Both are undone where it is there yet, not for what fails later. Killed in between, there is an entry without an
        export, never an export without an entry.

        Raises:
            NumberTakenError: somebody else made a release of this number meanwhile.
        """
        self.pack(draft)
        try:
            with transaction.atomic():
                if self.release is not None:
                    self.release.sha256 = report.sha256
                    self.release.save(update_fields=["sha256"])
                entry = record(
                    self.campaign,
                    self.user,
                    "release" if report.release else "export",
                    release=report.release,
                    **report.rows,
                    sha256=report.sha256,
                )
        except IntegrityError:
            told = f"Release {report.release} was made by somebody else meanwhile."
            raise NumberTakenError(told) from None
        try:
            yield
        except BaseException:
            if draft.exists():
                self._undo(entry)
            raise

    @transaction.atomic
    def _undo(self, entry: AuditEntry) -> None:
        if self.release is not None:
            self.release.sha256 = ""
            self.release.save(update_fields=["sha256"])
        entry.delete()
