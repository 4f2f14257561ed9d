"""Whom somebody can talk to, nearest first."""

from __future__ import annotations

from collections.abc import Collection

from endoxa.collect.campaign.settings import CampaignSettings, HelpLine


def nearest_first(settings: CampaignSettings, origins: Collection[str]) -> tuple[HelpLine, ...]:
    """Help lines of the person's countries, then those for everybody, then the others."""
    return tuple(
        sorted(settings.help_lines, key=lambda line: (line.country not in origins, line.country != ""))
    )
