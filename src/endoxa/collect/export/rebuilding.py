"""Rows of the database from rows of an export."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import polars as pl
from django.utils import timezone

from endoxa.collect.export.columns import POLARITIES
from endoxa.collect.export.placing import Placed
from endoxa.collect.models import (
    Campaign,
    Card,
    CardState,
    Mention,
    Moderation,
    Pair,
    Person,
    Rating,
    Skip,
    Source,
    Statement,
    Tombstone,
)

Pairs = Mapping[str, Pair]
"""Pairs by their public id."""

_Row = dict[str, Any]

_NEGATIVE = {word: negative for negative, word in POLARITIES.items()}


def add_pairs(campaign: Campaign, pairs: pl.DataFrame, mentions: pl.DataFrame) -> Pairs:
    """Pairs, and a shell for each that was merged into one: of its own words only mentions are exported."""
    found: dict[str, Pair] = {}
    spoken = dict(mentions.select("said_id", "language").iter_rows())
    for row in pairs.iter_rows(named=True):
        name = row["association_id"]
        root = found[name] = Pair.objects.create(
            campaign=campaign,
            public_id=name,
            country=row["country"],
            attribute=row["attribute"],
            key=name,
            language=row["language"],
            topic=row["topic"],
            negative=_NEGATIVE.get(row["polarity"]),
            source=row["origin"],
            moderation=Moderation.LIVE,
            calibration=row["calibration"],
        )
        for merged in row["merged_ids"].split():
            found[merged] = Pair.objects.create(
                campaign=campaign,
                public_id=merged,
                country=root.country,
                attribute="",
                key=merged,
                language=spoken.get(merged, root.language),
                source=Source.CONTRIBUTOR,
                moderation=Moderation.MERGED,
                merged_into=root,
            )
    return found


def add_ratings(ratings: pl.DataFrame, pairs: Pairs, placed: Placed) -> None:
    """Ratings with their cards; those that were rated again come first, so that the same ones count."""
    for row in ratings.sort("hour", "counted", "row_id").iter_rows(named=True):
        person = placed.person(row["rater"], "ratings", row["association_id"])
        pair = pairs[row["shown_id"]]
        Rating.objects.create(
            public_id=row["row_id"],
            card=_card(person, pair, row, CardState.ANSWERED),
            person=person,
            pair=pair,
            value=row["value"],
            in_group=bool(row["in_group"]),
            surplus=row["surplus"],
            created_at=moment_of(row["hour"]),
        )


def add_mentions(mentions: pl.DataFrame, pairs: Pairs, placed: Placed) -> None:
    """Mentions; the first of a person comes first, so that the same ones count."""
    for row in mentions.sort("hour", ~pl.col("counted"), "row_id").iter_rows(named=True):
        made = Mention.objects.create(
            public_id=row["row_id"],
            person=placed.person(row["rater"], "mentions", row["association_id"]),
            pair=pairs[row["said_id"]],
            text=row["text"],
            via=row["via"],
            alike_to=pairs.get(row["asked_same_as"]),
            alike=row["same"],
        )
        Mention.objects.filter(pk=made.pk).update(created_at=moment_of(row["hour"]))


def add_skips(skips: pl.DataFrame, pairs: Pairs, placed: Placed) -> None:
    """Skips with their cards."""
    for row in skips.iter_rows(named=True):
        person = placed.person(row["rater"], "skips", row["association_id"])
        pair = pairs.get(row["shown_id"])
        Skip.objects.create(
            public_id=row["row_id"],
            card=_card(person, pair, row, CardState.SKIPPED),
            person=person,
            pair=pair,
            reason=row["reason"],
            created_at=moment_of(row["hour"]),
        )


def add_statements(campaign: Campaign, statements: pl.DataFrame, placed: Placed) -> None:
    """Answers of the survey, their statements put together again."""
    for _, lines in statements.group_by("row_id", maintain_order=True):
        row = lines.row(0, named=True)
        made = Statement.objects.create(
            public_id=row["row_id"],
            campaign=campaign,
            person=placed.person(row["respondent"], "statements"),
            question=row["question"],
            axis=row["axis"],
            language=row["language"],
            text="\n".join(lines.sort("position")["text"]),
        )
        Statement.objects.filter(pk=made.pk).update(created_at=moment_of(row["hour"]))


def add_tombstones(campaign: Campaign, withdrawals: pl.DataFrame) -> None:
    """The list of withdrawals."""
    hour = timezone.now().replace(minute=0, second=0, microsecond=0)
    Tombstone.objects.bulk_create(
        Tombstone(campaign=campaign, row=row["row_id"], table=row["table"], withdrawn_hour=hour)
        for row in withdrawals.iter_rows(named=True)
    )


def moment_of(hour: str) -> datetime:
    """The time that `rows.time_of` wrote."""
    moment = datetime.fromisoformat(hour)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _card(person: Person, pair: Pair | None, row: _Row, state: CardState) -> Card:
    moment = moment_of(row["hour"])
    return Card.objects.create(
        campaign_id=person.campaign_id,
        person=person,
        pair=pair,
        country=pair.country if pair else "",
        number=0,
        tier=row.get("tier", ""),
        weight=row.get("weight"),
        propensity=row["propensity"],
        pool=row.get("pool") or 0,
        late=row.get("late", False),
        version=row.get("settings_version", 0),
        digest=row.get("settings_digest", ""),
        state=state,
        drawn_at=moment,
        expires_at=moment,
        closed_at=moment,
    )
