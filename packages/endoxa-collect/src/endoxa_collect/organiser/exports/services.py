"""Preview of an export without making one, and an export as one file to download."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryFile, gettempdir
from typing import IO

from django.contrib.auth.models import AnonymousUser, User
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from endoxa.errors import UserError
from endoxa_collect import geography
from endoxa_collect.export.card import people_by_country
from endoxa_collect.export.columns import OTHER, Column, columns_of
from endoxa_collect.export.folder import LeftOut
from endoxa_collect.export.run import ExportReport, export_campaign
from endoxa_collect.export.tables import read_tables
from endoxa_collect.files import draft
from endoxa_collect.models import Campaign
from endoxa_collect.organiser.dashboard.figures import FEWEST, kept
from endoxa_collect.withdrawals import Keys, new_salt


@dataclass(frozen=True)
class TablePreview:
    """A table: its name, how many rows it would have, its columns."""

    name: str
    rows: int
    columns: tuple[Column, ...]


@dataclass(frozen=True)
class Preview:
    """All tables, what stays in the database, and how many people come from where as the export says it.

    Numbers of people are rounded down to steps of three: somebody who looks again while one person joins does not read
    off where that person is from, but every third time.
    """

    tables: Sequence[TablePreview]
    left_out: LeftOut
    countries: Sequence[tuple[str, int]]


@dataclass(frozen=True)
class _Sizes:
    """What a preview is made of; countries as the export writes them."""

    rows: Mapping[str, int]
    left_out: LeftOut
    countries: Sequence[tuple[str, int]]


def preview(campaign: Campaign) -> Preview:
    """The tables as they would be now, or were some seconds ago (`dashboard.figures.kept`)."""
    sizes = kept(campaign, "exports", lambda: _sizes(campaign))
    return Preview(
        [TablePreview(name, rows, columns_of(name, campaign.settings)) for name, rows in sizes.rows.items()],
        sizes.left_out,
        [(_place(country), n) for country, n in sizes.countries],
    )


def _sizes(campaign: Campaign) -> _Sizes:
    tables = read_tables(campaign, Keys(new_salt()))
    left_out = tables.left_out
    rows = {name: frame.height for name, frame in tables.frames.items()}
    return _Sizes(
        {**rows, "people": _step(rows["people"])},
        replace(left_out, people=_step(left_out.people), merged=_step(left_out.merged)),
        [(country, _step(n)) for country, n in people_by_country(tables.frames["people"], left_out.people)],
    )


def _step(people: int) -> int:
    return people // FEWEST * FEWEST


def _place(country: str) -> str:
    if country == OTHER:
        return _("Countries that too few share, or that were put with them")
    names = (geography.name(code, get_language() or "en") for code in country.split("; ") if code)
    return ", ".join(names) or _("No country named")


def packed(
    campaign: Campaign, user: User | AnonymousUser, *, release: str | None = None, recipient: str = ""
) -> tuple[ExportReport, IO[bytes]]:
    """Export a campaign into a zip file that has no name and goes when it is closed; it is in the log then.

    A restricted release has a `recipient`.

    Raises:
        UserError: the number of the release cannot be taken, or the disk cannot be written.
    """
    try:
        return _packed(campaign, user, release, recipient)
    except OSError as problem:
        reason = problem.strerror or problem
        raise UserError(
            f"The export cannot be written to the folder for temporary files: {reason}."
        ) from problem


def _packed(
    campaign: Campaign, user: User | AnonymousUser, release: str | None, recipient: str
) -> tuple[ExportReport, IO[bytes]]:
    name = f"{campaign.slug}-{release or 'export'}{'-restricted' if recipient else ''}"
    archive: IO[bytes] = TemporaryFile()  # noqa: SIM115 - the response closes it
    try:
        with draft(Path(gettempdir()), "export") as place:
            report = export_campaign(
                campaign,
                place / name,
                release=release,
                recipient=recipient,
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
