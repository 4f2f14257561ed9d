"""The queue of moderators: found by indexes, sorted before others must wait; many approved at once."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from endoxa.collect.models import Moderation, Pair, Role
from endoxa.collect.organiser.moderation.queue import take_next, waiting


@pytest.fixture
def moderator(campaign, make_account):
    return make_account("mo", campaign, Role.MODERATOR)


def test_the_database_says_which_pairs_are_flagged(campaign, make_pairs):
    plain, doubted = make_pairs(campaign, ("AR", "drink mate", "en"), ("AR", "love tea", "en"))
    doubted.flags = ["report_other"]
    doubted.save(update_fields=["flags"])
    assert list(Pair.objects.filter(flagged=True)) == [doubted]
    Pair.objects.update(flags=[])
    assert Pair.objects.filter(flagged=False).count() == 2
    assert plain.flags == []


def test_what_waits_is_found_without_a_look_at_all_pairs(campaign):
    plan = waiting(campaign, organiser=False).explain()
    assert "pair_flagged" in plan
    assert "moderation=?" in plan


def test_the_queue_is_sorted_before_the_lock_is_taken(campaign, make_pairs, moderator):
    pairs = make_pairs(campaign, *(("AR", f"love tea {n}", "en") for n in range(3)))
    Pair.objects.update(moderation=Moderation.PENDING)
    with CaptureQueriesContext(
        connection,
    ) as asked:
        assert take_next(campaign, moderator, organiser=False) == pairs[0]
    lines = [query["sql"] for query in asked]
    locks = [number for number, sql in enumerate(lines) if "SAVEPOINT" in sql]
    assert "ORDER BY" in lines[0]
    assert locks[0] > 0
    assert all('."id" IN (' in sql for sql in lines[1:] if "ORDER BY" in sql)
