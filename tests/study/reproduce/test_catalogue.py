"""Printed numbers: those that endoxa holds equal those in the papers."""

from __future__ import annotations

import csv
import math
import re
from importlib.resources import files
from itertools import groupby

import pytest

from endoxa.study.reproduce import RESULTS, Inputs
from endoxa.study.reproduce.catalogue import builtin, evaluate, read_result

PAPERS = {"afristereo": "000_", "laces": "001_", "stereotales": "002_", "names": "003_", "indibias": "004_"}


def printed(name):
    """Rows of the CSV of a result."""
    text = (files("endoxa.study.reproduce") / "results" / f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


@pytest.fixture(scope="module")
def paper(shared):
    def read(begins):
        (path,) = (shared / "papers").glob(f"{begins}*.txt")
        return path.read_text(encoding="utf-8").splitlines()

    return read


def test_indibias_tables_are_those_of_the_paper(paper):
    """Every row of the tables stands in the paper with the same numbers in the same order, and so do the deviations."""
    lines = {}
    for line in paper(PAPERS["indibias"]):
        head, *cells = (cell.strip() for cell in line.split("|"))
        lines.setdefault(head, []).append([cell.strip("(±)") for cell in cells if cell])
    rows = printed("indibias-percentages")
    spreads = [re.match(r"2 \* ([\d.]+)", row["tolerance"])[1] for row in rows if "ICS (mean)" in row["cell"]]
    assert spreads in lines["ICS (std-dev)"]
    rows += printed("indibias-seat")
    assert len(rows) == 144 + 468
    row_of = lambda row: (row["table"], row["cell"].rsplit(", ", 2)[0])  # noqa: E731
    for (table, name), part in groupby(rows, row_of):
        assert [row["published"] for row in part] in lines[name], (table, name)


@pytest.mark.parametrize("name", [name for name in RESULTS.all() if name.partition("-")[0] in PAPERS])
def test_every_published_number_stands_in_its_paper(name, paper):
    text = " ".join(paper(PAPERS[name.partition("-")[0]])).replace(",", "")
    numbers = set(re.findall(r"-?\d+(?:\.\d+)?", text)) | {"0"}
    rows = printed(name)
    assert rows
    assert [row["cell"] for row in rows if row["published"] and row["published"] not in numbers] == []


@pytest.mark.parametrize(
    ("formula", "value"),
    [("0.03 / 0.12 - -1", 1.25), ("2 * sqrt(2)", 2 * math.sqrt(2)), ("abs(1 - 3) ** 2 + (4)", 8)],
)
def test_formulas_of_printed_numbers(formula, value):
    assert evaluate(formula) == pytest.approx(value)


@pytest.mark.parametrize("formula", ["open('x')", "x + 1", "(1).real", "[1][0]", "1 if 2 else 3"])
def test_formulas_run_no_code(formula):
    with pytest.raises(ValueError, match="is no formula of numbers"):
        evaluate(formula)


def test_a_result_of_files_alone(tmp_path):
    """What another package registers: one TOML and one CSV."""
    (tmp_path / "sums.toml").write_text(
        'title = "Sums"\ncitation = "Nobody 2026"\nkind = "tables.arithmetic"\n'
        '[[needs]]\nkind = "nothing"\nwhat = "nothing"\nwhere = "here"\n'
        '[rules.near]\ntolerance = "1 / 4"\nreason = "a guess"\nexplanation = "a slip"\n'
    )
    (tmp_path / "sums.csv").write_text(
        "table,cell,published,rule,ours\nT,a,3,count,1 + 2\nT,b,2.0,rounding,4 / 2.01\nT,c,1,near,3 / 2\n"
    )
    result, inputs = read_result(tmp_path, "sums"), Inputs(None, (), tmp_path)
    assert [cell.tolerance.value for cell in result.cells(inputs)] == [0, pytest.approx(0.05), 0.25]
    assert [ours.value for ours in result.compute(inputs).values()] == [3, pytest.approx(4 / 2.01), 1.5]
    assert "sums" not in {built.name for built in builtin()}


@pytest.mark.slow
def test_every_result_is_declared_whole(tmp_path, shared):
    assert len(RESULTS.all()) >= 14
    folders = {"bbq": "bbq", "stereotales": "stereotales", "bai": "published/llm-implicit-bias"}
    for name, result in RESULTS.all().items():
        assert name == result.name
        assert result.needs
        assert result.citation
        folder = next((place for begins, place in folders.items() if name.startswith(begins)), "afristereo")
        cells = result.cells(Inputs(shared / "data" / folder, (), tmp_path))
        assert cells
        assert len({cell.key for cell in cells}) == len(cells)
        assert all(cell.tolerance.reason for cell in cells)
