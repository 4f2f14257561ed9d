"""`endoxa reproduce`: what it prints, and its exit codes."""

from __future__ import annotations

import json

from endoxa.study.reproduce import RESULTS


def test_the_list_names_every_result_with_what_it_needs(endoxa):
    listed = endoxa("reproduce")
    assert listed.returncode == 0
    out = listed.stdout
    for name, result in RESULTS.all().items():
        assert f"{name}: {result.title}" in out
    assert "weights: any of the eight models; from the Hugging Face hub" in out
    assert "file (optional): stories.parquet" in out
    assert "\nLACES, left out:\n" in out
    assert "  1  5.1, Cohen's kappa of sentiments (0.898): " in out


def test_a_run_says_its_finding_and_a_difference_is_no_error(endoxa, tmp_path):
    out = tmp_path / "out"
    ran = endoxa("reproduce", "arithmetic", "-o", out)
    assert ran.returncode == 0
    assert "54 of 65 published cells agree with ours; 11 differ." in ran.stdout
    assert "Differs (1 cell): the five age groups sum to one person less." in ran.stdout
    facts = json.loads((out / "run.json").read_text(encoding="utf-8"))
    assert (facts["kind"], facts["result"]) == ("reproduction", "arithmetic")
    assert facts["counts"]["differs"] == 11
    assert facts["command"][1:3] == ["reproduce", "arithmetic"]
    assert {"python", "polars", "numpy"} <= facts["versions"].keys()
