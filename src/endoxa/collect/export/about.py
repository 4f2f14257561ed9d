"""What an export says of itself in `export.json`: the mark of the folder, and all that is needed to read it again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from endoxa.collect.campaign.settings import CampaignSettings
from endoxa.collect.models import Campaign
from endoxa.datasets.collected import KIND, MARK
from endoxa.errors import UserError

_FORMAT = 1


@dataclass(frozen=True)
class LeftOut:
    """What the database holds and the export does not.

    Attributes:
        people: contributors without a key, of countries that too few share or that were put with them (`FEW_SHARE`).
        merged: contributors of whom a column was merged to 'other'.
        pairs: pairs that wait for a moderator or were hidden.
        ratings, mentions, skips: answers about those pairs; and, of people without a key, those that another answer
            of theirs replaced when pairs were merged.
    """

    people: int = 0
    merged: int = 0
    pairs: int = 0
    ratings: int = 0
    mentions: int = 0
    skips: int = 0


@dataclass(frozen=True)
class About:
    """Which campaign, with which settings, as which release ("" for a working copy)."""

    campaign: str
    release: str
    formats: tuple[str, ...]
    version: int
    settings: CampaignSettings
    left_out: LeftOut

    @classmethod
    def of(cls, campaign: Campaign, release: str, formats: Sequence[str], left_out: LeftOut) -> About:
        """A campaign as it is now."""
        return cls(campaign.slug, release, tuple(formats), campaign.version, campaign.settings, left_out)

    def write(self, folder: Path) -> None:
        """Mark a folder."""
        # Words that moderators watch for are often slurs; no reader of the data needs them.
        settings = json.loads(self.settings.model_dump_json(exclude={"watch_words"}))
        content = {
            "kind": KIND,
            "format": _FORMAT,
            "campaign": self.campaign,
            "release": self.release,
            "formats": list(self.formats),
            "left_out": asdict(self.left_out),
            "settings_version": self.version,
            "settings": settings,
        }
        text = json.dumps(content, ensure_ascii=False, indent=2) + "\n"
        (folder / MARK).write_text(text, encoding="utf-8")


def read_about(folder: Path) -> About | None:
    """What a folder says of itself; None where it is no export.

    Raises:
        UserError: it is one, of a newer endoxa or damaged.
    """
    content = _read(folder / MARK)
    if content is None:
        return None
    if content.get("format") != _FORMAT:
        raise UserError(f"{folder} was made by another version of endoxa: use that one to read it.")
    try:
        return About(
            campaign=str(content["campaign"]),
            release=str(content["release"]),
            formats=tuple(map(str, content["formats"])),
            version=int(content["settings_version"]),
            settings=CampaignSettings.model_validate(content["settings"]),
            left_out=LeftOut(**content["left_out"]),
        )
    except (KeyError, TypeError, ValueError, ValidationError) as problem:
        raise UserError(f"{folder / MARK} is damaged: take the export again.") from problem


def _read(path: Path) -> dict[str, Any] | None:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) and content.get("kind") == KIND else None
