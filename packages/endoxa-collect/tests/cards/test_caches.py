"""What processes keep in mind: for some seconds and not for longer, and never what was not saved."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from endoxa_collect.cards import balance, locking
from endoxa_collect.sampler.controller import Balance

SECONDS = 10.0


@pytest.fixture
def clock(monkeypatch, settings):
    """The clock of the caches; it goes on only when a test says so."""
    settings.STATISTICS_SECONDS = SECONDS
    clock = SimpleNamespace(now=1_000.0)
    monkeypatch.setattr(locking, "time", SimpleNamespace(monotonic=lambda: clock.now))
    return clock


def test_a_forecast_is_kept_for_some_seconds(make_campaign, make_pairs, clock):
    campaign = make_campaign(minutes=1, expected_people=1)
    assert balance.view_of(campaign).balance == Balance.EXPLORE
    make_pairs(campaign, *(("AR", f"attribute {n}", "es") for n in range(9)))
    assert balance.view_of(campaign).balance == Balance.EXPLORE
    clock.now += SECONDS + 0.1
    assert balance.view_of(campaign).balance == Balance.VALIDATE
