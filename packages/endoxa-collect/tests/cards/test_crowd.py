"""Many processes at once, on SQLite and on PostgreSQL: nothing lost, nothing twice, no half card after `kill -9`."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, contextmanager

import psycopg
import pytest

from collect_support.databases import own_campaign

pytestmark = pytest.mark.slow

CROWD = "collect_support.crowd"
PEOPLE, DRAWS, PAIRS = 12, 8, 38
"""Five answers for six places of k = 3: near the end most processes want the same few pairs."""


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request, tmp_path):
    """A campaign folder's environment, and a function that asks its database."""
    environment = own_campaign(tmp_path)
    if request.param == "sqlite":
        with closing(sqlite3.connect(tmp_path / "db.sqlite3", timeout=30)) as connection:
            yield environment, lambda sql: connection.execute(sql).fetchall()
        return
    url = request.getfixturevalue("postgresql")
    with psycopg.connect(url, autocommit=True) as connection:
        yield own_campaign(tmp_path, url), lambda sql: connection.execute(sql).fetchall()


@contextmanager
def crowd(environment, people, draws, pairs):
    words = [sys.executable, "-m", CROWD, str(people), str(draws), str(pairs)]
    with subprocess.Popen(
        words, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        yield process


def test_twelve_processes_lose_nothing_and_double_nothing(database):
    environment, ask = database
    with crowd(environment, PEOPLE, DRAWS, PAIRS) as process:
        printed, _ = process.communicate(timeout=900)
    assert process.returncode == 0
    told = json.loads(printed)
    stored = ask("select c.token from collect_rating r join collect_card c on c.id = r.card_id")
    # No answer that a person was thanked for is missing, and none is there that nobody gave.
    assert sorted(str(row[0]).replace("-", "") for row in stored) == sorted(
        token.replace("-", "") for token in told["answered"]
    )
    assert len(told["answered"]) >= PEOPLE * DRAWS
    assert not ask("select 1 from collect_rating group by person_id, pair_id having count(*) > 1")
    assert_counts_are_right(ask)
    # Each late answer may take the place of one that is on its way: no more ratings above k than late answers.
    assert _more_than_k(ask) <= told["late"]


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_no_half_card_after_kill_9(database):
    environment, ask = database
    with crowd(environment, 8, 100_000, 200) as process:
        limit = time.monotonic() + 120
        while _answered(ask) < 40 and time.monotonic() < limit:
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGKILL)
    assert _answered(ask) >= 40
    assert_counts_are_right(ask)


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


def assert_counts_are_right(ask):
    """Every answered card has its rating, every rating its card, and every pair counts its ratings."""
    assert not ask(
        "select 1 from collect_card c left join collect_rating r on r.card_id = c.id "
        "where c.pair_id is not null and ((c.state = 'answered') <> (r.id is not null))"
    )
    assert not ask("select 1 from collect_card where state = 'open' group by person_id having count(*) > 1")
    assert not ask(
        "select 1 from collect_pair p where p.ratings <> (select count(*) from collect_rating r where r.pair_id = p.id)"
    )


def _more_than_k(ask) -> int:
    counts = ask("select count(*) from collect_rating group by pair_id")
    return sum(max(0, count - 3) for (count,) in counts)


def _answered(ask) -> int:
    try:
        return ask("select count(*) from collect_rating")[0][0]
    except (sqlite3.OperationalError, psycopg.errors.UndefinedTable):
        return 0  # not set up yet
