"""A simulated panel over HTTP: every association gets enough ratings, evenly, and nothing is lost or doubled."""

from __future__ import annotations

import csv
import re
from collections import Counter

import psycopg
import pytest

from collect_support.panel_people import Plan, associations, crowd, exported, keyed, plans
from collect_support.served import endoxa, serving

pytestmark = pytest.mark.slow

PEOPLE, ASSOCIATIONS, BLOCK = 12, 18, 6


def test_a_panel_rates_evenly_and_loses_nothing(tmp_path, postgresql):
    environment = {"DATABASE_URL": postgresql}
    folder, table = tmp_path / "panel", associations(tmp_path / "assoc.csv", ASSOCIATIONS)
    endoxa("init", str(folder), "--preset", "panel", environment=environment)
    settings = {"participant": "PROLIFIC_PID", "block": BLOCK, "completion": "https://panel.example/complete"}
    chosen = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
    made = endoxa("import", str(folder), str(table), "--task", "harm", *chosen, environment=environment)
    assert f"{ASSOCIATIONS} items" in made
    path = re.search(r"/t/\w+/", made)[0]
    whole = plans(PEOPLE, BLOCK, drop_out=0.15, fail=0.05)
    whole += [Plan(PEOPLE, careless=True), Plan(PEOPLE + 1, deletes=True)]
    with serving(folder, environment=environment) as address:
        # An hour lies between the two halves: what people who went away had in their hands is free again.
        said = crowd(address, path, whole[:7], at_once=6)
        let_leases_end(postgresql)
        said += crowd(address, path, whole[7:], at_once=6)
        output = tmp_path / "harm.csv"
        endoxa("export", str(folder), "--task", "harm", "-o", str(output), environment=environment)
    with output.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    sent = Counter(answer for one in said if not one.plan.careless for answer in keyed(one.answers))
    stored = Counter(exported(row) for row in rows if row["counts"] == "true")
    assert stored == sent
    assert len({(row["association_id"], row["rater"]) for row in rows}) == len(rows)
    counts = Counter(row["association_id"] for row in rows if row["counts"] == "true")
    assert len(counts) == ASSOCIATIONS
    # 9 people rate 6 of 18 each, and others a part.
    assert min(counts.values()) >= 2
    assert max(counts.values()) - min(counts.values()) <= 3
    ended = Counter(one.ended for one in said)
    assert ended == {"thanked": 10, "left": 2, "not thanked": 2}


def let_leases_end(url):
    """Every item in somebody's hands is free again."""
    with psycopg.connect(url) as database:
        database.execute("update collect_turn set expires_at = drawn_at where state = 'open'")
