"""The migration that adds candidates and the fields of cards, forwards and backwards in a campaign with answers."""

from __future__ import annotations

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from endoxa.collect.models import Card, CardState, Pair, Rating
from endoxa.collect.sampler.slots import CANDIDATE

BEFORE, AFTER = ("collect", "0006_rhythm"), ("collect", "0007_candidates")

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
