"""Tasks and judges for tests."""

from __future__ import annotations

import csv

import pytest
from django.contrib.auth.models import User

from collect_support.panel_person import associations
from endoxa_collect.models import Judge, Membership, Role
from endoxa_collect.tasks.adding import add_task


@pytest.fixture
def make_task(campaign, tmp_path):
    """A function that makes a task of a kind from rows (mappings) and settings."""

    def make(kind, rows, name=None, *, panel=False, **options):
        path = tmp_path / f"{name or kind}.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        return add_task(campaign, kind, path, name=name, options=options, panel=panel).task

    return make


@pytest.fixture
def votes(make_task):
    """Four tuples with three votes each."""
    return make_task("votes", tuples(4))


def tuples(count):
    """Rows of a file of tuples."""
    return [
        {"item_id": f"t{k}", "identity": f"people of town {k}", "attribute": "sing", "source": "model-x"}
        for k in range(count)
    ]


@pytest.fixture
def make_judge(db):
    """A function that makes an account with a role in the task's campaign, and the judge it is."""

    def make(task, name="rosa", role=Role.REVIEWER):
        user, _ = User.objects.get_or_create(username=name)
        Membership.objects.get_or_create(user=user, campaign=task.campaign, role=role)
        return Judge.objects.get_or_create(task=task, user=user)[0]

    return make


@pytest.fixture
def study(make_task):
    """Six associations, four to a person, three attention checks of which one may be wrong."""
    return make_task(
        "harm",
        associations(6),
        block=4,
        needed=2,
        participant="PID",
        completion="https://panel.example/done?a=1&b=2",
        screened="https://panel.example/out",
    )
