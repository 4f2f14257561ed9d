"""Sentences whose reading was given up: `given_up.csv` lists them with the reason; any other that fails is a fault."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

with Path(__file__).with_name("given_up.csv").open(encoding="utf-8", newline="") as file:
    GIVEN_UP = {row["id"]: row["reason"] for row in csv.DictReader(file)}


def pytest_collection_modifyitems(items):
    for item in items:
        if reason := GIVEN_UP.get(item.nodeid.rpartition("/curate/")[2]):
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
