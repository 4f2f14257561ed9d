"""Rows of the exported tables, read from the database and reduced to the declared columns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Set
from datetime import UTC, datetime
from typing import Any, TypeVar
from uuid import UUID

import polars as pl
from django.db.models import Q, QuerySet

from endoxa_collect import groups
from endoxa_collect.campaign import CampaignSettings
from endoxa_collect.export.columns import OTHER, POLARITIES, SHARED_TIERS, schema_of
from endoxa_collect.export.people import Pool, Published
from endoxa_collect.models import (
    Campaign,
    Card,
    CardState,
    HurtAnswer,
    Mention,
    MixedAnswer,
    MixedKind,
    Moderation,
    Pair,
    Rating,
    Skip,
    Statement,
    Tombstone,
)
from endoxa_collect.sampler.slots import CANDIDATE

Row = dict[str, Any]
_Answer = TypeVar("_Answer", Rating, Mention, HurtAnswer, MixedAnswer)


def pair_rows(campaign: Campaign, pool: Pool) -> pl.DataFrame:
    """Live pairs that were not merged away, without their figures (`tables.counted_pairs`)."""
    merged: dict[UUID, list[str]] = {}
    for pk, root in pool.roots.items():
        if pool.names[pk] != root:
            merged.setdefault(root, []).append(str(pool.names[pk]))
    live = Pair.objects.filter(campaign=campaign, moderation=Moderation.LIVE, merged_into=None)
    return _frame(
        "pairs",
        campaign.settings,
        (
            {
                "association_id": str(pair.public_id),
                "identity": groups.identity(pair.country, pair.language, campaign.settings),
                "attribute": pair.attribute,
                "axis": groups.kind(pair.country, campaign.settings),
                "language": pair.language,
                "polarity": POLARITIES[pair.negative],
                "source": campaign.slug,
                "country": pair.country,
                "topic": pair.topic,
                "origin": pair.source,
                "calibration": pair.calibration,
                "k": campaign.settings.sampler.k,
                "candidate": pair.need == CANDIDATE,
                "merged_ids": " ".join(sorted(merged.get(pair.public_id, ()))),
            }
            for pair in live
            if pair.pk in pool.roots
        ),
    )


def _common(
    row: Rating | Mention | Skip | HurtAnswer | MixedAnswer,
    pool: Pool,
    who: Published,
    moment: datetime,
) -> Row:
    """What all tables of answers about pairs have in common."""
    pair = row.pair_id
    shown = str(pool.names[pair]) if pair else ""
    return {
        "row_id": str(row.public_id),
        "association_id": str(pool.roots[pair]) if pair else "",
        "shown_id": shown,
        "said_id": shown,
        "rater": who.rater,
        "consent": who.consent,
        "hour": time_of(moment, who),
    }


def rating_rows(
    campaign: Campaign, pool: Pool, people: Mapping[UUID, Published], *, unmerged: bool = False
) -> pl.DataFrame:
    """Ratings of exported pairs. The latest of a person counts where pairs were merged, as in `cards.counts`.

    Earlier ones of people without a key are left out: nobody could see what they belong to.
    """
    ratings = Rating.objects.filter(person__campaign=campaign).order_by("created_at", "pk")
    kept, counting = _kept(ratings.select_related("card", "pair"), pool, people)

    def row(rating: Rating) -> Row:
        who, card = people[rating.person_id], rating.card
        return {
            **_common(rating, pool, who, rating.created_at),
            "value": rating.value,
            "in_group": who.is_from(rating.pair.country),
            "counted": rating.pk in counting,
            "prompted": True,
            **_drawn(card, who, unmerged=unmerged),
            "revealed": card.revealed,
            "late": card.late,
            "surplus": rating.surplus,
            "settings_version": card.version,
            "settings_digest": card.digest,
            "pace": card.pace if who.linked else "",
        }

    return _frame("ratings", campaign.settings, map(row, kept))


def mention_rows(campaign: Campaign, pool: Pool, people: Mapping[UUID, Published]) -> pl.DataFrame:
    """Unprompted mentions of exported pairs. The first of a person counts where pairs were merged.

    Later ones of people without a key are left out, as with ratings.
    """
    mentions = Mention.objects.filter(person__campaign=campaign).order_by("-created_at", "-pk")
    kept, counting = _kept(mentions.select_related("pair"), pool, people)

    def row(mention: Mention) -> Row:
        who = people[mention.person_id]
        compared = mention.alike_to_id in pool.roots
        return {
            **_common(mention, pool, who, mention.created_at),
            "text": mention.text,
            "language": mention.pair.language,
            "via": mention.via,
            "counted": mention.pk in counting,
            "prompted": False,
            "asked_same_as": str(pool.names[mention.alike_to_id]) if compared and mention.alike_to_id else "",
            "same": mention.alike if compared else None,
        }

    return _frame("mentions", campaign.settings, map(row, kept))


def _kept(
    rows: Iterable[_Answer],
    pool: Pool,
    people: Mapping[UUID, Published],
    kind: Callable[[_Answer], str] = lambda _: "",
) -> tuple[list[_Answer], Set[int]]:
    """Answers that are exported, and the ids of those that count: the last of each person about a pair and of a kind.

    Others of people without a key are left out: nobody could see what they belong to.
    """
    in_pool = [row for row in rows if row.pair_id in pool.roots and row.person_id in people]
    last = {(row.person_id, pool.roots[row.pair_id], kind(row)): row.pk for row in in_pool}
    counting = set(last.values())
    return [row for row in in_pool if row.pk in counting or people[row.person_id].linked], counting


def skip_rows(campaign: Campaign, pool: Pool, people: Mapping[UUID, Published]) -> pl.DataFrame:
    """Cards that were not answered; of pairs, those that are exported."""

    def row(skip: Skip) -> Row:
        who = people[skip.person_id]
        return {
            **_common(skip, pool, who, skip.created_at),
            "reason": skip.reason,
            "revealed": skip.card.revealed,
            "propensity": skip.card.propensity if who.linked else None,
            "pace": skip.card.pace if who.linked else "",
        }

    skips = Skip.objects.filter(person__campaign=campaign).select_related("card")
    shown = (
        skip
        for skip in skips
        if skip.person_id in people and (skip.pair_id is None or skip.pair_id in pool.roots)
    )
    return _frame("skips", campaign.settings, map(row, shown))


def hurt_rows(campaign: Campaign, pool: Pool, people: Mapping[UUID, Published]) -> pl.DataFrame:
    """What people said of exported pairs that nobody had judged.

    Of people without a key only the latest about each pair, as with ratings.
    """
    answers = HurtAnswer.objects.filter(person__campaign=campaign).order_by("created_at", "pk")
    kept, _ = _kept(answers, pool, people)

    rows = (
        {**_common(answer, pool, people[answer.person_id], answer.created_at), "answer": answer.answer}
        for answer in kept
    )
    return _frame("hurt_answers", campaign.settings, rows)


def mixed_answers(campaign: Campaign) -> QuerySet[MixedAnswer]:
    """What lists and comparisons say of pairs; reports are no answers."""
    answered = MixedAnswer.objects.filter(person__campaign=campaign, card__state=CardState.ANSWERED)
    return answered.exclude(answer="")


def mixed_rows(campaign: Campaign, pool: Pool, people: Mapping[UUID, Published]) -> pl.DataFrame:
    """What lists and comparisons say of exported pairs. The latest answer of a person to a kind counts.

    Earlier ones of people without a key are left out, as with ratings. Where pairs of one list are one by now, a tick
    at any of them counts. A comparison is left out unless both its pairs are exported, as two pairs.
    """
    answers = [
        answer
        for answer in mixed_answers(campaign).select_related("card")
        if answer.pair_id in pool.roots and answer.person_id in people
    ]
    sides: defaultdict[int, set[UUID]] = defaultdict(set)
    for answer in answers:
        sides[answer.card_id].add(pool.roots[answer.pair_id])
    answers = [
        answer
        for answer in answers
        if answer.card.kind != MixedKind.COMPARE or len(sides[answer.card_id]) == 2
    ]
    # Within a card what was ticked comes last, so that it is what counts.
    answers.sort(
        key=lambda answer: (
            answer.card.closed_at or answer.card.drawn_at,
            answer.card_id,
            answer.answer == "heard",
            answer.pk,
        )
    )
    kept, counting = _kept(answers, pool, people, lambda answer: answer.card.kind)

    def row(answer: MixedAnswer) -> Row:
        who, card = people[answer.person_id], answer.card
        return {
            **_common(answer, pool, who, card.closed_at or card.drawn_at),
            "set_id": str(card.token) if who.linked else "",
            "kind": card.kind,
            "position": answer.position,
            "answer": answer.answer,
            "counted": answer.pk in counting,
            "propensity": card.propensity if who.linked else None,
            "settings_version": card.version,
        }

    return _frame("mixed", campaign.settings, map(row, kept))


def statement_rows(campaign: Campaign, people: Mapping[UUID, Published]) -> pl.DataFrame:
    """Answers to the open questions of the survey, one statement (line) a row."""

    def row(answer: Statement, position: int, text: str) -> Row:
        who = people[answer.person_id]
        return {
            "row_id": str(answer.public_id),
            "position": position,
            "statement_id": f"{answer.public_id}-{position}",
            "respondent": who.respondent,
            "question": answer.question,
            "axis": answer.axis,
            "country": who.country,
            "language": answer.language,
            "text": text,
            "consent": who.consent,
            "hour": time_of(answer.created_at, who),
            **who.profile,
        }

    lines = (
        row(answer, position, text)
        for answer in Statement.objects.filter(campaign=campaign)
        if answer.person_id in people
        for position, text in enumerate(answer.text.split("\n"), start=1)
    )
    return _frame("statements", campaign.settings, lines)


def withdrawal_rows(campaign: Campaign, salt: str) -> pl.DataFrame:
    """Ids of all rows that were ever withdrawn, and keys of people in the release with this salt.

    Keys of other releases would say which rows of these are one person's.
    """
    tombstones = Tombstone.objects.filter(~Q(table="people") | Q(release__salt=salt), campaign=campaign)
    rows = ({"row_id": str(tombstone.row), "table": tombstone.table} for tombstone in tombstones)
    return _frame("withdrawals", campaign.settings, rows)


def _drawn(card: Card, who: Published, *, unmerged: bool) -> Row:
    """How a card was drawn. Nothing of people without a key: cards about their own country stand out by it."""
    if not who.linked:
        return {"tier": "", "slot": "", "propensity": None, "pool": None}
    named = unmerged or card.tier not in SHARED_TIERS
    return {
        "tier": card.tier if named else OTHER,
        # Whom it was for says how near a person is who stood in for others.
        "slot": card.slot if unmerged else "",
        "propensity": card.propensity,
        "pool": (card.pool or None) if named else None,
    }


def time_of(moment: datetime, who: Published) -> str:
    """A time to the hour, in UTC (2026-05-04T14:00Z); of people without a key the day, since few answer in one hour."""
    return f"{moment.astimezone(UTC):{'%Y-%m-%dT%H:00Z' if who.linked else '%Y-%m-%d'}}"


def _frame(table: str, settings: CampaignSettings, rows: Iterable[Row]) -> pl.DataFrame:
    # Ids are random: their order says nothing of who answered when.
    schema = schema_of(table, settings)
    return pl.DataFrame(list(rows), schema=schema).sort(list(schema)[:2])
