"""What people hear back, on which page: at the pause, of pairs that they rated, in their words; never on a card."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from collect_support.stored import stored_rating
from endoxa_collect.cards import answering, drawing
from endoxa_collect.contributor.progress import recognised
from endoxa_collect.models import Card, Mention, Via

pytestmark = pytest.mark.slow

TEN = "Ten people or more know this one too."


@pytest.fixture
def pairs(campaign, make_pairs):
    return make_pairs(campaign, *(("AR", f"sing song {n}", "en") for n in range(20)), negative=False)


@pytest.fixture
def wave(campaign, pairs, make_person):
    """A wave in which ten people know every pair."""
    for number in range(10):
        who = make_person(campaign, f"other {number}")
        for pair in pairs:
            stored_rating(who, pair, 4, timezone.now())
    begin(campaign)


def begin(campaign):
    campaign.began_at = timezone.now()
    campaign.save()


def answer(person, value=4):
    """Draw a card and rate it; its words."""
    card = drawing.next_card(person)
    answering.rate(person, card.token, value)
    Card.objects.filter(pk=card.pk).update(adds=False)
    return card.pair.attribute


@pytest.mark.usefixtures("wave")
def test_the_pause_quotes_what_it_is_about(person, as_person):
    phone = as_person(person)
    never = answer(person, 1)
    said = [answer(person) for _ in range(5)]
    page = phone.get("/pause/").content.decode()
    told = page.split("Your last cards")[1].split("</section>")[0]
    # Three lines; not the latest answer, which can still be taken back, nor what the person had not heard.
    assert told.count(TEN) == 3
    assert {words for words in (never, *said) if f">{words}<" in told} == set(said[1:4])
    # Nor those before an earlier pause.
    for _ in range(person.campaign.settings.sampler.break_after + 1):
        answer(person, 1)
    page = phone.get("/pause/").content.decode()
    assert not [words for words in said if f">{words}<" in page]


def test_only_who_recognised_it_after_it_was_added_counts(campaign, person, pairs, make_person):
    pair, now = pairs[0], timezone.now()
    for number in range(5):
        stored_rating(make_person(campaign, f"before {number}"), pair, 4, now - timedelta(minutes=9))
    added = Mention.objects.create(person=person, pair=pair, text="sing", via=Via.PROMPT)
    Mention.objects.filter(pk=added.pk).update(created_at=now - timedelta(minutes=5))
    begin(campaign)
    assert recognised(person) == 0
    for number in range(3):
        stored_rating(make_person(campaign, f"after {number}"), pair, 4, now - timedelta(minutes=1))
    assert recognised(person) == 3
    # Not those since the wave began, nor who had not heard it.
    for number in range(9):
        stored_rating(make_person(campaign, f"late {number}"), pair, 4, now + timedelta(minutes=1))
        stored_rating(make_person(campaign, f"never {number}"), pair, 1, now - timedelta(minutes=1))
    assert recognised(person) == 3
    # Nor what they rated themselves since.
    stored_rating(person, pair, 4, now - timedelta(minutes=1))
    assert recognised(person) == 0
