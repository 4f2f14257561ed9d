"""What is public comes from the tables of an edition: joining and leaving between two looks changes no number."""

from __future__ import annotations

import io
import re
import zipfile
from collections import Counter
from datetime import timedelta

import polars as pl
import pytest
from django.db.models import F
from django.test import Client
from django.utils import timezone

from collect_support.stored import stored_rating
from endoxa_collect.cards.counts import recount
from endoxa_collect.export import editions
from endoxa_collect.export.run import export_campaign
from endoxa_collect.models import (
    AuditEntry,
    Edition,
    Pair,
    Person,
    Release,
    Role,
    State,
    Tombstone,
)
from endoxa_collect.privacy import withdraw

pytestmark = pytest.mark.slow


@pytest.fixture
def closed(campaign, make_person, make_pairs):
    """Argentina 8, Brazil 5 and one person from Peru, who hides among them; all rated both pairs."""
    kind, unkind = make_pairs(campaign, ("AR", "drink mate", "en"), ("BR", "are late", "en"))
    Pair.objects.filter(pk=kind.pk).update(negative=False)
    Pair.objects.filter(pk=unkind.pk).update(negative=True)
    places = ["AR"] * 8 + ["BR"] * 5 + ["PE"]
    now = timezone.now()
    for number, place in enumerate(places):
        person = make_person(campaign, f"p{number}", origins=[place])
        for pair in (kind, unkind):
            stored_rating(person, pair, 5, now)
    recount(campaign, [kind, unkind])
    Person.objects.update(consent_hour=now - timedelta(days=3))
    campaign.state = State.CLOSED
    campaign.save()
    return campaign


@pytest.fixture
def released(closed, tmp_path):
    export_campaign(closed, tmp_path / "out", release="1.0")
    return closed, tmp_path / "out"


def numbers(campaign):
    page = Client().get(f"/results/{campaign.slug}/").content.decode()
    shown = re.findall(r">[^<]*\d[^<]*<", page.split("<main")[1])
    return [text for text in shown if not text.startswith(">Counted on")]


def yesterday(model):
    model.objects.update(made_at=timezone.now() - timedelta(days=1))


def test_public_figures_are_those_of_the_tables_cell_by_cell(released):
    campaign, folder = released
    figures = editions.of_release(campaign).figures
    people = Counter(pl.read_csv(folder / "people.csv")["country"].to_list())
    without_key = 14 - sum(people.values())
    assert dict(figures["origins"]) == {**people, **({"other": without_key} if without_key else {})}
    assert min(count for _, count in figures["origins"]) >= 5
    pairs, ratings = pl.read_csv(folder / "pairs.csv"), pl.read_csv(folder / "ratings.csv")
    assert (figures["people"], figures["pairs"], figures["ratings"]) == (14, pairs.height, ratings.height)
    (heard,) = figures["heard"]
    row = pairs.filter(attribute="drink mate").row(0, named=True)
    assert (heard["pair"], heard["people"]) == (row["association_id"], row["ratings"])


@pytest.mark.parametrize("with_release", [False, True])
def test_joining_or_leaving_between_two_looks_changes_no_number(closed, make_person, tmp_path, with_release):
    if with_release:
        export_campaign(closed, tmp_path / "out", release="1.0", formats=("csv",))
    before = numbers(closed)
    assert before
    withdraw(Person.objects.filter(campaign=closed, origins=["PE"]).get())
    assert numbers(closed) == before
    make_person(closed, "new", origins=["BR"])
    assert numbers(closed) == before
    # On the next day two people are too few for other figures, and five are enough.
    yesterday(Edition)
    assert numbers(closed) == before
    Edition.objects.update(made_at=timezone.now() - timedelta(days=1))
    for number in range(5):
        make_person(closed, f"new {number}", origins=["BR"])
    numbers(closed)
    assert all(
        count >= 5 or country == "other"
        for edition in Edition.objects.all()
        for country, count in edition.figures["origins"]
    )


def test_the_data_are_public_once_an_organiser_says_so(released, make_account, client):
    campaign, _ = released
    address = f"/data/{campaign.slug}/"
    assert client.get(f"{address}download/").status_code == 404
    assert "All tables (zip)" not in client.get(address, follow=True).content.decode()
    client.force_login(make_account("boss", campaign, Role.ORGANISER))
    listed = f"/organise/{campaign.slug}/exports/"
    chosen = {"index": 0, "_selected_action": campaign.releases.get(number="1.0").pk}
    client.post(listed, {**chosen, "action": "publish"})
    assert f'<a href="{address}">published</a>' in client.get(listed).content.decode()
    page = Client().get(address, follow=True).content.decode()
    assert f'href="{address}download/"' in page
    # What may hurt is in the file, and on no page.
    assert "are late" not in page
    assert "Content notice" in Client().get(f"{address}card/").content.decode()
    download = Client().get(f"{address}download/")
    assert download.headers["Content-Disposition"] == f'attachment; filename="{campaign.slug}-1.0.zip"'
    names = zipfile.ZipFile(io.BytesIO(download.content)).namelist()
    assert f"{campaign.slug}-1.0/pairs.csv" in names
    client.post(listed, {**chosen, "action": "take_down"})
    assert Client().get(f"{address}card/").status_code == 404
    actions = list(AuditEntry.objects.filter(user__username="boss").values_list("action", flat=True))
    assert actions == ["edition published", "edition taken down"]


def test_withdrawn_rows_leave_the_public_data_on_the_next_day(released):
    campaign, _ = released
    Edition.objects.update(published=True)
    gone = Person.objects.filter(campaign=campaign, origins=["AR"]).first()
    rows = {str(row) for row in gone.ratings.values_list("public_id", flat=True)}
    withdraw(gone)
    assert editions.published(campaign).release.number == "1.0"
    # Withdrawn in the hour in which the edition was made, and looked at on the next day.
    yesterday(Edition)
    Tombstone.objects.update(withdrawn_hour=F("withdrawn_hour") - timedelta(days=1))
    made = editions.published(campaign)
    assert made.release.number == "1.0.1"
    assert not Edition.objects.get(release__number="1.0").archive
    archive = Client().get(f"/data/{campaign.slug}/download/").content
    text = zipfile.ZipFile(io.BytesIO(archive)).read(f"{campaign.slug}-1.0.1/ratings.csv").decode()
    assert not any(row in text for row in rows)
    assert made.figures["ratings"] == 26
    assert Release.objects.count() == 2
    assert Tombstone.objects.exists()


def test_words_that_went_are_on_no_page_at_once(released):
    campaign, _ = released
    assert "drink mate" in Client().get(f"/results/{campaign.slug}/").content.decode()
    Pair.objects.filter(attribute="drink mate").delete()
    assert "drink mate" not in Client().get(f"/results/{campaign.slug}/").content.decode()
