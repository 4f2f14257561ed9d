"""What worker processes remember for some seconds: they do remember it, and not for longer."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from django.utils import timezone

from endoxa.collect.cards import balance, drawing, pool
from endoxa.collect.models import Campaign
from endoxa.collect.sampler import KEPT_SECONDS, Balance
from endoxa.collect.sampler.settings import SamplerSettings

SECONDS = 10.0


@pytest.fixture
def clock(monkeypatch, settings):
    """The clock of the caches; it goes on only when told."""
    settings.STATISTICS_SECONDS = SECONDS
    clock = SimpleNamespace(now=1_000.0)
    for module in (balance, pool):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: clock.now))
    return clock


def test_a_forecast_is_kept_for_some_seconds(make_campaign, make_pairs, clock):
    campaign = make_campaign(minutes=1, expected_people=1)
    assert balance.balance_of(campaign) == Balance.EXPLORE
    make_pairs(campaign, *(("AR", f"attribute {n}", "es") for n in range(9)))
    assert balance.balance_of(campaign) == Balance.EXPLORE
    clock.now += KEPT_SECONDS + 0.1
    assert balance.balance_of(campaign) == Balance.VALIDATE


def test_what_an_organiser_orders_holds_at_once(campaign, clock):
    assert balance.balance_of(campaign) == Balance.EXPLORE
    Campaign.objects.update(balance="sparse")
    campaign.refresh_from_db()
    assert balance.balance_of(campaign) == Balance.SPARSE


def counted(campaign):
    """Pairs and recent cards by country, as the next draw sees them."""
    now = pool.DatabasePool(campaign, timezone.now())
    return sum(now.sizes().values()), dict(now.drawn())


def test_a_small_pool_is_counted_each_time_and_its_recent_cards_now_and_then(
    campaign, person, make_pairs, clock
):
    make_pairs(campaign, ("AR", "drink mate", "es"))
    assert counted(campaign) == (1, {})
    drawing.next_card(person)
    make_pairs(campaign, ("AR", "sing", "es"))
    assert counted(campaign) == (2, {})
    clock.now += SECONDS + 0.1
    assert counted(campaign) == (2, {"AR": 1})


def test_a_large_pool_is_counted_now_and_then(make_campaign, make_pairs, clock):
    campaign = make_campaign(sampler=SamplerSettings(whole=2, candidates=2))
    make_pairs(campaign, *(("AR", f"attribute {n}", "es") for n in range(3)))
    assert counted(campaign) == (3, {})
    make_pairs(campaign, ("AR", "sing", "es"))
    assert counted(campaign) == (3, {})
    clock.now += SECONDS + 0.1
    assert counted(campaign) == (4, {})
