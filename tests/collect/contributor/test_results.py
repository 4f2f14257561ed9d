"""The public page of results."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.formats import date_format

from endoxa.collect.contributor import results
from endoxa.collect.export import columns
from endoxa.collect.models import Card, CardState, JoinCode, Rating, Release, State


@pytest.fixture
def rated(make_campaign, make_person, make_pairs):
    """A function that makes a campaign in which `people` rated three pairs: kind, unkind, and a little known one."""

    def make(people, **changes):
        campaign = make_campaign(**changes)
        kind, unkind, rare = make_pairs(
            campaign, ("AR", "drink mate", "en"), ("AR", "are late", "en"), ("CL", "love rain", "en")
        )
        for pair, negative in ((kind, False), (unkind, True), (rare, False)):
            pair.negative = negative
            pair.save()
        now = timezone.now()
        for number in range(people):
            person = make_person(campaign, f"p{number}")
            for place, (pair, value) in enumerate(((kind, 5), (unkind, 5), (rare, 1))):
                card = Card.objects.create(
                    campaign=campaign,
                    person=person,
                    pair=pair,
                    country=pair.country,
                    number=place,
                    tier="own",
                    version=1,
                    digest="",
                    state=CardState.ANSWERED,
                    drawn_at=now,
                    expires_at=now,
                )
                Rating.objects.create(
                    card=card, person=person, pair=pair, value=value, in_group=False, created_at=now
                )
        return campaign

    return make


def closed(campaign):
    campaign.state = State.CLOSED
    campaign.save()
    return campaign


def test_a_closed_campaign_shows_what_many_know_and_nothing_that_hurts(rated, client):
    campaign = closed(rated(7))
    page = client.get(f"/results/{campaign.slug}/").content.decode()
    assert "drink mate" in page
    assert "are late" not in page
    assert "love rain" not in page
    assert "at least 5" in page  # seven people
    assert "at least 20" in page  # 21 ratings
    assert "at least 0" not in page
    assert "drink mate" in client.get("/results/").content.decode()
    JoinCode.objects.create(campaign=campaign, code="MATE2345")
    assert f'href="/results/{campaign.slug}/"' in client.get("/j/MATE2345/").content.decode()


@pytest.mark.parametrize(("people", "shown"), [(4, False), (5, True)])
def test_fewer_than_five_people_are_not_counted(rated, client, people, shown):
    campaign = closed(rated(people))
    page = client.get(f"/results/{campaign.slug}/").content.decode()
    assert ("drink mate" in page) is shown
    assert ("Too few people" in page) is not shown


def test_small_cells_are_those_of_exports():
    assert results.LEAST == columns.LEAST


def test_countries_with_few_pairs_are_left_out(rated, make_pairs):
    campaign = closed(rated(5))
    make_pairs(campaign, *(("AR", f"thing {number}", "en") for number in range(5)))
    found = results.found_in(campaign)
    assert found.countries == (("AR", 5),)  # seven pairs, rounded down; the one of Chile is left out
    assert (found.people, found.pairs, found.ratings) == (5, 5, 15)


def test_an_open_campaign_says_when(rated, client, as_person, make_person):
    day = timezone.now().date() + timedelta(days=8)
    campaign = rated(6, results_from=day.isoformat())
    told = f"The results will be here from {date_format(day, 'DATE_FORMAT')}"
    page = client.get(f"/results/{campaign.slug}/").content.decode()
    assert told in page
    assert "drink mate" not in page
    thanks = as_person(make_person(campaign)).get("/thanks/").content.decode()
    assert f'href="/results/{campaign.slug}/"' in thanks
    assert told in thanks
    closed(campaign)  # before its day
    assert "drink mate" not in Client().get(f"/results/{campaign.slug}/").content.decode()


def test_nothing_where_the_organisers_want_none(rated, client, as_person, make_person):
    campaign = rated(6, results_page=False)
    assert "/results/" not in as_person(make_person(campaign)).get("/thanks/").content.decode()
    closed(campaign)
    assert client.get(f"/results/{campaign.slug}/").status_code == 404
    assert client.get("/results/nowhere/").status_code == 404


def test_a_release_is_named_and_figures_are_kept_for_a_while(rated, client, django_assert_max_num_queries):
    campaign = closed(rated(6))
    Release.objects.create(campaign=campaign, number="1.0", salt="x", sha256="y")
    assert "Edition 1.0" in client.get(f"/results/{campaign.slug}/").content.decode()
    with django_assert_max_num_queries(3):
        client.get(f"/results/{campaign.slug}/")
