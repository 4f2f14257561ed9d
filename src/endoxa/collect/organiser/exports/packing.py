"""An export as one file to download. Nothing of it stays on the server."""

from __future__ import annotations

import zipfile
from pathlib import Path
from tempfile import TemporaryFile, gettempdir
from typing import IO

from django.contrib.auth.models import AnonymousUser, User

from endoxa.collect.drafts import draft
from endoxa.collect.export.delivering import ExportReport
from endoxa.collect.export.run import export_campaign
from endoxa.collect.models import Campaign
from endoxa.errors import UserError


def packed(
    campaign: Campaign, user: User | AnonymousUser, *, release: str | None = None
) -> tuple[ExportReport, IO[bytes]]:
    """Export a campaign into a zip file that has no name and goes when it is closed; it is in the log then.

    Raises:
        UserError: the number of the release cannot be taken, or the disk cannot be written.
    """
    try:
        return _packed(campaign, user, release)
    except OSError as problem:
        reason = problem.strerror or problem
        raise UserError(
            f"The export cannot be written to the folder for temporary files: {reason}."
        ) from problem


def _packed(
    campaign: Campaign, user: User | AnonymousUser, release: str | None
) -> tuple[ExportReport, IO[bytes]]:
    name = f"{campaign.slug}-{release or 'export'}"
    archive: IO[bytes] = TemporaryFile()  # noqa: SIM115 - the response closes it
    try:
        with draft(Path(gettempdir()), "export") as place:
            report = export_campaign(
                campaign,
                place / name,
                release=release,
                user=user,
                pack=lambda folder: _zip(folder, name, archive),
            )
        archive.seek(0)
    except BaseException:
        archive.close()
        raise
    return report, archive


def _zip(folder: Path, name: str, archive: IO[bytes]) -> None:
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as zipped:
        for path in sorted(folder.iterdir()):
            zipped.write(path, f"{name}/{path.name}")
