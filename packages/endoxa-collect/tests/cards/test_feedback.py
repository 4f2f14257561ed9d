"""What is told at a pause: only of three people or more, of answers before the wave, and no draw knows of it."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import numpy as np
import pytest
from django.utils import timezone

from collect_support.stored import stored_card
from endoxa_collect.cards import answering, balance, drawing
from endoxa_collect.contributor import progress
from endoxa_collect.models import Moderation, Pair, Person, Rating
from endoxa_collect.privacy import withdraw

pytestmark = pytest.mark.slow


@pytest.fixture
def pair(campaign, make_pairs):
    return make_pairs(campaign, ("AR", "drink mate", "en"), negative=False)[0]


@pytest.fixture
def heard(campaign, make_person):
    """A function by which so many people rate a pair."""

    def rate(pair, values):
        for value in values:
            _answered(make_person(campaign, f"{pair.pk}-{Person.objects.count()}"), pair, value)

    return rate


def _card(person, pair):
    return stored_card(person, pair, timezone.now(), propensity=0.5)


def _answered(person, pair, value=4):
    answering.rate(person, _card(person, pair).token, value)


def begin(campaign):
    """A wave begins now: what was answered before is what may be told."""
    campaign.began_at = timezone.now()


def told(person, pair, value=4):
    """What is told of a pair once this person has rated it, and something else after it."""
    _answered(person, pair, value)
    return echo(person, pair)


def echo(person, pair):
    other = Pair.objects.create(
        campaign=pair.campaign, country="CL", attribute="x", key=f"{uuid4()}", language="en"
    )
    answering.skip(person, _card(person, other).token, "dont_know")
    return dict(progress.echoes(person)).get(pair)


@pytest.mark.parametrize(
    ("values", "known"),
    [((2, 5, 1, 1), None), ((2, 3, 4), 3), ((4,) * 9, 3), ((4,) * 10, 10)],
)
def test_it_needs_three_people_and_is_coarse(campaign, person, pair, heard, values, known):
    heard(pair, values)
    begin(campaign)
    assert told(person, pair) == known


def test_only_answers_from_before_the_wave_count(campaign, person, make_person, pair, heard, monkeypatch):
    heard(pair, (4, 4, 4))
    begin(campaign)
    heard(pair, (4,) * 8)
    assert told(person, pair) == 3
    # A quarter of an hour later, in the next wave, a card that is drawn then.
    now = timezone.now
    monkeypatch.setattr(timezone, "now", lambda: now() + timedelta(minutes=16))
    assert progress.wave_of(campaign) == campaign.began_at + timedelta(minutes=15)
    assert progress.echoes(person) == []
    assert told(make_person(campaign, "later"), pair) == 10


def test_who_leaves_or_is_set_aside_is_not_counted(campaign, person, pair, heard):
    heard(pair, (4,) * 4)
    begin(campaign)
    assert told(person, pair) == 3
    withdraw(Person.objects.exclude(pk=person.pk).first())
    assert dict(progress.echoes(person)) == {pair: 3}
    Person.objects.filter(pk=Person.objects.exclude(pk=person.pk).first().pk).update(aside=True)
    assert progress.echoes(person) == []


def test_nothing_of_hidden_pairs_nor_of_what_they_had_not_heard(campaign, person, make_person, pair, heard):
    heard(pair, (4, 4, 4))
    # Somebody who answered before the wave, and took that back, could be told of themselves.
    early = make_person(campaign, "early")
    _answered(early, pair, 1)
    begin(campaign)
    assert echo(early, pair) is None
    answering.skip(person, _card(person, pair).token, "dont_know")
    assert echo(person, pair) is None
    assert told(make_person(campaign, "never"), pair, 1) is None
    teller = make_person(campaign, "teller")
    assert told(teller, pair) == 3
    for change in ({"moderation": Moderation.HIDDEN}, {"flags": ["report_hate"]}, {"negative": True}):
        Pair.objects.filter(pk=pair.pk).update(**change)
        assert progress.echoes(teller) == []
        pair.save()


def test_the_goal_counts_live_pairs_with_all_their_ratings(campaign, person, make_pairs, heard):
    done, *_ = make_pairs(campaign, *(("AR", f"a{n}", "en") for n in range(4)))
    make_pairs(campaign, ("AR", "hidden", "en"), moderation=Moderation.HIDDEN)
    make_pairs(campaign, ("CL", "c", "en"))
    heard(done, (1, 2, 3))
    assert balance.goals_of(person) == (balance.Goal("AR", 1, 4),)
    person.origins = ["KE"]
    assert balance.goals_of(person) == (balance.Goal("", 1, 5),)
    assert Rating.objects.count() == 3


def test_draws_and_propensities_are_the_same_with_and_without(make_campaign, make_person, make_pairs):
    rows = {True: [], False: []}
    for told, drawn in rows.items():
        campaign = make_campaign(f"lake-{told}", feedback=told)
        words = [(country, f"{country} {n}", "en") for country in ("AR", "CL", "UY") for n in range(3)]
        pairs = make_pairs(campaign, *words, negative=False)
        for place, one in enumerate(pairs):
            Pair.objects.filter(pk=one.pk).update(position=place / 9, waiting_since=0)
        for n in range(3):
            who = make_person(campaign, f"{told}{n}")
            for one in pairs[::2]:
                _answered(who, one)
        begin(campaign)
        person, rng = make_person(campaign, f"last{told}"), np.random.default_rng(7)
        while (card := drawing.next_card(person, rng=rng)) is not None and card.pair is not None:
            answering.rate(person, card.token, 3)
            progress.echoes(person)
            drawn.append((card.pair.attribute, card.propensity or 0.0, card.pool))
    assert len(rows[True]) == len(rows[False]) > 3
    for one, other in zip(rows[True], rows[False], strict=True):
        assert one[0] == other[0]
        assert one[1:] == pytest.approx(other[1:], rel=1e-3)
