"""The patch of a release: the same tables without what was withdrawn since, and what that leaves too small."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from endoxa.collect.export.coarsening import coarsened
from endoxa.collect.export.counting import counted_pairs
from endoxa.collect.export.delivering import Delivery, ExportReport
from endoxa.collect.export.keys import Keys
from endoxa.collect.export.reading import read_export
from endoxa.collect.export.releases import next_patch, numbered, released
from endoxa.collect.export.rows import withdrawal_rows
from endoxa.collect.export.run import write_export
from endoxa.collect.export.tables import Tables
from endoxa.collect.models import Campaign, Person
from endoxa.datasets.collected import respecting_withdrawals


def patch_release(campaign: Campaign, published: Path, folder: Path) -> ExportReport:
    """Write the patch of a published release: 1.0 becomes 1.0.1.

    Rows that were withdrawn are dropped and the figures of pairs counted again; nobody's answers that
    came since are added, and people keep their keys, unless too few who share their country are left.

    Args:
        campaign: whose release it is.
        published: the folder of the release, unchanged.
        folder: where the patch goes.

    Raises:
        UserError: `published` is no unchanged release of this campaign, or `folder` cannot be written.
    """
    before = released(campaign, published)
    with numbered(campaign, next_patch(before.number), before.salt) as made:
        about, frames = read_export(published)
        withdrawals = withdrawal_rows(campaign, before.salt)
        gone = frozenset(withdrawals["row_id"])
        kept = {name: respecting_withdrawals(frame, gone) for name, frame in frames.items()}
        merged = coarsened(kept, about.left_out.people, _respondents(campaign, before.salt))
        left_out = replace(
            about.left_out,
            people=about.left_out.people + merged.lost,
            merged=about.left_out.merged + merged.lost,
        )
        frames = {**merged.frames, "pairs": counted_pairs(merged.frames), "withdrawals": withdrawals}
        tables = Tables(frames, left_out)
        patch = replace(about, release=made.number, left_out=left_out)
        return write_export(patch, tables, folder, Delivery(campaign, made))


def _respondents(campaign: Campaign, salt: str) -> dict[str, str]:
    """By the key of each person, the one that they have where their answers cannot be linked."""
    keys = Keys(salt)
    people = Person.objects.filter(campaign=campaign).values_list("pk", flat=True)
    return {keys.rater(pk): keys.respondent(pk) for pk in people}
