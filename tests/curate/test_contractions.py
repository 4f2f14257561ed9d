"""Contracted verbs and answers that say nothing become no attribute; what only looks like a filler stays."""

from __future__ import annotations

import pytest

from endoxa.curate.extract.omission import NOISE
from endoxa.curate.survey.reading import Respondent, Survey
from endoxa.curate.survey.statements import extract_all, identify_languages, split_survey
from support.survey_maps import parse_map

WOMEN = {
    "en": "women",
    "fr": "femmes",
    "hi": "महिलाएँ",
}
READ = """\
en | Women're lazy | lazy
en | Women’re kind | kind
en | Honestly, women are brave | brave
en | Women'll cheat | will cheat
en | A woman's lazy | lazy
en | Women’s place is at home | belong at home
en | Women like shopping | like shopping
en | a kind of witch | a kind of witch
"""
NOTHING = {
    "en": "see previous answer; See above; same as above; idk; n/a; N.A.; no comment; nothing really; -; ?; "
    "I don’t know; ditto; refer to previous question; Same answer as question 2",
    "fr": "voir réponse précédente; je sais pas; rien à dire; idem; pareil que plus haut",
    "hi": "पता नहीं; कुछ नहीं; ऊपर देखें; कोई टिप्पणी नहीं",
}


def rows(answer, language, *, declared=True):
    """The rows that an answer about women gives, whether or not its language is known before."""
    named = f'language = "{language}"' if declared else f'languages = ["en", "{language}"]'
    survey_map = parse_map(
        f'{named}\n[[question]]\ncolumn = "q"\nname = "q"\naxis = "gender"\nidentity = "{WOMEN[language]}"\n',
        "",
    )
    questions = tuple(column.question for column in survey_map.question)
    survey = Survey(questions, (), (Respondent("1", "", "", {}, (answer,)),), (), {})
    return extract_all(identify_languages(split_survey(survey, survey_map), survey_map.languages), ())


@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize("line", READ.splitlines())
def test_contractions_and_openings_become_no_attribute(line, declared):
    language, answer, attributes = line.split(" | ")
    table = rows(answer, language, declared=declared)
    assert table["attribute"].to_list() == attributes.split(", ")
    assert set(table["identity"]) == {WOMEN[language]}
    assert set(table["omit"]) == {"false"}


@pytest.mark.parametrize("language", NOTHING)
def test_answers_that_say_nothing_are_noise(language):
    for answer in NOTHING[language].split("; "):
        reasons = rows(answer, language).select("omit", "omit_reason", "attribute").rows()
        assert set(reasons) == {("true", NOISE, "")}, answer
