"""Review of statements: what reviewers decide, what comes of it, and that no cell of the table is lost on the way."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from endoxa.curate import review as curate_review
from endoxa.curate.associations import mentions
from endoxa.curate.group import read_attributes
from endoxa.curate.review import REVIEW_COLUMNS, kind_of
from endoxa.curate.review.merge import apply_review
from endoxa.curate.review.returned import read_sheets
from endoxa.curate.review.sheet import rows_of, with_row_keys
from endoxa.sources.frames import read_table, write_table
from endoxa_collect.tasks.extraction import (
    REASONS,
    ROOM,
    ExtractionForm,
    added_name,
    parts,
)
from endoxa_collect.tasks.handing import next_turn, take
from endoxa_collect.tasks.results import all_tables, write_results
from endoxa_collect.tasks.rooms import Judged, JudgedItem
from support.review_sheets import export, fill

SHOWN = {"identity": "bakers", "attribute": "cheerful"}


ROW = {
    "original_statement": "Bakers  are cheerful", "statement": "Bakers are cheerful and early risers",
    "language": "en", **SHOWN, "verb": "", "rule": "copula", "confidence": "0.87", "omit": "false",
    "omit_reason": "", "flag": "",
}  # fmt: skip


def rows(count):
    """Statements as `endoxa curate extract` writes them, with a kept column whose name we use too."""
    return [
        {"statement_id": f"{k:03d}-work-001", "respondent": str(k), **ROW, "group": f"g{k}"}
        for k in range(count)
    ]


def form(**cells):
    content = {"statement": "Bakers are cheerful", **SHOWN}
    return ExtractionForm(content, {}, {**SHOWN, **cells})


def answered(**cells):
    found = form(**cells)
    assert found.is_valid(), found.errors
    return found.answer()


KEEP = {"decision": "keep", "pairs": [["bakers", "cheerful"]], "reason": "", "note": ""}
EDIT = {**KEEP, "decision": "edit", "pairs": [["bakers", "merry"]]}
SPLIT = {**KEEP, "decision": "split", "pairs": [["bakers", "cheerful"], ["bakers", "early risers"]]}
OMIT = {**KEEP, "decision": "omit", "pairs": [], "reason": "noise"}


@pytest.mark.parametrize(
    ("cells", "wanted"),
    [
        ({"action": "keep"}, KEEP),
        ({}, KEEP),
        ({"attribute": "merry", "action": "keep"}, EDIT),
        ({"second_identity": "bakers", "second_attribute": "early risers"}, SPLIT),
        ({"reason": "noise", "identity": "", "second_identity": "x"}, OMIT),
        ({"reason": "other", "note": "a song"}, {**OMIT, "reason": "other", "note": "a song"}),
    ],
)
def test_buttons_and_words_give_the_decision(cells, wanted):
    assert answered(**cells) == wanted


@pytest.mark.parametrize(
    "cells",
    [
        {"attribute": " "},
        {"action": "split"},
        {"second_identity": "bakers", "second_attribute": "cheerful"},
        {"reason": "other"},
        {"action": "omit"},
        {"identity": "b" * 301},
    ],
)
def test_what_is_not_said_to_the_end_is_refused(cells):
    assert list(REASONS) == list(curate_review.REASONS)
    assert not form(**cells).is_valid()


@pytest.mark.parametrize(
    ("statement", "identity", "attribute", "marked"),
    [
        ("Igbo people are loud.", "igbo people", "loud", ["Igbo people", "loud"]),
        ("I think the Igbos love money", "igbo people", "love money", ["Igbos", "love money"]),
        ("Women aren't as smart as men", "women", "not smart", ["Women", "smart"]),
        ("यहाँ के लोग मेहनती हैं", "यहाँ के लोग", "मेहनती", ["यहाँ के लोग", "मेहनती"]),
    ],
)
def test_the_words_are_found_in_the_statement(statement, identity, attribute, marked):
    found = parts(statement, identity, attribute)
    assert "".join(part.text for part in found) == statement
    assert [part.text for part in found if part.role] == marked


def judged_by(task, make_judge, **answers):
    """Judges with their answers by the number of the item."""
    for name, by_number in answers.items():
        judge = make_judge(task, name)
        while (turn := next_turn(judge)) is not None:
            take(judge, turn.token, by_number[turn.item.number])


def test_a_disagreement_goes_to_a_third_whose_voice_decides(make_task, make_judge):
    task = make_task("extraction", rows(3))
    judged_by(
        task,
        make_judge,
        a={1: KEEP, 2: KEEP, 3: EDIT},
        b={1: KEEP, 2: OMIT, 3: KEEP},
        c={2: OMIT, 3: OMIT},
        d={},
    )
    table = all_tables(task)["items"]
    assert table["review_state"].to_list() == ["agreed", "majority", "disputed"]
    assert table["review_decision"].to_list() == ["keep", "omit", "disputed"]
    assert table["omit"].to_list() == ["false", "true", "false"]
    assert table["omit_reason"].to_list() == ["", "noise", ""]
    assert table["attribute"].to_list() == ["cheerful"] * 3
    assert "bakers / merry" in table["review_note"][2]
    assert "omit (noise)" in table["review_note"][2]


def same_cells(table, before, but=()):
    """Every cell of the rows, but for some columns."""
    after = {row["review_row"]: row for row in table.iter_rows(named=True)}
    named = list(ROOM.prepare(before))
    return all(
        (after[row["review_row"]][name] or "") == (value or "")
        for row in named
        for name, value in row.items()
        if name not in but
    )


@pytest.mark.slow
def test_what_comes_out_is_read_by_the_next_steps_and_by_the_sheets(make_task, make_judge, tmp_path):
    task = make_task("extraction", rows(5), needed=1)
    judged_by(task, make_judge, rosa={1: EDIT, 2: OMIT, 3: SPLIT, 4: KEEP, 5: KEEP})
    judgements, items = write_results(task, tmp_path / "review.csv")
    assert items.name == "review_items.csv"
    assert pl.read_csv(judgements)["decision"].to_list() == ["edit", "omit", "split", "keep", "keep"]
    assert read_attributes(items) == {"cheerful": 3, "merry": 1, "early risers": 1}
    table = read_table(items)
    assert mentions(table).table.height == 5
    assert kind_of(table.columns, items).name == "statements"
    added = table.filter(pl.col("review_row") == added_name("002-work-001", "bakers", "early risers"))
    assert added.select("statement_id", "attribute", "group").rows() == [
        ("002-work-001", "early risers", "g2")
    ]
    # Sheets for those who prefer a spreadsheet are made from it, and applied to it.
    sheet = export(items, tmp_path / "third.xlsx", reviewer="Ana")
    fill(sheet, {(2, "decision"): "edit", (2, "attribute"): "jolly"})
    done = apply_review(items, read_sheets([sheet]))
    assert done.table["attribute"][0] == "jolly"
    assert done.conflicts.is_empty()
    # And it can be reviewed again.
    again = make_task("extraction", table.to_dicts(), name="again", needed=1)
    keys = list(again.items.order_by("number").values_list("key", flat=True))
    assert keys == table["review_row"].to_list()


CELL = st.text(st.characters(exclude_categories=("Cs", "Cc"), include_characters="\n"), max_size=12).map(
    str.strip
)
FILLED = CELL.filter(bool)
ANSWERS = st.sampled_from([KEEP, EDIT, SPLIT, OMIT])


@st.composite
def tables(draw):
    """A table of statements, several rows of one id, with kept columns of any name."""
    extra = draw(
        st.lists(st.sampled_from(["group", "hour", "item_id", "rater", "age", "counts", "id"]), unique=True)
    )
    names = draw(st.lists(st.sampled_from(["s1", "s2", "s3", "s4"]), min_size=1, max_size=6))
    return [
        {
            "statement_id": name,
            "statement": draw(FILLED),
            "identity": draw(CELL),
            "attribute": draw(CELL),
            "omit": draw(st.sampled_from(["true", "false"])),
            "omit_reason": draw(CELL),
            **{column: draw(CELL) for column in extra},
        }
        for name in names
    ]


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=15)
@given(table=tables(), data=st.data(), suffix=st.sampled_from([".csv", ".jsonl", ".parquet"]))
def test_nothing_is_lost_between_the_files(table, data, suffix, tmp_path_factory):
    folder = tmp_path_factory.mktemp("trip")
    source, target = folder / f"in{suffix}", folder / f"out{suffix}"
    write_table(pl.DataFrame(table, schema=dict.fromkeys(table[0], pl.String)), source)
    read = [{k: v or "" for k, v in row.items()} for row in read_table(source).to_dicts()]
    named = list(ROOM.prepare(read))
    items = []
    for row in named:
        answers = data.draw(st.lists(ANSWERS, max_size=3))
        judged = tuple(Judged(f"r{k}", "", answer, "", counts=True) for k, answer in enumerate(answers))
        items.append(JudgedItem(row["review_row"], row, {}, judged))
    made = ROOM.tables(ROOM.settings(), items)["items"]
    texts = [{k: str(v) for k, v in row.items()} for row in made]
    write_table(pl.DataFrame(texts, schema=dict.fromkeys(texts[0], pl.String)), target)
    back = read_table(target)
    decided = ("identity", "attribute", "omit", "omit_reason")
    assert same_cells(back, table, but=decided)
    untouched = back.filter(~pl.col("review_decision").is_in(["edit", "omit", "keep"]).fill_null(value=False))
    wanted = {row["review_row"] for row in untouched.iter_rows(named=True)}
    assert same_cells(untouched, [row for row in named if row["review_row"] in wanted])
    assert {*table[0], *REVIEW_COLUMNS} <= set(back.columns)
    # The sheets accept it: every row has a name of its own.
    again = with_row_keys(rows_of(back), kind_of(back.columns, target), Path(target))
    assert [row["review_row"] for row in again] == back["review_row"].to_list()


def test_the_reading_of_a_second_reader_is_shown_and_escaped(make_task, make_judge, client):
    task = make_task("extraction", [{**rows(1)[0], "other_reading": "cooks | <b>calm</b>"}])
    client.force_login(make_judge(task, "rosa").user)
    page = client.post(f"/organise/{task.campaign.slug}/tasks/extraction/begin/", follow=True)
    text = page.content.decode()
    assert "A second reader read this differently:" in text
    assert "cooks | &lt;b&gt;calm&lt;/b&gt;" in text
    alone = make_task("extraction", rows(1), name="alone")
    make_judge(alone, "rosa")
    page = client.post(f"/organise/{task.campaign.slug}/tasks/alone/begin/", follow=True)
    assert "A second reader" not in page.content.decode()
