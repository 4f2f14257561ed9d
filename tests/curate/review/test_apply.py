"""Sheets come back: what changes, what is disputed, and what spreadsheet programs do to files."""

from __future__ import annotations

import random

import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook

from endoxa.curate.review.merge import apply_review
from endoxa.curate.review.returned import read_sheets
from endoxa.sources.check import check_pairs
from endoxa.sources.frames import write_table as write_frame
from support.review_sheets import PAIRS, STATEMENTS, export, fill, write_table

pytestmark = pytest.mark.slow


@pytest.fixture
def table(tmp_path):
    return write_table(tmp_path)


def reviewed(table, *sheets, **options):
    return apply_review(table, read_sheets(sheets), **options)


def row(result, name):
    return result.table.row(by_predicate=pl.col("review_row") == name, named=True)


def records(frame, *columns):
    return frame.select(columns).rows()


# --------------------------------------------------------------------------- one reviewer


def test_decisions_and_edits_arrive(table, tmp_path):
    sheet = fill(
        export(table, tmp_path / "s.xlsx", reviewer="Ana"),
        {
            (2, "attribute"): "very calm",
            (2, "decision"): "edit",
            (2, "note"): "as\n they say",
            (3, "decision"): "keep",
            (4, "decision"): "Omit ",
            (5, "decision"): "omit",
            (5, "reason"): "Noise",
        },
    )
    result = reviewed(table, sheet)
    assert result.table["city"].to_list() == STATEMENTS["city"]
    assert row(result, "s1#1")["attribute"] == "very calm"
    assert row(result, "s1#1")["review_note"] == "Ana: as they say"
    assert records(result.table, "review_decision", "omit", "omit_reason") == [
        ("edit", "false", None),
        ("keep", "false", None),
        ("omit", "true", "not about people"),  # the proposed reason: the reviewer gave none
        ("omit", "true", "noise"),
    ]
    assert set(result.table["reviewed_by"]) == {"Ana"}
    assert records(result.changes, "row", "column", "before", "after", "by") == [
        ("s1#1", "attribute", "calm", "very calm", "Ana"),
        ("s3#1", "omit", "false", "true", "Ana"),
        ("s3#1", "omit_reason", "", "noise", "Ana"),
    ]
    assert result.conflicts.is_empty()
    assert result.left_out == 2


def test_a_refused_proposal_is_taken_back_and_changed_words_are_an_edit_whatever_the_decision(
    table, tmp_path
):
    cells = {(3, "attribute"): "gentle", (3, "decision"): "keep", (4, "decision"): "keep"}
    result = reviewed(table, fill(export(table, tmp_path / "ana.xlsx"), cells))
    assert result.table["review_decision"].to_list() == [None, "edit", "keep", None]
    assert records(result.changes, "column", "after") == [
        ("attribute", "gentle"),
        ("omit", "false"),
        ("omit_reason", ""),
    ]
    assert row(result, "s2#1")["reviewed_by"] == "ana", "the file's name where no reviewer was named"


def test_unsure_leaves_the_row_to_others(table, tmp_path):
    unsure = fill(
        export(table, tmp_path / "ana.xlsx"), {(2, "decision"): "unsure", (4, "decision"): "unsure"}
    )
    sure = fill(export(table, tmp_path / "ben.xlsx"), {(2, "decision"): "omit", (2, "reason"): "noise"})
    alone, both = reviewed(table, unsure), reviewed(table, unsure, sure)
    assert records(alone.table, "review_decision", "omit")[2] == ("unsure", "true")
    assert row(both, "s1#1")["review_decision"] == "omit"
    assert row(both, "s1#1")["reviewed_by"] == "ana; ben"
    assert both.conflicts.is_empty()


def test_what_is_not_said_to_the_end_is_unsure_and_said(table, tmp_path):
    sheet = fill(export(table, tmp_path / "ana.xlsx"), {(2, "decision"): "edit", (3, "reason"): "noise"})
    result = reviewed(table, sheet)
    assert result.incomplete == 2
    assert result.table["review_decision"].to_list()[:2] == ["unsure", "unsure"]
    assert "changed nothing" in row(result, "s1#1")["review_note"]
    assert "no decision" in row(result, "s1#2")["review_note"]


def test_a_statement_is_split_in_an_empty_row(table, tmp_path):
    sheet = export(table, tmp_path / "ana.xlsx")
    fill(sheet, {(9, "statement_id"): "s3", (9, "attribute"): "early", (5, "decision"): "edit"})
    result = reviewed(table, sheet)
    assert records(result.table, "statement_id", "identity", "attribute", "review_decision", "city")[3:] == [
        ("s3", "bakers", "don't sing", "edit", "Lyon"),
        ("s3", "bakers", "early", "edit", "Lyon"),
    ]
    assert records(result.changes, "column", "after") == [("(new row)", "identity: bakers, attribute: early")]
    assert result.incomplete == 0


def test_a_row_copied_with_its_hidden_name_is_new_too(table, tmp_path):
    sheet = export(table, tmp_path / "ana.xlsx")
    book = load_workbook(sheet)
    page = book["Review"]
    for place, cell in enumerate(page[5], start=1):
        page.cell(6, place).value = cell.value
    book.save(sheet)
    assert len(reviewed(table, sheet).table) == 4, "a copy that says nothing is none"
    fill(sheet, {(6, "attribute"): "early"})
    result = reviewed(table, sheet)
    assert result.table["attribute"].to_list() == ["calm", "kind", "long", "early"], (
        "only the copy was filled in"
    )
    fill(sheet, {(5, "attribute"): "late"})
    assert reviewed(table, sheet).table["attribute"].to_list()[3:] == ["late", "early"]


def test_a_row_that_only_one_reviewer_adds_is_disputed(table, tmp_path):
    ana = fill(export(table, tmp_path / "ana.xlsx"), {(9, "statement_id"): "s3", (9, "attribute"): "early"})
    ben = fill(export(table, tmp_path / "ben.xlsx"), {(5, "decision"): "keep"})
    result = reviewed(table, ana, ben)
    assert len(result.table) == 4
    assert records(result.conflicts, "column", "voices", "settled") == [
        ("(new row)", "ana: added; ben: not added", False)
    ]
    other = fill(export(table, tmp_path / "eva.xlsx"), {(2, "decision"): "keep"})
    assert len(reviewed(table, ana, other).table) == 5, (
        "who did not decide on the statement says nothing against it"
    )


# --------------------------------------------------------------------------- several reviewers


def disagreement(table, tmp_path):
    """Three reviewers: two of them want other words for s1#1, one of three leaves s3#1 out."""
    cells = {
        "ana": {(2, "attribute"): "patient", (5, "decision"): "omit", (5, "reason"): "noise"},
        "ben": {(2, "attribute"): "quiet", (5, "decision"): "keep"},
        "eva": {(2, "attribute"): " quiet", (5, "decision"): "keep"},
    }
    return [fill(export(table, tmp_path / f"{name}.xlsx"), one) for name, one in cells.items()]


def test_disagreements_are_listed_and_nothing_is_decided(table, tmp_path):
    result = reviewed(table, *disagreement(table, tmp_path))
    assert records(result.table, "attribute", "omit", "review_decision") == [
        ("calm", "false", "disputed"),
        ("kind", "false", None),
        ("long", "true", None),
        ("don't sing", "false", "disputed"),
    ]
    assert result.changes.is_empty()
    assert records(result.conflicts, "row", "column", "voices", "settled") == [
        ("s1#1", "attribute", "ana: patient; ben: quiet; eva: quiet", False),
        ("s3#1", "review_decision", "ana: omit (noise); ben: keep; eva: keep", False),
    ]
    assert result.conflicts["sheets"][0] == "ana.xlsx, row 2; ben.xlsx, row 2; eva.xlsx, row 2"


def test_a_rule_can_decide_and_the_disagreement_is_still_listed(table, tmp_path):
    sheets = disagreement(table, tmp_path)
    for resolve, attribute, omit in (("first", "patient", "true"), ("majority", "quiet", "false")):
        result = reviewed(table, *sheets, resolve=resolve)
        assert (row(result, "s1#1")["attribute"], row(result, "s3#1")["omit"]) == (attribute, omit)
        assert result.conflicts["settled"].to_list() == [True, True]
    half = reviewed(table, *sheets[:2], resolve="majority")
    assert row(half, "s1#1")["review_decision"] == "disputed"


def test_a_third_person_settles_what_is_disputed(table, tmp_path):
    sheets = disagreement(table, tmp_path)
    first = tmp_path / "first.csv"
    write_frame(reviewed(table, *sheets).table, first)
    third = export(first, tmp_path / "third.xlsx", only_disputed=True, reviewer="Zoe")
    fill(third, {(2, "decision"): "keep", (3, "decision"): "omit", (3, "reason"): "noise"})
    result = reviewed(first, third)
    assert result.conflicts.is_empty()
    assert records(result.table, "review_decision", "omit")[0] == ("keep", "false")
    assert records(result.table, "review_decision", "omit")[3] == ("omit", "true")
    assert row(result, "s1#1")["reviewed_by"] == "Zoe; ana; ben; eva"
    assert "ana: patient" in row(result, "s1#1")["review_note"], "what was disputed stays on record"


def test_sheets_one_after_the_other_do_not_overrule_each_other(table, tmp_path):
    ana, ben, _ = disagreement(table, tmp_path)
    write_frame(reviewed(table, ana).table, tmp_path / "first.csv")
    result = reviewed(tmp_path / "first.csv", ben)
    assert records(result.conflicts, "row", "column", "voices") == [
        ("s1#1", "attribute", "the table: patient; ben: quiet"),
        ("s3#1", "review_decision", "the table: omit; ben: keep"),
    ]


def test_words_that_changed_since_are_a_conflict(table, tmp_path):
    sheet = fill(
        export(table, tmp_path / "ana.xlsx"), {(2, "attribute"): "quiet", (3, "attribute"): "gentle"}
    )
    newer = write_table(
        tmp_path, {**STATEMENTS, "attribute": ["slow", "gentle", "long", "loud"]}, "newer.csv"
    )
    result = reviewed(newer, sheet)
    assert records(result.conflicts, "row", "problem", "voices") == [
        ("s1#1", "the table was changed since the sheet was made", "the table: slow; ana: quiet")
    ]
    assert row(result, "s1#1")["attribute"] == "slow"


def test_a_row_that_is_gone_is_a_conflict_unless_it_was_to_go(table, tmp_path):
    sheet = fill(export(table, tmp_path / "ana.xlsx"), {(4, "decision"): "keep", (5, "decision"): "omit"})
    newer = write_table(tmp_path, {name: cells[:2] for name, cells in STATEMENTS.items()}, "newer.csv")
    assert records(reviewed(newer, sheet).conflicts, "row", "problem") == [
        ("s2#1", "the row is not in the table any more")
    ]


def test_order_of_rows_and_columns_and_lost_rows_do_not_matter(table, tmp_path):
    sheet = fill(
        export(table, tmp_path / "ana.xlsx"),
        {(3, "attribute"): "gentle", (5, "decision"): "omit", (5, "reason"): "noise"},
    )
    whole = reviewed(table, sheet)
    book = load_workbook(sheet)
    page = book["Review"]
    header, *lines = page.values
    order = list(range(len(header)))
    random.Random(5).shuffle(order)
    page.delete_rows(1, page.max_row)
    for line in (header, lines[3], lines[1], [""] * len(header)):
        page.append([line[place] for place in order])
    book.save(sheet)
    assert reviewed(table, sheet).table.equals(whole.table)


def test_what_a_program_changes_by_itself_is_no_edit(tmp_path):
    columns = {
        "statement_id": ["007", "8", "9", "10"],
        "attribute": ["don't sing", "3.0", "true", "calm"],
        "identity": ["bakers", "3", "1e3", " farmers"],
    }
    table = write_table(tmp_path, columns)
    sheet = export(table, tmp_path / "ana.xlsx")
    cells = {
        (2, "attribute"): "don’t sing ",
        (3, "attribute"): 3,
        (4, "attribute"): True,
        (3, "identity"): 3.0,
        (4, "identity"): 1000,
        (2, "statement_id"): 7,
    }
    result = reviewed(table, fill(sheet, cells))
    assert result.changes.is_empty()
    assert result.table["identity"].to_list() == columns["identity"]


def test_reviewed_pairs_are_still_a_table_of_pairs(tmp_path):
    table = write_table(tmp_path, PAIRS)
    sheet = fill(
        export(table, tmp_path / "ana.xlsx"),
        {
            (2, "decision"): "keep",
            (3, "sent_less"): "Farmers are quick.",
            (4, "decision"): "omit",
            (4, "reason"): "noise",
        },
    )
    result = reviewed(table, sheet)
    path = tmp_path / "reviewed.csv"
    write_frame(result.table, path)
    assert [problem for problem in check_pairs(path) if problem.severity == "error"] == []
    assert result.table["sent_less"].to_list() == ["Bakers are impatient.", "Farmers are quick."]
    assert result.dropped
    assert len(reviewed(table, sheet, drop_omitted=False).table) == 3
    assert reviewed(path, sheet).table.equals(result.table)


# --------------------------------------------------------------------------- whatever reviewers say

CHOICES = {
    "decision": ["keep", "edit", "omit", "unsure", ""],
    "reason": ["noise", "other", "my own; words"],
    "note": ["hm", "a | b"],
    "attribute": ["calm", "quiet", ""],
}
NEW_ROW = {(6, "statement_id"): "s3", (6, "attribute"): "early"}
answers = st.builds(
    lambda cells, adds: cells | (NEW_ROW if adds else {}),
    st.fixed_dictionaries(
        {},
        optional={
            (number, column): st.sampled_from(words)
            for number in (2, 3, 4, 5)
            for column, words in CHOICES.items()
        },
    ),
    st.booleans(),
)


@settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    ana=answers,
    ben=answers,
    resolve=st.sampled_from(["none", "first", "majority"]),
    drop=st.booleans(),
)
def test_all_changes_are_reported_whoever_comes_first_and_a_second_time_changes_nothing(
    tmp_path, ana, ben, resolve, drop
):
    table = write_table(tmp_path)
    filled = {"ana": ana, "ben": ben}
    sheets = [fill(export(table, tmp_path / f"{name}.xlsx"), cells) for name, cells in filled.items()]
    once = reviewed(table, *sheets, resolve=resolve, drop_omitted=drop)
    assume(not once.table.is_empty())
    write_frame(once.table, tmp_path / "once.csv")
    twice = reviewed(tmp_path / "once.csv", *sheets, resolve=resolve, drop_omitted=drop)
    assert twice.table.equals(once.table)
    assert twice.changes.is_empty()

    result, reversed_order = reviewed(table, *sheets), reviewed(table, *reversed(sheets))
    same = ["review_row", "identity", "attribute", "omit", "review_decision", "reviewed_by"]
    assert result.table.select(same).equals(reversed_order.table.select(same))
    assert len(result.conflicts) == len(reversed_order.conflicts)
    before = dict(zip(["s1#1", "s1#2", "s2#1", "s3#1"], STATEMENTS["attribute"], strict=True))
    after = dict(result.table.select("review_row", "attribute").rows())
    differing = {name for name in before if (after[name] or "") != before[name]}
    assert set(result.changes.filter(column="attribute")["row"]) == differing
    assert set(result.changes.filter(column="(new row)")["row"]) == after.keys() - before.keys()
