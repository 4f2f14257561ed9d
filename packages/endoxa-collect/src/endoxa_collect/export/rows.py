"""Rows of the exported tables, read from the database and reduced to the declared columns."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Set
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar
from uuid import UUID

import polars as pl
from django.db.models import Q, QuerySet

from endoxa_collect import geography
from endoxa_collect.campaign import CampaignSettings
from endoxa_collect.export.columns import OTHER, POLARITIES, SHARED_TIERS, schema_of
from endoxa_collect.export.people import Published
from endoxa_collect.export.pool import Pool
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
_Given = TypeVar("_Given", Rating, Mention, HurtAnswer, MixedAnswer)


@cache
def identity_of(country: str, language: str) -> str:
    """The people of a country (ISO 3166) in a language (ISO 639); in English where the language is not known here."""
    known = _people()
    spoken = language if language in known else "en"
    return known[spoken].format(
        country=geography.name(country, spoken), from_country=geography.from_country(country, spoken)
    )


@cache
def _people() -> dict[str, str]:
    text = files("endoxa_collect.export").joinpath("identities.toml").read_text(encoding="utf-8")
    return dict(tomllib.loads(text)["people"])


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
                "identity": identity_of(pair.country, pair.language),
                "attribute": pair.attribute,
                "axis": "nationality",
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
        ),
    )


def rating_rows(
    campaign: Campaign, pool: Pool, people: Mapping[UUID, Published], *, whole: bool = False
) -> pl.DataFrame:
    """Ratings of exported pairs. The latest of a person counts where pairs were merged, as in `cards.counts`.

    Earlier ones of people without a key are left out: nobody could see what they belong to.
    """
    given = Rating.objects.filter(person__campaign=campaign).order_by("created_at", "pk")
    kept, counting = _kept(given.select_related("card", "pair"), pool, people)

    def row(rating: Rating) -> Row:
        who, card = people[rating.person_id], rating.card
        return {
            "row_id": str(rating.public_id),
            "association_id": str(pool.roots[rating.pair_id]),
            "shown_id": str(pool.names[rating.pair_id]),
            "rater": who.rater,
            "value": rating.value,
            "in_group": who.is_from(rating.pair.country),
            "counted": rating.pk in counting,
            "prompted": True,
            **_drawn(card, who, whole=whole),
            "revealed": card.revealed,
            "late": card.late,
            "surplus": rating.surplus,
            "settings_version": card.version,
            "settings_digest": card.digest,
            "consent": who.consent,
            "hour": time_of(rating.created_at, who),
        }

    return _frame("ratings", campaign.settings, map(row, kept))


def mention_rows(campaign: Campaign, pool: Pool, people: Mapping[UUID, Published]) -> pl.DataFrame:
    """Unprompted mentions of exported pairs. The first of a person counts where pairs were merged.

    Later ones of people without a key are left out, as with ratings.
    """
    said = Mention.objects.filter(person__campaign=campaign).order_by("-created_at", "-pk")
    kept, counting = _kept(said.select_related("pair"), pool, people)

    def row(mention: Mention) -> Row:
        who = people[mention.person_id]
        asked = mention.alike_to_id in pool.roots
        return {
            "row_id": str(mention.public_id),
            "association_id": str(pool.roots[mention.pair_id]),
            "said_id": str(pool.names[mention.pair_id]),
            "rater": who.rater,
            "text": mention.text,
            "language": mention.pair.language,
            "via": mention.via,
            "counted": mention.pk in counting,
            "prompted": False,
            "asked_same_as": str(pool.names[mention.alike_to_id]) if asked and mention.alike_to_id else "",
            "same": mention.alike if asked else None,
            "consent": who.consent,
            "hour": time_of(mention.created_at, who),
        }

    return _frame("mentions", campaign.settings, map(row, kept))


def _kept(
    given: Iterable[_Given],
    pool: Pool,
    people: Mapping[UUID, Published],
    kind: Callable[[_Given], str] = lambda _: "",
) -> tuple[list[_Given], Set[int]]:
    """Answers that are exported, and the ids of those that count: the last of each person about a pair and of a kind.

    Others of people without a key are left out: nobody could see what they belong to.
    """
    found = [one for one in given if one.pair_id in pool.roots]
    last = {(one.person_id, pool.roots[one.pair_id], kind(one)): one.pk for one in found}
    counting = set(last.values())
    return [one for one in found if one.pk in counting or people[one.person_id].linked], counting


def skip_rows(campaign: Campaign, pool: Pool, people: Mapping[UUID, Published]) -> pl.DataFrame:
    """Cards that were not answered; of pairs, those that are exported."""

    def row(skip: Skip) -> Row:
        who = people[skip.person_id]
        return {
            "row_id": str(skip.public_id),
            "association_id": str(pool.roots[skip.pair_id]) if skip.pair_id else "",
            "shown_id": str(pool.names[skip.pair_id]) if skip.pair_id else "",
            "rater": who.rater,
            "reason": skip.reason,
            "revealed": skip.card.revealed,
            "propensity": skip.card.propensity if who.linked else None,
            "consent": who.consent,
            "hour": time_of(skip.created_at, who),
        }

    found = Skip.objects.filter(person__campaign=campaign).select_related("card")
    shown = (skip for skip in found if skip.pair_id is None or skip.pair_id in pool.roots)
    return _frame("skips", campaign.settings, map(row, shown))


def hurt_rows(campaign: Campaign, pool: Pool, people: Mapping[UUID, Published]) -> pl.DataFrame:
    """What people said of exported pairs that nobody had judged.

    Of people without a key only the latest about each pair, as with ratings.
    """
    said = HurtAnswer.objects.filter(person__campaign=campaign).order_by("created_at", "pk")
    kept, _ = _kept(said, pool, people)

    def row(given: HurtAnswer) -> Row:
        who = people[given.person_id]
        return {
            "row_id": str(given.public_id),
            "association_id": str(pool.roots[given.pair_id]),
            "shown_id": str(pool.names[given.pair_id]),
            "rater": who.rater,
            "answer": given.answer,
            "consent": who.consent,
            "hour": time_of(given.created_at, who),
        }

    return _frame("hurt_answers", campaign.settings, map(row, kept))


def mixed_given(campaign: Campaign) -> QuerySet[MixedAnswer]:
    """What lists and comparisons say of pairs; reports are no answers."""
    answered = MixedAnswer.objects.filter(person__campaign=campaign, card__state=CardState.ANSWERED)
    return answered.exclude(answer="")


def mixed_rows(campaign: Campaign, pool: Pool, people: Mapping[UUID, Published]) -> pl.DataFrame:
    """What lists and comparisons say of exported pairs. The latest answer of a person to a kind counts.

    Earlier ones of people without a key are left out, as with ratings. Where pairs of one list are one by now, a tick
    at any of them counts. A comparison is left out unless both its pairs are exported, as two pairs.
    """
    found = [one for one in mixed_given(campaign).select_related("card") if one.pair_id in pool.roots]
    sides: defaultdict[int, set[UUID]] = defaultdict(set)
    for one in found:
        sides[one.card_id].add(pool.roots[one.pair_id])
    found = [one for one in found if one.card.kind != MixedKind.COMPARE or len(sides[one.card_id]) == 2]
    # Within a card what was ticked comes last, so that it is what counts.
    found.sort(
        key=lambda one: (one.card.closed_at or one.card.drawn_at, one.card_id, one.answer == "heard", one.pk)
    )
    kept, counting = _kept(found, pool, people, lambda one: one.card.kind)

    def row(one: MixedAnswer) -> Row:
        who, card = people[one.person_id], one.card
        return {
            "row_id": str(one.public_id),
            "association_id": str(pool.roots[one.pair_id]),
            "shown_id": str(pool.names[one.pair_id]),
            "set_id": str(card.token) if who.linked else "",
            "rater": who.rater,
            "kind": card.kind,
            "position": one.position,
            "answer": one.answer,
            "counted": one.pk in counting,
            "propensity": card.propensity if who.linked else None,
            "settings_version": card.version,
            "consent": who.consent,
            "hour": time_of(card.closed_at or card.drawn_at, who),
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
        for position, text in enumerate(answer.text.split("\n"), start=1)
    )
    return _frame("statements", campaign.settings, lines)


def withdrawal_rows(campaign: Campaign, salt: str | None) -> pl.DataFrame:
    """Ids of all rows that were ever withdrawn, and keys of people in the release with this salt (without one, all).

    Keys of other releases would say which rows of these are one person's.
    """
    found = Tombstone.objects.filter(campaign=campaign)
    if salt is not None:
        found = found.filter(~Q(table="people") | Q(release__salt=salt))
    rows = ({"row_id": str(one.row), "table": one.table} for one in found)
    return _frame("withdrawals", campaign.settings, rows)


def _drawn(card: Card, who: Published, *, whole: bool) -> Row:
    """How a card was drawn. Nothing of people without a key: cards about their own country stand out by it."""
    if not who.linked:
        return {"tier": "", "slot": "", "propensity": None, "pool": None}
    named = whole or card.tier not in SHARED_TIERS
    return {
        "tier": card.tier if named else OTHER,
        # Whom it was for says how near a person is who stood in for others.
        "slot": card.slot if whole else "",
        "propensity": card.propensity,
        "pool": (card.pool or None) if named else None,
    }


def time_of(moment: datetime, who: Published) -> str:
    """A time to the hour; of people without a key the day, since few answer within one hour."""
    return hour_of(moment) if who.linked else f"{moment.astimezone(UTC):%Y-%m-%d}"


def hour_of(moment: datetime) -> str:
    """A time to the hour, in UTC: 2026-05-04T14:00Z."""
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:00Z}"


def _frame(table: str, settings: CampaignSettings, rows: Iterable[Row]) -> pl.DataFrame:
    # Ids are random: their order says nothing of who answered when.
    schema = schema_of(table, settings)
    return pl.DataFrame(list(rows), schema=schema).sort(list(schema)[:2])
