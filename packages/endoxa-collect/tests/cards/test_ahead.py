"""Cards that a phone has at hand without a network: each holds its place, as the open one does."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from endoxa_collect.cards import answering, drawing
from endoxa_collect.cards.drawing import AHEAD, cards_ahead
from endoxa_collect.cards.matching import Reservations
from endoxa_collect.models import Card, CardState, Rating
from endoxa_collect.sampler.slots import SamplerSettings

pytestmark = pytest.mark.slow

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture
def campaign(make_campaign, make_pairs):
    campaign = make_campaign(sampler=SamplerSettings(k=2, k_max=2, calibration=0, prompt_early=0))
    make_pairs(campaign, *(("AR", f"sing song {n} at noon", "es") for n in range(30)))
    return campaign


def all_ahead(person, now=NOON):
    """The cards of a phone that asks until it has all."""
    more = True
    while more:
        cards, more = cards_ahead(person, now=now)
    return cards


def test_a_phone_has_ten_cards_behind_the_open_one(campaign, person):
    first = drawing.next_card(person, now=NOON)
    cards = all_ahead(person)
    assert [card.state for card in cards] == ["open", *["ahead"] * AHEAD]
    assert cards[0] == first
    assert [card.number for card in cards] == list(range(AHEAD + 1))
    assert len({card.pair_id for card in cards}) == AHEAD + 1
    assert all(0 < card.propensity <= 1 for card in cards)
    assert cards_ahead(person, now=NOON) == (cards, False)
    # They come next in their order, each open alone.
    for card in cards[:3]:
        assert drawing.next_card(person, now=NOON) == card
        answering.rate(person, card.token, 3, now=NOON)
    assert set(Card.objects.filter(state="answered").values_list("offline", flat=True)) == {False}
    # What was answered without a network is marked.
    answering.rate(person, cards[6].token, 4, now=NOON + timedelta(hours=2))
    card = Card.objects.get(pk=cards[6].pk)
    assert (card.state, card.offline, card.late) == ("answered", True, True)
    assert Rating.objects.count() == 4


def test_each_holds_its_place_until_its_time_is_over(campaign, person, make_person):
    """Never more cards of a pair than it needs ratings, whoever holds them."""
    people = [person, *(make_person(campaign, f"person-{n}") for n in range(3))]
    for one in people:
        drawing.next_card(one, now=NOON)
        all_ahead(one)
    held = Counter(Card.objects.values_list("pair", flat=True))
    assert max(held.values()) <= 2
    assert len(Reservations(campaign, NOON).cards) == sum(held.values())
    later = NOON + timedelta(minutes=6)
    assert Reservations(campaign, later).cards == []
    again = cards_ahead(person, now=later)[0]
    # What somebody else may have by now is given back; what is still there lasts on.
    assert all(card.expires_at > later for card in again if card.state == CardState.AHEAD)


def test_nobody_holds_more_than_half_of_a_fair_share(make_campaign, make_person, make_pairs):
    campaign = make_campaign(sampler=SamplerSettings(k=2, k_max=2, calibration=0, prompt_early=0))
    make_pairs(campaign, *(("AR", f"sing song {n}", "es") for n in range(12)))
    people = [make_person(campaign, f"person-{n}") for n in range(6)]
    for one in people:
        drawing.next_card(one, now=NOON)
    for one in people:
        all_ahead(one)
    # 24 places, 6 of them open: 18 left, and half of them at most are held.
    assert 0 < Card.objects.filter(state=CardState.AHEAD).count() <= 9
