"""What is told after an answer: only of three people or more, from frozen counts, and no draw knows of it."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import timedelta

import numpy as np
import pytest
from django.utils import timezone

from endoxa_collect.cards import answering, balance, drawing, feedback
from endoxa_collect.entry.proposing import merge
from endoxa_collect.models import Card, Mention, Moderation, Pair, Person, Rating, Via, Wave
from endoxa_collect.privacy import erase_people, withdraw


@pytest.fixture
def pair(campaign, make_pairs):
    return make_pairs(campaign, ("AR", "drink mate", "en"), negative=False)[0]


@pytest.fixture
def heard(campaign, make_person):
    """A function by which so many people, each from the next of the countries, rate a pair."""

    def rate(pair, values, places=("AR",)):
        for place, value in enumerate(values):
            name = f"{pair.pk}-{Person.objects.count()}"
            who = make_person(campaign, name, origins=[places[place % len(places)]])
            card = _card(who, pair)
            answering.rate(who, card.token, value)

    return rate


def _card(person, pair, now=None):
    now = now or timezone.now()
    return Card.objects.create(
        campaign=pair.campaign,
        person=person,
        pair=pair,
        country=pair.country,
        number=0,
        tier="own",
        propensity=0.5,
        version=1,
        digest="x",
        drawn_at=now,
        expires_at=now + timedelta(minutes=5),
    )


def _answered(person, pair, value=4):
    card = _card(person, pair)
    answering.rate(person, card.token, value)
    return Card.objects.get(pk=card.pk)


@pytest.mark.parametrize(
    ("values", "places", "known"),
    [
        ((2, 5), ("AR", "CL", "UY"), None),
        ((2, 5, 1, 1), ("AR", "CL", "UY"), None),
        ((2, 3, 4), ("AR",), (3, 0)),
        ((2, 3, 4), ("AR", "CL"), (3, 0)),
        ((2, 3, 4), ("AR", "CL", "UY"), (3, 3)),
        ((4,) * 9, ("AR", "CL", "UY"), (3, 3)),
        ((4,) * 10, ("AR", "CL", "UY"), (10, 3)),
    ],
)
def test_it_needs_three_people_and_is_coarse(person, pair, heard, values, places, known):
    heard(pair, values, places)
    feedback.begin(pair.campaign, timezone.now())
    assert feedback.after(_answered(person, pair)) == known


def test_counts_are_frozen_when_the_wave_begins(person, pair, heard, make_person):
    heard(pair, (4, 4, 4))
    feedback.begin(pair.campaign, timezone.now())
    heard(pair, (4,) * 8)
    assert feedback.after(_answered(person, pair)) == (3, 0)
    assert feedback.begin_if_due(pair.campaign) is None
    later = timezone.now() + timedelta(minutes=16)
    assert feedback.begin_if_due(pair.campaign, later)
    assert Wave.objects.get().known == {str(pair.pk): [10, 0]}


def test_counting_needs_no_lock_and_answers_given_meanwhile_do_not_count(pair, heard, monkeypatch):
    heard(pair, (4, 4, 4))
    began = timezone.now()
    plain, count = feedback.locked, feedback._tallies
    inside = []

    @contextmanager
    def locked(campaign):
        with plain(campaign) as found:
            inside.append(True)
            yield found
            inside.pop()

    def counted(campaign, now):
        assert not inside
        heard(pair, (4,) * 8)
        return count(campaign, now)

    monkeypatch.setattr(feedback, "locked", locked)
    monkeypatch.setattr(feedback, "_tallies", counted)
    wave = feedback.begin_if_due(pair.campaign, began)
    assert wave.known == {str(pair.pk): (3, 0)}


def test_the_latest_rating_of_each_person_counts_for_merged_pairs(campaign, make_pairs, make_person):
    pairs = make_pairs(campaign, *(("AR", f"a{n}", "en") for n in range(6)), negative=False)
    people = [make_person(campaign, f"p{n}", origins=["AR", "CL", "UY", "KE"][n % 4 :]) for n in range(13)]
    given = {}
    rng = np.random.default_rng(3)
    for who in people:
        for place in rng.permutation(6)[:4]:
            value = int(rng.integers(1, 4))
            _answered(who, pairs[place], value)
            given[who.pk, place] = value, who.origins[0]
    merge(pairs[1], pairs[0])
    merge(pairs[2], pairs[1])
    merge(pairs[4], pairs[3])
    roots = {0: 0, 1: 0, 2: 0, 3: 3, 4: 3, 5: 5}
    latest = {(who, roots[place]): row for (who, place), row in given.items()}
    expected = {}
    for root in (0, 3, 5):
        homes = [home for (_, place), (value, home) in latest.items() if place == root and value > 1]
        expected[str(pairs[root].pk)] = [feedback.step(len(homes)), feedback.step(len(set(homes)))]
    assert min(people for people, _ in expected.values()) >= 3
    feedback.begin(campaign, timezone.now())
    assert Wave.objects.get().known == expected


def test_a_card_from_before_the_wave_is_told_nothing(person, pair, heard):
    # Else somebody who took their answer back could be told of themselves.
    heard(pair, (4, 4, 4))
    card = _answered(person, pair)
    feedback.begin(pair.campaign, timezone.now())
    assert feedback.after(card) is None


@pytest.mark.parametrize(
    "change",
    [{"moderation": Moderation.HIDDEN}, {"flags": ["report_hate"]}, {"negative": True}],
)
def test_nothing_of_hidden_flagged_or_covered_pairs(person, pair, heard, change):
    heard(pair, (4, 4, 4))
    feedback.begin(pair.campaign, timezone.now())
    card = _answered(person, pair)
    assert feedback.after(card) == (3, 0)
    Pair.objects.filter(pk=pair.pk).update(**change)
    assert feedback.after(Card.objects.get(pk=card.pk)) is None


def test_nothing_after_a_skip(person, pair, heard):
    heard(pair, (4, 4, 4))
    feedback.begin(pair.campaign, timezone.now())
    card = _card(person, pair)
    assert feedback.after(card) is None
    answering.skip(person, card.token, "dont_know")
    assert feedback.after(Card.objects.get(pk=card.pk)) is None


def test_no_waves_in_rehearsals_nor_where_switched_off(make_campaign):
    rehearsed = make_campaign("rehearsed")
    rehearsed.began_at = None
    rehearsed.save()
    assert feedback.begin_if_due(rehearsed) is None
    assert feedback.begin_if_due(make_campaign("silent", feedback=False)) is None
    assert feedback.begin_if_due(make_campaign("told")) is not None


def test_waves_go_with_a_rehearsal_and_hold_no_exact_count(campaign, pair, heard):
    heard(pair, (4,) * 7)
    wave = feedback.begin(campaign, timezone.now())
    assert set(wave.known) == {str(pair.pk)}
    withdraw(Person.objects.first())
    assert Wave.objects.get().known == {str(pair.pk): [3, 0]}
    erase_people(campaign)
    assert not Wave.objects.exists()


def test_what_somebody_added_is_recognised_by_others(person, pair, heard):
    Mention.objects.create(person=person, pair=pair, text="drink mate", via=Via.PROMPT)
    heard(pair, (4, 4, 1))
    feedback.begin(pair.campaign, timezone.now())
    assert feedback.recognised(person) == 0
    heard(pair, (2,))
    feedback.begin(pair.campaign, timezone.now())
    assert feedback.recognised(person) == 3
    _answered(person, pair)
    assert feedback.recognised(person) == 0


def _drawn(person, campaign, seed):
    rng = np.random.default_rng(seed)
    rows = []
    while (card := drawing.next_card(person, rng=rng)) is not None and card.pair is not None:
        answering.rate(person, card.token, 3)
        feedback.after(Card.objects.get(pk=card.pk))
        rows.append((card.pair.attribute, card.tier, card.propensity or 0.0, card.pool))
    return rows


def test_draws_and_propensities_are_the_same_with_and_without(make_campaign, make_person, make_pairs):
    rows = []
    for told in (True, False):
        campaign = make_campaign(f"lake-{told}", feedback=told)
        words = [(country, f"{country} {n}", "en") for country in ("AR", "CL", "UY") for n in range(5)]
        pairs = make_pairs(campaign, *words, negative=False)
        for place, one in enumerate(pairs):
            Pair.objects.filter(pk=one.pk).update(position=place / 15, waiting_since=0)
        for n in range(3):
            who = make_person(campaign, f"{told}{n}")
            for one in pairs[::2]:
                _answered(who, one)
        feedback.begin_if_due(campaign)
        assert Wave.objects.filter(campaign=campaign).exists() is told
        rows.append(_drawn(make_person(campaign, f"last{told}"), campaign, 7))
    assert rows[0]
    assert [row[0] for row in rows[0]] == [row[0] for row in rows[1]]
    np.testing.assert_allclose(
        np.array([row[2:] for row in rows[0]], float),
        np.array([row[2:] for row in rows[1]], float),
        rtol=1e-3,
    )


def test_the_goal_counts_live_pairs_with_all_their_ratings(campaign, person, make_pairs, heard):
    done, *_ = make_pairs(campaign, *(("AR", f"a{n}", "en") for n in range(4)))
    make_pairs(campaign, ("AR", "hidden", "en"), moderation=Moderation.HIDDEN)
    make_pairs(campaign, ("CL", "c", "en"))
    heard(done, (1, 2, 3))
    assert balance.goals_of(person) == (balance.Goal("AR", 1, 4),)
    person.origins = ["KE"]
    assert balance.goals_of(person) == (balance.Goal("", 1, 5),)
    assert Rating.objects.count() == 3
