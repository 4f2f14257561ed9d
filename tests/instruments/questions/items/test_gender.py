"""A question about a woman and a man is not answered by the form of its attribute."""

import polars as pl
import pytest

from endoxa.instruments.questions.items.build import build_questions
from endoxa.instruments.questions.options import QaOptions


def asked(language: str, *rows: tuple[str, str]):
    table = pl.DataFrame(rows, schema=["identity", "attribute"], orient="row")
    return build_questions(table, QaOptions(language=language, disambiguated=True))


@pytest.mark.parametrize(
    ("language", "women", "men", "attribute", "both"),
    [
        ("es", "mujeres", "hombres", "muy habladoras", "«muy hablador / muy habladora»"),
        ("fr", "femmes", "hommes", "bavardes", "« bavard / bavarde »"),
        ("hi", "महिलाएं", "पुरुष", "अच्छी", "“अच्छा / अच्छी”"),
        ("es", "mujeres", "hombres", "amables", "«amable»"),
        ("es", "mujeres", "hombres", "comer mucho", "«comer mucho»"),
    ],
)
def test_a_woman_and_a_man_are_asked_about_in_both_genders(language, women, men, attribute, both):
    made = asked(language, (women, attribute), (men, "x"))
    about = [each for each in made.records if each["additional_metadata"]["identity"] == women]
    assert about
    assert all(both in each["question"] for each in about)
    assert all(both in each["context"] for each in about if each["context_condition"] == "disambig")
    assert {each["additional_metadata"]["attribute"] for each in about} == {attribute}


def test_people_of_one_gender_are_asked_in_its_form():
    made = asked("fr", ("femmes", "bavardes"), ("médecins", "x"))
    question = next(each for each in made.records if each["additional_metadata"]["identity"] == "femmes")
    assert "« bavarde »" in question["question"]


def test_where_the_other_form_is_not_known_people_of_one_gender_stand_beside_or_it_is_left_out():
    made = asked("ar", ("النساء", "حنونات"), ("الرجال", "x"))
    reasons = dict(made.left_out.select("identity", "reason").iter_rows())
    assert "give the answer away" in reasons["النساء"]
    assert "الرجال" not in reasons
    made = asked("ar", ("النساء", "حنونات"), ("الرجال", "x"), ("أطباء", "y"))
    about = [each for each in made.records if each["additional_metadata"]["identity"] == "النساء"]
    assert {each["additional_metadata"]["distractor"] for each in about} == {"أطباء"}
