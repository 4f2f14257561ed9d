"""From an export back to a campaign, for research on a copy: a working database that holds what the tables hold.

Not a backup: cookies, receipt codes, exact times, pending pairs and cards without an answer are in no export. Exported
again (`imported=True`), the copy gives the same tables, byte for byte.
"""

from __future__ import annotations

import json
from pathlib import Path

from django.db import transaction

from endoxa.collect.cards.counts import recount
from endoxa.collect.export import rebuilding
from endoxa.collect.export.placing import place_people
from endoxa.collect.export.reading import read_export
from endoxa.collect.models import Campaign, Pair, SettingsVersion, State
from endoxa.errors import UserError


def import_campaign(folder: Path) -> Campaign:
    """Read an export into a new, closed campaign of this database.

    Args:
        folder: what `endoxa collect export` wrote.

    Raises:
        UserError: the folder is no export or damaged, or a campaign of that name is there already.
    """
    about, frames = read_export(folder)
    if Campaign.objects.filter(slug=about.campaign).exists():
        raise UserError(f"This database has a campaign '{about.campaign}' already: import into an empty one.")
    with transaction.atomic():
        campaign = Campaign.objects.create(slug=about.campaign, state=State.CLOSED, version=about.version)
        content = json.loads(about.settings.model_dump_json())
        SettingsVersion.objects.create(campaign=campaign, number=about.version, content=content)
        placed = place_people(campaign, frames["people"])
        pairs = rebuilding.add_pairs(campaign, frames["pairs"], frames["mentions"])
        rebuilding.add_ratings(frames["ratings"], pairs, placed)
        rebuilding.add_mentions(frames["mentions"], pairs, placed)
        rebuilding.add_skips(frames["skips"], pairs, placed)
        rebuilding.add_statements(campaign, frames["statements"], placed)
        rebuilding.add_tombstones(campaign, frames["withdrawals"])
        recount(campaign, Pair.objects.filter(campaign=campaign, merged_into=None))
    return campaign
