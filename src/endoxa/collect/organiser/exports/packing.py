"""An export as one file to download. Nothing of it stays on the server."""

from __future__ import annotations

import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO

from endoxa.collect.export.run import ExportReport, export_campaign
from endoxa.collect.models import Campaign
from endoxa.errors import UserError


def packed(campaign: Campaign, *, release: str | None = None) -> tuple[ExportReport, IO[bytes]]:
    """Export a campaign into a zip file that has no name and goes when it is closed.

    Raises:
        UserError: the number of the release cannot be taken, or the disk cannot be written.
    """
    name = f"{campaign.slug}-{release or 'export'}"
    with TemporaryDirectory(prefix="endoxa-") as place:
        folder = Path(place) / name
        report = export_campaign(campaign, folder, release=release)
        try:
            return report, _zipped(folder)
        except UserError:
            # Nobody has the file: the number is free again.
            campaign.releases.filter(number=report.release).delete()
            raise


def _zipped(folder: Path) -> IO[bytes]:
    archive: IO[bytes] = TemporaryFile()  # noqa: SIM115 - the response closes it
    try:
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as zipped:
            for path in sorted(folder.iterdir()):
                zipped.write(path, f"{folder.name}/{path.name}")
    except OSError as problem:
        archive.close()
        raise UserError(f"The export cannot be packed: {problem.strerror}.") from problem
    archive.seek(0)
    return archive
