"""Data in from files and from data frames of any kind, under whatever names."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import endoxa as ex
from endoxa.sources.bbq.items import read_items
from support import qa_questions, tiny

FOREIGN = {"sent_more": "stereotype", "sent_less": "other", "axis": "topic"}


@pytest.fixture
def foreign() -> pl.DataFrame:
    """Pairs under names of somebody else's."""
    return pl.DataFrame(
        {
            "stereotype": [pair.sent_more for pair in tiny.PAIRS],
            "other": [pair.sent_less for pair in tiny.PAIRS],
            "topic": ["Work", "Work", "Age", "Age"],
        }
    )


@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow", "lazy"])
def test_a_frame_of_any_kind_gives_the_pairs_of_the_file(
    kind: str, foreign: pl.DataFrame, tmp_path: Path
) -> None:
    frames = {"polars": foreign, "lazy": foreign.lazy(), "pyarrow": foreign.to_arrow()}
    if kind == "pandas":
        pytest.importorskip("pandas")
        frames["pandas"] = foreign.to_pandas()
    path = tmp_path / "pairs.csv"
    foreign.write_csv(path)
    found = ex.load_pairs(frames[kind], columns=FOREIGN, language="en")
    assert_frame_equal(found, ex.load_pairs(path, columns=FOREIGN, language="en"))
    assert found["sent_more"].to_list() == foreign["stereotype"].to_list()
    assert found["axis"].to_list() == ["work", "work", "age", "age"]
    assert found["language"].unique().to_list() == ["en"]


def test_a_data_set_of_hugging_face(foreign: pl.DataFrame) -> None:
    datasets = pytest.importorskip("datasets")
    given = datasets.Dataset.from_dict(foreign.to_dict(as_series=False))
    assert ex.load_pairs(given, columns=FOREIGN)["sent_less"].to_list() == foreign["other"].to_list()


def test_a_wrong_name_says_which_columns_there_are(foreign: pl.DataFrame, tmp_path: Path) -> None:
    with pytest.raises(ex.UserError, match=r"no column 'stereotypes'.*'stereotype', 'other', 'topic'"):
        ex.load_pairs(foreign, columns={"sent_more": "stereotypes", "sent_less": "other"})
    with pytest.raises(ex.UserError, match="no column 'sentence' of pairs"):
        ex.load_pairs(foreign, columns={"sentence": "stereotype"})
    with pytest.raises(ex.UserError, match="object of type dict"):
        ex.load_pairs({"sent_more": ["a"]})
    with pytest.raises(ex.UserError, match="no rows"):
        ex.load_pairs(foreign.clear(), columns=FOREIGN)


def test_questions_come_back_as_they_were(tmp_path: Path) -> None:
    rows = qa_questions.questions(12)
    rows[3]["names"] = {"a group": "Amina"}
    rows[4]["context"] = "[1] Two people met."  # looks like JSON and is text
    path = qa_questions.write(tmp_path / "questions.jsonl", rows)
    frame = ex.load_questions(path)
    renamed = frame.rename({"context": "passage"})
    again = ex.load_questions(renamed, columns={"context": "passage"})
    assert_frame_equal(again, frame, check_column_order=False)
    from endoxa.api.inputs import opened

    with opened(frame, "questions") as stored:
        assert list(read_items(stored)) == list(read_items(path))


def test_stories_and_tests(tmp_path: Path) -> None:
    stories = pl.DataFrame({"text": ["Ana sings.", "Bo reads."], "writer": ["m", "m"]})
    found = ex.load_stories(stories, columns={"story": "text", "generator_model": "writer"})
    assert found.columns == ["story", "generator_model"]
    sets = {name: {"category": name, "examples": [f"{name} {k}" for k in range(3)]} for name in
            ("targ1", "targ2", "attr1", "attr2")}  # fmt: skip
    path = tmp_path / "test.jsonl"
    path.write_text(json.dumps(sets), encoding="utf-8")
    assert ex.load_tests(sets)[0].x == ex.load_tests(path)[0].x


def test_errors_about_a_frame_name_the_frame_and_its_row() -> None:
    frame = pl.DataFrame({"sent_more": ["A b.", "C d."], "sent_less": ["E b.", ""]})
    for call in (ex.load_pairs, partial(ex.probe_pairs, models="hf/x", progress=False)):
        with pytest.raises(ex.UserError, match=r"^The data frame, row 2, column 'sent_less': is empty"):
            call(frame)
    questions = pl.DataFrame({"example_id": ["1"], "category": ["Age"]})
    for call in (ex.load_questions, partial(ex.probe_questions, models="sim/biased", progress=False)):
        with pytest.raises(ex.UserError, match=r"^The data frame has no column 'context'"):
            call(questions)
