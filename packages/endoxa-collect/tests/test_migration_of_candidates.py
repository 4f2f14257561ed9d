"""The migrations that add candidates, fields of cards and slots, forwards and backwards in a campaign with answers."""

from __future__ import annotations

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from endoxa_collect.models import Card, CardState, Pair, Rating
from endoxa_collect.sampler.slots import CANDIDATE, NEEDS

BEFORE, AFTER = ("collect", "0006_rhythm"), ("collect", "0007_candidates")
SLOTS = ("collect", "0008_slots")

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def migrate():
    """A function that takes the database to a migration and gives the models as they were then."""
    yield _migrate
    _migrate(*MigrationExecutor(connection).loader.graph.leaf_nodes("collect"))


def _migrate(*targets):
    MigrationExecutor(connection).migrate(list(targets))
    return MigrationExecutor(connection).loader.project_state(list(targets)).apps


def columns(table):
    with connection.cursor() as cursor:
        return {one.name for one in connection.introspection.get_table_description(cursor, table)}


def rows(model):
    return list(model.objects.order_by("pk").values_list("pk", flat=True))


def test_forwards_and_backwards_with_answers(migrate, campaign, person, make_pairs):
    rated, waiting = make_pairs(campaign, ("AR", "sing", "en"), ("CL", "write", "en"))
    Pair.objects.filter(pk=waiting.pk).update(need=CANDIDATE)
    now = timezone.now()
    card = Card.objects.create(
        campaign=campaign, person=person, pair=rated, country="AR", number=0, tier="own", version=1, digest="x",
        adds=False, words=False, ticks=False, state=CardState.ANSWERED, drawn_at=now, expires_at=now, closed_at=now,
    )  # fmt: skip
    Rating.objects.create(card=card, person=person, pair=rated, value=4, in_group=True, created_at=now)
    kept = {model: rows(model) for model in (Pair, Card, Rating)}

    old = migrate(BEFORE)
    assert not {"words", "ticks"} & columns("collect_card")
    assert {model: rows(old.get_model("collect", model.__name__)) for model in kept} == kept
    # Candidates are unknown there: they ask for ratings like all others.
    assert set(old.get_model("collect", "Pair").objects.values_list("need", flat=True)) == {NEEDS}
    made = old.get_model("collect", "Card").objects.create(
        campaign_id=campaign.pk, person_id=person.pk, country="CL", number=1, tier="prompt", version=1, digest="x",
        state="skipped", drawn_at=now, expires_at=now, closed_at=now,
    )  # fmt: skip

    new = migrate(AFTER).get_model("collect", "Card")
    # Of cards from before it is not known which fields they showed: they count as having shown both.
    assert set(new.objects.values_list("pk", "adds", "words", "ticks")) == {
        (card.pk, False, True, True),
        (made.pk, True, True, True),
    }
    assert connection.introspection.get_constraints(connection.cursor(), "collect_pair")["pair_by_key"]


def test_ratings_from_before_fill_the_slots_of_their_tiers(migrate, campaign, make_person, make_pairs):
    """Also those of merged pairs; who rated both counts once. Cards that asked for nothing asked for no ticks."""
    root, merged = make_pairs(campaign, ("AR", "sing", "en"), ("AR", "sing a lot", "en"))
    Pair.objects.filter(pk=merged.pk).update(merged_into=root, moderation="merged")
    now = timezone.now()
    for place, (pair, tier, in_group) in enumerate(
        [
            (root, "own", True),
            (root, "near", False),
            (merged, "anyone", False),
            (merged, "calibration", True),
            (merged, "exploration", False),
        ]
    ):
        one = make_person(campaign, f"p{place}")
        card = Card.objects.create(
            campaign=campaign, person=one, pair=pair, country="AR", number=0, tier=tier, version=1, digest="x",
            adds=False, state=CardState.ANSWERED, drawn_at=now, expires_at=now, closed_at=now,
        )  # fmt: skip
        Rating.objects.create(card=card, person=one, pair=pair, value=4, in_group=in_group, created_at=now)
    old = migrate(AFTER)
    assert "slot" not in columns("collect_card")
    tiers = set(old.get_model("collect", "Card").objects.values_list("tier", flat=True))
    assert tiers == {"own", "near", "anywhere", "calibration", "exploration"}
    new = migrate(SLOTS)
    cards = dict(new.get_model("collect", "Card").objects.values_list("tier", "slot"))
    assert cards == {
        "own": "own", "near": "near", "anyone": "anyone", "exploration": "anyone", "calibration": ""
    }  # fmt: skip
    assert set(new.get_model("collect", "Card").objects.values_list("words", "ticks")) == {(False, False)}
    filled = new.get_model("collect", "Pair").objects.order_by("pk").values_list("own_filled", "near_filled")
    assert list(filled) == [(2, 1), (0, 0)]
