"""The sheet that a reviewer gets."""

from __future__ import annotations

import pytest
from openpyxl import load_workbook

from endoxa.curate.review import DECISIONS, REASONS
from endoxa.curate.review.returned import read_sheets
from endoxa.curate.review.sheet import Choice, make_sheet
from endoxa.curate.review.workbook import SPARE_ROWS
from endoxa.errors import UserError
from support.review_sheets import STATEMENTS, export, write_table


@pytest.fixture
def page(tmp_path):
    return load_workbook(export(write_table(tmp_path), tmp_path / "ana.xlsx"))["Review"]


def cell(page, row, column):
    return page.cell(row, [title.value for title in page[1]].index(column) + 1)


def test_words_and_answers_can_be_filled_in_and_the_rest_is_locked(page):
    assert page.protection.sheet
    assert page.protection.password is None
    titles = [title.value for title in page[1]]
    free = {name for name in titles if not cell(page, 2, name).protection.locked}
    assert free == {"identity", "attribute", "decision", "reason", "note"}
    assert {name for name in titles if cell(page, 2, name).fill.fill_type} == free
    assert cell(page, 2, "statement").value == "Farmers are calm and kind"


def test_choices_stand_in_drop_downs_for_every_row(page):
    found = {str(choice.sqref): choice for choice in page.data_validations.dataValidation}
    decision, reason = (cell(page, 2, name).column_letter for name in ("decision", "reason"))
    last = 5 + SPARE_ROWS
    lists = page.parent["Lists"]
    for letter, words in ((decision, DECISIONS), (reason, REASONS)):
        _, _, cells = found[f"{letter}2:{letter}{last}"].formula1.rpartition("!")
        assert [cell.value for (cell,) in lists[cells.replace("$", "")]] == list(words)
    assert lists.sheet_state == "hidden"


def test_instructions_warn_and_the_origin_is_hidden(tmp_path):
    book = load_workbook(export(write_table(tmp_path), tmp_path / "ana.xlsx"))
    words = " ".join(str(line[0].value) for line in book["Instructions"].iter_rows())
    assert "may offend" in words
    assert "stop at any time" in words
    assert book["review_origin"].sheet_state == "hidden"


@pytest.mark.parametrize(
    "words",
    [["=HYPERLINK(1)", "'=1", "\ttab", "a\x01b"], ["line\r\nbreak", " blank ", "_x0041_", "007"]],
)
def test_every_text_comes_back_as_it_was(tmp_path, words):
    table = write_table(tmp_path, {**STATEMENTS, "attribute": words})
    (sheet,) = read_sheets([export(table, tmp_path / "ana.xlsx")])
    assert [answer.words["attribute"] for answer in sheet.answers] == words
    assert not any(answer.says_something for answer in sheet.answers)


def test_no_cell_is_a_formula(tmp_path):
    word = "=1+1"
    table = write_table(tmp_path, {**STATEMENTS, "attribute": [word] * 4, "statement": [word] * 4})
    page = load_workbook(export(table, tmp_path / "a.xlsx"))["Review"]
    cells = [one for line in page.iter_rows() for one in line if one.value == word]
    assert {(one.data_type, one.quotePrefix, one.number_format) for one in cells} == {("s", True, "@")}
    assert len(cells) == 8


def test_a_text_too_long_for_a_cell_is_refused(tmp_path):
    table = write_table(tmp_path, {**STATEMENTS, "attribute": ["x" * 40_000, "kind", "long", "loud"]})
    with pytest.raises(UserError, match=r"'s1#1', column 'attribute': the text exceeds the maximum of 32767"):
        export(table, tmp_path / "ana.xlsx")


def test_a_sample_takes_whole_statements_and_repeats(tmp_path):
    columns = {
        "statement_id": [f"s{number // 2}" for number in range(200)],
        "statement": [f"statement {number}" for number in range(200)],
    }
    table = write_table(tmp_path, columns)
    drawn = [make_sheet(table, Choice(sample=10, seed=seed)).rows for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert len(drawn[0]) == 20
    assert len(make_sheet(table, Choice(sample=1000)).rows) == 200
