"""Cards that are no ratings: what they show, with which probability, and that they stay apart from ratings."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from statsmodels.stats.proportion import proportion_confint

from collect_support.stored import stored_card
from endoxa_collect.cards import kinds
from endoxa_collect.entry.proposing import merge, unmerge
from endoxa_collect.export.tables import read_tables
from endoxa_collect.models import (
    CardState,
    Mention,
    MixedAnswer,
    MixedCard,
    MixedKind,
    Pair,
    Rating,
    Release,
    Tombstone,
    Via,
)
from endoxa_collect.organiser.decisions import waiting
from endoxa_collect.privacy import redact, withdraw
from endoxa_collect.sampler.slots import FULL, NEEDS
from endoxa_collect.withdrawals import Keys

pytestmark = pytest.mark.slow

HEARD_AT, COMPARE_AT = 2, 5


@pytest.fixture
def pairs(campaign, make_pairs):
    """Seven fully rated pairs about one country, and others that must not be shown."""
    make_pairs(campaign, ("AR", "waits", "en"), need=NEEDS)
    make_pairs(campaign, ("AR", "unkind", "en"), need=FULL, negative=True)
    make_pairs(campaign, ("AR", "flagged", "en"), need=FULL, flags=["report_hate"])
    make_pairs(campaign, ("AR", "hidden", "en"), need=FULL, moderation="hidden")
    make_pairs(campaign, ("CL", "far", "en"), need=FULL)
    return make_pairs(campaign, *(("AR", f"well {n}", "en") for n in range(7)), need=FULL)


def drawn(person, at=HEARD_AT, seed=1):
    return kinds.next_mixed(person, at, rng=np.random.default_rng(seed))


def test_one_list_and_one_comparison_in_eight(campaign, make_campaign):
    found = [kinds.due(campaign, done) for done in range(16)]
    assert [place for place, kind in enumerate(found) if kind] == [2, 5, 10, 13]
    assert found[2] == found[10] == MixedKind.HEARD
    assert found[5] == found[13] == MixedKind.COMPARE
    none = make_campaign("none", heard_lists=0, comparisons=0)
    assert {kinds.due(none, done) for done in range(16)} == {None}
    many = make_campaign("many", heard_lists=10, comparisons=10)
    assert kinds.due(many, 0) is None
    assert [bool(kinds.due(many, done)) for done in range(1, 8)] == [True] * 7


def test_only_fully_rated_pairs_are_shown_and_again_without_a_lock(person, pairs, monkeypatch):
    card = drawn(person)
    assert card.kind == MixedKind.HEARD
    shown = set(card.answers.values_list("pair_id", flat=True))
    assert len(shown) == 5
    assert shown <= {pair.pk for pair in pairs}
    assert (card.pool, card.propensity) == (7, 5 / 7)
    with monkeypatch.context() as patched:
        patched.setattr(kinds, "locked", lambda _: pytest.fail("locked for nothing"))
        assert drawn(person) == card
    # Not once one of its pairs is hidden or gone: it is given back.
    Pair.objects.filter(pk=card.answers.first().pair_id).update(moderation="hidden")
    again = drawn(person)
    assert again != card
    assert MixedCard.objects.get(pk=card.pk).state == CardState.LAPSED
    again.answers.first().pair.delete()
    assert drawn(person) != again


def test_a_rating_comes_next_where_pairs_are_few(person, pairs):
    Mention.objects.create(person=person, pair=pairs[0], text="well", via=Via.PROMPT)
    now = timezone.now()
    stored_card(person, pairs[1], now, state=CardState.ANSWERED, closed_at=now)
    assert drawn(person).pool == 5
    MixedCard.objects.all().delete()
    Pair.objects.filter(pk=pairs[2].pk).update(need=NEEDS)
    Pair.objects.filter(pk=pairs[3].pk).update(topic="Other")
    assert drawn(person) is None
    assert drawn(person, COMPARE_AT).pool == 4
    # Topics that they avoid are on no list.
    MixedCard.objects.all().delete()
    person.topic_optouts = ["Other"]
    assert drawn(person, COMPARE_AT).pool == 3


def test_every_pair_has_the_stated_probability(person, pairs):
    seen, draws = Counter(), 150
    for seed in range(draws):
        card = drawn(person, COMPARE_AT, seed)
        assert card.propensity == 2 / 7
        seen.update(card.answers.values_list("pair_id", flat=True))
        card.delete()
    assert set(seen) == {pair.pk for pair in pairs}
    deviation = (draws * 2 / 7 * 5 / 7) ** 0.5
    assert all(abs(count - draws * 2 / 7) < 4 * deviation for count in seen.values())


def test_answers_are_no_ratings_and_can_be_sent_twice(person, pairs):
    card = drawn(person)
    rows = list(card.answers.order_by("position"))
    kinds.answer_heard(person, card.token, [rows[0].public_id, rows[3].public_id])
    kinds.answer_heard(person, card.token, [rows[1].public_id])
    said = list(card.answers.order_by("position").values_list("answer", flat=True))
    assert said == ["heard", "not_heard", "not_heard", "heard", "not_heard"]
    assert not Rating.objects.exists()
    assert set(
        Pair.objects.filter(pk__in=[row.pair_id for row in rows]).values_list("ratings", flat=True)
    ) == {0}


@pytest.mark.parametrize(("choice", "said"), kinds.CHOICES.items())
def test_a_comparison_says_something_of_both(person, pairs, choice, said):
    card = drawn(person, COMPARE_AT)
    kinds.answer_comparison(person, card.token, choice)
    assert tuple(card.answers.order_by("position").values_list("answer", flat=True)) == said
    # Who leaves takes them along.
    named = set(card.answers.values_list("public_id", flat=True))
    withdraw(person)
    assert not MixedCard.objects.exists()
    assert not MixedAnswer.objects.exists()
    assert set(Tombstone.objects.filter(table="mixed").values_list("row", flat=True)) == named


def test_undo_shows_the_card_again_under_new_row_ids(person, pairs):
    Release.objects.create(campaign=person.campaign, number="1", salt="x", sha256="x")
    card = drawn(person, COMPARE_AT)
    kinds.answer_comparison(person, card.token, "first")
    before = set(card.answers.values_list("public_id", flat=True))
    kinds.undo_mixed(person, card.token)
    assert set(card.answers.values_list("answer", flat=True)) == {""}
    assert before.isdisjoint(card.answers.values_list("public_id", flat=True))
    assert set(Tombstone.objects.values_list("row", "table")) == {(row, "mixed") for row in before}
    assert drawn(person, 0) == card
    kinds.skip_mixed(person, card.token, "rather_not")
    card.refresh_from_db()
    assert (card.state, card.reason) == (CardState.SKIPPED, "rather_not")


def test_nobody_answers_the_card_of_somebody_else(person, pairs, make_person, as_person):
    card = drawn(person)
    other = as_person(make_person(person.campaign, "eve"))
    for name in ("mixed", "mixed_skip", "mixed_report", "mixed_undo"):
        response = other.post(reverse(f"contributor:{name}", args=[card.token]), {"reason": "dont_know"})
        assert response.url == "/card/?note=moved"
    card.refresh_from_db()
    assert card.state == CardState.OPEN


def _page(phone):
    return phone.get("/card/").content.decode()


def test_a_list_without_a_tick_is_asked_about_once(person, pairs, as_person):
    card, phone = drawn(person), as_person(person)
    address = reverse("contributor:mixed", args=[card.token])
    again = phone.post(address, {})
    assert again.url == "/card/?note=none"
    card.refresh_from_db()
    assert card.state == CardState.OPEN
    assert not MixedAnswer.objects.exclude(answer="").exists()
    page = phone.get(again.url).content.decode()
    assert "You ticked none. Have you heard none of these?" in page
    assert "You ticked none" not in _page(phone)
    phone.post(address, {"none": "1"})
    # Sent once more without a tick, as a double tap does: nothing is asked and nothing changes.
    assert phone.post(address, {}).url == "/card/"
    assert MixedAnswer.objects.filter(answer="not_heard").count() == 5


def test_exported_with_shares(make_campaign, make_person, make_pairs):
    campaign = make_campaign("lake")
    pairs = make_pairs(campaign, *(("AR", f"well {n}", "en") for n in range(5)), need=FULL)
    people = [make_person(campaign, f"p{n}") for n in range(6)]
    for n, person in enumerate(people):
        card = drawn(person, seed=n)
        rows = {row.pair_id: row.public_id for row in card.answers.all()}
        kinds.answer_heard(person, card.token, [rows[pair.pk] for pair in pairs[: n // 2 + 1]])
    whole = read_tables(campaign, Keys("salt")).frames
    assert whole["mixed"].height == 30
    listed = whole["pairs"].sort("attribute")
    assert listed["listed"].to_list() == [6] * 5
    assert listed["heard_share"].to_list() == pytest.approx([1, 4 / 6, 2 / 6, 0, 0])
    low, high = proportion_confint(np.array([6, 4, 2, 0, 0]), 6, method="wilson")
    np.testing.assert_allclose(listed["heard_low"], low, atol=1e-12)
    np.testing.assert_allclose(listed["heard_high"], high, atol=1e-12)
    assert listed["ratings"].to_list() == [0] * 5


def test_a_reported_pair_is_put_before_moderators_and_leaves_all_lists(person, pairs, as_person):
    card = drawn(person)
    row, *others = card.answers.order_by("position")
    phone = as_person(person)
    address = reverse("contributor:mixed_report", args=[card.token])
    assert address in _page(phone)
    # First it asks which, and then why.
    which = phone.get(address).content.decode()
    assert all(f"?row={one.public_id}" in which for one in (row, *others))
    why = phone.get(address, {"row": str(row.public_id)}).content.decode()
    assert row.pair.attribute in why
    assert others[0].pair.attribute not in why
    for wrong in (
        {"row": str(row.public_id), "reason": "dont_know"},
        {"row": str(card.token), "reason": "report_hate"},
        {"reason": "report_hate"},
    ):
        assert phone.post(address, wrong).url == "/card/?note=unclear"
    assert MixedCard.objects.get().state == CardState.OPEN
    phone.post(address, {"row": str(row.public_id), "reason": "report_hate"})
    # A second tap changes nothing.
    phone.post(address, {"row": str(others[0].public_id), "reason": "report_personal"})
    assert phone.get(address).url == "/card/"
    card.refresh_from_db()
    assert (card.state, card.reason) == (CardState.SKIPPED, "report_hate")
    before_moderators = set(waiting(person.campaign, organiser=True).values_list("pk", flat=True))
    assert before_moderators & {one.pair_id for one in (row, *others)} == {row.pair_id}
    assert read_tables(person.campaign, Keys("salt")).frames["mixed"].height == 0


@pytest.mark.parametrize("way", ["undo", "leave"])
def test_a_report_on_a_list_that_is_taken_back_is_forgotten(person, pairs, make_person, way):
    other = make_person(person.campaign, "eve")
    card, theirs = drawn(person), drawn(other, seed=2)
    mine, hers = ({row.pair_id for row in one.answers.all()} for one in (card, theirs))
    first, second = min(mine), min(hers - mine)
    for who, one, pair, reason in (
        (person, card, first, "report_hate"),
        (other, theirs, second, "report_nonsense"),
    ):
        kinds.report_row(who, one.token, one.answers.get(pair=pair).public_id, reason)
    if way == "undo":
        kinds.undo_mixed(person, card.token)
        assert drawn(person, 0) == card
    else:
        withdraw(person)
    assert Pair.objects.get(pk=first).flags == []
    assert Pair.objects.get(pk=second).flags == ["report_nonsense"]


def test_a_comparison_of_two_that_were_merged_says_nothing(person, pairs):
    card = drawn(person, COMPARE_AT)
    kinds.answer_comparison(person, card.token, "first")
    first, second = card.answers.order_by("position")
    merge(second.pair, first.pair)
    found = read_tables(person.campaign, Keys("salt"))
    assert found.frames["mixed"].height == 0
    assert set(found.frames["pairs"]["compared"].to_list()) == {0}
    unmerge(second.pair)
    said = read_tables(person.campaign, Keys("salt")).frames["mixed"].sort("position")
    assert said["answer"].to_list() == ["more", "less"]


def test_what_was_removed_is_on_no_list(person, pairs):
    card = drawn(person)
    row, *_ = card.answers.order_by("position")
    kinds.answer_heard(person, card.token, [row.public_id])
    with transaction.atomic():
        redact(row.pair)
    mixed = read_tables(person.campaign, Keys("salt")).frames["mixed"]
    assert mixed.height == 4
    assert str(row.public_id) not in mixed["row_id"].to_list()
    again = drawn(person, COMPARE_AT)
    assert again is None or row.pair_id not in again.answers.values_list("pair_id", flat=True)
