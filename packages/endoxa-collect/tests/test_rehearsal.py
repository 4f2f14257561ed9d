"""A rehearsal that is erased: what goes, what stays, that no list tells of it, and that no backup brings it back."""

from __future__ import annotations

import csv

import pytest
from django.contrib.auth.models import AnonymousUser
from django.urls import reverse

from collect_support.filled_campaign import propose
from endoxa_collect import withdrawals
from endoxa_collect.cards import answering, drawing
from endoxa_collect.entry.proposing import merge
from endoxa_collect.export.run import export_campaign
from endoxa_collect.models import (
    Campaign,
    Moderation,
    Pair,
    Person,
    Rating,
    Release,
    Role,
    Source,
    Tombstone,
)
from endoxa_collect.organiser.opening import RELEASED, end_rehearsal, rehearsal_of
from endoxa_collect.paper import FIXED, choose_cards, enter, new_receipts, read_answers, write_template
from endoxa_collect.privacy import withdraw
from endoxa_collect.project.replay import replay
from endoxa_collect.withdrawals import What

pytestmark = pytest.mark.slow

NOBODY = AnonymousUser()


@pytest.fixture
def rehearsed(make_campaign, settings, tmp_path):
    """A campaign that nobody opened, with a folder."""
    settings.FOLDER = tmp_path
    campaign = make_campaign()
    Campaign.objects.update(began_at=None)
    campaign.refresh_from_db()
    return campaign


@pytest.fixture
def organiser(client, rehearsed, make_account):
    account = make_account("ana", rehearsed, Role.ORGANISER)
    client.force_login(account)
    client.account = account
    return client


def lines_of(folder):
    return withdrawals.read(folder / withdrawals.NAME)


class TestSeeds:
    def test_a_seed_comes_back_that_was_merged_into_what_somebody_said(
        self, rehearsed, make_person, make_pairs
    ):
        seed, other = make_pairs(rehearsed, ("CL", "love poetry", "en"), ("CL", "like rhymes", "en"))
        one = propose(make_person(rehearsed, "eva"), "CL", "adore verses")
        left = make_person(rehearsed, "ben", keep_words=True)
        two = propose(left, "CL", "enjoy poems")
        merge(seed, one)
        merge(other, two)
        withdraw(left)  # whose words stay, with nobody behind them
        end_rehearsal(rehearsed, NOBODY)
        assert set(Pair.objects.values_list("pk", flat=True)) == {seed.pk, other.pk}
        for pair in (seed, other):
            pair.refresh_from_db()
            assert (pair.moderation, pair.merged_into, pair.before_merge) == (Moderation.LIVE, None, "")


class TestNoTrace:
    @pytest.fixture
    def tried(self, rehearsed, make_person, make_pairs):
        """Two people rated, one added a pair, a third left by herself."""
        make_pairs(rehearsed, ("CL", "love poetry", "en"), ("AR", "sing", "en"))
        for name in ("eva", "ben", "cleo"):
            person = make_person(rehearsed, name)
            answering.rate(person, drawing.next_card(person).token, 4)
        propose(person, "CL", "adore verses")
        withdraw(person)
        return rehearsed

    def test_a_backup_from_before_brings_nobody_back_and_no_row(self, tried, tmp_path, make_person):
        eva = Person.objects.first()
        words = list(Pair.objects.filter(source=Source.CONTRIBUTOR))
        assert Tombstone.objects.exists()
        end_rehearsal(tried, NOBODY)
        lines = lines_of(tmp_path)
        kinds = [line.what for line in lines]
        assert kinds == [What.PERSON, What.ERASED, What.ERASED, What.REHEARSAL]
        assert len({line.person for line in lines}) == 4
        # As they were in the backup.
        eva.save(force_insert=True)
        propose(eva, "AR", "dance")
        Pair.objects.bulk_create(words)
        assert replay(lines).people == 1
        assert not Person.objects.exists()
        assert not Pair.objects.filter(source=Source.CONTRIBUTOR).exists()
        assert not Tombstone.objects.exists()
        # The first export lists nothing as withdrawn.
        export_campaign(tried, tmp_path / "out", release="1.0", formats=("csv",), empty=True)
        assert (tmp_path / "out" / "withdrawals.csv").read_text() == "row_id,table\n"

    def test_who_leaves_afterwards_is_listed_and_a_second_rehearsal_is_another(
        self, tried, tmp_path, make_person
    ):
        end_rehearsal(tried, NOBODY)
        for name in ("dan", "eda"):
            person = make_person(tried, name)
            answering.rate(person, drawing.next_card(person).token, 2)
            if name == "dan":
                withdraw(person)
        stones = set(Tombstone.objects.values_list("row", flat=True))
        assert len(stones) == 1
        lines = lines_of(tmp_path)
        Tombstone.objects.all().delete()
        replay(lines)
        assert set(Tombstone.objects.values_list("row", flat=True)) == stones
        end_rehearsal(tried, NOBODY)
        lines = lines_of(tmp_path)
        assert withdrawals.merged(lines, lines) == lines
        assert withdrawals.since_rehearsal(lines, tried.slug) == []
        assert [line.what for line in lines].count(What.REHEARSAL) == 2


class TestReleased:
    """A release may hold the rehearsal: then nothing is erased, and the page says why."""

    @pytest.mark.parametrize("sha256", ["x", ""], ids=["made", "being made"])
    def test_the_page_says_why_and_has_no_button(self, rehearsed, organiser, make_person, sha256):
        make_person(rehearsed, "eva")
        page = reverse("organiser:dashboard", args=["river"])
        assert "Erase the rehearsal" in organiser.get(page).content.decode()
        Release.objects.create(campaign=rehearsed, number="1.0", salt="x", sha256=sha256)
        shown = organiser.get(page).content.decode()
        assert "Erase the rehearsal" not in shown
        assert "The rehearsal cannot be erased: a release may hold it" in shown
        erase = reverse("organiser:rehearsal", args=["river"])
        assert organiser.post(erase, {"sure": "on"}).status_code == 302
        assert rehearsed.people.count() == 1
        assert rehearsal_of(rehearsed) == RELEASED


class TestPaper:
    @pytest.fixture
    def sheets(self, rehearsed, make_pairs, tmp_path):
        make_pairs(rehearsed, ("AR", "sing", "en"), ("CL", "write", "en"), negative=False)
        path = tmp_path / "answers.csv"
        receipts = new_receipts(2)
        write_template(path, receipts, choose_cards(rehearsed, "en", 9))
        with path.open(encoding="utf-8-sig", newline="") as file:
            heading, *rows = list(csv.reader(file))
        for row in rows:
            row[heading.index("consent")], row[len(FIXED)] = "yes", "5"
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([heading, *rows])
        return read_answers(path, rehearsed)

    def test_sheets_that_went_with_a_rehearsal_can_be_entered_again(self, rehearsed, sheets, tmp_path):
        assert enter(rehearsed, sheets, "en").people == 2
        end_rehearsal(rehearsed, NOBODY)
        again = enter(rehearsed, sheets, "en")
        assert (again.people, again.ratings, again.withdrawn) == (2, 2, 0)
        assert enter(rehearsed, sheets, "en").before == 2
        # The list must not take them for those who were erased.
        assert replay(lines_of(tmp_path)).people == 0
        assert Rating.objects.count() == 2
        # Who withdrew stays out, also after another one.
        withdraw(Person.objects.first())
        end_rehearsal(rehearsed, NOBODY)
        again = enter(rehearsed, sheets, "en")
        assert (again.people, again.withdrawn) == (1, 1)
