"""One export from beginning to end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from endoxa.collect.export.about import About, LeftOut
from endoxa.collect.export.card import data_card, survey_map
from endoxa.collect.export.folder import FORMATS, new_folder, write_tables
from endoxa.collect.export.keys import Keys, new_salt
from endoxa.collect.export.releases import numbered
from endoxa.collect.export.tables import Tables, read_tables
from endoxa.collect.models import Campaign
from endoxa.datasets.collected import WITHDRAWALS
from endoxa.datasets.folders import CHECKSUMS
from endoxa.datasets.sources import sha256
from endoxa.errors import UserError


@dataclass(frozen=True)
class ExportReport:
    """What was written: rows of each table, what was left out, and the SHA-256 of the list of checksums."""

    folder: Path
    release: str
    rows: Mapping[str, int]
    left_out: LeftOut
    sha256: str

    def audit(self) -> dict[str, str | int]:
        """What is written down of it: number, rows of each table, hash."""
        return {"release": self.release, **self.rows, "sha256": self.sha256}


def export_campaign(
    campaign: Campaign,
    folder: Path,
    *,
    release: str | None = None,
    formats: Sequence[str] = FORMATS,
    imported: bool = False,
) -> ExportReport:
    """Write a campaign to a folder: a working copy, or a release that is numbered and never changes.

    Args:
        campaign: which.
        folder: where; an earlier working copy in it is replaced.
        release: its number ("1.0"), which no other release of the campaign has.
        formats: of 'csv', 'jsonl', 'parquet'. The list of withdrawals is always there as CSV too.
        imported: the campaign was read from an export (`restoring`): people keep the keys they have.

    Raises:
        UserError: an unknown format, a number that is taken or malformed, the release of an imported copy, a folder
            that cannot be written.
    """
    unknown = sorted(set(formats) - set(FORMATS))
    if unknown or not formats:
        raise UserError(f"'{''.join(unknown[:1])}' is no format: choose among {', '.join(FORMATS)}.")
    if imported and release is not None:
        raise UserError("A copy of an export cannot be released: release the campaign itself.")
    salt = None if imported else new_salt()
    if release is None or salt is None:
        return _export(campaign, folder, formats, Keys(salt), "")
    with numbered(campaign, release, salt) as made:
        written = _export(campaign, folder, formats, Keys(salt), release)
        made.sha256 = written.sha256
    return written


def _export(
    campaign: Campaign, folder: Path, formats: Sequence[str], keys: Keys, release: str
) -> ExportReport:
    tables = read_tables(campaign, keys)
    return write_export(About.of(campaign, release, formats, tables.left_out), tables, folder)


def write_export(about: About, tables: Tables, folder: Path) -> ExportReport:
    """Write tables with their card, their mark and checksums.

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
        about.write(draft)
    return ExportReport(
        folder=folder,
        release=about.release,
        rows={name: frame.height for name, frame in tables.frames.items()},
        left_out=about.left_out,
        sha256=sha256(folder / CHECKSUMS),
    )
