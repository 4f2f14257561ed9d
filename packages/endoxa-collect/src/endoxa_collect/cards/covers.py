"""Covers over words that may hurt: who has seen them, and what people say of them afterwards."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.utils import timezone

from endoxa_collect.cards.counts import family, recount, root_of
from endoxa_collect.cards.locking import locked
from endoxa_collect.models import Card, CardState, HurtAnswer, Pair, Person, Revealed


class CoveredError(Exception):
    """A card cannot be rated while its words are covered."""


def at_draw(pair: Pair | None) -> str:
    """How a new card stands; "" where it shows no words."""
    if pair is None:
        return ""
    return Revealed.COVERED if pair.may_hurt else Revealed.SHOWN


def visible(card: Card, *, lifted: bool) -> bool:
    """Whether the page of a card shows the words of its pair. `lifted`: this browser shows all words at once."""
    assert card.pair is not None
    return lifted or card.revealed == Revealed.REVEALED or not card.pair.may_hurt


def when_answered(card: Card, *, lifted: bool) -> str:
    """Whether the words are visible when a card is answered now (`models.Revealed`); "" where it shows none.

    What was on the page without a cover counts as shown, also where the pair was reported since.
    """
    if card.pair is None or card.revealed in {Revealed.SHOWN, Revealed.REVEALED}:
        return card.revealed
    if not card.pair.may_hurt:
        return Revealed.SHOWN
    return Revealed.REVEALED if lifted else Revealed.COVERED


def reveal(person: Person, token: UUID) -> None:
    """Show the words of a person's open card from now on; nothing happens where they are not covered."""
    with locked(person.campaign_id):
        card = Card.objects.filter(token=token, person=person, state=CardState.OPEN).select_related("pair")
        current = card.first()
        if current is not None and current.pair is not None and current.pair.may_hurt:
            current.revealed = Revealed.REVEALED
            current.save(update_fields=["revealed"])


def asks(card: Card) -> bool:
    """Whether the person is asked if the words of a card could hurt: they opened and rated what nobody judged."""
    if card.pair is None or card.state != CardState.ANSWERED or card.revealed != Revealed.REVEALED:
        return False
    root = root_of(card.pair)
    if not (card.pair.unjudged and root.unjudged):
        return False
    return not HurtAnswer.objects.filter(person=card.person_id, pair__in=family(root)).exists()


def answer(person: Person, card: Card, hurts: str, *, now: datetime | None = None) -> bool:
    """Keep what a person says of a card they were asked about (`models.Hurts`); False where they were not asked."""
    with locked(person.campaign_id) as campaign:
        current = Card.objects.filter(pk=card.pk, person=person).select_related("pair").first()
        if current is None or current.pair is None or not asks(current):
            return False
        HurtAnswer.objects.create(
            card=current, person=person, pair=current.pair, answer=hurts, created_at=now or timezone.now()
        )
        recount(campaign, [current.pair])
        return True
