"""The public page of results."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.formats import date_format

from collect_support.stored import stored_rating
from endoxa_collect.cards.counts import recount
from endoxa_collect.contributor import results
from endoxa_collect.entry.proposing import merge
from endoxa_collect.export import editions
from endoxa_collect.export.run import export_campaign
from endoxa_collect.models import (
    JoinCode,
    Mention,
    Moderation,
    Pair,
    Person,
    Release,
    Source,
    State,
    Via,
)
from endoxa_collect.sampler.slots import CANDIDATE

pytestmark = pytest.mark.slow


@pytest.fixture
def rate():
    """A function by which people rate a pair, each with a value."""

    def given(pair, people, values):
        now = timezone.now()
        for person, value in zip(people, values, strict=True):
            stored_rating(person, pair, value, now)
        recount(pair.campaign, [pair])

    return given


@pytest.fixture
def rated(make_campaign, make_person, make_pairs, rate):
    """A function that makes a campaign in which three of its `people` rated each of three pairs: k is 3."""

    def make(people, **changes):
        campaign = make_campaign(**changes)
        kind, unkind, rare = make_pairs(
            campaign, ("AR", "drink mate", "en"), ("AR", "are late", "en"), ("CL", "love rain", "en")
        )
        there = [make_person(campaign, f"p{number}") for number in range(people)]
        for place, (pair, negative, value) in enumerate(
            ((kind, False, 5), (unkind, True, 5), (rare, False, 1))
        ):
            pair.negative = negative
            pair.save()
            rate(pair, [there[(3 * place + n) % people] for n in range(3)], [value] * 3)
        for number, person in enumerate(there):
            Mention.objects.create(person=person, pair=rare, text=f"{number}", via=Via.PROMPT)
        return campaign

    return make


def closed(campaign):
    campaign.state = State.CLOSED
    campaign.save()
    return campaign


def page_of(client, campaign):
    return client.get(f"/results/{campaign.slug}/").content.decode()


def test_a_closed_campaign_shows_what_many_know_and_is_mild(rated, client, django_assert_max_num_queries):
    campaign = closed(rated(12))
    page = page_of(client, campaign)
    # Three people rated it, as many as the campaign asks for.
    assert "drink mate" in page
    assert "3 of 3 people had heard it" in page
    assert "are late" not in page
    assert "love rain" not in page
    assert "<dd>12</dd>" in page  # people
    assert "<dd>9</dd>" in page  # ratings
    # The next release may differ by one person, whose country would be told.
    assert "Where the people come from" not in page
    assert "drink mate" in client.get("/results/").content.decode()
    JoinCode.objects.create(campaign=campaign, code="MATE2345")
    assert f'href="/results/{campaign.slug}/"' in client.get("/j/MATE2345/").content.decode()
    with django_assert_max_num_queries(6):  # the figures are kept
        page_of(client, campaign)


def test_the_surest_come_first_and_merged_pairs_count_together(rated, client, make_pairs, rate):
    """k is 2, but three people are asked for at least, and more than half of those asked must know it."""
    campaign = rated(12, sampler={"k": 2})
    people = list(Person.objects.filter(campaign=campaign))
    words = ("sip tea", "sip teas", "two ratings", "half", "some")
    root, merged_pair, two, half, some = make_pairs(
        campaign, *(("AR", text, "en") for text in words), negative=False
    )
    rate(root, people[:3], [4, 4, 1])
    rate(merged_pair, people[2:6], [4, 4, 4, 4])
    merge(merged_pair, root)
    rate(two, people[:2], [5, 5])
    rate(half, people[:4], [5, 5, 1, 1])
    rate(some, people[:4], [2, 2, 2, 1])
    found = results.heard(editions.of_day(closed(campaign)).figures)
    # Whoever rated both counts once.
    assert [(one["attribute"], one["heard"], one["people"]) for one in found] == [
        ("sip tea", 6, 6),
        ("drink mate", 3, 3),
        ("some", 3, 4),
    ]
    assert "3 of 4 people had heard it" in page_of(client, campaign)
    # What became doubtful since is listed no more, though the figures are those of the day.
    (mate,) = Pair.objects.filter(attribute="drink mate")
    for changes in (
        {"negative": None, "source": Source.CONTRIBUTOR},
        {"negative": True},
        {"flags": ["report_hate"]},
        {"moderation": Moderation.HIDDEN},
        {"need": CANDIDATE},
    ):
        Pair.objects.filter(pk=mate.pk).update(**changes)
        assert "drink mate" not in page_of(client, campaign), changes
        mate.save()


@pytest.mark.parametrize(
    ("people", "figures_shown", "pairs_shown"),
    [(4, False, False), (5, True, False), (9, True, False), (10, True, True)],
)
def test_few_people_get_few_figures(rated, client, people, figures_shown, pairs_shown):
    page = page_of(client, closed(rated(people)))
    assert ("People who took part" in page) is figures_shown
    assert ("Too few people" in page) is not figures_shown
    assert ("drink mate" in page) is pairs_shown


def test_an_open_campaign_says_when(rated, client, as_person, make_person):
    day = timezone.now().date() + timedelta(days=8)
    campaign = rated(6, results_from=day.isoformat())
    told = f"The results will be here from {date_format(day, 'DATE_FORMAT')}"
    page = client.get(f"/results/{campaign.slug}/").content.decode()
    assert told in page
    assert "drink mate" not in page
    thanks = as_person(make_person(campaign)).get("/thanks/").content.decode()
    assert f'href="/results/{campaign.slug}/"' in thanks
    closed(campaign)  # before its day
    assert "drink mate" not in Client().get(f"/results/{campaign.slug}/").content.decode()


def test_nothing_where_the_organisers_want_none(rated, client, as_person, make_person, make_campaign):
    campaign = rated(6, results_page=False)
    assert "/results/" not in as_person(make_person(campaign)).get("/thanks/").content.decode()
    closed(campaign)
    for slug in (campaign.slug, "nowhere"):
        assert client.get(f"/results/{slug}/").status_code == 404
    # The first page of a site with two campaigns names none.
    closed(make_campaign("lake"))
    assert "/results/" not in Client().get("/").content.decode()


def test_a_release_has_a_summary(rated, make_person, client, tmp_path):
    """Of 12 people from Argentina, 6 from Chile and 2 from Uruguay."""
    campaign = closed(rated(12, licence="CC-BY-4.0"))
    for place, number in (("CL", 6), ("UY", 2)):
        for one in range(number):
            make_person(campaign, f"{place} {one}", origins=[place])
    made = export_campaign(campaign, tmp_path / "out", release="1.0", formats=("csv",))
    page = page_of(client, campaign)
    assert "edition 1.0" in page
    assert "<dd>20</dd>" in page  # people, those without a key included
    assert f"<dd>{made.rows['ratings']}</dd>" in page
    assert "CC-BY-4.0" in page
    # As the table of people has it: three cards about Chile were drawn as about an own country.
    origins = page.split("Where the people come from")[1].split("</ul>")[0]
    assert "Argentina</bdi>: 9" in origins
    assert "Chile</bdi>: 6" in origins
    assert "Other countries</bdi>: 5" in origins
    assert "Uruguay" not in page
    assert "drink mate" in page
    # While the campaign goes on only the summary is there, the newest one.
    campaign.state = State.OPEN
    campaign.save()
    export_campaign(campaign, tmp_path / "next", release="1.1", formats=("csv",))
    page = page_of(client, campaign)
    assert "edition 1.1" in page
    assert "drink mate" not in page


def test_a_restricted_or_unfinished_release_is_nobodys_business(rated, client, tmp_path):
    campaign = rated(12)
    export_campaign(campaign, tmp_path / "out", release="1.0", formats=("csv",), recipient="Dr. Rain, Lake")
    Release.objects.create(campaign=campaign, number="2.0", salt="x")
    page = page_of(client, campaign)
    assert "edition" not in page
    assert "Dr. Rain" not in page
    assert "when the collection has ended" in page
