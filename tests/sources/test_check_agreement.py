"""Faults of agreement and construction planted in each language, and sentences that agree."""

from __future__ import annotations

import pytest

from endoxa.sources.check import PAIR_CHECKS, agreement
from endoxa.sources.check.problems import Item
from endoxa.sources.drafts import Draft

CHECKS = [check for check in PAIR_CHECKS if check.__module__ == agreement.__name__]

PLANTED = [
    ("predicate-number", "es", "Los vecinos", "Los vecinos son flojo.", "Los vecinos son diligentes."),
    ("predicate-number", "es", "Los vecinos", "Los vecinos son flojo.", "Los vecinos no son flojo."),
    ("predicate-number", "fr", "les voisins", "Les voisins sont paresseux.", "Les voisins sont courageuse."),
    (
        "predicate-number",
        "pt",
        "os vizinhos",
        "Os vizinhos são preguiçoso.",
        "Os vizinhos são trabalhadores.",
    ),
    ("predicate-number", "hi", "किसान", "किसान सच्चा हैं।", "किसान झूठे हैं।"),
    ("predicate-number", "ar", "المزارعون", "المزارعون كريم.", "المزارعون بخلاء."),
    ("predicate-number", "sw", "Wakulima", "Wakulima ni mvivu.", "Wakulima ni wachapakazi."),
    ("predicate-number", "sw", "Wakulima", "Wakulima ni mvivu.", "Wakulima si mvivu."),
    ("predicate-gender", "es", "Las vecinas", "Las vecinas son tacaños.", "Las vecinas son generosos."),
    ("predicate-gender", "es", "Los jóvenes", "Los jóvenes son generosos.", "Los jóvenes son tacañas."),
    ("predicate-gender", "fr", "les femmes", "Les femmes sont généreux.", "Les femmes sont avares."),
    ("predicate-gender", "pt", "as vizinhas", "As vizinhas são generosos.", "As vizinhas são avarentas."),
    ("predicate-gender", "hi", "लड़कियाँ", "लड़कियाँ सच्चे हैं।", "लड़कियाँ झूठी हैं।"),
    ("predicate-gender", "ar", "المزارعون", "المزارعون كريمات.", "المزارعون بخيلات."),
    (
        "capitals-differ",
        "en",
        "Northerners",
        "Northerners are Intelligent.",
        "Northerners are unintelligent.",
    ),
    ("capitals-differ", "es", "Los vecinos", "Los vecinos son Generosos.", "Los vecinos son tacaños."),
    ("construction", "es", "Los vecinos", "Los vecinos son tontos.", "Los vecinos están listos."),
    ("construction", "fr", "les voisins", "Les voisins sont un danger.", "Les voisins sont inoffensifs."),
    ("construction", "pt", "os vizinhos", "Os vizinhos são pobres.", "Os vizinhos estão ricos."),
    ("construction", "en", "Northerners", "Northerners are a threat.", "Northerners are harmless."),
    ("no-copula", "es", "Los rumanos", "Los rumanos ladrones.", "Los rumanos no ladrones."),
    ("no-copula", "fr", "les voisins", "Les voisins paresseux.", "Les voisins sont travailleurs."),
    ("no-copula", "pt", "os vizinhos", "Os vizinhos preguiçosos.", "Os vizinhos não preguiçosos."),
    ("no-copula", "sw", "Wakulima", "Wakulima wavivu.", "Wakulima si wavivu."),
    ("no-copula", "hi", "किसान", "किसान सच्चे।", "किसान सच्चे नहीं हैं।"),
]

AGREEING = [
    ("en", "Northerners", "Northerners are British.", "Northerners are not British."),
    ("en", "Northerners", "Northerners are Christians.", "Northerners are atheists."),
    ("es", "Las vecinas", "Las vecinas son muy generosas.", "Las vecinas son tacañas."),
    ("es", "Los vecinos", "Los vecinos son amables con todos.", "Los vecinos no son amables con todos."),
    ("fr", "les femmes", "Les femmes sont heureuses.", "Les femmes ne sont pas heureuses."),
    ("fr", "les hommes", "Les hommes sont fort nombreux.", "Les hommes sont peu nombreux."),
    ("pt", "os vizinhos", "Os vizinhos são infiéis.", "Os vizinhos são fiéis."),
    ("hi", "किसान", "किसान मेहनती हैं।", "किसान आलसी हैं।"),
    ("ar", "المزارعون", "المزارعون كرماء.", "المزارعون ليسوا كرماء."),
    ("sw", "Wakulima", "Wakulima ni maskini.", "Wakulima ni matajiri."),
    ("sw", "Wakulima", "Wakulima wana bidii.", "Wakulima hawana bidii."),
]


def found(language: str, identity: str, more: str, less: str) -> set[str]:
    pair = {
        "language": language,
        "identity": identity,
        "sent_more": more,
        "sent_less": less,
        "attribute_more": "-",
    }
    item = Item.of(Draft(1, None, pair))
    return {problem.check for check in CHECKS for problem in check(item)}


@pytest.mark.parametrize(("check", "language", "identity", "more", "less"), PLANTED)
def test_planted_faults_are_found(check: str, language: str, identity: str, more: str, less: str) -> None:
    assert check in found(language, identity, more, less)


def test_every_check_has_a_planted_fault() -> None:
    assert {check.__name__.replace("_", "-") for check in CHECKS} == {check for check, *_ in PLANTED}


@pytest.mark.parametrize(("language", "identity", "more", "less"), AGREEING)
def test_what_agrees_is_not_found(language: str, identity: str, more: str, less: str) -> None:
    assert not found(language, identity, more, less)
