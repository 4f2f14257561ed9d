"""Pairs pick their raters in the database: slots, pairs that wait for people, and who stands in for whom."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from endoxa_collect.cards import answering, drawing, matching
from endoxa_collect.models import Card, CardState, Match, Mention, Moderation, Pair, Person, Rating
from endoxa_collect.privacy import withdraw
from endoxa_collect.sampler.slots import FULL, SamplerSettings

pytestmark = pytest.mark.slow

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def rate(person, now=NOON, seed=None):
    """The next card of a person, answered if it shows a pair."""
    card = drawing.next_card(person, now=now, rng=np.random.default_rng(seed))
    if card is not None and card.pair is not None:
        answering.rate(person, card.token, 4, now=now)
    return card


@pytest.fixture
def plain(make_campaign):
    """A campaign that shows pairs only as they pick people."""
    return make_campaign(sampler=SamplerSettings(calibration=0))


def people(make_person, campaign, *origins):
    return [
        make_person(campaign, f"{place}-{origin}", origins=[origin]) for place, origin in enumerate(origins)
    ]


def between(monkeypatch, do):
    """Let another window of the same person do something once the first has read what the person had."""
    history = drawing.history_of

    def read(person):
        rows = history(person)
        monkeypatch.setattr(drawing, "history_of", history)
        do(Person.objects.get(pk=person.pk))
        return rows

    monkeypatch.setattr(drawing, "history_of", read)


def test_of_three_ratings_one_is_from_the_country_and_one_from_near_it(plain, make_person, make_pairs):
    pairs = make_pairs(plain, *(("AR", f"attribute {n}", "es") for n in range(6)))
    crowd = people(make_person, plain, "AR", "AR", "CL", "CL", "JP", "JP", "JP")
    for minute in range(8):
        for one in crowd:
            rate(one, NOON + timedelta(seconds=30 * minute), seed=minute)
    fitting = Counter[str]()
    for pair in pairs:
        by = dict(Card.objects.filter(pair=pair).exclude(slot="").values_list("slot", "tier"))
        assert set(by) == {"own", "near", "anyone"}
        pair.refresh_from_db()
        # Further ratings, once nothing is missing, count by where people are from.
        further = Rating.objects.filter(pair=pair, card__slot="")
        assert pair.own_filled == 1 + further.filter(in_group=True).count()
        fitting += Counter(slot for slot, tier in by.items() if slot == tier)
    # Towards the end those who would go without stand in for others.
    assert fitting["own"] >= 5
    assert fitting["near"] >= 4
    drawn = Card.objects.exclude(slot="")
    assert all(0 < card.propensity <= 1 and card.pool >= 1 for card in drawn)
    assert not Card.objects.filter(slot="").exclude(propensity=None).exists()


def test_while_somebody_answers_a_pair_waits_for_them_and_is_the_next_one(waiting_for_ana):
    ana, _, first, later = waiting_for_ana
    waiting = Match.objects.get(person=ana)
    answering.rate(ana, first.token, 4, now=later)
    with CaptureQueriesContext(connection) as queries:
        card = drawing.next_card(ana, now=later)
    assert (card.pair, card.slot, card.propensity) == (waiting.pair, waiting.slot, waiting.propensity)
    assert not Match.objects.filter(person=ana).exists()
    # One index lookup after the other, however many pairs there are.
    assert len(queries) <= 22


def test_all_processes_together_match_once_in_some_seconds(plain, make_person, make_pairs, monkeypatch):
    make_pairs(plain, *(("AR", f"attribute {n}", "es") for n in range(9)))
    rounds = []
    match_all = matching.match_all
    monkeypatch.setattr(matching, "match_all", lambda *words: rounds.append(words[2]) or match_all(*words))
    for second, one in zip((0, 1, 4, 5, 7, 11), people(make_person, plain, *["AR"] * 6), strict=True):
        drawing.next_card(one, now=NOON + timedelta(seconds=second))
    assert [(moment - NOON).total_seconds() for moment in rounds] == [0, 5, 11]


@pytest.fixture
def waiting_for_ana(plain, make_person, make_pairs):
    """Two people, the card of the first, and a moment at which another pair waits for her."""
    make_pairs(plain, *(("AR", f"attribute {n}", "es") for n in range(4)))
    ana, ben = people(make_person, plain, "AR", "AR")
    card, later = drawing.next_card(ana, now=NOON), NOON + timedelta(seconds=6)
    drawing.next_card(ben, now=later)
    assert Match.objects.get(person=ana).pair != card.pair
    return ana, ben, card, later


@pytest.mark.parametrize("leaves", [False, True])
def test_what_waits_for_somebody_who_does_not_come_or_leaves_is_free_again(waiting_for_ana, leaves):
    ana, ben, _, _ = waiting_for_ana
    matches, late = Match.objects.filter(person_id=ana.pk), NOON + timedelta(minutes=4)
    if leaves:
        withdraw(ana)
        assert not matches.exists()
    else:
        drawing.next_card(ben, now=late)
        assert not matches.filter(until__lte=late).exists()


@pytest.mark.parametrize("change", [{"moderation": Moderation.HIDDEN}, {"ratings": 7, "need": FULL}, "said"])
def test_a_pair_that_was_taken_away_or_said_by_herself_meanwhile_is_not_shown(waiting_for_ana, change):
    ana, _, card, later = waiting_for_ana
    gone = Match.objects.get(person=ana).pair
    if change == "said":
        Mention.objects.create(person=ana, pair=gone, text=gone.attribute, via="attribute")
    else:
        Pair.objects.filter(pk=gone.pk).update(**change)
    answering.rate(ana, card.token, 4, now=later)
    assert drawing.next_card(ana, now=later).pair not in {None, gone}


@pytest.mark.parametrize("act", ["rate", "undo", "late"])
def test_what_one_window_read_before_the_lock_is_read_again_if_the_other_was_here(
    plain, make_person, make_pairs, monkeypatch, act
):
    make_pairs(plain, *(("AR", f"attribute {n}", "es") for n in range(1 if act == "late" else 3)))
    (ana,) = people(make_person, plain, "AR")
    if act == "rate":  # never a pair twice
        between(monkeypatch, rate)
        drawing.next_card(ana, now=NOON)
        cards = Card.objects.filter(person=ana).order_by("number")
        assert [card.number for card in cards] == [0, 1]
        assert len({card.pair_id for card in cards}) == 2
    elif act == "undo":  # an answer taken back is asked again
        card = rate(ana)
        between(monkeypatch, lambda person: answering.undo(person, card.token, now=NOON))
        assert drawing.next_card(ana, now=NOON) == card
    else:  # a late answer is seen
        card = drawing.next_card(ana, now=NOON)
        Card.objects.update(state=CardState.LAPSED)
        between(monkeypatch, lambda person: answering.rate(person, card.token, 4, now=NOON))
        assert drawing.next_card(ana, now=NOON).pair is None
