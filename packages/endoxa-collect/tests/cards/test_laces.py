"""The rule of LACES (section 3.2): a pair at random, near countries first; an open card is a lease."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

import numpy as np
import pytest

from endoxa_collect.cards import answering, drawing
from endoxa_collect.cards.balance import outlook_of
from endoxa_collect.models import Match

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
LACES = {"rule": "laces"}


@pytest.mark.slow
def test_pairs_of_own_and_near_countries_come_first_each_as_likely(make_campaign, make_person, make_pairs):
    campaign = make_campaign(sampler={**LACES, "k": 50, "k_max": 50})
    near = make_pairs(
        campaign, ("AR", "drink mate", "es"), ("CL", "love poetry", "es"), ("UY", "are calm", "en")
    )
    make_pairs(campaign, ("JP", "are polite", "en"), ("AR", "speak fast", "pt"))
    rng = np.random.default_rng(3)
    people = [make_person(campaign, f"p{n}", origins=["AR"]) for n in range(45)]
    cards = [drawing.next_card(person, now=NOON, rng=rng) for person in people]
    drawn = Counter(card.pair for card in cards)
    assert set(drawn) == set(near)
    assert min(drawn.values()) >= 8
    assert not Match.objects.exists()


def test_pairs_with_k_ratings_come_when_no_others_are_left(make_campaign, make_person, make_pairs):
    campaign = make_campaign(sampler={**LACES, "k": 1, "k_max": 3})
    own, far = make_pairs(campaign, ("AR", "drink mate", "es"), ("JP", "are polite", "en"))
    first, second = make_person(campaign, "first"), make_person(campaign, "second")
    card = drawing.next_card(first, now=NOON)
    assert card.pair == own
    answering.rate(first, card.token, 4, now=NOON)
    assert outlook_of(campaign, NOON).backlog == 1
    card = drawing.next_card(second, now=NOON)
    assert card.pair == far
    answering.rate(second, card.token, 2, now=NOON)
    assert drawing.next_card(second, now=NOON).pair == own
