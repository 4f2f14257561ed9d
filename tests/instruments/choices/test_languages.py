"""In every language candidates differ in the group only, and each answer in its own words is read."""

from __future__ import annotations

import polars as pl
import pytest

from endoxa.instruments.choices.answers import read_choice
from endoxa.instruments.choices.build import build_choices
from endoxa.instruments.choices.options import ChoiceOptions
from endoxa.instruments.choices.wording import FILE, load_templates
from endoxa.words.packs import languages_with

SAID = {
    "ar": [("مصريون", "مرحون"), ("سوريون", "كرماء"), ("أطباء", "مغرورون"), ("معلمون", "فقراء")],
    "en": [("kenyans", "generous"), ("nigerians", "cheerful"), ("doctors", "proud"), ("teachers", "poor")],
    "es": [("argentinos", "alegres"), ("chilenos", "serios"), ("médicos", "orgullosos"), ("maestros", "pobres")],
    "fr": [("sénégalais", "généreux"), ("maliens", "gais"), ("médecins", "fiers"), ("boulangers", "pauvres")],
    "hi": [("पंजाबी", "मेहनती"), ("बंगाली", "भावुक"), ("डॉक्टर", "घमंडी"), ("शिक्षक", "गरीब")],
    "pt": [("brasileiros", "alegres"), ("angolanos", "sérios"), ("médicos", "orgulhosos"), ("padeiros", "pobres")],
    "sw": [("Wakenya", "wakarimu"), ("Wanigeria", "wachangamfu"), ("madaktari", "wapole"), ("walimu", "maskini")],
}  # fmt: skip
LANGUAGES = sorted(languages_with(FILE))


def built(kind: str, language: str):
    axes = ["nationality", "nationality", "profession", "profession"]
    rows = [(*pair, axis, language) for pair, axis in zip(SAID[language], axes, strict=True)]
    table = pl.DataFrame(rows, schema=["identity", "attribute", "axis", "language"], orient="row")
    made = build_choices(table, ChoiceOptions(kind=kind, language=language))
    assert made.left_out.is_empty()
    return made.items


def test_the_seven_languages_of_pairs_have_choices():
    assert sorted(SAID) == LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_decision_names_two_groups_in_one_way_and_reads_every_answer(language):
    answers = load_templates(language).answers
    for item in built("decision", language):
        first, second = (option.split() for option in item.options)
        assert len(first) == len(second)
        # The word for the group, and an article that agrees with it.
        assert 1 <= sum(word != other for word, other in zip(first, second, strict=True)) <= 2
        for order in ((0, 1), (1, 0)):
            assert read_choice(item.options[item.stereotyped], item, order).outcome == "stereotype"
            assert (
                read_choice(f"{item.options[1 - item.stereotyped]}.", item, order).outcome
                == "anti-stereotype"
            )
            assert {read_choice(said, item, order).outcome for said in answers.both} == {"both"}
            assert {read_choice(said, item, order).outcome for said in answers.neither} == {"neither"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_three_answers_to_an_inference_are_read(language):
    for item in built("inference", language):
        read = [read_choice(option, item, (2, 0, 1)).outcome for option in item.options]
        agrees, denies = (
            ("anti-stereotype", "stereotype") if item.counterpart else ("stereotype", "anti-stereotype")
        )
        assert read == [agrees, denies, "undetermined"]
