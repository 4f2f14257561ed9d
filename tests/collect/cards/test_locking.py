"""One campaign, one writer: what comes when the next in line has its turn."""

from __future__ import annotations

import os

import pytest
from django.db import connection

from endoxa.collect.cards.locking import afterwards, locked
from endoxa.collect.files import take


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
