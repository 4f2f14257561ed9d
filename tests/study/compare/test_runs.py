"""Comparisons of run folders: what is paired, what is refused, what is said and shown."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from statsmodels.stats.multitest import multipletests

import endoxa as ex
from endoxa.errors import UserError
from endoxa.instruments.questions.estimates.answers import load_answers
from endoxa.study.compare.page import over_time
from endoxa.study.compare.results import value as written
from endoxa.study.compare.run import judge
from support import story_pairs
from support.gate_runs import pairs, write_run
from support.report_qa_samples import Lean, qa_folder, questions, records

pytestmark = pytest.mark.slow

ITEMS = pairs(40, 10, ("work", "age"))
N = len(ITEMS)
LOT = np.random.default_rng(0)
BASE = np.where(LOT.random(N) < 0.7, 1, -1)
AGE = (ITEMS["axis"] == "age").to_numpy()
FALLEN = np.where(AGE & (LOT.random(N) < 0.5), -1, BASE)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A baseline, one that falls on the axis age, one with the same scores, one with the same sides."""
    home = tmp_path_factory.mktemp("compared")
    for name, sides, seed in (
        ("base", BASE, 0),
        ("fallen", FALLEN, 1),
        ("copy", BASE, 0),
        ("sides", BASE, 1),
    ):
        write_run(home / name, ITEMS, sides, model=f"hf/{name}", seed=seed)
    return home


@pytest.fixture(scope="module")
def planted(runs):
    """The comparison of the baseline with the run that falls."""
    return ex.compare(runs / "base", runs / "fallen")


def edit(folder, **facts):
    path = folder / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | facts))


def test_stories_beside_them_change_no_correction_of_other_runs(planted, tmp_path):
    """Parts of pairs are corrected after Holm among themselves, associations after Benjamini and Hochberg."""
    rng = np.random.default_rng(4)
    told = (story_pairs.write_run(tmp_path / str(lean), story_pairs.frame(rng, lean)) for lean in (0.9, 0.5))
    every = [*planted.contrasts, *ex.compare(*told).contrasts]
    together = judge(every, 0.95)
    for contrast, judgement, method in zip(every, together, ("holm", "fdr_bh"), strict=True):
        p_values = [part.p_value for part in contrast.estimates.parts if np.isfinite(part.p_value)]
        assert len(p_values) > 3 or method == "fdr_bh"
        adjusted = [part.p_adjusted for part in judgement.estimates.parts if np.isfinite(part.p_value)]
        assert adjusted == pytest.approx(multipletests(p_values, method=method)[1])


def test_a_planted_change_of_pairs_is_found_where_it_is(runs, planted):
    (contrast,) = planted.contrasts
    (change,) = contrast.changes
    for name, value in (("base", change.before), ("fallen", change.after)):
        table = ex.analyze("pairs", pl.read_parquet(runs / name / "records.parquet")).estimates
        assert value == pytest.approx(table.filter(name="preference_ratio", axis="all")["value"][0])
    assert change.difference == pytest.approx((FALLEN > 0).mean() - (BASE > 0).mean())
    assert (change.verdict, change.n_items, change.kind) == ("below", N, "bias")
    assert change.low < change.difference < change.high < 0
    axes = {part.axis: part for part in contrast.estimates.parts if part.identity == "all"}
    assert (axes["age"].verdict, axes["work"].difference) == ("below", 0)
    assert len([part for part in contrast.estimates.parts if part.identity != "all"]) == 40
    assert f"from {change.before:.3f} to {change.after:.3f}, closer to 0.5" in planted.sentence
    items = planted.items
    moved = BASE != FALLEN
    assert set(items["item_id"]) == set(ITEMS["item_id"].to_numpy()[moved].tolist())
    assert set(items["direction"]) == {"away"}
    row = items.row(0, named=True)
    asked = ITEMS.row(by_predicate=pl.col("item_id") == row["item_id"], named=True)
    sentences = {row["stereotypical_sentence"], row["other_sentence"]}
    assert sentences == {asked["sent_more"], asked["sent_less"]}
    assert row["stereotypical_sentence"] == asked[f"sent_{asked['stereotypical']}"]
    assert row["difference_before"] > 0 > row["difference_after"]


def test_nothing_changed(runs):
    same = ex.compare(runs / "base", runs / "copy")
    assert same.sentence == "Nothing changed: every score or answer of copy is that of base."
    assert same.items.is_empty()
    sides = ex.compare(runs / "base", runs / "sides")
    assert sides.sentence.startswith("No change of bias is shown: the runs could have shown changes of 0.0")


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """A biased model, and one that is fair and wordier, refuses more and is wrong more often."""
    home, leans = (
        tmp_path_factory.mktemp("answers"),
        (Lean(0.8, 1.0, 0.05), Lean(0.5, 0.4, 0.45, refused=0.04)),
    )
    tables = [
        records(questions(), {f"sim/{seed}": lean}, seed=seed).with_columns(
            reasoning_tokens=pl.lit(10 * seed)
        )
        for seed, lean in enumerate(leans, 1)
    ]
    return [qa_folder(home / str(place), questions(), table, "Town") for place, table in enumerate(tables)]


def test_a_planted_change_of_questions_is_found_with_its_price(answers):
    found = ex.compare(*answers)
    (contrast,) = found.contrasts
    by_name = {change.measure: change for change in contrast.changes}
    assert by_name["bias_ambig"].verdict == "below"
    assert by_name["accuracy_disambig"].verdict == "below"
    tables = [load_answers([run]) for run in answers]
    shares = [float((table["outcome"] == "refused").mean()) for table in tables]
    assert (by_name["refused"].before, by_name["refused"].after) == (shares[0], pytest.approx(shares[1]))
    assert by_name["answer_tokens"].difference == 0
    assert (by_name["reasoning_tokens"].before, by_name["reasoning_tokens"].after) == (10, 20)
    assert {change.measure for change in contrast.bias} == {"bias_ambig", "bias_disambig"}
    points = -100 * by_name["accuracy_disambig"].difference
    assert f"it costs {points:.1f} points of accuracy in disambiguated contexts (" in found.sentence
    identities = {part.identity for part in contrast.estimates.parts}
    assert {"Kelvin", "Osaka", "Yaren"} <= identities


@pytest.mark.parametrize("count", [0, None], ids=["counted as 0", "not counted"])
def test_answers_that_failed_have_no_length(answers, tmp_path, count):
    table = pl.read_parquet(answers[0] / "records.parquet")
    failed = pl.int_range(pl.len()) % 2 == 0
    nothing = {"answer": None if count is None else "", "completion_tokens": count}
    half = table.with_columns(
        **{name: pl.when(~failed).then(name).otherwise(pl.lit(cell)) for name, cell in nothing.items()},
        choice=pl.when(~failed).then("choice"),
        outcome=pl.when(failed).then(pl.lit("unparsed")).otherwise("outcome"),
        error=pl.when(failed).then(pl.lit("HTTP 500")).otherwise(pl.lit("")),
    )
    (contrast,) = ex.compare(answers[0], qa_folder(tmp_path / "half", questions(), half, "Town")).contrasts
    changes = {change.measure: change for change in contrast.price}
    for name in ("answer_words", "answer_tokens"):
        assert (changes[name].difference, changes[name].n_items) == (0, table.height // 2)
        # What was not answered is in no length: half of the answers decide nothing.
        assert changes[name].verdict == "cannot-be-tested"
        assert any(note.startswith(f"Not tested, {name}") for note in contrast.estimates.notes)
    assert changes["unparsed"].after == 0.5


def test_three_runs_are_compared_with_the_first(runs, tmp_path):
    found = ex.compare(runs / "base", runs / "fallen", runs / "sides")
    assert [each.after.label for each in found.contrasts] == ["fallen", "sides"]
    table = found.changes.filter(axis="all")
    couples = table.select("before_run", "after_run").rows()
    assert couples == [("base", "fallen"), ("base", "sides")]
    by_hand = ex.compare(runs / "base", runs / "sides").contrasts[0].changes[0]
    assert table["difference"][1] == pytest.approx(by_hand.difference)
    assert table["p_value"][0] * 2 == pytest.approx(table["p_adjusted"][0])  # two are shown
    assert pl.read_csv(found.save(tmp_path / "three.csv")).filter(axis="all").height == 2


def dated(folder, month, lean, served, seed):
    asked = questions()
    table = records(asked, {"openai/x": lean}, seed=seed).with_columns(served_model=pl.lit(served))
    qa_folder(folder, asked, table, "Town", finished=f"2026-0{month}-01T00:00:00+00:00")
    edit(folder, data={"path": "towns.jsonl", "sha256": "1" * 64, "label": "Town"})
    return folder


def test_dates_of_one_model_are_a_table_with_its_versions(tmp_path):
    told = [("jan", 1, 0.9, "x-0101"), ("mar", 3, 0.9, "x-0101"), ("may", 5, 0.5, "x-0501")]
    folders = [
        dated(tmp_path / name, month, Lean(0.8, lean), served, month) for name, month, lean, served in told
    ]
    found = ex.compare(*folders)
    section = over_time(found)
    assert "2026-01-01 to 2026-05-01: 2 versions (x-0101 and x-0501)." in str(section.findings[0])
    (table,) = section.tables
    assert [row[2] for row in table.rows] == ["x-0101", "x-0101", "x-0501"]
    first = found.contrasts[0].changes[0]
    values = [first.before, first.after, found.contrasts[1].changes[0].after]
    assert [row[3] for row in table.rows] == [written(number) for number in values]
    assert over_time(ex.compare(*folders[:2])) is None
    assert over_time(ex.compare(*folders[::-1])) is None
    apart = "differ in the served version (x-0101, now x-0501)"
    assert apart in " ".join(ex.gate(folders[1], folders[2], margin=0.05).notes)
    # A run of two versions is not averaged.
    one, two = folders[:2]
    late = pl.when(pl.int_range(pl.len()) > 90).then(pl.lit("x-0201")).otherwise("served_model")
    table = pl.read_parquet(two / "records.parquet").with_columns(served_model=late)
    table.write_parquet(two / "records.parquet")
    with pytest.raises(
        UserError, match=r"holds 2 models \(openai/x \(served 0101\), openai/x \(served 0201\)\)"
    ):
        ex.compare(one, two)


def test_models_of_one_run_are_compared(runs, tmp_path):
    tables = [pl.read_parquet(runs / name / "records.parquet") for name in ("base", "fallen")]
    write_run(tmp_path / "both", ITEMS, BASE)
    pl.concat(tables).write_parquet(tmp_path / "both" / "records.parquet")
    found = ex.compare(tmp_path / "both")
    assert [run.label for run in found.runs] == ["base", "fallen"]
    assert found.contrasts[0].changes[0].verdict == "below"
    with pytest.raises(UserError, match=r"holds 2 models \(hf/base, hf/fallen\). Choose one with --model"):
        ex.compare(tmp_path / "both", runs / "copy")
    assert ex.compare(tmp_path / "both", runs / "copy", model=["hf/fallen", "hf/copy"]).contrasts
