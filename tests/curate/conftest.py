"""Review sheets that came back with something wrong in them."""

from __future__ import annotations

import shutil
from datetime import date
from pathlib import Path

import pytest
from openpyxl import load_workbook

from support.review_sheets import PAIRS, STATEMENTS, export, fill, write_table

WRONG_CELLS = {
    "invalid": {(3, "decision"): "delete"},
    "formula": {(3, "attribute"): "=A1"},
    "date": {(3, "attribute"): date(2024, 2, 1)},
    "no_decision": {(1, "decision"): "verdict"},
    "no_identity": {(1, "identity"): "group"},
    "two_reasons": {(1, "note"): "reason"},
    "unknown_row": {(3, "review_row"): "s9#1"},
    "unknown_id": {(9, "statement_id"): "s9"},
    "no_id": {(9, "attribute"): "loud"},
    "no_text": {(9, "statement_id"): "s3"},
}


@pytest.fixture(scope="session")
def broken_sheets(tmp_path_factory):
    """Tables, good.xlsx of the first, and sheets that came back with one thing wrong each."""
    folder = tmp_path_factory.mktemp("sheets")
    good = export(write_table(folder), folder / "good.xlsx")
    for name, cells in WRONG_CELLS.items():
        fill(Path(shutil.copy(good, folder / f"{name}.xlsx")), cells)
    book = load_workbook(good)
    error = book["Review"].cell(3, [cell.value for cell in book["Review"][1]].index("note") + 1)
    error.value, error.data_type = "#N/A", "e"
    book.save(folder / "error.xlsx")
    book = load_workbook(good)
    book["review_origin"]["A1"] = "[]"
    book.save(folder / "origin.xlsx")
    del book["review_origin"]
    book.save(folder / "lost.xlsx")
    book = load_workbook(good)
    book["Review"].delete_cols(book["Review"].max_column)
    book.save(folder / "not_apart.xlsx")
    (folder / "broken.xlsx").write_bytes(b"PK no zip")
    write_table(folder, {**STATEMENTS, "statement": ["other"] * 4}, "other_words.csv")
    write_table(folder, {**STATEMENTS, "statement_id": list("abcd")}, "other_ids.csv")
    pairs = export(write_table(folder, PAIRS, "other_pairs.csv"), folder / "two_answers.xlsx")
    book = load_workbook(fill(pairs, {(2, "decision"): "keep"}))
    book["Review"].append([cell.value for cell in book["Review"][2]])
    book.save(pairs)
    fill(pairs, {(5, "decision"): "omit"})
    return folder
