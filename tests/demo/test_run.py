"""The demonstration from end to end: found is what was planted, and a real model is measured where it is installed."""

from __future__ import annotations

from functools import partial

import polars as pl
import pytest

from endoxa.demo import run, smollm
from endoxa.demo.planted import train_planted

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    only = partial(train_planted, plants=("frequency",))
    patch = pytest.MonkeyPatch()
    patch.setattr(run, "train_planted", only)
    out = tmp_path_factory.mktemp("demo")
    reported, lines = [], []
    yield (
        run.run_demo(out, progress=lambda what, *_: reported.append(what), say=lines.append),
        out,
        reported,
        lines,
    )
    patch.undo()


def test_frequency_fools_the_raw_preference_and_not_the_calibrated_one(finished):
    row = finished[0].recovery.row(0, named=True)
    assert row["raw_preference"] > 0.95
    assert row["calibrated_preference"] == pytest.approx(0.5, abs=0.05)
    assert row["recovered_difference"] == pytest.approx(row["planted_difference"], abs=0.15)


def test_every_language_has_neutral_identities_for_the_sample(finished):
    assert pl.read_parquet(finished[0].run / "records.parquet")["n_neutral"].min() >= 2


def test_page_figure_table_and_lines_are_there_and_say_what_is_simulated(finished):
    result, out, reported, lines = finished
    page = result.report.read_text(encoding="utf-8")
    assert "no real model here" in page
    assert "In 1 simulated model 150 of 150 differences have the planted sign" in page
    assert result.figure.read_bytes().startswith(b"\x89PNG")
    assert (out / "recovery.csv").read_text().count("\n") == len(result.recovery) + 1
    assert any("training models" in what for what in reported)
    assert len(lines) == 3
    assert "no real model" in lines[0]
    assert all("left)" in line for line in lines[:-1])
    assert lines[-1].endswith("in all)")


def test_started_again_it_keeps_what_is_complete(finished):
    result, out, *_ = finished
    records = result.run / "records.parquet"
    before = records.stat().st_mtime_ns
    run.run_demo(out)
    assert records.stat().st_mtime_ns == before


def test_recorded_stories_and_their_pronouns():
    """Two texts of each of ten occupations; pronouns counted by hand."""
    assert smollm.pronoun("She gave him her key; herself she kept none.") == "she"
    assert smollm.pronoun("The others gathered there.") == "neither"
    texts = smollm.stories()
    assert texts["occupation"].value_counts()["count"].to_list() == [2] * 10
    assert texts.filter(occupation="pilot")["pronoun"].to_list() == ["he", "he"]


def test_what_is_left_is_estimated_again_within_the_first_step(monkeypatch):
    """A machine that takes eight times as long as the plan of 81 s, and says so before the first step has ended."""
    moment = [0.0]
    monkeypatch.setattr(run.time, "monotonic", lambda: moment[0])
    said = []
    steps = run.Steps(list(run.EXPECTED), 8, [].append, lambda *state: said.append(state[-1]), 0.0)
    steps.report("scoring", 0, 100)
    moment[0] = 8 * run.EXPECTED["pairs"] * 0.5
    steps.report("scoring", 50, 100)
    assert said == ["about 81 s left in all", "about 6 min left in all"]


def test_real_model(smollm2, tmp_path, capfd, monkeypatch):
    """Half of the framings, a quarter of the questions: pairs are counted over records; no bar of a library."""
    fewer = smollm._STUDY.replace("framings = 4 ", "framings = 2 ").replace("limit = 32 ", "limit = 8 ")
    monkeypatch.setattr(smollm, "_STUDY", fewer)
    steps = run.Steps(["pairs", "questions", "study"], 6, (lines := []).append, lambda *_: None)
    results = run.real_model(tmp_path, smollm.weights_file(), 0, steps)
    assert len(lines) == 6
    assert capfd.readouterr() == ("", "")
    records = pl.read_parquet(tmp_path / "smollm2/runs/pairs/records.parquet")
    assert records.height == 100
    share = (records["score_more"] > records["score_less"]).mean()
    assert results[0].finding.rests_on[0]["value"] == pytest.approx(share)
    assert pl.read_parquet(tmp_path / "smollm2/runs/questions/records.parquet").height == 14
