"""The next card of a person: what was planned is taken where it still holds, and stored."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import numpy as np
from django.utils import timezone

from endoxa_collect.cards import matching
from endoxa_collect.cards.answering import lock_person
from endoxa_collect.cards.balance import View, view_of
from endoxa_collect.cards.candidates import admit
from endoxa_collect.cards.covers import at_draw
from endoxa_collect.cards.locking import locked, shared
from endoxa_collect.cards.planning import Past, Plan, Planning, history_of
from endoxa_collect.models import Campaign, Card, CardState, Match, Moderation, Person

_FRESH = 1 / 3
"""A card whose words are opened, or that is loaded again, is shown without a change within this part of its time."""


def next_card(
    person: Person, *, now: datetime | None = None, rng: np.random.Generator | None = None
) -> Card | None:
    """The card this person has open, with its time renewed, or a newly drawn and reserved one.

    A reload therefore shows the same card. One whose time is over is given back first. Where no pair can be
    shown it is a prompt card (`pair` None), once for each country in `SESSION`, and None after that: all is done for
    now. A card whose pair a moderator took away is given back too.

    Every few seconds somebody's request lets pairs pick raters for all (`matching`), so that a pair mostly waits for
    the person when they come. What comes next is read before anything is locked, and then taken where it still holds.

    Raises:
        UnknownCardError: if the person has left the campaign, unless nothing was left for them.
    """
    now, rng = now or timezone.now(), rng or np.random.default_rng()
    history = history_of(person)
    if (card := _just_renewed(person, history, now)) is not None:
        return card
    view = view_of(person.campaign, now)
    if matching.is_due(person.campaign, now):
        _round(person.campaign, view, now, rng)
    plan = None
    if not any(card.state == CardState.OPEN for card in history):
        planning = Planning(person, history, view, now, rng)
        for plan in planning.plans():
            with shared(person.campaign_id):
                lock_person(person)
                if history_of(person) != history:
                    # Another window of the same person was here in between.
                    break
                if plan.take(now):
                    return _stored(planning, plan, person, now)
        if plan is None and history_of(person) == history:
            return None
    return _alone(person, view, now, rng)


def _round(campaign: Campaign, view: View, now: datetime, rng: np.random.Generator) -> None:
    """Let pairs pick raters for all, unless another process did a moment ago."""
    with locked(campaign.pk) as current:
        if matching.is_due(current, now):
            admit(current, view.outlook.room)
            matching.match_all(current, view, now, rng)


def _alone(person: Person, view: View, now: datetime, rng: np.random.Generator) -> Card | None:
    """The card that is open, with its time renewed, or a new one, drawn while nobody else draws or answers."""
    with locked(person.campaign_id) as campaign:
        lock_person(person)
        person.campaign = campaign
        opened = Card.objects.filter(person=person, state=CardState.OPEN).select_related("pair").first()
        if opened is not None and _renewed(opened, now, campaign):
            return opened
        planning = Planning(person, history_of(person), view, now, rng)
        plan = next(planning.waiting_or_picked(), None)
        return _stored(planning, plan, person, now) if plan and plan.take(now) else None


def _just_renewed(person: Person, history: Sequence[Past], now: datetime) -> Card | None:
    """The open card, where it can be shown and little of its time is over (`_FRESH`): nothing is written then."""
    lasts = (1 - _FRESH) * timedelta(minutes=person.campaign.settings.lease_minutes)
    fresh = [past.id for past in history if past.state == CardState.OPEN and past.expires_at > now + lasts]
    if not fresh:
        return None
    card = Card.objects.filter(pk=fresh[0], state=CardState.OPEN).select_related("pair").first()
    return card if card is not None and _shown(card, now) else None


def _renewed(card: Card, now: datetime, campaign: Campaign) -> bool:
    """Renew the time of an open card; where it cannot be shown it is given back (False)."""
    if not _shown(card, now):
        card.state = CardState.LAPSED
        card.save(update_fields=["state"])
        return False
    card.expires_at = now + timedelta(minutes=campaign.settings.lease_minutes)
    card.save(update_fields=["expires_at"])
    return True


def _shown(card: Card, now: datetime) -> bool:
    return card.expires_at > now and (card.pair is None or card.pair.moderation == Moderation.LIVE)


def _stored(planning: Planning, plan: Plan, person: Person, now: datetime) -> Card:
    """The card of a plan that was taken."""
    pair, match, campaign = plan.pair, plan.match, person.campaign
    if plan.pick or not (plan.keeps or match):
        # What waited for them and does not come is for others.
        earlier = Match.objects.filter(person=person).select_for_update(skip_locked=True)
        # Not that which somebody who stands in is taking away in this moment.
        Match.objects.filter(pk__in=earlier.values("pk")).delete()
    return Card.objects.create(
        campaign=campaign,
        person=person,
        pair=pair,
        country=plan.country,
        topic=plan.topic,
        negative=bool(pair and pair.negative),
        number=planning.number,
        tier=plan.tier,
        slot=match.slot if match else "",
        propensity=match.propensity if match else None,
        pool=match.pool if match else 0,
        version=campaign.version,
        digest=campaign.settings.digest(),
        adds=plan.words or plan.ticks,
        words=plan.words,
        ticks=plan.ticks,
        revealed=at_draw(pair),
        drawn_at=now,
        expires_at=now + timedelta(minutes=campaign.settings.lease_minutes),
    )
