"""Cards that a phone has at hand for the time without a network: drawn as any card, each holding its place.

They wait behind the open card and are opened one after the other, in the order in which they were drawn. Their time is
that of an open card, and asking for them renews it; one that is answered later counts as late, as any card does.
"""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np
from django.utils import timezone

from endoxa_collect.cards.answering import lock_person
from endoxa_collect.cards.balance import View, view_of
from endoxa_collect.cards.drawing import Plan, Planning, history_of, is_shown, stored
from endoxa_collect.cards.locking import shared
from endoxa_collect.models import Card, CardState, Person
from endoxa_collect.sampler.controller import Balance

AHEAD = 10
"""Cards that wait behind the open one, at most."""
AT_ONCE = 4
"""Cards that are drawn for one request: a room of phones shall not make all draws of its first minute at once."""


def cards_ahead(
    person: Person, *, now: datetime | None = None, rng: np.random.Generator | None = None
) -> tuple[list[Card], bool]:
    """The cards before a person, the open one first, with up to `AT_ONCE` new ones; and whether more may be had.

    Raises:
        UnknownCardError: if the person has left the campaign.
    """
    now, rng = now or timezone.now(), rng or np.random.default_rng()
    waiting_cards = _renewed(person, now)
    view = view_of(person.campaign, now)
    room = min(AHEAD - len(waiting_cards), _share(view))
    drawn = 0
    while drawn < min(room, AT_ONCE) and _draw(person, view, now, rng):
        drawn += 1
    cards = Card.objects.filter(person=person, state__in=(CardState.OPEN, CardState.AHEAD))
    return list(cards.select_related("pair").order_by("-state", "number")), drawn == AT_ONCE < room


def _share(view: View) -> int:
    """How many further places one phone may hold: half of the missing ratings, shared by all who take part.

    The rest is for those who come next; and where it is about the last ratings nothing is held.
    """
    if view.balance is Balance.VALIDATE:
        return 0
    return int(view.outlook.backlog / (2 * max(1, len(view.raters))))


def _renewed(person: Person, now: datetime) -> list[Card]:
    """The cards that wait, with their time renewed; those that cannot be shown any more are given back."""
    with shared(person.campaign_id):
        settings = lock_person(person)
        waiting = Card.objects.filter(person=person, state=CardState.AHEAD)
        cards = list(waiting.select_related("pair"))
        waiting_cards = [card for card in cards if is_shown(card, now)]
        waiting.exclude(pk__in=[card.pk for card in waiting_cards]).update(state=CardState.LAPSED)
        waiting.update(expires_at=now + timedelta(minutes=settings.lease_minutes))
    return waiting_cards


def _draw(person: Person, view: View, now: datetime, rng: np.random.Generator) -> bool:
    """Draw one more, where a place is free that nobody else waits for."""
    history = history_of(person)
    planning = Planning(person, history, view, now, rng)
    for plan in planning.plans():
        if _may_wait(plan):
            with shared(person.campaign_id):
                lock_person(person)
                if history_of(person) != history:
                    return False
                if plan.take(now):
                    stored(planning, plan, person, now, CardState.AHEAD)
                    return True
    return False


def _may_wait(plan: Plan) -> bool:
    return plan.tier != "backup" and not (plan.pick is not None and plan.pick.stands_in)
