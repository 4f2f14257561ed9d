"""The next card of a person, and what the sampler must know about them."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta

import numpy as np
from django.db.models import F, Max
from django.utils import timezone

from endoxa.collect import geography, sampler
from endoxa.collect.cards.answering import UnknownCardError
from endoxa.collect.cards.balance import balance_of
from endoxa.collect.cards.locking import locked
from endoxa.collect.cards.pool import DatabasePool, cell_of
from endoxa.collect.models import CLOSED, Campaign, Card, CardState, Mention, Moderation, Pair, Person
from endoxa.collect.sampler import Cell
from endoxa.collect.sampler.types import NEEDS

_CELL = ("country", "language", "need", "negative")
_PAIR = ("id", "moderation", "topic", "merged_into_id", *_CELL)

SESSION = timedelta(hours=6)
"""Time within which nobody is asked the same open question again."""

PROMPT = "prompt"
"""Tier of a card that shows no pair and asks what people say about a country."""


def sampler_person(person: Person, now: datetime) -> sampler.Person:
    """The person as the sampler sees them at this moment."""
    settings = person.campaign.settings
    origins = frozenset(person.origins)
    reserved, full = _reserved(person, now)
    return sampler.Person(
        origins=origins,
        near=geography.near(origins, frozenset(person.connections)),
        languages=frozenset(person.languages or settings.data_languages),
        excluded=_own(person),
        full=full,
        reserved=reserved,
        no_topics=frozenset(person.topic_optouts),
        last=_latest(person, max(settings.sampler.in_a_row, settings.sampler.negative_in_a_row)),
    )


def _own(person: Person) -> dict[int, Cell]:
    """Live pairs this person answered, skipped or proposed, and what those were merged into.

    Others are in no pool and so cannot be taken out of its sizes; nor are those of topics the person does not want.
    """
    answered = Card.objects.filter(person=person, state__in=CLOSED, pair__isnull=False)
    proposed = Mention.objects.filter(person=person)
    through = [f"pair__{name}" for name in _PAIR]
    rows = [*answered.values_list(*through), *proposed.values_list(*through)]
    own: dict[int, Cell] = {}
    while rows:
        own.update(
            {pk: cell_of(*cell) for pk, state, topic, _, *cell in rows if _wanted(person, state, topic)}
        )
        further = {into for _, _, _, into, *_ in rows if into is not None}
        rows = list(Pair.objects.filter(pk__in=further).values_list(*_PAIR)) if further else []
    return own


def _wanted(person: Person, moderation: str, topic: str) -> bool:
    return moderation == Moderation.LIVE and (not topic or topic not in person.topic_optouts)


def _reserved(person: Person, now: datetime) -> tuple[dict[int, int], dict[int, Cell]]:
    """Live leases of others by pair, and the pairs that they fill up to what is needed."""
    settings = person.campaign.settings.sampler
    leases = Card.objects.filter(
        campaign=person.campaign_id,
        state=CardState.OPEN,
        expires_at__gt=now,
        pair__moderation=Moderation.LIVE,
    ).exclude(person=person)
    fields = (*(f"pair__{name}" for name in _CELL), "pair__ratings", "pair__topic")
    reserved: Counter[int] = Counter()
    cells: dict[int, tuple[Cell, int]] = {}
    for pair, *cell, ratings, topic in leases.values_list(F("pair_id"), *fields):
        if not _wanted(person, Moderation.LIVE, topic):
            continue
        reserved[pair] += 1
        cells[pair] = cell_of(*cell), ratings
    full = {
        pair: cell
        for pair, (cell, ratings) in cells.items()
        if ratings + reserved[pair] >= (settings.k if cell.need == NEEDS else settings.k_max)
    }
    return dict(reserved), full


def _latest(person: Person, count: int) -> tuple[tuple[str, bool], ...]:
    cards = Card.objects.filter(person=person, state__in=CLOSED).order_by("-number")
    return tuple(cards.values_list("country", "negative")[:count])


def next_card(
    person: Person, *, now: datetime | None = None, rng: np.random.Generator | None = None
) -> Card | None:
    """The card this person has open, with its time renewed, or a newly drawn and reserved one.

    A reload therefore shows the same card. One whose time is over is given back first. Where no pair can be
    shown it is a prompt card (`pair` None), once for each country in `SESSION`, and None after that: all is done for
    now. A card whose pair a moderator took away is given back too.

    Raises:
        UnknownCardError: if the person has left the campaign.
    """
    now = now or timezone.now()
    with locked(person.campaign_id) as campaign:
        if not Person.objects.filter(pk=person.pk).exists():
            raise UnknownCardError
        until = now + timedelta(minutes=campaign.settings.lease_minutes)
        card = Card.objects.filter(person=person, state=CardState.OPEN).select_related("pair").first()
        if card is not None and card.expires_at > now and _shown(card):
            card.expires_at = until
            card.save(update_fields=["expires_at"])
            return card
        if card is not None:
            card.state = CardState.LAPSED
            card.save(update_fields=["state"])
        return _drawn(campaign, person, now, until, rng or np.random.default_rng())


def _shown(card: Card) -> bool:
    return card.pair is None or card.pair.moderation == Moderation.LIVE


def _drawn(
    campaign: Campaign, person: Person, now: datetime, until: datetime, rng: np.random.Generator
) -> Card | None:
    person.campaign = campaign
    settings, balance = campaign.settings, balance_of(campaign, now)
    shares = sampler.under(balance, settings.sampler)
    asked = _to_ask(campaign, person, now)
    if asked is None:
        shares = shares.model_copy(update={"prompt": 0.0})
    drawn = sampler.draw(DatabasePool(campaign, now), sampler_person(person, now), shares, rng)
    if drawn is None and asked is None:
        return None
    latest = Card.objects.filter(person=person).aggregate(number=Max("number"))["number"]
    number = 0 if latest is None else latest + 1
    pair = Pair.objects.get(pk=drawn.pair) if drawn else None
    return Card.objects.create(
        campaign=campaign,
        person=person,
        pair=pair,
        country=pair.country if pair else asked or "",
        negative=bool(pair and pair.negative),
        number=number,
        tier=drawn.tier if drawn else PROMPT,
        weight=drawn.weight if drawn else None,
        propensity=drawn.propensity if drawn else None,
        pool=drawn.pool if drawn else 0,
        version=campaign.version,
        digest=settings.digest(),
        adds=pair is None or sampler.adds_on(balance, number),
        drawn_at=now,
        expires_at=until,
    )


def _to_ask(campaign: Campaign, person: Person, now: datetime) -> str | None:
    """The country of the next prompt card: the person's own and near ones first; "" lets them choose.

    None where each was asked about, answered or not, within `SESSION`.
    """
    countries = [*person.origins, *person.connections] or list(campaign.settings.countries) or [""]
    asked = set(
        Card.objects.filter(
            person=person, pair=None, tier=PROMPT, closed_at__isnull=False, drawn_at__gt=now - SESSION
        ).values_list("country", flat=True)
    )
    return next((country for country in countries if country not in asked), None)
