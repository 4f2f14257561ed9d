"""Gates of run folders: what is paired, what is refused, what is corrected, exit codes and files."""

from __future__ import annotations

import json
import shutil
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest
from statsmodels.stats.multitest import multipletests
from typer.testing import CliRunner

import endoxa as ex
from endoxa.commands import app
from endoxa.errors import UserError
from endoxa.instruments.questions.estimates.answers import load_answers
from endoxa.study.compare.files import as_markdown
from support.gate_runs import pairs, write_run
from support.report_qa_samples import Lean, qa_folder, questions, records

pytestmark = pytest.mark.slow

ITEMS = pairs(40, 10, ("work", "age"))
N = len(ITEMS)


def planted(share: float, seed: int = 0) -> np.ndarray:
    return np.where(np.random.default_rng(seed).random(N) < share, 1, -1)


def changed(sides: np.ndarray, rise: float, fall: float = 0.0, seed: int = 1) -> np.ndarray:
    lot = np.random.default_rng(seed).random(N)
    return np.where(sides > 0, np.where(lot < fall, -1, 1), np.where(lot < rise, 1, -1))


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A baseline, and candidates: alike, worse, hardly worse. Names of models are hostile to Markdown and XML."""
    home, base = tmp_path_factory.mktemp("gate"), planted(0.6)
    candidates = {
        "base": base,
        "alike": changed(base, 0.02, 0.02),
        "worse": changed(base, 0.5),
        "close": changed(base, 0.12),
    }
    for name, sides in candidates.items():
        write_run(home / name, ITEMS, sides, model=f"hf/{name}|`x`<&>", seed=len(name))
    return home


def edit(folder, **facts):
    path = folder / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | facts))


@pytest.mark.parametrize(
    ("candidate", "code", "child"),
    [("alike", 0, "system-out"), ("worse", 1, "failure"), ("close", 4, "skipped")],
)
def test_exit_codes_and_files(runs, tmp_path, candidate, code, child):
    files = {name: tmp_path / f"gate.{name}" for name in ("json", "md", "xml", "html")}
    words = ["gate", "--baseline", runs / "base", "--candidate", runs / candidate, "--margin", 0.05]
    words += ["--axis", "all", *(word for path in files.values() for word in ("-o", path))]
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == code, result.output
    verdict = {0: "pass", 1: "worse", 4: "undecided"}[code]
    assert verdict in result.output
    told = json.loads(files["json"].read_text())
    assert (told["verdict"], told["exit_code"], told["kind"]) == (verdict, code, "gate")
    (test,) = told["tests"]
    assert (test["n_items"], test["n_identities"], test["n_left_out"]) == (N, 40, 0)
    assert test["difference"] == pytest.approx(abs(test["candidate"] - 0.5) - abs(test["baseline"] - 0.5))
    assert (test["more_items"] is not None) == (verdict == "undecided")
    assert verdict in files["md"].read_text().splitlines()[0]
    assert "by more than 0.05" in files["html"].read_text()
    suite = ElementTree.parse(files["xml"]).getroot().find("testsuite")
    (case,) = suite.findall("testcase")
    assert [each.tag for each in case] == [child]
    assert (case.get("classname"), case.get("name")) == ("endoxa.gate.preference_ratio", "sum, all")
    counts = {name: int(suite.get(name)) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": 1, "failures": child == "failure", "errors": 0, "skipped": child == "skipped"}
    assert test["sentence"] in (case[0].text or case[0].get("message"))
    properties = {each.get("name"): each.get("value") for each in suite.find("properties")}
    assert properties["candidate"].startswith(f"hf/{candidate}|`x`<&>")


def test_few_identities_decide_nothing_and_json_has_no_nan(tmp_path):
    items = pairs(5, 100)
    write_run(tmp_path / "one", items, np.tile([1, 1, 1, -1], len(items) // 4))
    write_run(tmp_path / "two", items, np.ones(len(items)), seed=1)
    found = ex.gate(tmp_path / "one", tmp_path / "two", margin=0.02)
    (test,) = found.tests
    assert found.verdict == "undecided"
    assert "5 of the 6 identities" in test.sentence
    assert test.more_identities >= 1
    told = json.loads(found.save(tmp_path / "gate.json").read_text(), parse_constant=pytest.fail)
    assert told["tests"][0]["high"] is None


def test_several_axes_pass_together_and_fail_after_holm(runs):
    found = ex.gate(runs / "base", runs / "close", margin=0.0, axis=["all", "work", "age"])
    assert [test.axis for test in found.tests] == ["all", "work", "age"]
    adjusted = multipletests([test.p_worse for test in found.tests], method="holm")[1]
    assert [test.p_worse_adjusted for test in found.tests] == pytest.approx(adjusted)
    assert [test.verdict == "worse" for test in found.tests] == [p <= 0.05 for p in adjusted]
    assert found.verdict == "worse"
    # The table stays one whatever the names are.
    table = [line for line in as_markdown(found).splitlines() if line.startswith("|")]
    assert len(table) == 5
    assert len({line.count("|") for line in table}) == 1


def test_pass_needs_every_test(tmp_path):
    base = planted(0.6)
    age = (ITEMS["axis"] == "age").to_numpy()
    write_run(tmp_path / "base", ITEMS, base)
    write_run(tmp_path / "new", ITEMS, np.where(age, changed(base, 0.25), base), seed=1)
    found = ex.gate(tmp_path / "base", tmp_path / "new", margin=0.08, axis=["work", "age"])
    assert [test.verdict for test in found.tests] == ["pass", "undecided"]
    assert found.exit_code == 4


def test_ties_count_half(tmp_path):
    base = np.tile([1, 1, -1, 0], N // 4)
    write_run(tmp_path / "base", ITEMS, base)
    write_run(tmp_path / "new", ITEMS, np.where(base == 0, 1, base), seed=1)
    (test,) = ex.gate(tmp_path / "base", tmp_path / "new", margin=0.02, axis="all").tests
    assert (test.baseline, test.candidate) == (pytest.approx(0.625), pytest.approx(0.75))
    assert test.verdict == "worse"


def test_runs_that_are_refused(runs, tmp_path):
    base, alike = (Path(shutil.copytree(runs / name, tmp_path / name)) for name in ("base", "alike"))

    def refused(message):
        with pytest.raises(UserError, match=message) as problem:
            ex.gate(base, alike, margin=0.02)
        assert "\n" not in str(problem.value)

    data = json.loads((alike / "run.json").read_text())["data"]
    edit(alike, data=data | {"sha256": "f" * 64})
    refused(r"different data: 'sample.csv' .* and 'sample.csv' \(ffff")
    edit(alike, data={"path": "sample.csv"})
    refused("does not say which data was measured")
    edit(alike, data=data | {"options": {"prefix": "African"}})
    refused('different settings: data prefix is null in the baseline and "African" in the candidate')
    edit(alike, data=data, identity={"models": [1], "rules": [], "limit": 5, "languages": ["en"]})
    edit(base, identity={"models": [2], "rules": ["sum"], "limit": None, "languages": None})
    refused("different settings: limit is null in the baseline and 5 in the candidate. Repeat")
    edit(alike, identity={"models": [1], "rules": [], "limit": None, "languages": ["en"]})
    assert ex.gate(base, alike, margin=0.1, axis="all").passed
    table = pl.read_parquet(alike / "records.parquet")
    table.tail(N - 7).write_parquet(alike / "records.parquet")
    refused("different items: 7 are in one of them only, for example 'p0-0' in the")
    table.head(7).select("item_id", "model", "rule").write_csv(alike / "unscored.csv")
    found = ex.gate(base, alike, margin=0.1, axis="all")
    assert (found.tests[0].n_items, found.tests[0].n_left_out) == (N - 7, 7)
    assert "7 items" in found.notes[0]
    edit(alike, finished=None)
    refused("is not finished")


def answered(folder, lean, *, seed, model="sim/a", label="Town", asked=None):
    asked = asked or questions()
    table = records(asked, {model: lean}, protocols=("baseline", "reprompting"), seed=seed)
    return qa_folder(folder, asked, table, label)


def test_measures_of_questions_are_those_of_the_answers_that_both_runs_have(tmp_path):
    """Two runs of the same questions; the second leans more."""
    answers = (
        answered(tmp_path / "q1", Lean(error=0.3, stereotyped=0.55, refused=0.03, wrong=0.2), seed=1),
        answered(tmp_path / "q2", Lean(error=0.9, stereotyped=0.95, unparsed=0.03, wrong=0.25), seed=2),
    )
    names = ["bias_ambig", "bias_disambig", "accuracy_ambig", "accuracy_disambig"]
    found = ex.gate(*answers, margin=0.1, measure=names, rule="baseline", axis="all")
    assert [test.measure for test in found.tests] == names
    tables = [
        load_answers([run]).filter(pl.col("choice").is_not_null(), protocol="baseline") for run in answers
    ]
    before, after = (table.join(other, on="item_id", how="semi") for table, other in (tables, tables[::-1]))
    by_name = {test.measure: test for test in found.tests}
    assert all(test.unit == "templates" and test.n_left_out > 0 for test in found.tests)
    for condition in ("ambig", "disambig"):
        right = [
            table.filter(context_condition=condition).select(pl.col("choice") == pl.col("label")).to_series()
            for table in (before, after)
        ]
        test = by_name[f"accuracy_{condition}"]
        assert (test.baseline, test.candidate) == pytest.approx(tuple(side.mean() for side in right))
        assert test.difference == pytest.approx(test.baseline - test.candidate)
    lean = {"stereotyped": 1.0, "anti-stereotyped": -1.0, "unknown": 0.0}
    leans = [
        table.filter(context_condition="ambig")["outcome"].replace_strict(lean).mean()
        for table in (before, after)
    ]
    assert (by_name["bias_ambig"].baseline, by_name["bias_ambig"].candidate) == pytest.approx(tuple(leans))
    assert by_name["bias_ambig"].verdict == by_name["accuracy_ambig"].verdict == "worse"


def test_by_default_every_measure_protocol_and_axis_is_a_test(runs, tmp_path):
    asked = questions(categories=("Town", "Village"))
    for name, seed in (("q1", 1), ("q2", 2)):
        answered(tmp_path / name, Lean(refused=0.02), seed=seed, model=f"sim/{name}", asked=asked)
    found = ex.gate(tmp_path / "q1", tmp_path / "q2", margin=0.1)
    names = ("bias_ambig", "bias_disambig", "accuracy_ambig", "accuracy_disambig", "answered")
    assert {(test.measure, test.rule, test.axis) for test in found.tests} == {
        *product(names, ("baseline", "reprompting"), ("all", "Town", "Village"))
    }
    with pytest.raises(UserError, match=r"base' holds sentence pairs and .* questions: only runs of one"):
        ex.gate(runs / "base", tmp_path / "q1", margin=0.02)
    only = [question for question in asked if question["context_condition"] == "ambig"]
    for name, seed in (("a1", 1), ("a2", 2)):
        answered(tmp_path / name, Lean(), seed=seed, model=f"sim/{name}", asked=only)
    found = ex.gate(tmp_path / "a1", tmp_path / "a2", margin=0.1, rule="baseline", axis="all")
    assert [test.measure for test in found.tests] == ["bias_ambig", "accuracy_ambig", "answered"]
    assert found.notes[0].endswith("no question is for it: accuracy_disambig and bias_disambig.")
    with pytest.raises(UserError, match="--measure accuracy_disambig: these runs have no items for it"):
        ex.gate(tmp_path / "a1", tmp_path / "a2", margin=0.1, measure="accuracy_disambig")


BASE = Lean(error=0.43, stereotyped=0.5, wrong=0.2)


def test_a_candidate_that_names_a_person_in_every_ambiguous_question_fails(tmp_path):
    """Issue 33: its lean is as small as the baseline's, and its accuracy falls from 0.57 to 0."""
    one = answered(tmp_path / "q1", BASE, seed=1)
    two = answered(tmp_path / "q2", Lean(error=1.0, stereotyped=0.5, wrong=0.2), seed=2, model="sim/b")
    found = ex.gate(one, two, margin=0.05, rule="baseline")
    by_name = {test.measure: test for test in found.tests}
    assert (found.verdict, by_name["accuracy_ambig"].verdict) == ("worse", "worse")
    assert by_name["accuracy_ambig"].candidate == 0
    assert by_name["bias_ambig"].verdict != "worse"


@pytest.mark.parametrize("refused", [0.6, 1.0])
def test_a_candidate_that_refuses_fails(tmp_path, refused):
    one = answered(tmp_path / "q1", BASE, seed=1)
    refusing = Lean(0.43, 0.5, 0.2, refused=refused)
    two, three = (answered(tmp_path / name, refusing, seed=2, model=f"sim/{name}") for name in ("q2", "q3"))
    found = ex.gate(one, two, margin=0.05, rule="baseline")
    by_name = {test.measure: test for test in found.tests}
    assert (found.verdict, by_name["answered"].verdict, by_name["answered"].baseline) == ("worse", "worse", 1)
    others = [test for test in found.tests if test.measure != "answered"]
    assert {test.verdict for test in others} == {"undecided"}
    assert all(("more than 10 %" if refused < 1 else "None of 96 items") in test.sentence for test in others)
    # Where both refuse nothing is decided, but with leave.
    assert ex.gate(two, three, margin=0.05).verdict == "undecided"
    assert refused == 1 or ex.gate(two, three, margin=0.05, most_left_out=0.9).passed


def test_an_axis_with_few_identities_is_named_and_lets_nothing_pass_where_it_moved(tmp_path):
    items, base = pairs(40, 10, ("work",) * 36 + ("age",) * 2 + ("town",) * 2), planted(0.5)
    age, town = ((items["axis"] == axis).to_numpy() for axis in ("age", "town"))
    new = np.select(
        [age, town], [1, -1], base
    )  # in opposite directions, so that all items together show little
    for name, sides, seed in (("base", base, 0), ("still", base, 1), ("new", new, 1)):
        write_run(tmp_path / name, items, sides, seed=seed)
    still = ex.gate(tmp_path / "base", tmp_path / "still", margin=0.1)
    assert [test.axis for test in still.tests] == ["all", "work"]
    assert still.notes == (
        "Not tested alone, because at least 6 identities are needed: age (2) and town (2).",
    )
    found = ex.gate(tmp_path / "base", tmp_path / "new", margin=0.1)
    by_axis = {test.axis: test for test in found.tests}
    assert (by_axis["all"].verdict, by_axis["work"].verdict) == ("pass", "pass")
    assert found.verdict == "undecided"
    moved = {axis: by_axis[axis].candidate - by_axis[axis].baseline for axis in ("age", "town")}
    assert f"axis age moved by +{moved['age']:.3f} in preference_ratio (2 identities, at" in found.sentence
    assert f"axis town moved by −{-moved['town']:.3f}" in found.sentence
    assert ex.gate(tmp_path / "base", tmp_path / "new", margin=0.1, axis="all").passed
