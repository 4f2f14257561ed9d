"""Rows of the database from rows of an export."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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

_BATCH = 500
"""Rows that are updated in one statement."""

_NEGATIVE = {word: negative for negative, word in POLARITIES.items()}


def add_pairs(campaign: Campaign, pairs: pl.DataFrame, mentions: pl.DataFrame) -> Pairs:
    """Pairs, and a shell for each that was merged into one: of its own words only mentions are exported."""
    spoken = dict(mentions.select("said_id", "language").iter_rows())
    roots = Pair.objects.bulk_create(_pair(campaign, row) for row in pairs.iter_rows(named=True))
    shells = Pair.objects.bulk_create(
        Pair(
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
        for root, merged_ids in zip(roots, pairs["merged_ids"], strict=True)
        for merged in merged_ids.split()
    )
    return {str(pair.public_id): pair for pair in (*roots, *shells)}


def add_ratings(ratings: pl.DataFrame, pairs: Pairs, placed: Placed) -> None:
    """Ratings with their cards; those that were rated again come first, so that the same ones count."""
    rows = ratings.sort("hour", "counted", "row_id").to_dicts()
    people = [placed.person(row["rater"], "ratings", row["association_id"]) for row in rows]
    cards = _add_cards(rows, people, pairs, CardState.ANSWERED)
    Rating.objects.bulk_create(
        Rating(
            public_id=row["row_id"],
            card=card,
            person=card.person,
            pair=card.pair,
            value=row["value"],
            in_group=bool(row["in_group"]),
            surplus=row["surplus"],
            created_at=moment_of(row["hour"]),
        )
        for row, card in zip(rows, cards, strict=True)
    )


def add_mentions(mentions: pl.DataFrame, pairs: Pairs, placed: Placed) -> None:
    """Mentions; the first of a person comes first, so that the same ones count."""
    rows = mentions.sort("hour", ~pl.col("counted"), "row_id").to_dicts()
    made = Mention.objects.bulk_create(
        Mention(
            public_id=row["row_id"],
            person=placed.person(row["rater"], "mentions", row["association_id"]),
            pair=pairs[row["said_id"]],
            text=row["text"],
            via=row["via"],
            alike_to=pairs.get(row["asked_same_as"]),
            alike=row["same"],
        )
        for row in rows
    )
    # Making a row sets its time.
    for mention, row in zip(made, rows, strict=True):
        mention.created_at = moment_of(row["hour"])
    Mention.objects.bulk_update(made, ["created_at"], batch_size=_BATCH)


def add_skips(skips: pl.DataFrame, pairs: Pairs, placed: Placed) -> None:
    """Skips with their cards."""
    rows = skips.to_dicts()
    people = [placed.person(row["rater"], "skips", row["association_id"]) for row in rows]
    cards = _add_cards(rows, people, pairs, CardState.SKIPPED)
    Skip.objects.bulk_create(
        Skip(
            public_id=row["row_id"],
            card=card,
            person=card.person,
            pair=card.pair,
            reason=row["reason"],
            created_at=moment_of(row["hour"]),
        )
        for row, card in zip(rows, cards, strict=True)
    )


def add_statements(campaign: Campaign, statements: pl.DataFrame, placed: Placed) -> None:
    """Answers of the survey, their statements put together again."""
    answers = [lines for _, lines in statements.group_by("row_id", maintain_order=True)]
    rows = [lines.row(0, named=True) for lines in answers]
    made = Statement.objects.bulk_create(
        Statement(
            public_id=row["row_id"],
            campaign=campaign,
            person=placed.person(row["respondent"], "statements"),
            question=row["question"],
            axis=row["axis"],
            language=row["language"],
            text="\n".join(lines.sort("position")["text"]),
        )
        for row, lines in zip(rows, answers, strict=True)
    )
    for statement, row in zip(made, rows, strict=True):
        statement.created_at = moment_of(row["hour"])
    Statement.objects.bulk_update(made, ["created_at"], batch_size=_BATCH)


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


def _pair(campaign: Campaign, row: _Row) -> Pair:
    return Pair(
        campaign=campaign,
        public_id=row["association_id"],
        country=row["country"],
        attribute=row["attribute"],
        key=row["association_id"],
        language=row["language"],
        topic=row["topic"],
        negative=_NEGATIVE.get(row["polarity"]),
        source=row["origin"],
        moderation=Moderation.LIVE,
        calibration=row["calibration"],
        waited=row["cards_while_waiting"],
    )


def _add_cards(rows: Sequence[_Row], people: Sequence[Person], pairs: Pairs, state: CardState) -> list[Card]:
    return Card.objects.bulk_create(
        _card(person, pairs.get(row["shown_id"]), row, state)
        for row, person in zip(rows, people, strict=True)
    )


def _card(person: Person, pair: Pair | None, row: _Row, state: CardState) -> Card:
    moment = moment_of(row["hour"])
    return Card(
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
