"""The next card of a person."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np
from django.db.models import Max
from django.utils import timezone

from endoxa.collect import sampler
from endoxa.collect.cards.answering import UnknownCardError
from endoxa.collect.cards.balance import balance_of
from endoxa.collect.cards.context import sampler_person
from endoxa.collect.cards.locking import locked
from endoxa.collect.cards.pool import DatabasePool
from endoxa.collect.models import Campaign, Card, CardState, Moderation, Pair, Person

PROMPT = "prompt"
"""Tier of a card that shows no pair and asks what people say about a country."""


def next_card(person: Person, *, now: datetime | None = None, rng: np.random.Generator | None = None) -> Card:
    """The card this person has open, with its time renewed, or a newly drawn and reserved one.

    A reload therefore shows the same card. One whose time is over is given back first. Where no pair can be
    shown it is a prompt card (`pair` None). A card whose pair a moderator took away is given back too.

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
        if campaign.began_at is None:
            campaign.began_at = now
            campaign.save(update_fields=["began_at"])
        return _drawn(campaign, person, now, until, rng or np.random.default_rng())


def _shown(card: Card) -> bool:
    return card.pair is None or card.pair.moderation == Moderation.LIVE


def _drawn(
    campaign: Campaign, person: Person, now: datetime, until: datetime, rng: np.random.Generator
) -> Card:
    person.campaign = campaign
    settings, balance = campaign.settings, balance_of(campaign, now)
    shares = sampler.under(balance, settings.sampler)
    drawn = sampler.draw(DatabasePool(campaign, now), sampler_person(person, now), shares, rng)
    latest = Card.objects.filter(person=person).aggregate(number=Max("number"))["number"]
    number = 0 if latest is None else latest + 1
    pair = Pair.objects.get(pk=drawn.pair) if drawn else None
    return Card.objects.create(
        campaign=campaign,
        person=person,
        pair=pair,
        country=pair.country if pair else _prompted(campaign, person, number),
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


def _prompted(campaign: Campaign, person: Person, number: int) -> str:
    """The country of a prompt card: the person's own and near ones in turn; "" lets them choose."""
    countries = [*person.origins, *person.connections] or list(campaign.settings.countries)
    return str(countries[number % len(countries)]) if countries else ""
