"""Exports of survey tools and spreadsheets as they are: sheets, titles above the table, names in two rows."""

from __future__ import annotations

import json
import logging

import pytest

from endoxa.errors import UserError
from endoxa.sources.frames import read_table
from endoxa.sources.headers import name_rows
from endoxa.sources.source import reading_files
from endoxa.sources.tables import written_columns

openpyxl = pytest.importorskip("openpyxl")

ROWS = [["1", "Bakers are kind.", "NG"], ["2", "Bakers sing.", "KE"], ["3", "Bakers rise early.", "NG"]]
NAMES = ["person", "said", "land"]


def text(*rows: list[str], mark: str = ",") -> str:
    return "".join(mark.join(f'"{cell}"' if cell else "" for cell in row) + "\n" for row in rows)


def book(path, sheets, merged=()):
    made = openpyxl.Workbook()
    made.remove(made.active)
    for title, rows in sheets.items():
        sheet = made.create_sheet(title)
        for row in rows:
            sheet.append([cell or None for cell in row])
    for area in merged:
        made.worksheets[0].merge_cells(area)
    made.save(path)
    return path


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ("Village survey 2026\n\n", 3),
        ('"Village survey 2026",,\n"Exported 2026-11-01",,\n', 3),
        ("", None),
    ],
)
@pytest.mark.parametrize("mark", [",", "\t"])
def test_titles_above_a_table_are_passed_over_and_said(tmp_path, caplog, before, line, mark):
    path = tmp_path / "export.csv"
    path.write_text(before.replace(",", mark) + text(NAMES, *ROWS, mark=mark))
    with reading_files(), caplog.at_level(logging.WARNING):
        assert read_table(path).rows() == [tuple(row) for row in ROWS]
        assert read_table(path).columns == NAMES
    assert (f"column names in row {line}" in caplog.text) == (line is not None)


@pytest.mark.parametrize(
    "content",
    [
        "text\nBakers are kind\nBakers sing\n",
        ",said\n0,Bakers are kind\n1,Bakers sing\n",
        "person,,\n1,Bakers are kind,NG\n2,Bakers sing,KE\n",
        "text\nkind, old, strong\nkind, young, quick\nkind, lazy, loud\n",
    ],
)
def test_a_first_row_of_names_is_never_passed_over(tmp_path, content):
    path = tmp_path / "export.csv"
    path.write_text(content)
    with reading_files():
        assert written_columns(path)[0] == content.partition("\n")[0].partition(",")[0]


def test_qualtrics_names_by_texts_of_questions_or_by_codes(tmp_path):
    path = tmp_path / "qualtrics.csv"
    imports = [json.dumps({"ImportId": f"QID{number}"}).replace('"', '""') for number in range(3)]
    path.write_text(text(["Q1", "Q2", "Q3"], ["Code", "What is said?", "What is said?"], imports, *ROWS))
    with reading_files():
        table = read_table(path, as_written=True)
        assert table.columns == ["Code", "Q2. What is said?", "Q3. What is said?"]
        assert table.height == len(ROWS)
        assert read_table(path, ["Q2"])["Q2"][1] == "Bakers sing."
    with reading_files(header_rows=(1, 1)):
        assert read_table(path, as_written=True).columns == ["Q1", "Q2", "Q3"]


TWO_ROWS = [
    ["Code", "Women", "", "Men", ""],
    ["", "first", "second", "first", "third"],
    ["1", "kind", "wise", "loud", "tall"],
    ["2", "calm", "quick", "rude", "calm"],
]
JOINED = ["Code", "Women: first", "second", "Men: first", "third"]


def test_two_rows_of_names_in_workbooks_and_in_text(tmp_path, caplog):
    path = book(
        tmp_path / "survey.xlsx",
        {"Answers": [["Village survey", "", "", "", ""], *TWO_ROWS]},
        ["A1:E1", "A2:A3", "B2:C2", "D2:E2"],
    )
    saved = tmp_path / "survey.csv"
    saved.write_text(text(*TWO_ROWS))
    for file, rows in ((path, "2-3"), (saved, "1-2")):
        with reading_files(header_rows=name_rows(rows)), caplog.at_level(logging.WARNING):
            table = read_table(file, as_written=True)
        assert table.columns == JOINED
        assert table.rows() == [tuple(row) for row in TWO_ROWS[2:]]
        assert f"column names in row {rows[-1]}, with the titles above them" in caplog.text


def test_the_sheet_is_the_named_the_wanted_or_the_only_table(tmp_path, caplog):
    sheets = {
        "Notes": [["Read me"]],
        "Answers": [NAMES, *ROWS],
        "Codes": [["code", "land"], ["NG", "Nigeria"]],
    }
    path = book(tmp_path / "survey.xlsx", sheets)
    with reading_files(), caplog.at_level(logging.WARNING):
        assert read_table(path, ["said"]).height == len(ROWS)
    assert "sheet 'Answers'" in caplog.text
    for stated in ("codes", "3"):
        with reading_files(sheet=stated):
            assert read_table(path).rows() == [("NG", "Nigeria")]
    with reading_files(), pytest.raises(UserError, match=r"2 sheets with tables \(2 'Answers', 3 'Codes'\)"):
        read_table(path, as_written=True)
    with (
        reading_files(sheet="Answer"),
        pytest.raises(UserError, match="Its sheets are: 1 'Notes', 2 'Answers'"),
    ):
        read_table(path)
    with reading_files(sheet="Answers", header_rows=(9, 9)), pytest.raises(UserError, match="--header-row 9"):
        read_table(path)
    only = book(tmp_path / "only.xlsx", {"Answers": [["Survey"], [], NAMES, *ROWS], "Sheet2": []})
    with reading_files():
        assert read_table(only)["said"].to_list() == [row[1] for row in ROWS]
