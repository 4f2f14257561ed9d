"""Counts of pairs: what they cost, and that they keep in mind no settings that were never saved."""

from __future__ import annotations

import pytest
from django.db import transaction

from endoxa_collect.cards.counts import recount
from endoxa_collect.entry.proposing import merge
from endoxa_collect.models import Pair
from endoxa_collect.organiser.settings import save


@pytest.mark.slow
def test_settings_that_were_not_saved_after_all_are_not_kept_in_mind(campaign, make_pairs, make_account):
    user = make_account("olu")
    pairs = make_pairs(campaign, *(("AR", f"drink mate {n}", "en") for n in range(3)))

    def save_limit(k):
        sampler = {**campaign.settings.sampler.model_dump(), "k": k}
        return save(campaign, 1, {"sampler": sampler}, user)

    with transaction.atomic():
        assert save_limit(2) == 2
        transaction.set_rollback(True)
    campaign.refresh_from_db()
    assert save_limit(1) == 2
    campaign.refresh_from_db()
    assert campaign.settings.sampler.k == 1
    assert len(pairs) == Pair.objects.filter(need=0).count()


def test_counting_asks_for_the_settings_once(campaign, make_pairs, django_assert_num_queries):
    one, other, root = make_pairs(campaign, *(("AR", f"drink mate {n}", "en") for n in range(3)))
    merge(one, root)
    merge(other, root)
    campaign.settings  # noqa: B018
    found = list(Pair.objects.all())
    # Two to find the root from each merged pair; family (2), ratings, mentions and what is stored for it.
    with django_assert_num_queries(2 + 5):
        recount(campaign, found)
