"""All tables of an export, and what has to be said about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from endoxa.collect.export import rows
from endoxa.collect.export.about import LeftOut
from endoxa.collect.export.columns import OTHER
from endoxa.collect.export.counting import counted_pairs
from endoxa.collect.export.people import people_frame, published_people
from endoxa.collect.export.pool import read_pool
from endoxa.collect.export.snapshot import snapshot
from endoxa.collect.models import Campaign, Mention, Rating, Skip
from endoxa.collect.withdrawals.keys import Keys


@dataclass(frozen=True)
class Tables:
    """The tables by name, and what was left out."""

    frames: Mapping[str, pl.DataFrame]
    left_out: LeftOut


def read_tables(campaign: Campaign, keys: Keys) -> Tables:
    """The tables of a campaign as they are at this moment."""
    with snapshot():
        return _read(campaign, keys)


def _read(campaign: Campaign, keys: Keys) -> Tables:
    people = published_people(campaign, keys)
    pool = read_pool(campaign)
    frames = {
        "pairs": rows.pair_rows(campaign, pool),
        "people": people_frame(people, campaign.settings),
        "ratings": rows.rating_rows(campaign, pool, people),
        "mentions": rows.mention_rows(campaign, pool, people),
        "skips": rows.skip_rows(campaign, pool, people),
        "statements": rows.statement_rows(campaign, people),
        "withdrawals": rows.withdrawal_rows(campaign, keys.salt),
    }
    frames["pairs"] = counted_pairs(frames)
    left_out = LeftOut(
        people=sum(not one.linked for one in people.values()),
        merged=sum(OTHER in (one.country, one.consent, *one.profile.values()) for one in people.values()),
        pairs=pool.held_back,
        ratings=Rating.objects.filter(person__campaign=campaign).count() - frames["ratings"].height,
        mentions=Mention.objects.filter(person__campaign=campaign).count() - frames["mentions"].height,
        skips=Skip.objects.filter(person__campaign=campaign).count() - frames["skips"].height,
    )
    return Tables(frames, left_out)
