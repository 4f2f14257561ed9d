"""Emptying the log of a database: what was deleted is gone, and nobody waits for it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from threading import Timer

import pytest

from endoxa_collect.sqlite import empty_log


@pytest.fixture
def database(tmp_path):
    with closing(sqlite3.connect(tmp_path / "db.sqlite3", isolation_level=None, timeout=30)) as one:
        one.execute("PRAGMA journal_mode = WAL")
        one.execute("CREATE TABLE rows (n)")
        yield one


@pytest.fixture
def reader(database, tmp_path):
    name = tmp_path / "db.sqlite3"
    with closing(sqlite3.connect(name, isolation_level=None, check_same_thread=False, timeout=0)) as one:
        one.execute("BEGIN")
        one.execute("SELECT * FROM rows").fetchall()
        database.execute("INSERT INTO rows VALUES (1)")
        yield one


def test_the_log_is_emptied_once_the_last_reader_has_read(database, reader, tmp_path):
    log = tmp_path / "db.sqlite3-wal"
    empty_log(database, 0)  # at once or not at all
    assert log.stat().st_size > 0
    Timer(0.2, reader.rollback).start()
    empty_log(database)
    assert log.stat().st_size == 0
    assert database.execute("PRAGMA busy_timeout").fetchone() == (30_000,)
