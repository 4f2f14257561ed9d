"""Who waits for whom in a campaign, and what comes when the next in line has its turn."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import psycopg
import pytest
from django.db import connection

from collect_support.databases import own_campaign
from endoxa_collect.cards import locking
from endoxa_collect.cards.locking import afterwards, locked
from endoxa_collect.files import take


@pytest.mark.skipif(os.name == "nt", reason="no locks on files")
@pytest.mark.django_db(transaction=True)
def test_what_comes_afterwards_keeps_nobody_waiting(campaign, tmp_path, monkeypatch):
    if connection.vendor != "sqlite":
        pytest.skip("the database keeps a queue")
    name = tmp_path / "db.sqlite3"
    name.touch()
    monkeypatch.setitem(connection.settings_dict, "NAME", str(name))
    free = []

    def look():
        with (tmp_path / "db.sqlite3-queue").open("wb") as queue:
            free.append(take(queue))

    with locked(campaign.pk):
        look()
        afterwards(look)
        assert free == [False]
    assert free == [False, True]


HOLDING_ONE_LOCK_AFTER_THE_OTHER = """
from collect_support import crowd

crowd.set_up(1, 1)
campaign = crowd.Campaign.objects.get().pk
from endoxa_collect.cards.locking import locked, shared

for lock in (shared, locked):
    with lock(campaign):
        print(campaign, flush=True)
        input()
print(campaign, flush=True)
"""


@pytest.mark.slow
def test_ratings_and_draws_wait_for_whoever_has_the_campaign_only(postgresql, tmp_path):
    environment = own_campaign(tmp_path, postgresql)
    words = [sys.executable, "-c", HOLDING_ONE_LOCK_AFTER_THE_OTHER]
    piped = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    could = []
    with (
        psycopg.connect(postgresql, autocommit=True) as other,
        subprocess.Popen(words, env=environment, **piped) as process,
    ):
        for _ in ("shared", "locked", "neither"):
            keys = (locking._LOCKS, int(process.stdout.readline()))
            could.append(
                tuple(
                    other.execute(f"select pg_try_advisory_xact_lock{kind}(%s, %s)", keys).fetchone()[0]
                    for kind in ("_shared", "")
                )
            )
            process.stdin.write("\n")
            process.stdin.flush()
    assert could == [(True, False), (False, False), (True, True)]


@pytest.mark.slow
def test_races(postgresql, tmp_path):
    """No deadlock, nothing twice, and no release that holds what was taken back and not remembered."""
    words = [sys.executable, "-m", "collect_support.races"]
    done = subprocess.run(
        words,
        env=own_campaign(tmp_path, postgresql),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "two_cards": [False, True],
        "stand_ins": [True, True],
        "release": [0, 0],
    }
