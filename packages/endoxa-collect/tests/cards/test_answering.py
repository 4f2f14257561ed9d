"""Answers to a card in corners that are easily lost: merged pairs, surplus, late ones taken back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from endoxa_collect.cards import answering, drawing
from endoxa_collect.entry.proposing import merge
from endoxa_collect.models import Card, Rating
from endoxa_collect.organiser.decisions import waiting
from endoxa_collect.sampler.slots import SamplerSettings

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
LATER = NOON + timedelta(minutes=6)


def test_a_report_on_a_pair_that_was_merged_since_marks_the_one_that_stands(campaign, person, make_pairs):
    (pair,) = make_pairs(campaign, ("AR", "drink mate", "es"))
    card = drawing.next_card(person)
    middle, root = make_pairs(campaign, ("AR", "sip mate", "es"), ("AR", "love mate", "es"))
    for one, into in ((pair, middle), (middle, root)):
        merge(one, into)
    answering.skip(person, card.token, "report_hate")
    assert list(waiting(campaign, organiser=False)) == [root]
    pair.refresh_from_db()
    assert pair.flags == ["report_hate"], "taking the merge back must keep it in sight"
    answering.undo(person, card.token)
    assert not waiting(campaign, organiser=False).exists()


@pytest.mark.slow
@pytest.mark.parametrize(("slot", "surplus"), [("own", True), ("anyone", True), ("", False)])
def test_only_ratings_that_a_slot_asked_for_can_be_one_too_many(
    make_campaign, make_person, make_pairs, slot, surplus
):
    campaign = make_campaign(sampler=SamplerSettings(k=1, k_max=5))
    make_pairs(campaign, ("AR", "drink mate", "es"))
    first, second = (make_person(campaign, name) for name in ("ana", "ben"))
    early = drawing.next_card(second, now=NOON)
    answering.rate(first, drawing.next_card(first, now=LATER).token, 5, now=LATER)
    Card.objects.filter(pk=early.pk).update(slot=slot)
    answering.rate(second, early.token, 3, now=LATER)
    assert Rating.objects.get(card=early).surplus is surplus


def test_an_answer_that_was_late_can_be_given_in_time_after_it_was_taken_back(campaign, person, make_pairs):
    make_pairs(campaign, ("AR", "drink mate", "es"))
    card = drawing.next_card(person, now=NOON)
    assert answering.rate(person, card.token, 2, now=LATER).card.late
    assert not answering.undo(person, card.token, now=LATER).late
    card.refresh_from_db()
    assert not card.late
