"""Cards in the database: leases, answers sent twice, late, taken back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from collect_support.stored import stored_rating
from endoxa_collect.cards import answering, drawing
from endoxa_collect.cards.answering import UnknownCardError
from endoxa_collect.cards.balance import forecast_of, outlook_of
from endoxa_collect.cards.counts import recount
from endoxa_collect.entry.proposing import propose
from endoxa_collect.models import (
    Campaign,
    CardState,
    Mention,
    Moderation,
    Pair,
    Person,
    Rating,
)
from endoxa_collect.organiser.opening import set_state
from endoxa_collect.sampler.controller import Balance
from endoxa_collect.sampler.slots import FULL, NEEDS, OPEN, TOPUP, SamplerSettings

pytestmark = pytest.mark.slow

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
LATER = NOON + timedelta(minutes=6)


def crowd(make_person, campaign, size, **facts):
    return [make_person(campaign, f"person-{n}", **facts) for n in range(size)]


def test_a_reload_shows_the_same_card_and_renews_it(campaign, person, make_pairs):
    make_pairs(campaign, ("AR", "drink mate", "es"), ("CL", "love poetry", "es"))
    first = drawing.next_card(person, now=NOON)
    assert first.tier in {"own", "near", "anyone"}
    assert 0 < first.propensity <= 1
    assert (first.version, first.digest) == (1, campaign.settings.digest())
    again = drawing.next_card(person, now=NOON + timedelta(minutes=2))
    assert again == first
    assert again.expires_at == NOON + timedelta(minutes=5)
    # Not so soon after.
    with CaptureQueriesContext(connection) as queries:
        again = drawing.next_card(person, now=NOON + timedelta(minutes=2, seconds=50))
    assert (again, again.expires_at) == (first, NOON + timedelta(minutes=5))
    assert all(query["sql"].startswith("SELECT") for query in queries)
    # Nor once a moderator took its pair away.
    Pair.objects.update(moderation=Moderation.HIDDEN)
    assert drawing.next_card(person, now=NOON + timedelta(minutes=2, seconds=50)).pair is None


@pytest.mark.parametrize("rule", ["slots", "laces"])
def test_one_pair_is_reserved_for_k_people_and_no_more(make_campaign, make_person, make_pairs, rule):
    campaign = make_campaign(sampler=SamplerSettings(rule=rule, k=2, k_max=2))
    make_pairs(campaign, ("AR", "drink mate", "es"))
    people = crowd(make_person, campaign, 4)
    cards = [drawing.next_card(one, now=NOON) for one in people]
    assert [card.pair is not None for card in cards] == [True, True, False, False]
    # Two leases lapse: the place is free again.
    answering.finish_prompt(people[2], cards[2].token, now=LATER)
    assert drawing.next_card(people[2], now=LATER).pair is not None


def test_a_late_answer_is_kept_and_marked(make_campaign, make_person, make_pairs):
    campaign = make_campaign(sampler=SamplerSettings(k=1, k_max=1))
    make_pairs(campaign, ("AR", "drink mate", "es"))
    slow, fast = crowd(make_person, campaign, 2)
    card = drawing.next_card(slow, now=NOON)
    answering.rate(fast, drawing.next_card(fast, now=LATER).token, 5, now=LATER)
    # It was given back meanwhile.
    assert drawing.next_card(slow, now=LATER).pair is None
    answered = answering.rate(slow, card.token, 3, now=LATER)
    assert answered.card.late
    assert list(Rating.objects.order_by("pk").values_list("value", "surplus")) == [(5, False), (3, True)]
    # Once it is taken back it can be given in time.
    assert not answering.undo(slow, card.token, now=LATER).late
    card.refresh_from_db()
    assert not card.late
    # The last moment is in time.
    assert not answering.rate(slow, card.token, 3, now=card.expires_at).card.late


def test_taking_back_restores_everything(campaign, person, make_pairs):
    (pair,) = make_pairs(campaign, ("AR", "drink mate", "es"))
    card = drawing.next_card(person)
    # The same answer sent twice counts once.
    assert [answering.rate(person, card.token, value).again for value in (4, 1)] == [False, True]
    pair.refresh_from_db()
    assert (pair.ratings, Rating.objects.get().value) == (1, 4)
    (own,) = make_pairs(campaign, ("AR", "sing", "es"), source="contributor", author=person)
    Mention.objects.create(person=person, pair=own, card=card, text="sing", via="attribute")
    following = drawing.next_card(person)
    reopened = answering.undo(person, card.token)
    assert (reopened.state, drawing.next_card(person)) == (CardState.OPEN, card)
    following.refresh_from_db()
    assert following.state == CardState.LAPSED
    pair.refresh_from_db()
    assert (pair.ratings, pair.own_filled, pair.need) == (0, 0, NEEDS)
    assert (Rating.objects.count(), Mention.objects.count()) == (0, 0)
    assert not Pair.objects.filter(pk=own.pk).exists()
    answering.rate(person, card.token, 2)
    assert Rating.objects.get().value == 2


def test_need_follows_from_the_ratings(campaign, make_person, make_pairs):
    (pair,) = make_pairs(campaign, ("AR", "drink mate", "es"))
    needs = []
    for n, value in enumerate([3, 3, 3, 1, 5, 5, 1]):
        stored_rating(make_person(campaign, f"p{n}"), pair, value, NOON)
        recount(campaign, [pair])
        pair.refresh_from_db()
        needs.append(pair.need)
        assert pair.ratings == n + 1
    assert needs == [NEEDS, NEEDS, OPEN, OPEN, TOPUP, TOPUP, FULL]
    assert pair.variance == pytest.approx(np.var([3, 3, 3, 1, 5, 5, 1]))


def test_the_clock_starts_when_a_campaign_is_opened_and_stands_still_in_pauses(campaign, person, make_pairs):
    make_pairs(campaign, ("AR", "drink mate", "es"))
    Campaign.objects.update(began_at=None)
    card = drawing.next_card(person, now=NOON)
    answering.rate(person, card.token, 3)
    campaign.refresh_from_db()
    assert campaign.began_at is None
    seen = outlook_of(campaign, timezone.now() + timedelta(hours=9))
    assert seen.minutes == campaign.settings.minutes
    set_state(campaign, "open", None)
    campaign.refresh_from_db()
    assert campaign.began_at - timezone.now() == pytest.approx(timedelta(), abs=timedelta(minutes=1))
    Campaign.objects.update(began_at=NOON)
    set_state(campaign, "paused", None)
    Campaign.objects.update(paused_at=timezone.now() - timedelta(hours=3))
    set_state(campaign, "open", None)
    campaign.refresh_from_db()
    assert campaign.paused_at is None
    assert campaign.began_at - NOON == pytest.approx(timedelta(hours=3), abs=timedelta(minutes=1))


def test_pairs_that_nobody_present_reads_are_nobodys_work_and_fall_short(
    make_campaign, make_person, make_pairs
):
    """A class reads English and Spanish; what waits in Portuguese does not keep it from adding words."""
    campaign = make_campaign(minutes=60, expected_people=1, data_languages=("en", "es", "pt"))
    make_pairs(campaign, *(("AR", f"attribute {n}", "pt") for n in range(40)))
    make_pairs(campaign, ("AR", "drink mate", "en"), ("AR", "tomar mate", "es"))
    now = campaign.began_at
    assert outlook_of(campaign, now).backlog == 126
    assert outlook_of(campaign, now).balance is Balance.VALIDATE
    drawing.next_card(make_person(campaign, "ana", languages=["en"]), now=now)
    drawing.next_card(make_person(campaign, "ben", languages=["es"]), now=now)
    later = now + timedelta(minutes=1)
    seen = outlook_of(campaign, later)
    assert (seen.backlog, seen.balance) == (2 * 3 - 2, Balance.EXPLORE)
    assert forecast_of(campaign, later).short >= 40


def test_what_is_not_shown_to_somebody(campaign, make_person, make_pairs):
    """Their own words, also at the end of a chain of merges; other languages; topics they avoid; what they judged."""
    words = ("own", "merged", "middle", "end", "rated", "into", "free")
    pairs = make_pairs(campaign, *(("AR", text, "es") for text in words))
    own, merged, middle, end, rated, into, free = pairs
    make_pairs(campaign, ("AR", "drink mate", "sw"))
    make_pairs(campaign, ("AR", "play", "es"), topic="sport")
    person = make_person(campaign, "eva", topic_optouts=["sport"], languages=["es"])
    for said in (own, merged):
        Mention.objects.create(person=person, pair=said, text=said.attribute, via="attribute")
    stored_rating(person, rated, 4, NOON)
    for pair, root in ((merged, middle), (middle, end), (rated, into)):
        pair.moderation, pair.merged_into = Moderation.MERGED, root
        pair.save()
    recount(campaign, [into])
    into.refresh_from_db()
    assert into.ratings == 1
    card = drawing.next_card(person, now=NOON)
    assert (card.pair, card.pool) == (free, 1)
    answering.rate(person, card.token, 3, now=NOON)
    while (card := drawing.next_card(person, now=NOON)) is not None:
        assert card.pair is None
        answering.finish_prompt(person, card.token, now=NOON)


def test_somebody_who_left_gets_no_card(campaign, person, make_pairs):
    make_pairs(campaign, ("AR", "drink mate", "es"))
    Person.objects.all().delete()
    with pytest.raises(UnknownCardError):
        drawing.next_card(person)


def test_a_question_names_the_topic_of_which_least_was_said(make_campaign, make_person, make_pairs):
    """Of food two people said the same thing, of sport two said different ones, of music nobody anything."""
    campaign = make_campaign()
    for topic in ("Cooking and Food", "Sports & Recreation", "Economy", "Negative Traits", "Other"):
        make_pairs(campaign, ("BR", f"seed about {topic}", "es"), topic=topic, need=FULL, ratings=7)
    (meal,) = make_pairs(campaign, ("AR", "comen tarde", "es"), topic="Cooking and Food", need=FULL)
    games = make_pairs(
        campaign, ("AR", "juegan", "es"), ("AR", "corren", "es"), topic="Sports & Recreation", need=FULL
    )
    for place, one in enumerate(crowd(make_person, campaign, 2)):
        for pair in (meal, games[place]):
            Mention.objects.create(person=one, pair=pair, text=pair.attribute, via="prompt")
    recount(campaign, [meal, *games])
    Pair.objects.update(need=FULL)
    person = make_person(campaign, "ida", origins=["AR"])
    card = drawing.next_card(person, now=NOON)
    assert (card.pair, card.country) == (None, "AR")
    assert card.topic in {"Economy", "Sports & Recreation"}
    said = propose(person, card, country="AR", text="ahorran en dólares", language="es", via="prompt")
    assert said.pair.topic == card.topic


def test_what_a_moderator_hid_is_not_shown_again(campaign, person, make_pairs):
    make_pairs(campaign, ("AR", "drink mate", "es"), ("AR", "eat late", "es"))
    card = drawing.next_card(person)
    answering.rate(person, card.token, 2)
    Pair.objects.filter(pk=card.pair_id).update(moderation=Moderation.HIDDEN)
    assert answering.undo(person, card.token).state == CardState.LAPSED
    following = drawing.next_card(person)
    assert following.pair_id != card.pair_id
    Pair.objects.filter(pk=following.pair_id).update(moderation=Moderation.HIDDEN)
    assert drawing.next_card(person).pair is None
