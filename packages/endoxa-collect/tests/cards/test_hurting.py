"""What contributors say of words that nobody judged: the rule, and who overrules it."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from collect_support.filled_campaign import act
from endoxa_collect.cards import answering, drawing
from endoxa_collect.cards.counts import UNCLEAR, Verdict, recount, verdict
from endoxa_collect.models import HurtAnswer, Judged, Pair, Revealed, Source, Tombstone
from endoxa_collect.organiser.decisions import (
    queue,
    reasons,
    undo,
    waiting,
)
from endoxa_collect.privacy import withdraw

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("yes", "no", "unsure", "found"),
    [
        (0, 2, 0, Verdict.OPEN),
        (2, 0, 0, Verdict.OPEN),
        (0, 3, 0, Verdict.KIND),
        (1, 9, 0, Verdict.UNCLEAR),
        (0, 2, 1, Verdict.UNCLEAR),
        (0, 0, 3, Verdict.UNCLEAR),
        (2, 1, 0, Verdict.HURTS),
        (2, 0, 1, Verdict.HURTS),
        (2, 2, 0, Verdict.UNCLEAR),
        (2, 0, 2, Verdict.UNCLEAR),
        (3, 0, 0, Verdict.HURTS),
    ],
)
def test_one_doubt_keeps_words_covered(yes, no, unsure, found):
    assert verdict({"yes": yes, "no": no, "unsure": unsure}, 3) == found


@pytest.fixture
def campaign(make_campaign):
    """One that shows its pairs to many."""
    return make_campaign(sampler={"k": 20, "k_max": 30})


@pytest.fixture
def pair(campaign, make_pairs):
    return make_pairs(campaign, ("AR", "bailan tango", "es"), source=Source.CONTRIBUTOR, negative=None)[0]


@pytest.fixture
def say(campaign, make_person):
    """A function: people open the one card there is, rate it and give these answers; the people."""

    def told(*answers):
        people = [make_person(campaign, str(uuid4())) for _ in answers]
        for person, given in zip(people, answers, strict=True):
            card = drawing.next_card(person, now=timezone.now() + timedelta(minutes=len(people)))
            answering.reveal(person, card.token)
            answering.rate(person, card.token, 3)
            card.refresh_from_db()
            answering.answer_hurts(person, card, given)
        return people

    return told


def judged(pair):
    found = Pair.objects.get(pk=pair.pk)
    return found.negative, found.judged, found.may_hurt


@pytest.fixture
def moderator(campaign, make_account):
    return make_account("mo", campaign, "moderator")


def test_people_uncover_a_pair_until_it_is_reported_or_keep_it_covered(pair, say, campaign, make_person):
    say("no", "no")
    assert judged(pair) == (None, "", True)
    say("no")
    assert judged(pair) == (False, Judged.PEOPLE, False)
    reporter = make_person(campaign, "reporter")
    card = drawing.next_card(reporter)
    answering.skip(reporter, card.token, "report_personal")
    assert Pair.objects.get().may_hurt
    answering.undo(reporter, card.token)
    assert not Pair.objects.get().may_hurt
    HurtAnswer.objects.update(answer="yes")
    recount(campaign, [Pair.objects.get()])
    assert judged(pair) == (True, Judged.PEOPLE, True)
    assert not queue(campaign, organiser=False).exists()


def test_nobody_speaks_twice_or_of_words_they_did_not_open(pair, say, campaign, person):
    campaign.releases.create(number="1.0", salt="s", sha256="x")
    one, two = say("no", "no")
    card = drawing.next_card(person)
    assert not answering.answer_hurts(person, card, "no")
    answering.reveal(person, card.token)
    answering.rate(person, card.token, 3)
    card.refresh_from_db()
    assert card.revealed == Revealed.REVEALED
    assert answering.answer_hurts(person, card, "no")
    assert not answering.answer_hurts(person, card, "no")
    assert HurtAnswer.objects.count() == 3
    assert judged(pair) == (False, Judged.PEOPLE, False)
    answering.undo(one, one.cards.get().token)
    assert judged(pair) == (None, "", True)
    withdraw(two)
    assert HurtAnswer.objects.count() == 1
    assert Tombstone.objects.filter(table="hurt_answers").count() == 2


def test_where_people_do_not_agree_a_moderator_decides_and_can_take_that_back(pair, say, campaign, moderator):
    people = say("no", "no", "yes")
    found = Pair.objects.get()
    assert (judged(pair), found.flags) == ((None, "", True), [UNCLEAR])
    assert waiting(campaign, organiser=False).get() == pair
    assert reasons(found) == ["People do not agree whether it may hurt."]
    done = act(pair, moderator, "mark", negative=False)
    assert (judged(pair), Pair.objects.get().flags) == ((False, Judged.MODERATOR, False), [])
    undo(campaign, moderator, done.public_id)
    assert (judged(pair), Pair.objects.get().flags) == ((None, "", True), [UNCLEAR])
    withdraw(people[2])
    assert Pair.objects.get().flags == []
    say("no")
    assert judged(pair) == (False, Judged.PEOPLE, False)
    done = act(pair, moderator, "mark", negative=True)
    assert judged(pair) == (True, Judged.MODERATOR, True)
    undo(campaign, moderator, done.public_id)
    assert judged(pair) == (False, Judged.PEOPLE, False)
    act(pair, moderator, "mark", negative=None)
    say("no")
    assert judged(pair) == (None, Judged.MODERATOR, True)


def test_a_small_group_cannot_uncover_what_was_flagged(pair, say, campaign, make_person):
    say("no", "no")
    reporter = make_person(campaign, "reporter")
    card = drawing.next_card(reporter)
    answering.skip(reporter, card.token, "report_hate")
    # Also where the answers were given before the flag, or slip in.
    late = drawing.next_card(make_person(campaign, "late"))
    given = {"person": late.person, "pair": pair, "card": late, "created_at": timezone.now()}
    HurtAnswer.objects.create(answer="no", **given)
    recount(campaign, [Pair.objects.get()])
    assert judged(pair) == (None, "", True)
    # Whoever reported it took that back: nothing speaks against what the others said.
    answering.undo(reporter, card.token)
    assert judged(pair) == (False, Judged.PEOPLE, False)


@pytest.mark.parametrize(
    ("action", "facts", "expected"),
    [
        ("mark", {"negative": True}, (True, Judged.MODERATOR, True)),
        ("approve", {}, (None, Judged.APPROVED, False)),
    ],
)
def test_a_moderator_always_wins(pair, say, moderator, action, facts, expected):
    say("no")
    act(pair, moderator, action, **facts)
    assert judged(pair) == expected
    for person in [*say("no"), *say("no"), *say("yes")]:
        # Also an answer that slipped in before the decision does not count.
        facts = {"answer": "yes" if expected[2] else "no", "created_at": timezone.now()}
        HurtAnswer.objects.get_or_create(person=person, pair=pair, defaults=facts)
    say("no")
    assert judged(pair) == expected
