"""Cards of other kinds between the ratings: drawn, answered, skipped and taken back.

They show only pairs that have all their ratings and are not covered, so that nobody is told of a pair that they are to
rate later. Nothing here is a rating, and the sampler does not know of it.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection
from datetime import datetime
from uuid import UUID

import numpy as np
from django.db.models import Q, QuerySet
from django.utils import timezone

from endoxa.collect.cards.answering import UnknownCardError, drop_reports, flag_report
from endoxa.collect.cards.locking import locked
from endoxa.collect.models import (
    CLOSED,
    REPORTED,
    Campaign,
    Card,
    CardState,
    MixedAnswer,
    MixedCard,
    MixedKind,
    Moderation,
    Pair,
    Person,
    Source,
)
from endoxa.collect.sampler.types import CANDIDATE, NEEDS
from endoxa.collect.withdrawals import What, bury, noted

SHOWN = {MixedKind.HEARD: 5, MixedKind.COMPARE: 2}
"""Pairs on a card of each kind."""

CHOICES = {
    "first": ("more", "less"),
    "second": ("less", "more"),
    "same": ("same", "same"),
    "neither": ("neither", "neither"),
}
"""What a choice between two says of each of them."""


def due(campaign: Campaign, done: int) -> MixedKind | None:
    """The kind of the next card after so many; None for a rating. They are spread evenly over a set."""
    settings = campaign.settings
    every = settings.sampler.break_after
    kinds = [MixedKind.HEARD] * settings.heard_lists + [MixedKind.COMPARE] * settings.comparisons
    kinds = kinds[: every - 1]
    slots = {(place + 1) * every // (len(kinds) + 1): kind for place, kind in enumerate(kinds)}
    return slots.get(done % every)


def next_mixed(
    person: Person,
    done: int,
    *,
    now: datetime | None = None,
    rng: np.random.Generator | None = None,
    alone: bool = False,
) -> MixedCard | None:
    """The card of another kind that is open or due; None where a rating comes next.

    None too while the person has a rating open, and where no country has enough pairs that they did not meet. `alone`:
    no pair and no question is left for the person, so that lists and comparisons are due in turns.
    """
    now, rng = now or timezone.now(), rng or np.random.default_rng()
    with locked(person.campaign_id) as campaign:
        if not Person.objects.filter(pk=person.pk).exists():
            raise UnknownCardError
        if Card.objects.filter(person=person, state=CardState.OPEN, expires_at__gt=now).exists():
            return None
        card = MixedCard.objects.filter(person=person, state=CardState.OPEN).first()
        if card is not None:
            if (
                not card.answers.exclude(_fit("pair__")).exists()
                and card.answers.count() == SHOWN[_kind(card)]
            ):
                return card
            card.state = CardState.LAPSED
            card.save(update_fields=["state"])
        kind = due(campaign, done)
        wanted = [kind] if kind else _in_turns(campaign, person) if alone else []
        drawn = (_drawn(campaign, person, one, now, rng) for one in wanted)
        return next((card for card in drawn if card is not None), None)


def _in_turns(campaign: Campaign, person: Person) -> list[MixedKind]:
    """The kinds that the campaign has, the one that the person got last at the end."""
    settings = campaign.settings
    wanted = {MixedKind.HEARD: settings.heard_lists, MixedKind.COMPARE: settings.comparisons}
    latest = MixedCard.objects.filter(person=person).order_by("-drawn_at", "-pk").first()
    last = _kind(latest) if latest else None
    return sorted((kind for kind, number in wanted.items() if number), key=lambda kind: kind == last)


def _kind(card: MixedCard) -> MixedKind:
    return MixedKind(card.kind)


def _fit(prefix: str = "") -> Q:
    """Live pairs that are shown uncovered: not unkind, not flagged, and judged or an organiser's own."""
    kind = Q(**{f"{prefix}negative": False}) | Q(
        **{f"{prefix}negative__isnull": True, f"{prefix}source": Source.SEED}
    )
    return Q(**{f"{prefix}moderation": Moderation.LIVE, f"{prefix}flagged": False}) & kind


def _drawn(
    campaign: Campaign, person: Person, kind: MixedKind, now: datetime, rng: np.random.Generator
) -> MixedCard | None:
    """Draw a country with equal chances among those with enough pairs, then its pairs with equal chances."""
    size = SHOWN[kind]
    pools = {country: found for country, found in _pools(campaign, person).items() if len(found) >= size}
    if not pools:
        return None
    country = str(rng.choice(sorted(pools)))
    pool = pools[country]
    card = MixedCard.objects.create(
        campaign=campaign,
        person=person,
        kind=kind,
        country=country,
        pool=len(pool),
        propensity=size / len(pool) / len(pools),
        version=campaign.version,
        drawn_at=now,
    )
    MixedAnswer.objects.bulk_create(
        MixedAnswer(card=card, person=person, pair_id=int(pair), position=place)
        for place, pair in enumerate(rng.choice(pool, size, replace=False))
    )
    return card


def _pools(campaign: Campaign, person: Person) -> dict[str, list[int]]:
    """Ids of the pairs that the person can be shown, by country: their own and near ones, where they named any."""
    languages = person.languages or list(campaign.settings.data_languages)
    found = Pair.objects.filter(_fit(), campaign=campaign, language__in=languages).exclude(
        need__in=(NEEDS, CANDIDATE)
    )
    if named := [*person.origins, *person.connections]:
        found = found.filter(country__in=named)
    if person.topic_optouts:
        found = found.exclude(topic__in=person.topic_optouts)
    met = _met(person)
    pools: dict[str, list[int]] = {}
    for pk, country in found.order_by("pk").values_list("pk", "country"):
        if pk not in met:
            pools.setdefault(country, []).append(pk)
    return pools


def _met(person: Person) -> set[int]:
    """Pairs that the person saw or said, and what those were merged into."""
    rows: list[QuerySet[Card] | QuerySet[MixedAnswer]] = [
        Card.objects.filter(person=person, pair__isnull=False),
        MixedAnswer.objects.filter(person=person).exclude(card__state=CardState.LAPSED),
    ]
    met: set[int] = set()
    for query in (*rows, person.mentions.all()):
        for pk, into in query.values_list("pair_id", "pair__merged_into_id"):
            met |= {one for one in (pk, into) if one is not None}
    return met


def mixed_of(person: Person, token: UUID) -> MixedCard:
    """The card with this token, if it was given to this person.

    Raises:
        UnknownCardError: if it was not.
    """
    card = MixedCard.objects.filter(token=token, person=person).first()
    if card is None:
        raise UnknownCardError
    return card


def answer_heard(
    person: Person, token: UUID, heard: Collection[UUID], *, now: datetime | None = None
) -> None:
    """Keep which of the pairs the person had heard; the others they had not. A second answer changes nothing.

    Raises:
        UnknownCardError: the card was not given to this person, or asks something else.
    """
    with locked(person.campaign_id):
        card = mixed_of(person, token)
        if card.kind != MixedKind.HEARD:
            raise UnknownCardError
        said = {one.pk: "heard" if one.public_id in heard else "not_heard" for one in card.answers.all()}
        _close(card, said, now)


def answer_comparison(person: Person, token: UUID, choice: str, *, now: datetime | None = None) -> None:
    """Keep which of two pairs is said more: one of `CHOICES`. A second answer changes nothing.

    Raises:
        UnknownCardError: the card was not given to this person, or asks something else.
    """
    with locked(person.campaign_id):
        card = mixed_of(person, token)
        if card.kind != MixedKind.COMPARE:
            raise UnknownCardError
        both = card.answers.order_by("position")
        _close(card, dict(zip((one.pk for one in both), CHOICES[choice], strict=False)), now)


def skip_mixed(person: Person, token: UUID, reason: str, *, now: datetime | None = None) -> None:
    """Close a card without an answer.

    Raises:
        UnknownCardError: the card was not given to this person.
    """
    with locked(person.campaign_id):
        card = mixed_of(person, token)
        if card.state not in CLOSED:
            card.state, card.reason, card.closed_at = CardState.SKIPPED, reason, now or timezone.now()
            card.save(update_fields=["state", "reason", "closed_at"])


def report_one(person: Person, token: UUID, row: UUID, reason: str, *, now: datetime | None = None) -> None:
    """Put one of the pairs on a card before moderators, for one of the reasons for reports, and close the card.

    Raises:
        UnknownCardError: the card was not given to this person, or has no such row.
    """
    with locked(person.campaign_id):
        card = mixed_of(person, token)
        found = card.answers.filter(public_id=row).select_related("pair").first()
        if found is None:
            raise UnknownCardError
        if card.state in CLOSED:
            return
        card.state, card.reason, card.closed_at = CardState.SKIPPED, reason, now or timezone.now()
        card.save(update_fields=["state", "reason", "closed_at"])
        found.answer = REPORTED
        found.save(update_fields=["answer"])
        flag_report(found.pair, reason)


def _close(card: MixedCard, said: dict[int, str], now: datetime | None) -> None:
    if card.state in CLOSED:
        return
    for pk, answer in said.items():
        MixedAnswer.objects.filter(pk=pk).update(answer=answer)
    card.state, card.closed_at = CardState.ANSWERED, now or timezone.now()
    card.save(update_fields=["state", "closed_at"])


def undo_mixed(person: Person, token: UUID) -> None:
    """Take back the person's latest answer, if it was to this card, and show the card again.

    Raises:
        UnknownCardError: the card was not given to this person.
    """
    with locked(person.campaign_id) as campaign:
        card = mixed_of(person, token)
        if card.state not in CLOSED or newest(latest_card(person), person) != card:
            return
        Card.objects.filter(person=person, state=CardState.OPEN).update(state=CardState.LAPSED)
        MixedCard.objects.filter(person=person, state=CardState.OPEN).update(state=CardState.LAPSED)
        with noted(campaign, What.ANSWER):
            if campaign.releases.perhaps_out().exists():
                bury_mixed(campaign, card.answers.all(), timezone.now())
        reported = [one.pair for one in card.answers.filter(answer=REPORTED).select_related("pair")]
        for one in card.answers.all():
            # What is answered now is another row than the one that was taken back.
            one.answer, one.public_id = "", uuid.uuid4()
            one.save(update_fields=["answer", "public_id"])
        card.state, card.reason, card.closed_at = CardState.OPEN, "", None
        card.save(update_fields=["state", "reason", "closed_at"])
        drop_reports(reported)


def bury_mixed(campaign: Campaign, rows: QuerySet[MixedAnswer], now: datetime) -> int:
    """Leave a tombstone for each answer that an export may hold; how many there are."""
    return bury(campaign, "mixed", rows.exclude(answer="").values_list("public_id", flat=True), now)


def latest_card(person: Person) -> Card | None:
    """The latest card with a rating or a skip."""
    return Card.objects.filter(person=person, state__in=CLOSED).order_by("-closed_at", "-number").first()


def newest(card: Card | None, person: Person) -> Card | MixedCard | None:
    """What the person answered last: this card, or a later one of another kind."""
    mixed = MixedCard.objects.filter(person=person, state__in=CLOSED).order_by("-closed_at").first()
    if card is None or mixed is None:
        return card or mixed
    assert card.closed_at is not None
    assert mixed.closed_at is not None
    return mixed if mixed.closed_at > card.closed_at else card
