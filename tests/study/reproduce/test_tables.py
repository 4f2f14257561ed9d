"""Printed numbers: those that endoxa holds equal those in the papers, and users bring their own in published.csv."""

from __future__ import annotations

import re

import pytest

from endoxa.errors import UserError
from endoxa.instruments.pairs.report.references import references
from endoxa.study.reproduce import RESULTS, Given
from endoxa.study.reproduce.results.afristereo_bpr import MODELS as BPR
from endoxa.study.reproduce.results.afristereo_composition import AXES
from endoxa.study.reproduce.results.laces_debias import SCORES
from endoxa.study.reproduce.results.laces_disagreement import TOPIC_ROWS
from endoxa.study.reproduce.tables import own_values, printed

AFRISTEREO, LACES, NAMES, INDIBIAS = "000_", "001_", "003_", "004_"


@pytest.fixture(scope="module")
def paper(shared):
    def read(begins):
        (path,) = (shared / "papers").glob(f"{begins}*.txt")
        return path.read_text(encoding="utf-8").splitlines()

    return read


def test_indibias_tables_are_those_of_the_paper(paper):
    """Every row of the held tables stands in the paper with the same numbers in the same order."""
    lines = {}
    for line in paper(INDIBIAS):
        head, *cells = (cell.strip() for cell in line.split("|"))
        lines.setdefault(head, []).append([cell.strip("(±)") for cell in cells if cell])
    held = printed("indibias")
    assert held.height == 144 + 468
    for (table, row), part in held.group_by("table", "row", maintain_order=True):
        assert part["value"].to_list() in lines[row], (table, row)


def test_name_based_tables_are_those_of_the_paper(paper):
    held = {(row["table"], row["model"]): [] for row in printed("names_bbq").to_dicts()}
    for row in printed("names_bbq").to_dicts():
        held[row["table"], row["model"]].append(row["value"] + (f" ± {row['sd']}" if row["sd"] else ""))
    text = [re.sub(r"\s*(\\pm|±)\s*", " ± ", line) for line in paper(NAMES)]
    assert len(held) == 36
    for (table, model), values in held.items():
        start = next(k for k, line in enumerate(text) if line.startswith(f"Table {table}:"))
        assert "\t".join([model, *values]) in text[start : start + 12]


def test_the_mean_of_table_2_is_the_one_that_pages_of_pairs_show():
    held = {
        (row["language"], row["model"].lower()): row["value"]
        for row in printed("indibias").filter(row="ICS (mean)").to_dicts()
    }
    shown = [one for one in references() if one.data == "indibias"]
    assert len(shown) == 2
    for one in shown:
        language = {"en": "English", "hi": "Hindi"}[one.language]
        for model, value in one.values.items():
            assert held[language, model.lower().replace("-", "")] == value


def test_afristereo_and_laces_are_those_of_the_papers(paper):
    table = "\n".join(paper(AFRISTEREO))
    for axis, (_, pilot, added) in AXES.items():
        assert f"{axis}\t{pilot:,}\t{added:,}" in table
    for model, (value, _) in BPR.items():
        assert re.search(rf"{re.escape(model)}\t{value:.2f}\t", table), model
    laces = "\n".join(paper(LACES))
    for topic, (n, within) in TOPIC_ROWS.items():
        assert f"| {topic} | {n} | {within:.2f} |" in laces
    for place, letter in enumerate("BER"):
        row = " | ".join(
            f"{one[place][0]:.2f} [{one[place][1]:.2f}, {one[place][2]:.2f}]" for one in SCORES.values()
        )
        assert f"| {letter} | {row} |" in laces


def test_every_result_is_declared_whole(tmp_path, shared):
    assert len(RESULTS.all()) >= 18
    folders = {
        "bbq": "bbq",
        "stereotales": "stereotales",
        "seat": "reference_scores",
        "indibias-reference": "indibias",
    }
    for name, result in RESULTS.all().items():
        assert name == result.name
        assert result.needs
        assert result.citation
        folder = next((own for begins, own in folders.items() if name.startswith(begins)), "afristereo")
        cells = result.cells(Given(shared / "data" / folder, (), tmp_path))
        assert cells
        assert len({cell.key for cell in cells}) == len(cells)
        assert all(cell.tolerance.reason for cell in cells)


def given(folder, text):
    (folder / "published.csv").write_text(text, encoding="utf-8")
    return Given(folder, (), folder / "out")


def test_published_numbers_of_the_user_are_read_with_their_decimals(tmp_path):
    text = 'table,cell,published\nTable 2,"Metric score, roberta-large",61.1\nTable 2,"gender, roberta-large",50\n'
    assert own_values(given(tmp_path, text)) == {
        ("Table 2", "Metric score, roberta-large"): (61.1, 1),
        ("Table 2", "gender, roberta-large"): (50.0, 0),
    }
    cells = {
        cell.key: cell for cell in RESULTS.get("crows-pairs-table2").cells(Given(tmp_path, (), tmp_path))
    }
    filled = cells["Table 2", "Metric score, roberta-large"]
    assert (filled.published, filled.tolerance.value, filled.source) == (
        61.1,
        pytest.approx(0.05),
        "published.csv",
    )
    assert cells["Table 2", "gender, roberta-large"].published == 50
    assert cells["Table 2", "Metric score, albert-xxlarge-v2"].published is None


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("table,cell\nTable 2,x\n", "published"),
        ("table,cell,published\nTable 2,x,high\n", "row 1: published is 'high'"),
        ("table,cell,published\nT,x,1\nT,x,2\n", "row 2: T, x is there twice"),
    ],
)
def test_published_numbers_that_cannot_be_read_are_named(tmp_path, text, match):
    with pytest.raises(UserError, match=match):
        own_values(given(tmp_path, text))
