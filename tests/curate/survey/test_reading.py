"""Reading an export: its map, its headers, what is kept and what is left out."""

from __future__ import annotations

import polars as pl
import pytest

from endoxa.curate.survey import load_map, preset_path
from endoxa.curate.survey.reading import draft_map, private_columns, read_survey
from endoxa.errors import UserError
from support.survey_maps import parse_map

MAP = """
title = "Village survey"
languages = ["en"]
multi_select = "*"
respondent = "code"
country = "Where do you live"

[[question]]
column = "What is said about bakers' work"
name = "bakers"
axis = "profession"
identity = "bakers"

[[question]]
column = "What is said about age"
name = "age"
axis = "age"

[[keep]]
column = "Your language"
name = "mother_tongue"

[[keep]]
column = "Your other language"
name = "mother_tongue"
"""

HEADERS = {
    "Code": ["b2", "a1"],
    "Where do you live?": ["Kenya *", "Peru"],
    "S02_Q01.What is said about bakers’  work? For example, “Bakers are early”.\n": [
        "Bakers are early, kind",
        "",
    ],
    "What is said about age?": ["Old people are very wise", "Young people are loud"],
    "Your language": ["Swahili  * English *", ""],
    "Your other language": ["", "Quechua"],
    "E-mail address": ["", ""],
    "Contact": ["someone@example.org", ""],
    "Interviewer": ["A", "B"],
    "Minutes": ["12", "15"],
}


def written(tmp_path, changes):
    """The export with columns changed, added, or left out (None)."""
    path = tmp_path / "changed.csv"
    columns = {name: cells for name, cells in {**HEADERS, **changes}.items() if cells is not None}
    pl.DataFrame(columns).write_csv(path)
    return path


def test_mapped_columns_are_read_whatever_their_spelling_and_all_others_are_left_out(tmp_path):
    survey = read_survey(written(tmp_path, {}), parse_map(MAP, "map"))
    first, second = survey.respondents
    assert [one.code for one in survey.respondents] == ["b2", "a1"]
    assert first.answers == ("Bakers are early, kind", "Old people are very wise")
    assert (first.country, second.country) == ("Kenya", "Peru")
    assert [one.identity for one in survey.questions] == ["bakers", None]

    assert survey.kept == ("mother_tongue",)
    assert [one.kept["mother_tongue"] for one in survey.respondents] == ["Swahili; English", "Quechua"]

    assert survey.dropped == ("E-mail address", "Contact", "Interviewer", "Minutes")
    assert survey.private == {"E-mail address": "e-mail", "Contact": "e-mail", "Interviewer": "name"}


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        (["17", "b-3"], ["17", "b-3"]),
        (["Ada Example", "7"], ["0", "1"]),
        (["7", "7"], ["0", "1"]),
        (["", "7"], ["0", "1"]),
    ],
)
def test_respondent_column_that_may_be_missing_is_used_only_for_codes(tmp_path, codes, expected):
    text = MAP.replace('respondent = "code"', 'respondent = { column = "code", optional = true }')
    survey = read_survey(written(tmp_path, {"Code": codes}), parse_map(text, "map"))
    assert [one.code for one in survey.respondents] == expected


@pytest.mark.parametrize("header", ["Your full name", "Teléfono"])
@pytest.mark.parametrize("use", ["keep", "country", "language_column", "respondent"])
def test_private_header_is_refused_whatever_it_is_taken_for(tmp_path, header, use):
    question = '[[question]]\ncolumn = "What is said"\nname = "age"\naxis = "age"\n'
    named = f'[[keep]]\ncolumn = "{header}"\nname = "x"' if use == "keep" else f'{use} = "{header}"'
    text = question + named if use == "keep" else named + "\n" + question
    path = tmp_path / "export.csv"
    pl.DataFrame({header: ["Ana Perez", "Bo"], "What is said": ["Bakers are kind", "loud"]}).write_csv(path)
    with pytest.raises(UserError, match=f"'{header}' .*looks like a"):
        read_survey(path, parse_map(text, "map"))


@pytest.mark.parametrize(("header", "fine"), [("Respondent ID", True), ("Contact", False)])
def test_long_number_is_a_code_only_where_the_header_says_so(tmp_path, header, fine):
    path = tmp_path / "export.csv"
    pl.DataFrame({header: ["3001234567", "3001234568"], "said": ["Bakers are kind", "loud"]}).write_csv(path)
    survey_map = parse_map(
        f'respondent = "{header}"\n[[question]]\ncolumn = "said"\nname = "age"\naxis = "age"', "map"
    )
    if fine:
        assert [one.code for one in read_survey(path, survey_map).respondents] == ["3001234567", "3001234568"]
    else:
        with pytest.raises(UserError, match=r"'Contact' .*looks like a phone or personal number"):
            read_survey(path, survey_map)


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["a@b.org", "c@d.com"], "e-mail"),
        (["192.168.0.1", "10.0.0.2"], "IP address"),
        (["+234 803 555 0101", "0803 555 0102"], "phone number"),
        (["6.52438, 3.37921", ""], "place"),
        (["3001234567", "3109876543"], "phone or personal number"),
        (["150000000", "90000000"], ""),
        (["1800-2000", "18-24"], ""),
        (["Bakers are kind, 12 of them", "loud"], ""),
        (["2024-05-01", "12"], ""),
    ],
)
def test_private_cells_are_recognised(cells, kind):
    found = private_columns(pl.DataFrame({"x": cells}), ["x"])
    assert list(found.values()) == ([kind] if kind else [])


def test_draft_for_an_export_of_a_form(tmp_path):
    path = tmp_path / "form.csv"
    columns = {
        "Timestamp": [f"2026/05/0{day} 10:00:01 AM GMT+3" for day in (1, 2, 3)],
        "Participant code": ["P01", "P02", "P03"],
        "Country": ["Kenya", "Kenya", "Peru"],
        "What is your job?": ["I bake bread", "I teach", "I sell cars"],
        "S03. What do people say about women?": ["kind, patient", "good cooks", "gossips, loud"],
        "S04. What do people say about old people?": ["Old people are wise", "slow, wise", "are slow"],
        "Do people in town think so?": ["Not at all"] * 3,
        "Minutes": ["12", "15", "17"],
    }
    pl.DataFrame(columns).write_csv(path)
    draft = draft_map(path)
    survey = read_survey(path, parse_map(draft, "draft"))
    assert len(survey.questions) == 3  # "What is your job?" is answered in words, too
    assert [one.code for one in survey.respondents] == ["P01", "P02", "P03"]
    assert [one.country for one in survey.respondents] == ["Kenya", "Kenya", "Peru"]
    assert 'column = "S03. What do people say about women?"' in draft
    assert '# column = "Timestamp"' in draft


def test_preset_reads_the_published_export_as_it_is(shared):
    survey = read_survey(shared / "data/afristereo/survey_dev.csv", load_map(preset_path("afristereo")))
    assert len(survey.respondents) == 59
    assert sum(bool(answer.strip()) for one in survey.respondents for answer in one.answers) == 408
    assert {one.country for one in survey.respondents} == {"Nigeria", "Kenya", "Senegal", "Other"}
    assert survey.dropped == ()
    assert survey.respondents[0].kept["ethnic_group"] == "Igbo; Idoma"
