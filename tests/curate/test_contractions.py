"""Contracted verbs and answers that say nothing become no attribute; what only looks like a filler stays."""

from __future__ import annotations

import pytest

from endoxa.curate.extract.omission import NOISE
from endoxa.curate.survey.reading import Respondent, Survey
from endoxa.curate.survey.statements import extract_all, identify_languages, split_survey
from support.survey_maps import parse_map

WOMEN = {
    "en": "women",
    "es": "mujeres",
    "fr": "femmes",
    "pt": "mulheres",
    "hi": "महिलाएँ",
    "ar": "النساء",
    "sw": "wanawake",
}
READ = """\
en | Women're lazy | lazy
en | They're lazy | lazy
en | Women’re kind | kind
en | Women are like lazy | lazy
en | Honestly, women are brave | brave
en | In my opinion women are strong | strong
en | Women'll cheat | will cheat
en | Women'd lie | would lie
en | Women've no patience | no patience
en | A woman's lazy | lazy
en | Women’s place is at home | belong at home
en | They aren’t kind | aren't kind
en | Women are like children | like children
en | Women like shopping | like shopping
en | They say bad things about others | say bad things about others
en | Women need to be honest | need to be honest
en | Women cook well | cook well
en | a kind of witch | a kind of witch
en | Women think too much | think too much
es | Las mujeres dicen la verdad | dicen la verdad
"""
NOTHING = {
    "en": "see previous answer; See above; same as above; idk; n/a; N.A.; no comment; nothing really; -; ?; "
    "I don’t know; ditto; refer to previous question; Same answer as question 2",
    "es": "ver respuesta anterior; No sé; ninguno; lo mismo que arriba; sin comentarios",
    "fr": "voir réponse précédente; je sais pas; rien à dire; idem; pareil que plus haut",
    "pt": "não sei; igual acima; ver resposta anterior; nada",
    "hi": "पता नहीं; कुछ नहीं; ऊपर देखें; कोई टिप्पणी नहीं",
    "ar": "لا أعرف; نفس الإجابة; لا تعليق; لا شيء",
    "sw": "sijui; hakuna; angalia jibu la awali; sina maoni",
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
