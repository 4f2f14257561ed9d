"""What a person added to a card so far, for the card to show."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import get_language

from endoxa.collect import geography
from endoxa.collect.models import Card, Moderation, Via


@dataclass(frozen=True)
class Said:
    """One thing that was added: words, "" where only a country was ticked; the country, "" where it is the card's.

    `waits` says that others will see it after a check.
    """

    text: str
    language: str
    country: str
    waits: bool


def said_on(card: Card) -> tuple[Said, ...]:
    """All that the person added to a card, oldest first."""
    page = get_language() or "en"
    return tuple(
        Said(
            text="" if mention.via == Via.OTHER_COUNTRY else mention.text,
            language=mention.pair.language,
            country=""
            if mention.pair.country == card.country
            else geography.name(mention.pair.country, page),
            waits=mention.pair.moderation == Moderation.PENDING,
        )
        for mention in card.mention_rows.select_related("pair").order_by("pk")
    )
