"""`endoxa gate`: exit codes, files, and a real run."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import numpy as np
import pytest
from typer.testing import CliRunner

import endoxa as ex
from endoxa.commands import app
from endoxa.study.compare.files import as_junit, as_markdown
from support.gate_runs import pairs, write_run

ITEMS = pairs(40, 10, ("work", "age"))


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    home = tmp_path_factory.mktemp("gate")
    rng = np.random.default_rng(0)
    base = np.where(rng.random(len(ITEMS)) < 0.6, 1, -1)
    lot = rng.random(len(ITEMS))
    made = {
        "base": base,
        "alike": base,
        "worse": np.where(lot < 0.5, 1, base),
        "close": np.where(lot < 0.12, 1, base),
    }
    for name, sides in made.items():
        write_run(home / name, ITEMS, sides, model=f"hf/{name}|`x`<&>", seed=len(name))
    return home


def call(*words):
    return CliRunner().invoke(app, ["gate", *map(str, words)])


@pytest.mark.slow
@pytest.mark.parametrize(("candidate", "code"), [("alike", 0), ("worse", 1), ("close", 4)])
def test_exit_codes_and_files(runs, tmp_path, candidate, code):
    files = {name: tmp_path / f"gate.{name}" for name in ("json", "md", "xml", "html")}
    words = ("--baseline", runs / "base", "--candidate", runs / candidate, "--margin", 0.05, "--axis", "all")
    result = call(
        *words, "--axis", "age", "-o", files["json"], "-o", files["md"], "-o", files["xml"],
        "-o", files["html"],
    )  # fmt: skip
    assert result.exit_code == code, result.output
    verdict = {0: "pass", 1: "worse", 4: "undecided"}[code]
    alone = call(*words)
    assert (alone.exit_code, "Written" in alone.output, verdict in alone.output) == (code, False, True)
    assert result.output.count(verdict) >= 2
    table = result.output.partition("Written")[0].splitlines()[:6]
    assert max(map(len, table)) <= 80
    told = json.loads(files["json"].read_text())
    assert (told["verdict"], told["exit_code"], told["kind"]) == (verdict, code, "gate")
    assert [test["axis"] for test in told["tests"]] == ["all", "age"]
    assert verdict in files["md"].read_text().splitlines()[0]
    page = files["html"].read_text()
    assert told["tests"][0]["sentence"].replace("&", "&amp;").partition(" (")[0] in page
    assert "by more than 0.05" in page
    assert '<div class="plot' in page
    assert (tmp_path / "gate_figures" / "difference.png").is_file()


def test_json_has_no_nan(tmp_path):
    items = pairs(2, 10)
    for name, sides in (("one", np.ones(20)), ("two", -np.ones(20))):
        write_run(tmp_path / name, items, sides)
    found = ex.gate(tmp_path / "one", tmp_path / "two", margin=0.02)
    told = json.loads(found.save(tmp_path / "gate.json").read_text(), parse_constant=pytest.fail)
    assert told["tests"][0]["high"] is None
    assert "2 of the 6 identities" in told["sentence"]
    assert found.save(tmp_path / "gate.html").is_file()


@pytest.mark.parametrize(
    ("candidate", "child"), [("alike", "system-out"), ("worse", "failure"), ("close", "skipped")]
)
def test_junit(runs, candidate, child):
    found = ex.gate(runs / "base", runs / candidate, margin=0.05, axis="all")
    root = ElementTree.fromstring(as_junit(found))
    (suite,) = root.findall("testsuite")
    (case,) = suite.findall("testcase")
    assert root.tag == "testsuites"
    assert [one.tag for one in case] == [child]
    assert case.get("classname") == "endoxa.gate.preference_ratio"
    assert case.get("name") == "sum, all"
    counts = {name: int(suite.get(name)) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": 1, "failures": child == "failure", "errors": 0, "skipped": child == "skipped"}
    assert found.tests[0].sentence in (case[0].text or case[0].get("message"))
    properties = {one.get("name"): one.get("value") for one in suite.find("properties")}
    assert properties["candidate"].startswith(f"hf/{candidate}|`x`<&>")


def test_markdown_is_a_table_whatever_the_names_are(runs):
    lines = as_markdown(
        ex.gate(runs / "base", runs / "close", margin=0.05, axis=["all", "work"])
    ).splitlines()
    table = [line for line in lines if line.startswith("|")]
    assert len(table) == 4
    assert len({line.count("|") for line in table}) == 1
    assert sum(line.startswith("- ") for line in lines) == 2  # a sentence for each test
