"""The demonstration from end to end: found is what was planted, and a real model is measured where it is installed."""

from __future__ import annotations

import polars as pl
import pytest

import endoxa
from endoxa.demo import run, smollm
from endoxa.demo.figure import CALIBRATED, COLUMNS, RAW, SIMULATED, planted_figure
from endoxa.demo.page import write_demo_page
from endoxa.errors import UserError
from endoxa.testing.chat_server import Settings, running

pytestmark = pytest.mark.slow

MARKS = pl.DataFrame([(SIMULATED, "a", "planted", 0.5, None, None, True)], list(COLUMNS), orient="row")


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    out = tmp_path_factory.mktemp("demo")
    reported, lines = [], []
    page = run.run_demo(out, progress=lambda what, *_: reported.append(what), say=lines.append)
    return page, out, reported, lines


def test_frequency_fools_the_raw_preference_and_not_the_calibrated_one(finished):
    assert pl.read_parquet(finished[1] / "run" / "records.parquet")["n_neutral"].min() >= 2
    found = pl.read_csv(finished[1] / "found.csv").filter(row="word frequency")
    shares = dict(found.select("what", "share").iter_rows())
    assert shares[RAW] > 0.95
    assert shares[CALIBRATED] == pytest.approx(0.5, abs=0.05)


def test_page_figure_table_and_lines_are_there_and_say_what_is_simulated(finished):
    page, out, reported, lines = finished
    text = page.read_text(encoding="utf-8")
    assert "no real model here" in text
    assert "In 3 simulated models 446 of 450 differences have the planted sign" in text
    assert (out / "found.png").read_bytes().startswith(b"\x89PNG")
    assert any("scoring" in what for what in reported)
    assert [line[:3] for line in lines] == ["1/3", "2/3", "3/3"]
    assert "no real model" in lines[0]


def test_recorded_stories_and_their_pronouns():
    """Two texts of each of ten occupations; pronouns counted by hand."""
    assert smollm.pronoun("She gave him her key; herself she kept none.") == "she"
    assert smollm.pronoun("The others gathered there.") == "neither"
    recorded = smollm.Asked("hf/smollm2", None, None, "")
    texts = smollm.stories_of(recorded, lambda *_: None)
    assert texts["target_attribute_value"].value_counts()["count"].to_list() == [2] * 10
    assert texts.filter(target_attribute_value="pilot")["pronoun"].to_list() == ["he", "he"]
    prompts = endoxa.load_stories("sample-prompts")
    assert texts["prompt"].to_list() == prompts["prompt"].to_list()


def test_real_model(smollm2, tmp_path, capfd, monkeypatch):
    """One framing of four, an eighth of the questions: pairs are counted over records; no bar of a library."""
    fewer = smollm._STUDY.replace("framings = 4\n", "framings = 1\n").replace("limit = 32\n", "limit = 4\n")
    monkeypatch.setattr(smollm, "_STUDY", fewer)
    asked = smollm.prepare(tmp_path, smollm2, 0)
    measured = smollm.measured(asked, (lines := []).append, lambda *_: None)
    assert len(lines) == 5
    assert capfd.readouterr() == ("", "")
    runs = tmp_path / "smollm2-135m-instruct/runs"
    records, answers = (pl.read_parquet(runs / f"{name}/records.parquet") for name in ("pairs", "questions"))
    counts = f"{records.height} pairs, {answers.height} questions and 20 recorded stories"
    assert asked.line.startswith(f"SmolLM2-135M-Instruct: {counts}")
    share = (records["score_more"] > records["score_less"]).mean()
    assert measured.shares[0]["value"] == pytest.approx(share)


def asked_and_measured(out, model):
    asked = smollm.prepare(out, model, 0)
    return asked, smollm.measured(asked, (lines := []).append, lambda *_: None), lines


def test_a_chat_model_is_asked_questions_after_its_cost_is_said(tmp_path):
    """Of the simulated model 60 answers; it writes no stories and gives no probabilities."""
    asked, measured, lines = asked_and_measured(tmp_path, "sim/biased")
    assert asked.line == "sim/biased: 60 questions (nothing is sent to anybody)"
    assert list(measured.findings) == ["questions"]
    assert "Of 60 questions that their text does not answer" in lines[0]
    page = write_demo_page(tmp_path, measured, measured.findings["questions"], planted_figure(MARKS))
    assert "The model is simulated." in page.read_text(encoding="utf-8")


def test_a_server_is_asked_questions_and_stories_within_the_number_that_was_said(tmp_path):
    with running(Settings()) as server:
        asked, measured, _ = asked_and_measured(tmp_path, f"{server.url}#small")
        assert "small: 60 questions and 20 stories (80 requests, price unknown)" in asked.line
        assert list(measured.findings) == ["questions", "stories"]
    assert measured.texts.height == 20


def test_a_model_with_a_price_is_bounded_by_dollars_and_one_that_does_neither_is_refused(tmp_path):
    asked = smollm.prepare(tmp_path, "openai/gpt-4o-mini", 0)
    assert "80 requests" in asked.line
    assert "it stops at $1" in asked.line
    assert asked.study.budget + asked.stories.max_cost == smollm.BUDGET
    with pytest.raises(UserError, match="answers no questions and gives no probabilities"):
        smollm.prepare(tmp_path, "static/vectors.txt", 0)
