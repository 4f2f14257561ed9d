"""The dashboard: planted counts come out, small groups do not, and the forecast speaks plainly."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from collect_support.stored import stored_rating
from endoxa_collect.cards import answering, drawing
from endoxa_collect.cards.counts import recount
from endoxa_collect.models import AuditEntry, Campaign, Card, JoinCode, Pair, Source, State
from endoxa_collect.organiser.decisions import waiting
from endoxa_collect.organiser.figures import (
    Coverage,
    Figures,
    agreement_of,
    count,
    together,
)
from endoxa_collect.organiser.wording import advice, sentence, switch_at
from endoxa_collect.sampler.controller import Balance, Expected, Forecast, Outlook, forecast
from endoxa_collect.small_cells import LEAST, OTHERS

pytestmark = pytest.mark.slow

REHEARSAL = "This is a rehearsal until you press Open: then the planned time begins."


def people(*names: int) -> set[UUID]:
    return {UUID(int=name) for name in names}


def country(code: str, pairs: int = 10, has: int = 12) -> Coverage:
    return Coverage(code, has, 3 * pairs)


@pytest.mark.parametrize(
    ("rows", "answered", "shown"),
    [
        # Fewer than five people stand together.
        (
            [country("AR", has=30), country("CL", has=9), country("UY", 4, 5), country("PE", 2, 1)],
            {
                "AR": people(1, 2, 3, 4, 5, 6),
                "CL": people(*range(1, 6)),
                "UY": people(6, 7, 8, 9),
                "PE": people(10),
            },
            [country("CL", has=9), country("AR", has=30), Coverage(OTHERS, 6, 18)],
        ),
        # Uruguay could be told from the total.
        (
            [country("AR"), country("CL"), country("UY")],
            {"AR": people(1, 2, 3, 4, 5, 6), "CL": people(1, 2, 3, 4, 7), "UY": people(6)},
            [country("AR"), Coverage(OTHERS, 24, 60)],
        ),
    ],
)
def test_countries_of_few_people_stand_together(rows, answered, shown):
    assert list(together(rows, answered)) == shown


@given(st.dictionaries(st.sampled_from("ABCDEFG"), st.sets(st.integers(1, 12)), max_size=7))
def test_every_row_has_five_people_or_nobody_behind_it(answered):
    by_country = {code: people(*numbers) for code, numbers in answered.items()}
    rows = together([country(code) for code in answered], by_country)
    shown = {row.country for row in rows} - {OTHERS}
    assert all(len(by_country[code]) >= LEAST for code in shown)
    behind = set().union(*(by_country[code] for code in set(answered) - shown))
    if rows:
        assert len(behind) == 0 or len(behind) >= LEAST
        assert sum(row.wanted for row in rows) == 30 * len(answered)


def test_planted_counts(make_campaign, make_person, make_pairs):
    now, campaign = timezone.now(), make_campaign(sampler={"k": 5, "k_max": 5})
    campaign.began_at = now - timedelta(minutes=30)
    make_pairs(
        campaign, ("AR", "drink mate", "es"), ("AR", "love football", "es"), ("CL", "love poetry", "es")
    )
    make_pairs(campaign, ("AR", "sing well", "es"), moderation="pending")
    for attribute, moderation in {"dance well": "hidden", "swim well": "pending"}.items():
        pair = ("AR", attribute, "es")
        made = make_pairs(campaign, pair, source=Source.CONTRIBUTOR, moderation=moderation)
        Pair.objects.filter(pk=made[0].pk).update(created_at=now - timedelta(minutes=2))
    for place in range(5):
        person = make_person(campaign, f"p{place}", connections=["CL"])
        for _ in range(3):
            card = drawing.next_card(person, now=now - timedelta(minutes=5))
            answering.rate(person, card.token, 4, now=now - timedelta(minutes=5))
    figures = count(campaign, now)
    assert (figures.pairs, figures.done, figures.waiting, figures.share) == (3, 3, 2, 1.0)
    Pair.objects.filter(attribute="love poetry").update(flags=["report_other"])
    assert count(campaign, now).waiting == waiting(campaign, organiser=False).count() == 3
    assert figures.coverage == (Coverage("AR", 10, 10), Coverage("CL", 5, 5))
    assert figures.lately is not None
    assert (figures.lately["people"], figures.lately["pace"]) == (5, 15 / 10)
    assert [figures.lately[name] for name in ("new_pairs", "skips", "reports")] == [1, None, None]


def test_agreement_is_the_share_of_pairs_whose_ratings_lie_close_together(campaign, make_person, make_pairs):
    raters = [make_person(campaign, f"p{place}") for place in range(4)]
    pairs = make_pairs(campaign, *(("AR", f"thing {number}", "es") for number in range(12)))

    def rate(pair, *values, first=0):
        for rater, value in zip(raters[first:], values, strict=False):
            stored_rating(rater, pair, value, timezone.now())
        recount(campaign, [pair])

    for pair in pairs[:9]:
        rate(pair, 4, 5, 4)
    rate(pairs[10], 1, 5)  # too few
    assert agreement_of(campaign) is None
    rate(pairs[9], 3, 4, 5)
    assert agreement_of(campaign) == 100
    rate(pairs[11], 1, 5, 5)
    assert agreement_of(campaign) == round(100 * 10 / 11)
    rate(pairs[0], 1, first=3)  # 4, 5, 4 and 1: a variance of 2.25, over the limit of 1.5
    assert agreement_of(campaign) == round(100 * 9 / 11)
    Pair.objects.filter(pk__in=[pair.pk for pair in pairs[:2]]).update(moderation="hidden")
    assert agreement_of(campaign) is None


def figures_with(
    short=0, switch_in=None, minutes_left=30.0, pairs=40, done=10, coming=0.0, guessed=None
) -> Figures:
    forecast = Forecast(short, switch_in, coming, balance=Balance.EXPLORE, guessed_people=guessed)
    return Figures(timezone.now(), pairs, done, 0, (), None, None, forecast, minutes_left)


SHORT = "At this pace 12 pairs, counting new ones, will end with fewer than 3 ratings."
ENOUGH = "At this pace every pair will have at least 3 ratings at the end."
EMPTY = "There are no pairs to rate yet: people are asked what is said about their countries."
PAUSED = "The campaign is paused: nobody is asked anything until you open it again."
OVER = "The planned time is over; 30 pairs have fewer than 3 ratings."


@pytest.mark.parametrize(
    ("facts", "state", "begun", "said"),
    [
        ({}, "open", True, ENOUGH),
        ({"short": 12}, "open", True, SHORT),
        ({"short": 118, "coming": 5.5}, "open", True, SHORT.replace("12", "36")),
        ({"short": 12, "guessed": 40}, "open", True, SHORT.replace("At this pace", "With 40 taking part,")),
        ({"minutes_left": -1.0}, "open", True, OVER),
        ({}, "paused", True, PAUSED),
        ({"pairs": 0, "done": 0}, "open", False, f"{REHEARSAL} {EMPTY}"),
    ],
)
def test_the_forecast_says_what_it_stands_on(facts, state, begun, said):
    assert sentence(figures_with(**facts), state=state, begun=begun, k=3) == said


def test_when_cards_ask_only_for_ratings_and_what_helps_is_told():
    soon, at_once = figures_with(12, 20.0), figures_with(12, 0.0)
    facts = {"state": "open", "begun": True}
    assert switch_at(soon, **facts, balance="") == soon.counted_at + timedelta(minutes=20)
    assert switch_at(soon, **facts, balance="validate") is switch_at(at_once, **facts, balance="") is None
    assert advice(soon, state="open", balance="") == ""
    assert advice(at_once, state="open", balance="explore") == "Ask only for ratings now."
    assert advice(at_once, state="open", balance="validate") == "More people or more time would help."


def test_changes_of_the_state_are_logged_and_pauses_are_taken_off_the_clock(organiser, campaign):
    began = timezone.now() - timedelta(hours=1)
    Campaign.objects.update(state=State.DRAFT, began_at=None)
    address, opening = (reverse(f"organiser:{name}", args=["river"]) for name in ("state", "opening"))
    assert organiser.get(address).status_code == 405
    assert organiser.post(opening).status_code == 302
    campaign.refresh_from_db()
    assert campaign.state == State.OPEN
    assert campaign.began_at is not None
    organiser.post(address, {"state": "paused"})
    paused = timezone.now() - timedelta(minutes=20)
    Campaign.objects.update(began_at=began, paused_at=paused)
    organiser.post(address, {"state": "closed", "sure": "1"})  # the clock has stood still since the pause
    for _ in range(2):
        organiser.post(opening)
    campaign.refresh_from_db()
    assert campaign.began_at >= began + timedelta(minutes=20)
    assert campaign.paused_at is None
    logged = AuditEntry.objects.order_by("pk").values_list("detail__after", flat=True)
    assert list(logged) == ["open", "paused", "closed", "open"]
    assert organiser.post(address, {"state": "draft"}).status_code == 400
    # What people are asked for is ordered, or left to the forecast.
    address = reverse("organiser:balance", args=["river"])
    for ordered in ("validate", "explore", ""):
        organiser.post(address, {"balance": ordered})
        campaign.refresh_from_db()
        assert campaign.balance == ordered
    assert AuditEntry.objects.filter(action="balance").count() == 3
    assert organiser.post(address, {"balance": "everything"}).status_code == 400


@pytest.mark.parametrize("state", ["closed", "paused", "draft"])
def test_the_projector_invites_nobody_who_could_not_join(organiser, campaign, state):
    JoinCode.objects.create(campaign=campaign, code="NEWEST22")
    pages = [reverse(f"organiser:{name}", args=["river"]) for name in ("projector", "projector_invitation")]
    for page in pages:
        assert "NEWEST22" in organiser.get(page).content.decode()
    Campaign.objects.update(state=state)
    for page in pages:
        assert "NEWEST22" not in organiser.get(page).content.decode()


def test_the_projector_shows_the_pace_of_five_people_and_nobody(organiser, campaign, make_person, make_pairs):
    make_pairs(campaign, *(("AR", f"thing {number}", "es") for number in range(4)))

    def shown(*names):
        cache.clear()
        pages = (organiser.get(reverse(f"organiser:{name}", args=["river"])) for name in names)
        return "".join(page.content.decode() for page in pages)

    for place in range(5):
        assert "Answers a minute" not in shown("projector_live")
        person = make_person(campaign, f"p{place}")
        answering.rate(person, drawing.next_card(person).token, 3)
    assert "<dt>Answers a minute</dt><dd>5.0</dd>" in shown("projector_live")
    pages = shown("dashboard", "dashboard_live", "projector", "projector_live", "projector_invitation")
    assert "Argentina" in pages
    assert not any(str(card.person_id) in pages or str(card.token) in pages for card in Card.objects.all())


@pytest.mark.parametrize("present", [4, 60])
@pytest.mark.parametrize("missing", [60, 1_035])
@pytest.mark.parametrize("new_pairs", [0.0, 0.1])
def test_the_forecast_is_true_of_its_own_numbers(present, missing, new_pairs):
    """40 were expected; "at this pace" speaks of those who are there and of nobody else."""
    room = Expected(together=True, people=40, minutes=90.0)
    for age in range(5, 41):
        each, left = 1.5, 90.0 - age
        pace = room.pace(float(age), present, each)
        found = forecast(Outlook(missing, pace, left, room, new_pairs, 3))
        figures = replace(figures_with(pairs=2_000), forecast=found)
        said = sentence(figures, state="open", begun=True, k=3)
        named = re.match(r"With (\d+) taking part", said)
        people = int(named[1]) if named else present
        assert bool(named) != said.startswith("At this pace")
        expected = age < 10 or (age < 20 and present < 40)
        assert people == (max(40, present) if expected else present)
        will_be_given = people * each * left
        wanted = missing + 3 * found.coming
        assert found.coming <= new_pairs * will_be_given
        assert ("every pair will have" in said) == (wanted <= will_be_given)
