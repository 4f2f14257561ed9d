"""Questions from and to XLSForm, and the map of answers that Kobo and ODK export."""

from __future__ import annotations

import tomllib

import pytest
from openpyxl import load_workbook

from collect_support.groups import CHOICES, SURVEY, write_form
from endoxa.errors import UserError
from endoxa_collect.organiser.settings import save_from_file
from endoxa_collect.presets import load_preset
from endoxa_collect.xlsform import read_form, responses_map, with_form
from endoxa_collect.xlsform import write_form as written


def test_a_form_becomes_questions_and_says_what_is_not_kept(tmp_path):
    form = read_form(write_form(tmp_path / "survey.xlsx"))
    (profile,), (question,) = form.profile, form.questions
    assert (profile.name, profile.label) == ("ethnicity", {"en": "Your people", "fr": "Votre peuple"})
    assert list(profile.choices) == ["yoruba", "igbo", "hausa", "fulani"]
    assert profile.choices["igbo"] == {"en": "Igbo"}
    assert (question.name, question.axis, question.examples) == (
        "cooking",
        "food",
        {"": {"en": "They cook hot"}},
    )
    assert [warning.partition("sheet ")[2].partition(":")[0] for warning in form.warnings] == [
        "'survey', row 2, column 'type'",
        "'survey', row 4, column 'required'",
        "'survey', row 7, column 'relevant'",
        "'survey', row 9, column 'type'",
    ]


@pytest.mark.parametrize(
    ("survey", "choices", "sentence"),
    [
        ((("kind", "name"), ("text", "a")), CHOICES, "sheet 'survey', row 1: column 'type' is missing"),
        (SURVEY, CHOICES[:1], "row 4, column 'type': the sheet 'choices' has no list 'peoples'"),
        (
            SURVEY,
            (*CHOICES, ("peoples", "igbo", "Igbo")),
            "sheet 'choices', row 6, column 'name': 'igbo' is there twice",
        ),
        (SURVEY, CHOICES[:2], "row 4, column 'type'"),
        (
            (*SURVEY, ("text", "cooking", "Again?")),
            CHOICES,
            "row 10, column 'name': 'cooking' is there twice",
        ),
        ((*SURVEY, ("text", "empty")), CHOICES, "row 10, column 'label': empty"),
        ((SURVEY[0], SURVEY[1]), CHOICES, "no question that a campaign can ask"),
    ],
)
def test_bad_forms_are_refused_with_row_and_column(tmp_path, survey, choices, sentence):
    with pytest.raises(UserError, match=sentence):
        read_form(write_form(tmp_path / "survey.xlsx", survey, choices))


def test_what_is_no_form_is_refused(tmp_path):
    (tmp_path / "survey.xlsx").write_text("no workbook")
    with pytest.raises(UserError, match="not a readable spreadsheet"):
        read_form(tmp_path / "survey.xlsx")


def test_a_written_form_reads_back_as_the_same_questions(tmp_path):
    settings = load_preset("afristereo").settings
    written(settings, tmp_path / "form.xlsx", "ng")
    form = read_form(tmp_path / "form.xlsx")
    assert form.profile == settings.profile
    assert [(each.name, each.axis, each.identity, each.text) for each in form.questions] == [
        (each.name, each.axis, each.identity, each.text) for each in settings.questions
    ]
    sheet = load_workbook(tmp_path / "form.xlsx")["survey"]
    assert [cell.value for cell in sheet[1]][:3] == ["type", "name", "label::English (en)"]
    assert sheet["A4"].value == "select_one gender"


def test_questions_of_one_name_are_replaced_and_others_added(campaign, tmp_path):
    form = read_form(write_form(tmp_path / "survey.xlsx"))
    for _ in range(2):
        save_from_file(campaign, with_form(campaign.settings, form), "survey.xlsx")
    assert campaign.settings.survey
    assert [question.name for question in campaign.settings.questions] == ["cooking"]
    assert [field.name for field in campaign.settings.profile] == ["ethnicity"]
    assert campaign.version == 2


def test_the_map_of_answers_names_questions_and_nothing_of_the_device(campaign, tmp_path):
    form = read_form(write_form(tmp_path / "survey.xlsx"))
    save_from_file(campaign, with_form(campaign.settings, form), "survey.xlsx")
    answers = tmp_path / "answers.csv"
    answers.write_text(
        "start,person/ethnicity,food/cooking,_uuid,_submitted_by\n1,igbo,They cook hot,u,ines\n"
    )
    text, missing = responses_map(answers, campaign.settings, "ng")
    read = tomllib.loads(text)
    assert [question["column"] for question in read["question"]] == ["food/cooking"]
    assert [kept["column"] for kept in read["keep"]] == ["person/ethnicity"]
    assert missing == ()
    answers.write_text("start,_uuid\n1,u\n")
    with pytest.raises(UserError, match=r"no column of a question of the survey \(cooking\)"):
        responses_map(answers, campaign.settings, "ng")
