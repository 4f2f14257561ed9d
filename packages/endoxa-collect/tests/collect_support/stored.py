"""Rows as the site would have stored them, at a time that the test chooses."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from endoxa_collect.models import Card, CardState, Pair, Person, Rating


def stored_card(person: Person, pair: Pair, at: datetime, **fields: Any) -> Card:
    """A card of a pair that was drawn at a time, and is open for five minutes unless `fields` say otherwise."""
    return Card.objects.create(
        campaign=pair.campaign,
        person=person,
        pair=pair,
        country=pair.country,
        number=person.cards.count(),
        version=1,
        digest="",
        drawn_at=at,
        **{"tier": "own", "expires_at": at + timedelta(minutes=5), **fields},
    )


def stored_rating(person: Person, pair: Pair, value: int, at: datetime) -> None:
    """A rating by somebody from elsewhere, with its card."""
    card = stored_card(person, pair, at, state=CardState.ANSWERED, closed_at=at)
    Rating.objects.create(card=card, person=person, pair=pair, value=value, in_group=False, created_at=at)
