"""Comparisons: resumed runs, intervals, criteria, the page, and the command line."""

from __future__ import annotations

import json

import polars as pl
import pytest
import typer
from typer.testing import CliRunner

from collect_support.worlds import SMALL
from endoxa.errors import UserError
from endoxa_collect.commands import simulate as collect_simulate
from endoxa_collect.sampler.slots import SamplerSettings
from endoxa_collect.simulate.arms import ARMS
from endoxa_collect.simulate.comparison import (
    Comparison,
    Expected,
    Store,
    compare,
    plan,
    run_campaigns,
    sentence,
)
from endoxa_collect.simulate.measures import MAIN, MEASURES

pytestmark = pytest.mark.slow

TINY = SMALL.model_copy(update={"people": 6, "minutes": 5.0, "spread": 1.0})


def asked(*names, seeds=3, jobs=1, world=TINY):
    arms = tuple(ARMS.get(name) for name in names or ("laces", "endoxa"))
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
    compare(asked(seeds=2), tmp_path, restart=False, tell=quiet)
    before = (tmp_path / "rows.jsonl").read_text()
    other = asked("endoxa", seeds=2, world=TINY.model_copy(update={"people": 7}))
    with pytest.raises(UserError, match=r"other settings \(world\)"):
        compare(other, tmp_path, restart=False, tell=quiet)
    assert (tmp_path / "rows.jsonl").read_text() == before
    compare(other, tmp_path, restart=True, tell=quiet)
    assert len(keys(tmp_path)) == 2


def test_several_processes_give_what_one_gives(tmp_path):
    one = fill(tmp_path / "one", "laces", seeds=2)
    assert fill(tmp_path / "two", "laces", seeds=2, jobs=2) == one


def test_what_a_comparison_leaves_behind(tmp_path):
    lines = compare(asked("static-ticks", "endoxa", seeds=2), tmp_path, restart=False, tell=quiet)
    assert [line.split()[0] for line in lines] == ["per", "static-ticks", "endoxa"]
    results = pl.read_parquet(tmp_path / "results.parquet")
    assert results.height == 2 * 2
    assert set(MEASURES) < set(results.columns)
    for name in ("arms", "ratings"):
        assert (tmp_path / f"{name}.svg").read_text().startswith("<svg")
        assert (tmp_path / f"{name}.png").stat().st_size > 1_000
    page = (tmp_path / "report.html").read_text()
    assert page.count("<svg") == 2
    assert "<script" not in page
    assert "tuned: " in page


def test_tables_hold_what_was_asked_for_and_say_what_else_is_there(tmp_path):
    compare(asked("laces", "endoxa", seeds=3), tmp_path, restart=False, tell=quiet)
    lines = compare(asked("laces", seeds=2), tmp_path, restart=False, tell=quiet)
    assert pl.read_csv(tmp_path / "results.csv").select("arm", "seed").rows() == [("laces", 0), ("laces", 1)]
    assert lines[-1].startswith("4 further campaigns")


def test_how_many_people():
    expected = plan(TINY.model_copy(update={"people": 30}), SamplerSettings(), seeds=1, tell=quiet)
    assert [one.people for one in expected] == [20, 30, 40, 60, 80, 100, 120]
    assert expected[-1].ratings > expected[0].ratings
    made_up = [Expected(20, 50, 100, 0.5, 150), Expected(40, 90, 200, 0.75, 450)]
    assert sentence(made_up, 40, 3) == (
        "With 40 people expect about 200 pairs, of which 150 (75%) get 3 ratings; "
        "from 20 to 40 people, ten more bring about 50 such pairs on average."
    )
    alike = [Expected(20, 50, 100, 0.5, 150), Expected(40, 90, 100, 0.5, 450)]
    assert sentence(alike, 40, 3).endswith("of which 50 (50%) get 3 ratings.")
    fewer = [Expected(20, 50, 100, 0.5, 150), Expected(40, 90, 60, 0.5, 450)]
    assert sentence(fewer, 40, 3).endswith("of which 30 (50%) get 3 ratings.")


def run(*words):
    app = typer.Typer()
    app.command()(collect_simulate.simulate)
    return CliRunner().invoke(app, list(words))


def test_the_command(tmp_path):
    words = ("--people", "6", "--minutes", "5", "--countries", "AR,CL", "--arms", "laces,endoxa")
    done = run(*words, "--seeds", "2", "--jobs", "1", "-o", str(tmp_path))
    assert done.exit_code == 0, done.exception
    assert "endoxa" in done.stdout
    assert (tmp_path / "report.html").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "--out is missing"),
        (("--arms", "lace", "-o", "x"), "Did you mean: laces"),
        (("--arms", " ,", "-o", "x"), "--arms is empty"),
        (("--countries", "AR,ZZ", "--plan"), "unknown country 'ZZ'"),
        (("--world", "mars", "--plan"), "Unknown world 'mars'"),
    ],
)
def test_wrong_words_are_answered_with_a_sentence(words, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run(*words)
    assert isinstance(done.exception, UserError)
    assert said in str(done.exception)
    assert not (tmp_path / "x" / "rows.jsonl").exists()


def test_rows_survive_as_they_are(tmp_path):
    store = Store.open(tmp_path, {"world": 1})
    store.append([{"cell": "main", "arm": "a", "seed": 1, "value": 0.1 + 0.2}])
    assert next(Store.open(tmp_path, {"world": 1}).rows())["value"] == 0.1 + 0.2
    assert store.done() == {("a", 1)}
