"""`endoxa reproduce`: what it prints, and its exit codes."""

from __future__ import annotations

import json

import pytest

from endoxa.commands import main
from endoxa.study.reproduce import RESULTS


@pytest.fixture
def endoxa(monkeypatch, capsys):
    """Run the command line; exit code, output and errors."""

    def run(*words):
        monkeypatch.setattr("sys.argv", ["endoxa", *map(str, words)])
        with pytest.raises(SystemExit) as stopped:
            main()
        printed = capsys.readouterr()
        return stopped.value.code or 0, printed.out, printed.err

    return run


def test_the_list_names_every_result_with_what_it_needs(endoxa):
    code, out, _ = endoxa("reproduce")
    assert code == 0
    for name, result in RESULTS.all().items():
        assert f"{name}: {result.title}" in out
    assert "weights: any of the eight models; from the Hugging Face hub" in out
    assert "file (optional): stories.parquet" in out
    assert "\nLACES, left out:\n" in out
    assert "  1  5.1, Cohen's kappa of sentiments (0.898): " in out


def test_a_run_says_its_finding_and_a_difference_is_no_error(endoxa, tmp_path):
    out = tmp_path / "out"
    code, printed, _ = endoxa("reproduce", "arithmetic", "-o", out)
    assert code == 0
    assert "54 of 65 published cells agree with ours; 11 differ." in printed
    assert "Differs (1 cell): the five age groups sum to one person less." in printed
    facts = json.loads((out / "run.json").read_text(encoding="utf-8"))
    assert (facts["kind"], facts["result"]) == ("reproduction", "arithmetic")
    assert facts["counts"]["differs"] == 11
    assert facts["command"][1:3] == ["reproduce", "arithmetic"]
    assert {"python", "polars", "numpy"} <= facts["versions"].keys()


@pytest.mark.slow
def test_the_acceptance_command(endoxa, shared, tmp_path):
    data = shared / "data/stereotales"
    code, printed, _ = endoxa("reproduce", "stereotales-associations", "--data", data, "-o", tmp_path / "rep")
    assert code == 0
    assert "3 of 13 published cells agree with ours; 1 cannot be compared; 9 were not computed." in printed
    assert "Not computed (4 cells): needs the ratings of people" in printed


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["bbq-unifiedqa"],
            "bbq-unifiedqa needs the file Nationality.jsonl, but no --data FOLDER was given.",
        ),
        (["indibias-seat"], "indibias-seat needs weights: name at least one model"),
        (["bbq-unified"], "Unknown published result 'bbq-unified'. Did you mean: bbq-unifiedqa"),
        (["indibias-seat", "--model", "BERT=hf/x/y"], "indibias-seat has no model 'BERT'."),
        (["laces-debias", "--data", "."], "laces-debias needs the file questions.jsonl"),
        (["names-bbq", "--data", "."], "names-bbq needs answers: run folders 'nationality' and 'names'"),
        ([], "out is no folder. Without NAME, --out is where finished reproductions lie."),
        (["--data", "."], "--data and --model are for one result. Name it: endoxa reproduce NAME"),
    ],
)
def test_what_is_missing_is_one_sentence_and_exit_code_2(endoxa, tmp_path, words, sentence):
    code, _, errors = endoxa("reproduce", *words, "-o", tmp_path / "out")
    assert code == 2
    assert sentence in errors
    assert len(errors.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()
