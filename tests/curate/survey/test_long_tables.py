"""One row per statement, people in several rows: support counts people, whatever the columns are called."""

from __future__ import annotations

import polars as pl
import pytest

from endoxa.curate.associations import associations
from endoxa.curate.survey.reading import read_survey
from endoxa.curate.survey.rows import ONE_EACH, RowColumns, read_statements
from endoxa.curate.survey.statements import extract_all, split_survey
from support.survey_maps import parse_map

SAID = {
    "p-1": ["Bakers are kind", "Bakers are kind", "Bakers are kind", "Nurses are tired"],
    "p-2": ["Bakers are kind", "Nurses are calm"],
    "p-3": ["Nurses are calm", "Nurses are calm"],
}
PEOPLE = {("bakers", "kind"): "2", ("nurses", "tired"): "1", ("nurses", "calm"): "2"}
"""Planted: how many people said it, of whom some say it several times."""
PLACES = {"p-1": ("Kenya", "Nairobi"), "p-2": ("Kenya", "Mombasa"), "p-3": ("Ghana", "Accra")}
MAP = """
language = "en"
respondent = "who"
country = "Country"
[[question]]
column = "What is said about work"
name = "work"
axis = "profession"
"""
NAMES = {
    "en": ("Participant ID", "Country", "Province"),
    "hi": ("प्रतिभागी संख्या", "देश", "राज्य"),
    "ar": ("رقم المشارك", "البلد", "المنطقة"),
}


def long_table(path, who="who", country="Country", region="Region"):
    rows = [(code, *PLACES[code], text) for code, texts in SAID.items() for text in texts]
    pl.DataFrame(rows, schema=[who, country, region, "said"], orient="row").write_csv(path)
    return path


def counted(statements, kept=()):
    table = associations(extract_all(statements, kept), polarity=lambda _: "neutral").table
    return {(row["identity"], row["attribute"]): row for row in table.iter_rows(named=True)}


def test_wide_and_long_forms_of_the_same_answers_give_the_same_associations(tmp_path):
    wide = tmp_path / "wide.csv"
    rows = [(code, PLACES[code][0], "\n".join(texts)) for code, texts in SAID.items()]
    pl.DataFrame(rows, schema=["who", "Country", "What is said about work?"], orient="row").write_csv(wide)
    survey_map = parse_map(MAP, "map")
    from_wide = counted(split_survey(read_survey(wide, survey_map), survey_map))
    columns = RowColumns("said", respondent="who", language=None)
    from_long = counted(read_statements(long_table(tmp_path / "long.csv"), columns), ("region",))
    for table in (from_wide, from_long):
        assert {key: row["support"] for key, row in table.items()} == PEOPLE
    for key, row in from_wide.items():
        same = ("association_id", "support", "group_id", "predicate")
        assert {name: row[name] for name in same} == {name: from_long[key][name] for name in same}
        assert row["region"] == from_long[key]["country"]


@pytest.mark.parametrize("language", NAMES)
def test_columns_are_known_by_their_usual_names(tmp_path, language):
    who, country, region = NAMES[language]
    notes: list[str] = []
    path = long_table(tmp_path / "rows.csv", who, country, region)
    statements = read_statements(path, RowColumns("said"), say=notes.append)
    table = counted(statements, ("region",))
    assert {key: row["support"] for key, row in table.items()} == PEOPLE
    assert table["nurses", "calm"]["region"] == "Accra; Mombasa"
    assert table["nurses", "calm"]["country"] == "Ghana; Kenya"
    assert who in notes[0]


def test_without_a_column_of_people_it_is_said_that_rows_count(tmp_path):
    path = tmp_path / "rows.csv"
    long_table(path, who="x")
    notes: list[str] = []
    table = counted(read_statements(path, RowColumns("said"), say=notes.append))
    assert ONE_EACH in notes
    assert table["bakers", "kind"]["support"] == "4"


def test_group_of_the_question_and_axis_stand_in_columns(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("text,identity,axis,question\nkind,bakers,profession,What do people here say of bakers\n")
    (row,) = extract_all(read_statements(path, RowColumns("text")), ()).rows(named=True)
    assert (row["identity"], row["attribute"], row["axis"]) == ("bakers", "kind", "profession")
    (again,) = read_statements(path, RowColumns("text", axis="question"))
    assert again.question.axis == "what do people here say of bakers"
    path.write_text("text,identity,attribute\nNurses are calm,bakers,kind\n")  # was read before
    assert read_statements(path, RowColumns("text"))[0].question.identity is None
