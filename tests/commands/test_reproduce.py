"""`endoxa reproduce`: what it prints, and its exit codes."""

from __future__ import annotations

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
