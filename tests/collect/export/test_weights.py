"""Weights for means over all pairs: how long pairs waited, counted as in the simulation and told roughly."""

from __future__ import annotations

from datetime import timedelta

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endoxa.collect.cards.counts import recount
from endoxa.collect.contributor.cards.forms import RATINGS
from endoxa.collect.entry.merging import merge
from endoxa.collect.export.columns import TABLES
from endoxa.collect.export.patches import patch_release
from endoxa.collect.export.pool import read_pool, rounded, waited
from endoxa.collect.export.restoration import import_campaign
from endoxa.collect.export.run import export_campaign
from endoxa.collect.models import Action, Campaign, Card, CardState, Moderation, Pair, Rating, Role
from endoxa.collect.organiser.moderation.decisions import Decision, decide, revision
from endoxa.collect.privacy import withdraw
from endoxa.collect.simulate.memory import MemoryPool, NewPair
from support.collect.filled_campaign import START, give_rating
from support.collect.samples import campaign_settings
from support.repository import ROOT

K = campaign_settings().sampler.k
COUNTRIES = ("AR", "CL")


def at(minute):
    return START + timedelta(minutes=minute)


@pytest.fixture
def history(campaign, make_person, make_pairs):
    """A campaign in which 600 cards were drawn, one a minute, and the same in the simulation's pool.

    The first pair gets its k-th rating at minute 100, after the card of that minute; the second came at minute 40 and
    lacks one yet; the third, of minute 300, has none.
    """
    people = [make_person(campaign, f"p{number}", origins=["AR"]) for number in range(6)]
    pairs = make_pairs(
        campaign, ("AR", "drink mate", "en"), ("CL", "sing", "en"), ("CL", "love poetry", "en")
    )
    memory = MemoryPool(COUNTRIES, ("en",), campaign.settings.sampler)
    came = {0: [0], 40: [1], 300: [2]}
    rated = {100 - 10 * n: 0 for n in range(K)} | {200 + n: 1 for n in range(K - 1)}
    ratings = {0: 0, 1: 0}
    for minute in range(600):
        for number in came.get(minute, ()):
            moment = at(minute - 0.5)
            Pair.objects.filter(pk=pairs[number].pk).update(
                created_at=moment, waiting_since=int(moment.timestamp())
            )
            memory.add(NewPair(number % 2, number, 0, negative=False, topic=0), 0.5)
        memory.note(0)
        if minute in rated:
            number = rated[minute]
            rating = give_rating(people[ratings[number]], pairs[number], 3, minute=minute + 0.5)
            Card.objects.filter(pk=rating.card_id).update(drawn_at=at(minute))
            memory.rate(number, 3)
            ratings[number] += 1
        else:
            Card.objects.create(
                campaign=campaign,
                person=people[0],
                pair=pairs[0],
                country="AR",
                number=minute,
                tier="own",
                version=1,
                digest="x",
                state=CardState.LAPSED,
                drawn_at=at(minute),
                expires_at=at(minute + 5),
            )
    return campaign, pairs, memory, people


@pytest.mark.slow
def test_waiting_is_counted_as_in_the_simulation(history):
    campaign, pairs, memory, _ = history
    found = waited(campaign, read_pool(campaign))
    assert [found[pair.public_id] for pair in pairs] == [101, 560, 300]
    assert memory.waited().tolist() == [101, 560, 300]


def test_cards_without_a_pair_and_other_campaigns_do_not_count(history, make_campaign, make_person):
    campaign, pairs, *_ = history
    Card.objects.filter(campaign=campaign, drawn_at__gt=at(549.5)).update(pair=None)
    other = make_campaign("lake")
    Card.objects.filter(drawn_at__gt=at(499.5), drawn_at__lt=at(549.5)).update(
        campaign=other, person=make_person(other, "else")
    )
    assert waited(campaign, read_pool(campaign))[pairs[1].public_id] == 460
    # Words that waited for a moderator: the wait for ratings began then.
    Pair.objects.filter(pk=pairs[1].pk).update(waiting_since=int(at(459.5).timestamp()))
    assert waited(campaign, read_pool(campaign))[pairs[1].public_id] == 40


@pytest.mark.slow
def test_hiding_and_showing_again_does_not_end_the_wait(history, make_account):
    campaign, pairs, *_ = history
    moderator = make_account("mo", campaign, Role.MODERATOR)
    for pair in pairs[:2]:
        recount(campaign, [pair])
        pair.refresh_from_db()
        before = pair.waiting_since
        for action in (Action.HIDE, Action.APPROVE):
            pair.refresh_from_db()
            decide(campaign, moderator, pair.public_id, Decision(action, revision(pair)))
        pair.refresh_from_db()
        assert pair.waiting_since == before
    found = waited(campaign, read_pool(campaign))
    assert [found[pair.public_id] for pair in pairs] == [101, 560, 300]


def test_a_wait_that_begins_after_its_end_is_counted_from_the_beginning(history):
    """As escalating and approving left it in campaigns of earlier days."""
    campaign, pairs, *_ = history
    Pair.objects.filter(pk=pairs[0].pk).update(waiting_since=int(at(500).timestamp()))
    assert waited(campaign, read_pool(campaign))[pairs[0].public_id] == 101


@pytest.mark.slow
def test_merged_pairs_wait_together_from_the_first_that_was_shown(history):
    campaign, pairs, *_ = history
    first, _, third = pairs
    Pair.objects.filter(pk=first.pk).update(country="CL")
    first.refresh_from_db()
    # The root is younger than the rating that completes it.
    merge(first, third)
    assert waited(campaign, read_pool(campaign))[third.public_id] == 101
    # One that waited for a moderator until it was merged was on no card: the ratings end a wait that never began.
    Pair.objects.filter(pk=first.pk).update(before_merge=Moderation.PENDING)
    assert waited(campaign, read_pool(campaign))[third.public_id] == 101
    Rating.objects.all().delete()
    assert waited(campaign, read_pool(campaign))[third.public_id] == 300


@pytest.mark.slow
def test_the_export_tells_one_digit_and_only_where_there_is_something_to_weigh(history, tmp_path):
    campaign, pairs, _, people = history
    export_campaign(campaign, tmp_path / "one", release="1.0")
    assert told_in(tmp_path / "one", pairs) == [100, 600, None]
    Campaign.objects.exclude(pk=campaign.pk).delete()
    for person in people:
        withdraw(person)
    patch_release(campaign, tmp_path / "one", tmp_path / "patched")
    assert told_in(tmp_path / "patched", pairs) == [None, None, None]
    campaign.delete()
    copy = import_campaign(tmp_path / "one")
    export_campaign(copy, tmp_path / "two", imported=True)
    assert told_in(tmp_path / "two", pairs) == [100, 600, None]


def told_in(folder, pairs):
    rows = dict(
        pl.read_parquet(folder / "pairs.parquet").select("association_id", "cards_while_waiting").iter_rows()
    )
    return [rows.get(str(pair.public_id)) for pair in pairs]


@given(st.integers(min_value=1, max_value=10**7))
def test_nothing_is_told_beyond_one_digit(cards):
    number = rounded(cards)
    assert number >= 10
    assert set(str(number)[1:]) == {"0"}
    assert cards <= 10 or abs(number - cards) <= number / 2
    assert rounded(number) == number


def test_the_worked_example_of_the_manual(tmp_path, monkeypatch, capsys):
    """Two pairs: one drawn quickly (chance 1/2, waited 100 cards), one slowly (1/10, 1,000); rated 5, 5 and 1.

    (2 * 5/(1/2 * 100) + 1/(1/10 * 1000)) / (2/50 + 1/100) = 0.21 / 0.05 = 4.2; the raw mean is 11/3.
    """
    manual = (ROOT / "docs" / "collect" / "exports.md").read_text()
    code = manual.split("```python\n")[1].split("```")[0]
    rows = [
        ("a", 5, 0.5, False, "own"),
        ("a", 5, 0.5, False, "other"),
        ("b", 1, 0.1, False, "floor"),
        ("a", 1, 0.5, True, "own"),
        ("a", 1, 0.5, False, "topup"),
        ("b", 1, 0.5, False, "calibration"),
        ("b", 5, None, False, ""),
    ]
    names = ("association_id", "value", "propensity", "surplus", "tier")
    ratings = pl.DataFrame(rows, schema=names, orient="row").with_columns(counted=True)
    pairs = pl.DataFrame({"association_id": ["a", "b"], "cards_while_waiting": [100, 1000]})
    (tmp_path / "export").mkdir()
    ratings.write_parquet(tmp_path / "export" / "ratings.parquet")
    pairs.write_parquet(tmp_path / "export" / "pairs.parquet")
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    assert float(capsys.readouterr().out) == pytest.approx(4.2)


def test_the_codebook_and_the_manual_say_what_the_buttons_say():
    (value,) = (column for column in TABLES["ratings"] if column.name == "value")
    manual = (ROOT / "docs" / "collect" / "cards.md").read_text(encoding="utf-8")
    for number, words in RATINGS:
        assert f"{number} '{words}'" in value.sentence
        assert f"| {words} | {number} |" in manual
