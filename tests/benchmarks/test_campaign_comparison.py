"""Comparisons: resumed runs and what they store."""

from __future__ import annotations

import json

import pytest

from campaign_simulation.arms import LacesArm
from campaign_simulation.comparison import (
    Comparison,
    Store,
    run_campaigns,
)
from campaign_simulation.endoxa_arm import EndoxaArm
from campaign_simulation.measures import MAIN
from campaign_simulation.world import WorldSettings
from endoxa.errors import UserError
from endoxa_collect.sampler.slots import SamplerSettings

pytestmark = pytest.mark.slow

TINY = WorldSettings(
    people=6, countries=("AR", "CL", "UY"), pairs=60, attributes=120, minutes=5, spread=1, seeds=6
)
ARMS = {"laces": LacesArm(name="laces"), "endoxa": EndoxaArm()}


def asked(*names, seeds=3, jobs=1, world=TINY):
    arms = tuple(ARMS[name] for name in names or ("laces", "endoxa"))
    return Comparison(arms, world, seeds, SamplerSettings(), jobs)


def quiet(*_):
    pass


def fill(folder, *names, seeds=3, jobs=1):
    """Run campaigns, without tables and figures."""
    return run_campaigns(asked(*names, seeds=seeds, jobs=jobs), folder, restart=False, tell=quiet).rows


def keys(folder):
    return [
        (row["cell"], row["arm"], row["seed"])
        for row in map(json.loads, (folder / "rows.jsonl").read_text().splitlines())
    ]


def test_a_run_that_was_cut_off_goes_on_and_has_each_campaign_once(tmp_path):
    whole = fill(tmp_path / "whole")
    fill(tmp_path / "cut")
    path = tmp_path / "cut" / "rows.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    # Killed in the middle of a row.
    path.write_text("".join(lines[:3]) + lines[3][:40])
    assert json.dumps(fill(tmp_path / "cut")) == json.dumps(whole)
    assert len(keys(tmp_path / "cut")) == 6


def test_more_seeds_and_arms_are_added_to_what_is_there(tmp_path):
    fill(tmp_path, "endoxa", seeds=2)
    fill(tmp_path, "laces", "endoxa", seeds=3)
    assert sorted(keys(tmp_path)) == [(MAIN, arm, seed) for arm in ("endoxa", "laces") for seed in range(3)]


def test_a_folder_of_another_world_is_left_alone(tmp_path):
    run_campaigns(asked(seeds=2), tmp_path, restart=False, tell=quiet)
    before = (tmp_path / "rows.jsonl").read_text()
    other = asked("endoxa", seeds=2, world=TINY.model_copy(update={"people": 7}))
    with pytest.raises(UserError, match=r"other settings \(world\)"):
        run_campaigns(other, tmp_path, restart=False, tell=quiet)
    assert (tmp_path / "rows.jsonl").read_text() == before
    run_campaigns(other, tmp_path, restart=True, tell=quiet)
    assert len(keys(tmp_path)) == 2


def test_several_processes_give_what_one_gives(tmp_path):
    one = fill(tmp_path / "one", "laces", seeds=2)
    assert fill(tmp_path / "two", "laces", seeds=2, jobs=2) == one


def test_rows_survive_as_they_are(tmp_path):
    store = Store.open(tmp_path, {"world": 1})
    store.append([{"cell": "main", "arm": "a", "seed": 1, "value": 0.1 + 0.2}])
    assert next(Store.open(tmp_path, {"world": 1}).rows())["value"] == 0.1 + 0.2
    assert store.done() == {("a", 1)}
