"""Reading an export: its map, its headers, what is kept and what is left out."""

from __future__ import annotations

import polars as pl
import pytest

from endoxa.curate.survey import load_map, plain_header, preset_path, without_code
from endoxa.curate.survey.reading import clean_choice, draft_map, private_columns, read_survey
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


@pytest.fixture
def export(tmp_path):
    path = tmp_path / "export.csv"
    pl.DataFrame(HEADERS).write_csv(path)
    return path


def written(tmp_path, changes):
    """The export with columns changed, added, or left out (None)."""
    path = tmp_path / "changed.csv"
    columns = {name: cells for name, cells in {**HEADERS, **changes}.items() if cells is not None}
    pl.DataFrame(columns).write_csv(path)
    return path


def test_headers_are_found_whatever_their_quotes_codes_and_spaces(export):
    survey = read_survey(export, parse_map(MAP, "map"))
    first, second = survey.respondents
    assert [one.code for one in survey.respondents] == ["b2", "a1"]
    assert first.answers == ("Bakers are early, kind", "Old people are very wise")
    assert (first.country, second.country) == ("Kenya", "Peru")
    assert [one.identity for one in survey.questions] == ["bakers", None]


def test_kept_columns_are_cleaned_and_joined(export):
    survey = read_survey(export, parse_map(MAP, "map"))
    assert survey.kept == ("mother_tongue",)
    assert [one.kept["mother_tongue"] for one in survey.respondents] == ["Swahili; English", "Quechua"]


def test_everything_else_is_left_out_and_private_columns_are_named(export):
    survey = read_survey(export, parse_map(MAP, "map"))
    assert survey.dropped == ("E-mail address", "Contact", "Interviewer", "Minutes")
    assert list(survey.private.items()) == [
        ("E-mail address", "e-mail"),
        ("Contact", "e-mail"),
        ("Interviewer", "name"),
    ]


def test_the_status_of_an_answer_is_not_that_of_a_draft(tmp_path):
    """Survey programs say so of answers that are not sent; `author` says it of what models wrote."""
    export = written(tmp_path, {"status": ["draft", "complete"]})
    assert [one.code for one in read_survey(export, parse_map(MAP, "map")).respondents] == ["b2", "a1"]


def test_without_a_respondent_column_the_row_number_from_zero_is_used(export):
    survey = read_survey(export, parse_map(MAP.replace('respondent = "code"', ""), "map"))
    assert [one.code for one in survey.respondents] == ["0", "1"]


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        (["17", "b-3"], ["17", "b-3"]),
        (["Ada", "Bo"], ["0", "1"]),
        (["Ada Example", "7"], ["0", "1"]),
        (["7", "7"], ["0", "1"]),
        (["", "7"], ["0", "1"]),
    ],
)
def test_respondent_column_that_may_be_missing_is_used_only_for_codes(tmp_path, codes, expected):
    text = MAP.replace('respondent = "code"', 'respondent = { column = "code", optional = true }')
    survey = read_survey(written(tmp_path, {"Code": codes}), parse_map(text, "map"))
    assert [one.code for one in survey.respondents] == expected


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"What is said about age?": None}, "has no column 'What is said about age'. The nearest are: "),
        ({"What is said about age today?": ["", ""]}, "'What is said about age' matches 2 columns"),
        ({"Code": ["a1", "a1"]}, "row 2, column 'Code': the respondent code 'a1' also appears in row 1"),
        ({"Code": ["Ada Example", "Bo Example"]}, "looks like a name. Use a column of codes"),
        ({"Code": ["a1", ""]}, "row 2, column 'Code': the respondent code is empty"),
        ({"Code": ["x@example.org", "y@example.org"]}, "column 'Code' .respondent. looks like"),
        (
            {"Your language": ["+254 700 123456", ""]},
            "column 'Your language' looks like",
        ),
        ({"What is said about age?": ["45123", "45124"]}, "only numbers found .the first is '45123'"),
        (
            {name: ["", ""] for name in HEADERS if "said" in name},
            "all answers of the mapped questions are empty",
        ),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path, changes, message):
    with pytest.raises(UserError, match=message):
        read_survey(written(tmp_path, changes), parse_map(MAP, "map"))


@pytest.mark.parametrize("header", ["Your full name", "Teléfono", "Date of birth", "NIN", "Email Address"])
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


@pytest.mark.parametrize("name", ["export.ods", "export.doc", "export"])
def test_kind_of_file_that_is_not_read_is_said(tmp_path, name):
    (tmp_path / name).write_text("a,b\n1,2\n")
    with pytest.raises(UserError, match=r"has an unknown file type. Save it as \.csv, .* or \.xlsx"):
        read_survey(tmp_path / name, parse_map(MAP, "map"))


def test_empty_map_is_said_to_be_empty(tmp_path):
    (tmp_path / "map.toml").write_text("")
    with pytest.raises(UserError, match=r"map.toml is empty"):
        load_map(tmp_path / "map.toml")


def test_message_about_numbers_shows_the_beginning_only(tmp_path):
    path = written(tmp_path, {"What is said about age?": ["1" * 100_000, ""]})
    with pytest.raises(UserError, match="only numbers found") as caught:
        read_survey(path, parse_map(MAP, "map"))
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            'languages = "en"\n' + MAP.replace('languages = ["en"]', ""),
            "languages: expected a list, found 'en'. Expected a column mapping",
        ),
        (
            MAP.replace("[[keep]]", "[keep]", 1).split("[[keep]]")[0],
            r"keep: expected a list, found .* and \[\[keep\]\]",
        ),
        ("title = ", "is not valid TOML"),
        ('title = "x"', "question: it is missing"),
        (MAP.replace("axis = ", "axes = ", 1), "question.1.axes: it is not known"),
        (MAP.replace('name = "age"', 'name = "Bakers"'), "two questions are called 'bakers'"),
        (MAP.replace("mother_tongue", "language"), "a kept column cannot be called 'language'"),
        (MAP.replace('name = "age"', 'name = " "'), "question.2.name: must not be empty"),
    ],
)
def test_wrong_map_is_one_sentence(tmp_path, text, message):
    path = tmp_path / "map.toml"
    path.write_text(text)
    with pytest.raises(UserError, match=message) as caught:
        load_map(path)
    assert "\n" not in str(caught.value)


def test_ids_show_four_letters_unless_two_questions_share_them():
    text = MAP.replace('name = "age"', 'name = "bakery"')
    assert parse_map(text, "map").short_names() == {"bakers": "bakers", "bakery": "bakery"}
    assert parse_map(MAP, "map").short_names() == {"bakers": "bake", "age": "age"}


@pytest.mark.parametrize(
    ("cell", "mark", "expected"),
    [("A  * B *", "*", "A; B"), ("A", "*", "A"), (None, "*", ""), ("A * B", "", "A * B"), (" * ", "*", "")],
)
def test_answers_to_select_all_that_apply(cell, mark, expected):
    assert clean_choice(cell, mark) == expected


def test_codes_of_survey_tools_are_no_part_of_a_header():
    assert without_code(plain_header("S01_Q05.What is it?")) == "what is it?"
    assert without_code(plain_header("Q12 - What is it?")) == "what is it?"
    assert without_code(plain_header("S03. What do")) == "what do"
    assert without_code(plain_header("12. What")) == "what"
    assert without_code(plain_header("2024 income")) == "2024 income"


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["a@b.org", "c@d.com"], "e-mail"),
        (["192.168.0.1", "10.0.0.2"], "IP address"),
        (["+234 803 555 0101", "0803 555 0102"], "phone number"),
        (["6.52438, 3.37921", ""], "place"),
        (["3001234567", "3109876543"], "phone or personal number"),
        (["555-123-4567", "(555) 123-4567"], "phone number"),
        (["a@b.co.uk", ""], "e-mail"),
        (["150000000", "90000000"], ""),
        (["1800-2000", "18-24"], ""),
        (["Bakers are kind, 12 of them", "loud"], ""),
        (["2024-05-01", "12"], ""),
    ],
)
def test_private_cells_are_recognised(cells, kind):
    found = private_columns(pl.DataFrame({"x": cells}), ["x"])
    assert list(found.values()) == ([kind] if kind else [])


@pytest.mark.parametrize(
    "header",
    """Téléphone; Mobile phone; IP; geo_ip; Your full name; GPS; User ID; Teléfono; Celular; Telefone; Simu
    ; Fecha de nacimiento; Date of birth; Date de naissance; Data de nascimento; Tarehe ya kuzaliwa; Zip code; Zip
    ; Postal code; Code postal; Código postal; CEP; Cédula; Apellidos; Sobrenome; Nombre; Nome completo; NIN
    ; Student ID; Passport number; CPF; Instagram; Your Instagram handle; Q7. Celular:; ¿Cuál es su nombre?
    ; Numéro d'étudiant""".replace("\n", " ").split(";"),
)
def test_private_headers_are_recognised(header):
    assert private_columns(pl.DataFrame({header: [""]}), [header])


@pytest.mark.parametrize(
    "header",
    """Shipping method; Hotel; Religion; Participant type; Nationality; Nombre d'enfants; Nombre de personnes
    ; Year of birth; Gender identity; National identity; Identidade de gênero; Do you use Instagram?; Zipper
    ; Participant code; Student; Celebrity""".replace("\n", " ").split(";"),
)
def test_other_headers_are_not(header):
    assert not private_columns(pl.DataFrame({header: [""]}), [header])


def test_draft_of_a_map_reads_the_file_it_was_made_for(export):
    draft = draft_map(export)
    survey = read_survey(export, parse_map(draft, "draft"))
    assert [one.name for one in survey.questions] == ["question-1", "question-2", "question-3"]
    assert "# looks private (e-mail): Contact" in draft
    assert [one.country for one in survey.respondents] == ["Kenya *", "Peru"]


def test_draft_for_an_export_of_a_form(tmp_path):
    path = tmp_path / "form.csv"
    columns = {
        "Timestamp": [
            "2026/05/01 10:00:01 AM GMT+3",
            "2026/05/02 11:12:13 PM GMT+3",
            "2026/05/02 11:13:00 PM GMT+3",
        ],
        "Sent": ["Fri May 01 2026 10:00:01 GMT+0300 (East Africa Time)"] * 3,
        "Participant code": ["P01", "P02", "P03"],
        "S02. What country do you live in?": ["Kenya", "Kenya", "Peru"],
        "What is your job?": ["I bake bread", "I teach", "I sell cars"],
        "S03. What do people say about women?": ["kind, patient", "good cooks", "gossips, loud"],
        "S04. What do people say about old people?": [
            "Old people are wise",
            "slow, wise",
            "Old people are slow",
        ],
        "Do people in town think so?": ["Not at all", "Not at all", "Not at all"],
        "Minutes": ["12", "15", "17"],
    }
    pl.DataFrame(columns).write_csv(path)
    draft = draft_map(path)
    survey = read_survey(path, parse_map(draft, "draft"))
    assert [(one.axis, one.identity) for one in survey.questions] == [
        ("other", None),  # "What is your job?" is answered in words, too
        ("gender", "women"),
        ("other", None),
    ]
    assert [one.code for one in survey.respondents] == ["P01", "P02", "P03"]
    assert [one.country for one in survey.respondents] == ["Kenya", "Kenya", "Peru"]
    assert 'column = "S03. What do people say about women?"' in draft
    assert '# column = "Timestamp"' in draft


def test_draft_for_the_published_export_finds_its_seven_questions(shared):
    path = shared / "data/afristereo/survey_dev.csv"
    survey = read_survey(path, parse_map(draft_map(path), "draft"))
    published = read_survey(path, load_map(preset_path("afristereo")))
    assert [(one.axis, one.identity) for one in survey.questions[:2]] == [
        ("gender", "women"),
        ("gender", "men"),
    ]
    assert [one.answers for one in survey.respondents] == [one.answers for one in published.respondents]


def test_preset_reads_the_published_export_as_it_is(shared):
    survey = read_survey(shared / "data/afristereo/survey_dev.csv", load_map(preset_path("afristereo")))
    assert len(survey.respondents) == 59
    assert sum(bool(answer.strip()) for one in survey.respondents for answer in one.answers) == 408
    assert {one.country for one in survey.respondents} == {"Nigeria", "Kenya", "Senegal", "Other"}
    assert survey.dropped == ()
    assert survey.respondents[0].kept["ethnic_group"] == "Igbo; Idoma"
