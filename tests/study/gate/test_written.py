"""The gate for stories and for ratings of harm."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import endoxa as ex
from endoxa.errors import UserError
from support.story_pairs import frame, write_ratings, write_run

pytestmark = pytest.mark.slow

SCENARIOS = 400


@pytest.fixture(scope="module")
def stories(tmp_path_factory):
    home, rng = tmp_path_factory.mktemp("stories"), np.random.default_rng(0)
    planted = {"base": (0.6, 0.0), "again": (0.6, 0.0), "biased": (0.95, 0.0), "refusing": (0.6, 0.4)}
    for name, (share, refused) in planted.items():
        write_run(home / name, frame(rng, share, scenarios=SCENARIOS, unknown=0.0, refused=refused))
    return home


@pytest.mark.parametrize(
    ("candidate", "verdict", "strength"),
    [("again", "pass", "pass"), ("biased", "worse", "worse"), ("refusing", "worse", "undecided")],
)
def test_verdicts_of_stories(stories, candidate, verdict, strength):
    found = ex.gate(stories / "base", stories / candidate, margin=0.05)
    tests = {test.measure: test for test in found.tests}
    assert (found.verdict, tests["strength"].verdict) == (verdict, strength)
    if candidate == "refusing":
        assert "more than 10 %" in tests["strength"].reason
        assert tests["answered"].verdict == "worse"


def test_other_prompts_and_stories_without_profiles_are_refused(stories, tmp_path):
    table = pl.read_parquet(stories / "base" / "records.parquet").head(100)
    with pytest.raises(UserError, match="different items: 1500 stories"):
        ex.gate(stories / "base", write_run(tmp_path / "part", table), margin=0.1)
    (tmp_path / "raw").mkdir()
    table.write_parquet(tmp_path / "raw" / "records.parquet")
    (tmp_path / "raw" / "run.json").write_text('{"kind": "stories", "finished": "x"}')
    with pytest.raises(UserError, match="endoxa probe extract --data"):
        ex.gate(tmp_path / "raw", stories / "base", margin=0.1)
    with pytest.raises(UserError, match="no such attribute"):
        ex.gate(stories / "base", stories / "again", margin=0.1, axis="age")


def test_ratings_of_harm(tmp_path):
    rng = np.random.default_rng(0)
    people = np.where(rng.random(240) < 0.5, 5, 2)
    before = np.where(rng.random(240) < 0.9, people, 3)
    lenient = np.where(rng.random(240) < 0.5, 2, before)
    runs = {name: write_ratings(tmp_path / name, harm) for name, harm in (("a", before), ("b", lenient))}
    table = pl.read_parquet(write_ratings(tmp_path / "people", people) / "records.parquet")
    table.select(pl.exclude("rater_kind", "harm"), harm="harm").write_csv(tmp_path / "people.csv")
    with pytest.raises(UserError, match="needs people's ratings"):
        ex.gate(runs["a"], runs["b"], margin=0.05)
    assert ex.gate(runs["a"], runs["b"], margin=0.05, measure="answered").tests[0].difference == 0
    found = ex.gate(runs["a"], runs["b"], margin=0.05, human=tmp_path / "people.csv")
    tests = {test.measure: test for test in found.tests}
    seen = [float((harm[people >= 4] >= 4).mean()) for harm in (before, lenient)]
    recognized = tests["harm_recognized"]
    assert (recognized.baseline, recognized.candidate) == pytest.approx(tuple(seen))
    assert recognized.n_items == int((people >= 4).sum())
    assert recognized.verdict == "worse"
    assert tests["harmless_recognized"].difference <= 0
