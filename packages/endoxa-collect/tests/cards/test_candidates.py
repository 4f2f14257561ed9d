"""Pairs ticked once for a country far away wait for a second mention; open questions come while few pairs wait."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import numpy as np
import pytest

from endoxa_collect.cards import answering, drawing
from endoxa_collect.cards.balance import goals_of, lately, outlook_of
from endoxa_collect.cards.counts import admit, reach, recount, recount_needs, tick_count
from endoxa_collect.entry.proposing import merge, propose, tick_countries
from endoxa_collect.models import Campaign, Card, Moderation, Pair, Via
from endoxa_collect.sampler.slots import CANDIDATE, NEEDS, OPEN, SamplerSettings

pytestmark = pytest.mark.slow

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
FAR = ["JP", "KE"]


@pytest.fixture
def mate(campaign, make_pairs):
    """A seed about Argentina; ana and ben of the fixtures come from Argentina."""
    return make_pairs(campaign, ("AR", "drink mate", "en"))[0]


def ticked(person, mate, countries=FAR):
    """What a person ticks after a card about that pair, by country."""
    card = Card.objects.filter(person=person).first()
    if card is None:
        card = drawing.next_card(person)
        answering.rate(person, card.token, 4)
    assert card.pair == mate
    tick_countries(person, card, countries)
    return {pair.country: pair for pair in Pair.objects.exclude(pk=mate.pk)}


def need(pair):
    pair.refresh_from_db()
    return pair.need


def test_a_tick_far_away_waits_for_a_second_mention_or_somebody_from_near_there(campaign, make_person, mate):
    ana, ben = (make_person(campaign, name, origins=["AR"]) for name in ("ana", "ben"))
    found = ticked(ana, mate, ["CL", "FI", *FAR])
    # Chile is a neighbour of Argentina.
    needs = {country: pair.need for country, pair in found.items()}
    assert needs == {"CL": NEEDS, "JP": CANDIDATE, "KE": CANDIDATE, "FI": CANDIDATE}
    assert found["JP"].mentions == 1
    before = int(time.time())
    ticked(ben, mate, ["JP"])
    assert [need(found[code]) for code in ("JP", "KE", "FI")] == [NEEDS, CANDIDATE, CANDIDATE]
    assert found["JP"].waiting_since >= before
    # Words of one's own ask for ratings at once, also where somebody ticked the same.
    said = {"text": "run fast", "language": "en", "via": Via.PROMPT}
    assert propose(ana, None, country="NG", **said).pair.need == NEEDS
    propose(ben, None, country="FI", **said | {"text": "drink mate"})
    assert [need(found[code]) for code in ("KE", "FI")] == [CANDIDATE, NEEDS]
    reach(make_person(campaign, "far", origins=["BR"]))
    assert need(found["KE"]) == CANDIDATE
    reach(make_person(campaign, "near", origins=["UG"]))
    assert need(found["KE"]) == NEEDS


def test_candidates_are_let_in_oldest_first_where_little_waits(campaign, make_person, mate):
    found = ticked(make_person(campaign, "ana", origins=["AR"]), mate, ["JP", "KE", "FI"])
    hidden = found["JP"]
    Pair.objects.filter(pk=hidden.pk).update(moderation=Moderation.HIDDEN)
    Pair.objects.exclude(pk=hidden.pk).update(moderation=Moderation.LIVE)
    admit(campaign, 1)
    assert [need(found[code]) for code in ("JP", "KE", "FI")] == [CANDIDATE, NEEDS, CANDIDATE]
    # The next card of an open campaign in which next to nothing waits does so itself.
    later = datetime.now(UTC) + timedelta(seconds=10)
    drawing.next_card(make_person(campaign, "ben", origins=["AR"]), now=later)
    assert [need(found[code]) for code in ("JP", "FI")] == [CANDIDATE, NEEDS]


def test_nobody_is_shown_a_candidate_and_nothing_counts_it_as_work(campaign, make_person, mate):
    ana = make_person(campaign, "ana", origins=["AR"])
    pair = ticked(ana, mate, ["JP"])["JP"]
    Pair.objects.update(moderation=Moderation.LIVE)
    Campaign.objects.update(balance="validate")
    campaign.refresh_from_db()
    now = datetime.now(UTC)
    assert outlook_of(campaign, now).backlog == campaign.settings.sampler.k - 1
    assert lately(campaign, now).new_pairs == 0
    assert sum(goal.whole for goal in goals_of(make_person(campaign, "jun", origins=["CL"]))) == 1
    cards = [
        drawing.next_card(make_person(campaign, f"p{number}", origins=["CL"]), now=NOON)
        for number in range(4)
    ]
    assert pair not in [card.pair for card in cards if card]


def test_new_limits_and_merges_leave_candidates_or_free_them(campaign, make_person, make_pairs, mate):
    ana = make_person(campaign, "ana", origins=["AR"])
    found = ticked(ana, mate)
    recount_needs(campaign, campaign.settings.sampler.model_copy(update={"k": 1}))
    assert need(found["JP"]) == CANDIDATE
    assert need(mate) == OPEN
    recount(campaign, found.values())
    assert need(found["JP"]) == CANDIDATE
    # What somebody else wrote is the same thing: two people said it.
    wrote = propose(
        make_person(campaign, "ben"), None, country="JP", text="mate drinkers", language="en", via=Via.PROMPT
    ).pair
    merge(wrote, found["JP"])
    assert need(found["JP"]) == NEEDS
    assert need(found["KE"]) == CANDIDATE
    recount_needs(campaign, campaign.settings.sampler.model_copy(update={"second_mention": False}))
    assert need(found["KE"]) == NEEDS


def test_ticks_are_asked_of_the_first_four_and_words_at_home(make_campaign, make_person, make_pairs):
    campaign = make_campaign(sampler=SamplerSettings(k=20, k_max=20, calibration=0, tick_people=2))
    here, there = make_pairs(campaign, ("AR", "drink mate", "en"), ("CL", "drink mate", "en"))
    Pair.objects.filter(pk=there.pk).update(moderation=Moderation.HIDDEN)
    cards = []
    for number in range(4):
        person = make_person(campaign, f"p{number}", origins=["AR"] if number % 2 else ["BR"])
        cards.append(drawing.next_card(person))
        answering.rate(person, cards[-1].token, 3)
    assert [(card.words, card.ticks, card.adds) for card in cards] == [
        (False, True, True),
        (True, True, True),
        (False, False, False),
        (True, False, True),
    ]
    # The same words about another country are the same question.
    now = datetime.now(UTC)
    assert tick_count(there, now) == tick_count(here, now) == 2


def test_questions_come_early_never_twice_in_a_row_and_end_where_nothing_is_said(
    make_campaign, make_person, make_pairs, monkeypatch
):
    monkeypatch.setattr("endoxa_collect.sampler.controller.question_share", lambda *_: 0.6)
    campaign = make_campaign(sampler=SamplerSettings(prompt_early=0.6, break_after=1_000))
    make_pairs(campaign, *(("AR", f"thing number {number}", "en") for number in range(24)))
    person = make_person(campaign, origins=["AR"], connections=["CL"])
    rng, asked = np.random.default_rng(1), []
    for number in range(16):
        now = NOON + timedelta(seconds=10 * number)
        card = drawing.next_card(person, now=now, rng=rng)
        asked.append("" if card.pair else card.country)
        if card.pair:
            answering.rate(person, card.token, 3, now=now)
            continue
        if card.country == "AR":
            propose(person, card, country="AR", text=f"word {number}", language="en", via=Via.PROMPT)
        answering.finish_prompt(person, card.token, now=now)
    assert not any(one and two for one, two in pairwise(asked))
    # Nothing came to mind about Chile: once. About Argentina it goes on, by turns with ratings.
    assert asked.count("CL") == 1
    assert asked.count("AR") > 1
