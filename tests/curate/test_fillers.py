"""What fills a pause, and contracted verbs, become no attribute; what only looks like a filler stays."""

from __future__ import annotations

import pytest

from endoxa.curate.extract.omission import NOISE
from endoxa.curate.extract.reader import find_fillers, without_fillers
from endoxa.curate.survey import parse_map
from endoxa.curate.survey.reading import Respondent, Survey
from endoxa.curate.survey.statements import extract_all, identify_languages, split_survey

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
en | Women are, like, kind | kind
en | Women are, um, lazy | lazy
en | Women are, you know, bossy | bossy
en | Women are, in my opinion, strong | strong
en | Women are, at least here, quiet | quiet
en | Women, I think, are brave | brave
en | Women're lazy | lazy
en | They're lazy | lazy
en | Women’re kind | kind
en | Women're like, you know, bossy | bossy
en | Women are like really kind | kind
en | Women are like lazy | lazy
en | Women are kind of lazy | lazy
en | Women are kinda moody | moody
en | Well, women are kind | kind
en | Honestly, women are brave | brave
en | Women are to be honest lazy | lazy
en | Women are lazy, I guess | lazy
en | Women I think are brave | brave
en | Women they say are jealous | jealous
en | Women are generally weak | weak
en | Women are, at most, average | average
en | Women are at least honest | honest
en | Women are usually, I believe, lazy | usually lazy
en | In my opinion women are strong | strong
en | kind, I think, strong | kind, strong
en | I mean, they're weak | weak
en | Women are... um... lazy | lazy
en | Women are (I think) lazy | lazy
en | Women, you know, gossip a lot | gossip a lot
en | Women should, I think, stay home | should stay home
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
es | Las mujeres son, o sea, amables | amables
es | Las mujeres, creo yo, son débiles | débiles
es | Las mujeres son, por lo menos aquí, calladas | calladas
es | amables, pues, fuertes | amables, fuertes
es | Las mujeres dicen la verdad | dicen la verdad
fr | Les femmes sont, comment dire, gentilles | gentilles
fr | Les femmes, je pense, sont faibles | faibles
fr | Les femmes sont jalouses, quoi | jalouses
fr | Les femmes, tu sais, parlent trop | parlent trop
pt | As mulheres são, tipo, amáveis | amáveis
pt | As mulheres, eu acho, são fracas | fracas
pt | As mulheres são fofoqueiras, né | fofoqueiras
pt | Bom, as mulheres são preguiçosas | preguiçosas
hi | महिलाएँ, मतलब, दयालु होती हैं | दयालु
hi | महिलाएँ, मुझे लगता है, आलसी होती हैं | आलसी
hi | वैसे, महिलाएँ दयालु होती हैं | दयालु
ar | النساء، يعني، لطيفات | لطيفات
ar | بصراحة، النساء كسولات | كسولات
ar | النساء في رأيي قويات | قويات
sw | Wanawake ni, yaani, wavivu | wavivu
sw | Wanawake, nadhani, ni wapole | wapole
sw | Wanawake ni kwa ujumla wavivu | wavivu
"""
NOTHING = {
    "en": "see previous answer; See above; same as above; idk; n/a; N.A.; no comment; nothing really; -; ?; "
    "I don’t know; ditto; you know; refer to previous question; Same answer as question 2",
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
def test_fillers_and_contractions_become_no_attribute(line, declared):
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


def test_the_respondents_words_stay_beside_what_is_read():
    table = rows("Women are, like, kind, you know, strong", "en")
    assert table["attribute"].to_list() == ["kind", "strong"]
    assert table["original_statement"].to_list() == ["Women are, like, kind", "you know, strong"]


def test_a_comma_stays_where_it_separates():
    found = list(find_fillers("kind, um, strong", "en"))
    assert [(filler.start, filler.end, filler.separates) for filler in found] == [(4, 10, True)]
    assert without_fillers("kind, um, strong", "en") == "kind, strong"
    assert without_fillers("women are, um, strong", "en") == "women are strong"
    assert without_fillers("nothing to take off", "de") == "nothing to take off"
