"""Withdrawal: what goes, what stays, what is left of it in files."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from collect_support.stored import stored_card
from endoxa_collect.cards import answering, drawing
from endoxa_collect.cards.counts import recount
from endoxa_collect.export.rows import withdrawal_rows
from endoxa_collect.models import (
    Attempts,
    AuditEntry,
    Mention,
    Moderation,
    Pair,
    Person,
    Rating,
    Release,
    Skip,
    Source,
    Statement,
    Tombstone,
    Via,
)
from endoxa_collect.privacy import Withdrawn, withdraw
from endoxa_collect.security.limits import PROPOSALS
from endoxa_collect.withdrawals import Keys

pytestmark = pytest.mark.slow


@pytest.fixture
def propose(make_pairs):
    """A function by which a person proposes a pair of their own."""

    def make(person, country, attribute, language="en", **changes):
        facts = {"source": Source.CONTRIBUTOR, "author": person, **changes}
        (pair,) = make_pairs(person.campaign, (country, attribute, language), **facts)
        mention(person, pair, attribute)
        return pair

    return make


def mention(person, pair, text):
    Mention.objects.create(person=person, pair=pair, text=text, via=Via.ATTRIBUTE)
    recount(pair.campaign, [pair])


def rate(person, pair, value):
    card = stored_card(person, pair, timezone.now())
    answering.rate(person, card.token, value, lifted=True)


def test_how_often_somebody_tried_what_goes_too(person, make_person):
    other = make_person(person.campaign, "ben")
    for one in (person, other):
        PROPOSALS.count(str(one.pk))
    withdraw(person)
    assert Attempts.objects.count() == 1
    PROPOSALS.clear(str(other.pk))
    assert not Attempts.objects.exists()


def test_a_pair_that_nobody_else_said_goes_with_its_author(campaign, person, make_person, propose):
    """That no word of theirs is left anywhere is a property of exports (export/test_laws.py)."""
    pair = propose(person, "CL", "grow wonderful pumpkins")
    facts = {"campaign": campaign, "person": person, "axis": "gender", "language": "en"}
    Statement.objects.create(question="women", text="sing at dawn", **facts)
    other = make_person(campaign, "ben")
    gone = withdraw(person)
    assert (gone.pairs, gone.mentions, gone.statements, gone.kept) == (1, 1, 1, 0)
    assert not Pair.objects.filter(pk=pair.pk).exists()
    assert list(Person.objects.all()) == [other]
    assert withdraw(person) == Withdrawn()  # a second call does nothing
    (entry,) = AuditEntry.objects.all()
    assert (entry.action, entry.user, entry.detail) == ("withdrawal", None, vars(gone))


def test_words_stay_where_the_person_agreed(person, propose):
    Person.objects.update(keep_words=True)
    pair = propose(person, "CL", "grow wonderful pumpkins")
    gone = withdraw(person)
    pair.refresh_from_db()
    assert (gone.pairs, gone.kept) == (0, 1)
    assert (pair.author, pair.mentions, pair.attribute) == (None, 0, "grow wonderful pumpkins")


def test_a_pair_that_others_rated_stays_without_its_author(campaign, person, make_person, propose):
    pair = propose(person, "CL", "grow wonderful pumpkins")
    rate(make_person(campaign, "ben"), pair, 5)
    gone = withdraw(person)
    pair.refresh_from_db()
    assert (gone.kept, pair.author, pair.mentions, pair.ratings) == (1, None, 0, 1)


def test_a_pair_that_others_put_in_their_words_is_shown_in_theirs(campaign, person, make_person, propose):
    pair = propose(person, "CL", "Grow wonderful pumpkins")
    mention(make_person(campaign, "ben"), pair, "grow the wonderful pumpkins")
    withdraw(person)
    pair.refresh_from_db()
    assert (pair.attribute, pair.mentions) == ("grow the wonderful pumpkins", 1)


def test_what_was_merged_into_a_pair_that_goes_takes_its_place(campaign, person, make_person, propose):
    root = propose(person, "CL", "grow wonderful pumpkins")
    ben, cleo = make_person(campaign, "ben"), make_person(campaign, "cleo")
    one = propose(ben, "CL", "have good pumpkins", moderation=Moderation.MERGED, merged_into=root)
    two = propose(cleo, "CL", "like pumpkins", moderation=Moderation.MERGED, merged_into=root)
    withdraw(person)
    one.refresh_from_db()
    two.refresh_from_db()
    assert not Pair.objects.filter(pk=root.pk).exists()
    assert (one.merged_into, one.moderation, one.mentions) == (None, Moderation.LIVE, 2)
    assert two.merged_into == one


def test_a_pair_in_the_middle_of_a_merger_can_go(campaign, person, make_person, propose):
    ben = make_person(campaign, "ben")
    root = propose(ben, "CL", "like pumpkins")
    middle = propose(person, "CL", "grow pumpkins", moderation=Moderation.MERGED, merged_into=root)
    leaf = propose(
        make_person(campaign, "cleo"), "CL", "eat pumpkins", moderation=Moderation.MERGED, merged_into=middle
    )
    withdraw(person)
    leaf.refresh_from_db()
    root.refresh_from_db()
    assert (leaf.merged_into, root.mentions, Pair.objects.count()) == (root, 2, 2)


def test_tombstones_name_each_row_a_release_may_hold_and_nothing_else(
    campaign, person, make_person, make_pairs, propose
):
    rated, skipped = make_pairs(campaign, ("CL", "love poetry", "en"), ("UY", "drink mate", "en"))
    rate(person, rated, 3)
    card = drawing.next_card(person)
    answering.skip(person, card.token, "rather_not")
    pair = propose(person, "CL", "grow wonderful pumpkins")
    other = make_person(campaign, "ben")
    rate(other, rated, 4)
    expected = {
        ("ratings", person.ratings.get().public_id),
        ("skips", person.skips.get().public_id),
        ("mentions", person.mentions.get().public_id),
        ("pairs", pair.public_id),
    }
    withdraw(person)
    assert set(Tombstone.objects.values_list("table", "row")) == expected
    assert {one.withdrawn_hour.minute for one in Tombstone.objects.all()} == {0}
    assert Rating.objects.get().person == other
    assert not Skip.objects.exists()
    assert Pair.objects.filter(pk=skipped.pk).exists()


def test_a_report_goes_with_its_last_reporter(campaign, make_person, make_pairs):
    (pair,) = make_pairs(campaign, ("CL", "love poetry", "en"))
    Pair.objects.update(flags=["long"])
    reporters = [make_person(campaign, name) for name in ("ben", "cleo", "dan")]
    cards = [drawing.next_card(one) for one in reporters]
    for one, card, reason in zip(reporters, cards, ("hate", "hate", "nonsense"), strict=True):
        answering.skip(one, card.token, f"report_{reason}")
    pair.refresh_from_db()
    assert pair.flags == ["long", "report_hate", "report_nonsense"]
    withdraw(reporters[0])
    pair.refresh_from_db()
    assert pair.flags == ["long", "report_hate", "report_nonsense"]
    withdraw(reporters[1])
    answering.undo(reporters[2], cards[2].token)
    pair.refresh_from_db()
    assert pair.flags == ["long"]


@pytest.mark.parametrize(
    ("sha256", "days", "released"),
    [
        (None, 0, False),
        ("f" * 64, 9, True),
        ("", 0, True),
        ("", 2, False),
    ],  # the last two: under way, broken off
)
def test_an_answer_that_is_undone_is_named_where_a_release_may_hold_it(
    campaign, person, make_pairs, sha256, days, released
):
    make_pairs(campaign, ("CL", "love poetry", "en"))
    if sha256 is not None:
        Release.objects.create(campaign=campaign, number="1.0", salt="x", sha256=sha256)
        Release.objects.update(made_at=timezone.now() - timedelta(days=days))
    card = drawing.next_card(person)
    answering.rate(person, card.token, 4)
    row = Rating.objects.get().public_id
    answering.undo(person, card.token)
    assert not Rating.objects.exists()
    assert list(Tombstone.objects.values_list("table", "row")) == ([("ratings", row)] if released else [])


def test_keys_of_people_are_named_in_their_own_release_only(campaign, person):
    for number, salt in (("1.0", "first"), ("1.0.1", "first"), ("2.0", "second")):
        Release.objects.create(campaign=campaign, number=number, salt=salt)
    withdraw(person)
    for salt in ("first", "second"):
        keys = {Keys(salt).rater(person.pk), Keys(salt).respondent(person.pk)}
        assert set(withdrawal_rows(campaign, salt)["row_id"]) == keys
    assert withdrawal_rows(campaign, "that of a new export").is_empty()
    assert withdrawal_rows(campaign, "first").columns == ["row_id", "table"]
    Release.objects.get(number="1.0.1").delete()
    assert withdrawal_rows(campaign, "first").height == withdrawal_rows(campaign, "second").height == 2
