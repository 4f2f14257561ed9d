"""The patch of a release: the same tables without what was withdrawn since, and what that leaves too small."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from endoxa.collect.export.coarsening import coarsened
from endoxa.collect.export.counting import counted_pairs
from endoxa.collect.export.delivering import Delivery, ExportReport
from endoxa.collect.export.heirs import handed_over
from endoxa.collect.export.reading import read_export
from endoxa.collect.export.releases import next_patch, numbered, released
from endoxa.collect.export.run import write_export
from endoxa.collect.export.since import since_release
from endoxa.collect.export.tables import Tables
from endoxa.collect.models import Campaign
from endoxa.datasets.collected import respecting_withdrawals


def patch_release(campaign: Campaign, published: Path, folder: Path) -> ExportReport:
    """Write the patch of a published release: 1.0 becomes 1.0.1.

    Rows that were withdrawn are dropped and the figures of pairs counted again; nobody's answers that
    came since are added, and people keep their keys, unless too few who share their country are left in the
    release or in the campaign. Nothing is said of them that a new export would not say. Answers to a pair that was
    merged into one that went count for the pair that took its place.

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
        since = since_release(campaign, before.salt)
        without_key = max(0, about.left_out.people - since.left_without_key(frames))
        whole = handed_over(frames, since)
        kept = {name: respecting_withdrawals(frame, since.gone) for name, frame in whole.items()}
        merged = coarsened(kept, without_key, since.rare, since.respondents)
        left_out = replace(about.left_out, people=merged.without_key, merged=merged.merged)
        frames = {**merged.frames, "pairs": counted_pairs(merged.frames), "withdrawals": since.withdrawals}
        tables = Tables(frames, left_out)
        patch = replace(about, release=made.number, left_out=left_out)
        return write_export(patch, tables, folder, Delivery(campaign, made))
