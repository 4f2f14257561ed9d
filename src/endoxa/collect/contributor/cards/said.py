"""What a person added to a card so far, for the card to show."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import get_language

from endoxa.collect import geography
from endoxa.collect.models import Card, Mention, Moderation, Via


@dataclass(frozen=True)
class Said:
    """One thing that was added: words, "" where only a country was ticked; the country, "" where it is the card's."""

    text: str
    language: str
    country: str


@dataclass(frozen=True)
class SaidOnCard:
    """All that a person added to a card, oldest first. `waits`: others will see some of it after a check only."""

    all: tuple[Said, ...]
    waits: bool


def said_on(card: Card) -> SaidOnCard:
    """Read what the person added to a card."""
    mentions = card.mention_rows.select_related("pair").order_by("pk")
    waits = any(mention.pair.moderation == Moderation.PENDING for mention in mentions)
    return SaidOnCard(tuple(_said(card, mention) for mention in mentions), waits)


def _said(card: Card, mention: Mention) -> Said:
    pair = mention.pair
    return Said(
        text="" if mention.via == Via.OTHER_COUNTRY else mention.text,
        language=pair.language,
        country="" if pair.country == card.country else geography.name(pair.country, get_language() or "en"),
    )
