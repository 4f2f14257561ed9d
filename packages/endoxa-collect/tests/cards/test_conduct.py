"""Speeding, straight-lining and item non-response; people who are set aside, and the rule of exports."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from collect_support.stored import stored_rating
from endoxa_collect.cards import answering
from endoxa_collect.cards.answering import set_aside
from endoxa_collect.cards.conduct import Conduct, pace_of
from endoxa_collect.cards.counts import recount
from endoxa_collect.cards.drawing import next_card
from endoxa_collect.entry.proposing import propose
from endoxa_collect.export.run import export_campaign
from endoxa_collect.export.tables import read_tables
from endoxa_collect.models import AuditEntry, Card, CardState, Moderation, Pair, Person, Role, Via
from endoxa_collect.privacy import withdraw
from endoxa_collect.withdrawals import Keys

pytestmark = pytest.mark.slow


def seconds(number):
    return timedelta(seconds=number)


@pytest.mark.parametrize(
    ("elapsed", "pace"),
    [
        *((0.99, "under_1"), (1, "1_to_2"), (1.99, "1_to_2"), (2, "2_to_5")),
        *((4.99, "2_to_5"), (5, "5_to_30"), (29.9, "5_to_30"), (30, "over_30")),
    ],
)
def test_time_is_a_class(elapsed, pace):
    assert pace_of(seconds(elapsed)) == pace


def test_measures_of_a_person_counted_by_hand():
    # 3 3 3 skip 3 3 | 12 timed answers of which 6 below 2 s, one of unknown time.
    answers = (
        [("under_1", 3)] * 3 + [("1_to_2", None)] + [("1_to_2", 3)] * 2 + [("over_30", 1)] * 6 + [("", 2)]
    )
    found = Conduct.of(answers, "2")
    assert (found.answers, found.longest, found.fast) == (13, 6, 0.5)
    assert Conduct.of(answers, "1").fast == 0.25
    assert found.nonresponse == pytest.approx(1 / 13)
    assert Conduct.of(answers[:6], "2").fast is None  # too few to say


def test_the_class_is_stored_when_a_card_is_answered(campaign, person, make_pairs):
    make_pairs(campaign, ("AR", "drink mate", "en"), ("AR", "love rain", "en"), ("AR", "sip tea", "en"))
    expected = []
    for state, later, pace in (
        (CardState.OPEN, 0.05, "under_1"),
        (CardState.AHEAD, 400, ""),
        (CardState.OPEN, 7, "5_to_30"),
    ):
        card = next_card(person)
        Card.objects.filter(pk=card.pk).update(state=state)
        answering.rate(person, card.token, 3, now=card.drawn_at + seconds(later))
        expected.append((card.pk, pace))
    assert [(card, Card.objects.get(pk=card).pace) for card, _ in expected] == expected


@pytest.fixture
def crowd(campaign, make_pairs, make_person):
    """Six people who rated twelve pairs each; the last gave the same answer to all within a second."""
    pairs = make_pairs(campaign, *(("AR", f"thing {number}", "en") for number in range(12)))
    people = [make_person(campaign, f"p{number}") for number in range(7)]
    now = timezone.now()
    for place, person in enumerate(people):
        for number, pair in enumerate(pairs):
            value = 5 if place == 6 else 1 + (number + place) % 3
            stored_rating(person, pair, value, now + seconds(number))
        Card.objects.filter(person=person).update(pace="under_1" if place == 6 else "5_to_30")
    recount(campaign, pairs)
    return campaign, people, pairs


def rule(campaign, **changes):
    version = campaign.versions.get(number=campaign.version)
    campaign.versions.create(number=campaign.version + 1, content={**version.content, **changes})
    campaign.version += 1
    campaign.save()


@pytest.mark.parametrize("changes", [{"exclude_fast": 50}, {"exclude_run": 11}])
def test_the_rule_leaves_a_spammer_out_of_a_release_and_the_card_says_so(crowd, tmp_path, changes):
    campaign, _, _ = crowd
    before = read_tables(campaign, Keys("salt"))
    assert (before.frames["people"].height, before.left_out.ruled) == (7, 0)  # off by default
    classes = before.frames["people"].select("speeding", "straight_lining", "nonresponse").rows()
    assert sorted(classes) == [("none", "under_5", "none")] * 6 + [("over_half", "10_to_19", "none")]
    rule(campaign, **changes)
    report = export_campaign(campaign, tmp_path / "out", release="1.0", formats=("csv",))
    assert (report.left_out.ruled, report.left_out.excluded, report.rows["ratings"]) == (1, 12, 72)
    card = (tmp_path / "out" / "README.md").read_text()
    assert "It leaves out 1 people" in card


def test_somebody_is_set_aside_and_comes_back(crowd, make_account):
    campaign, people, _ = crowd
    spammer, user = people[6], make_account("mod", campaign, Role.MODERATOR)
    mine = propose(spammer, None, country="AR", text="eat grass", language="en", via=Via.PROMPT).pair
    Pair.objects.filter(pk=mine.pk).update(moderation=Moderation.LIVE)
    before = list(Pair.objects.order_by("pk").values_list("ratings", "mentions", "variance", "moderation"))
    assert set_aside(campaign, spammer.pk, user, aside=True)
    assert not set_aside(campaign, spammer.pk, user, aside=True)
    assert set(Pair.objects.exclude(pk=mine.pk).values_list("ratings", flat=True)) == {6}
    mine.refresh_from_db()
    assert (mine.moderation, mine.mentions) == (Moderation.HIDDEN, 0)
    tables = read_tables(campaign, Keys("salt"))
    assert (tables.left_out.aside, tables.frames["ratings"].height) == (1, 72)
    assert "eat grass" not in tables.frames["pairs"]["attribute"].to_list()
    # What they do meanwhile counts neither.
    spammer.refresh_from_db()
    other = propose(spammer, None, country="AR", text="drink sand", language="en", via=Via.PROMPT).pair
    assert Pair.objects.get(pk=other.pk).moderation == Moderation.HIDDEN
    assert set_aside(campaign, spammer.pk, user, aside=False)
    assert Pair.objects.get(pk=other.pk).moderation == Moderation.PENDING
    after = Pair.objects.exclude(pk=other.pk).order_by("pk")
    assert list(after.values_list("ratings", "mentions", "variance", "moderation")) == before
    logged = AuditEntry.objects.filter(user=user).order_by("pk")
    assert [(entry.action, str(spammer.pk) in str(entry.detail)) for entry in logged] == [
        ("person set aside", False),
        ("person taken back", False),
    ]
    # Who is set aside can still leave.
    set_aside(campaign, spammer.pk, None, aside=True)
    assert withdraw(Person.objects.get(pk=spammer.pk)).ratings == 12


def test_moderators_set_who_stands_out_aside_and_researchers_do_not(crowd, make_account, client):
    campaign, people, _ = crowd
    client.force_login(make_account("mod", campaign, Role.MODERATOR))
    page = client.get(f"/organise/{campaign.slug}/moderation/people/").content.decode()
    assert page.count("Set aside</button>") == 1  # only one stands out
    client.post(f"/organise/{campaign.slug}/moderation/people/{people[6].pk}/", {"aside": "1"})
    assert Person.objects.get(pk=people[6].pk).aside
    client.force_login(make_account("rev", campaign, Role.RESEARCHER))
    refused = client.post(f"/organise/{campaign.slug}/moderation/people/{people[6].pk}/", {"aside": "0"})
    assert refused.status_code in (403, 404)
