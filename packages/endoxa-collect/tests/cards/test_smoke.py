"""The heart beats: a card is drawn, answered, and drawn no more."""

from __future__ import annotations

from endoxa_collect.cards import answering, drawing
from endoxa_collect.models import Pair


def test_a_card_is_drawn_answered_and_not_drawn_again(campaign, person, make_pairs):
    make_pairs(campaign, ("AR", "drink mate", "es"), ("CL", "love poetry", "en"))
    seen = set()
    for _ in range(2):
        card = drawing.next_card(person)
        assert drawing.next_card(person) == card
        answering.rate(person, card.token, 4)
        seen.add(card.pair_id)
    assert seen == set(Pair.objects.values_list("pk", flat=True))
    assert drawing.next_card(person).pair is None
