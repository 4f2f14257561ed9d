"""Releases: numbered exports that never change."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from endoxa.errors import UserError
from endoxa.sources.files import CHECKSUMS, changed_file, sha256
from endoxa_collect.export.folder import read_about
from endoxa_collect.models import Campaign, Release

_NUMBER = re.compile(r"(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?")


class NumberTakenError(UserError):
    """Another release has the number."""


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
