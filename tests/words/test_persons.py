"""What may say who somebody is, found by its form, and accusations of a person by name.

There is one rule for what people type and for the pairs that are built of it.
"""

from __future__ import annotations

import csv

import pytest

from collect_support.samples import campaign_settings
from endoxa.instruments.pairs.items import name_in
from endoxa.words.components import COMPONENTS, file_of, texts_of
from endoxa.words.identifiers import find_identifiers
from endoxa.words.persons import (
    folded_words,
    is_also_a_word,
    is_name,
    listed,
    names_somebody,
)
from endoxa_collect.entry.words import flags

SETTINGS = campaign_settings()

ACCUSED = {
    "en": "tom is a thief; tom's a thief; joe stole; jane is a liar; peter and paul are thieves; "
    "will and grace are thieves; say that mark cheats on his wife; maria steals; steal like maria; "
    "steal like tom",
    "es": "maria robó; maria y pedro son ladrones; daniel estafa a la gente; "
    "santiago violó a su hermana; don jorge abusa de niñas; doña eulalia mata perros; "
    "rosa perez es una ladrona",
    "fr": "paul a violé sa soeur; jean-pierre est un escroc",
    "pt": "ana e joão roubaram o banco",
    "sw": "wezi kama juma; juma na asha ni wezi",
    "ar": "ومحمد لص; محمد وأحمد لصوص; لمحمد اللص",
    "hi": "राम ने चुराया",
}
NOBODY = {
    "en": "will steal; will always steal; may kill; chase them and kill; young thieves; "
    "men of faith are liars; christian men are thieves; steal from Muslims; israel kills children",
    "es": "roban en santiago; dan miedo y roban; niñas robadas; matan por paz",
    "fr": "ils volent des roses",
    "pt": "matam por santos",
    "sw": "wanapiga kelele",
    "ar": "يكذبون على الناس; كريم وكاذب",
    "hi": "काम चोर हैं",
}


def texts(table):
    return [(language, text) for language, several in table.items() for text in several.split("; ")]


@pytest.mark.parametrize(("language", "text"), texts(ACCUSED))
def test_accusations_are_found_in_campaigns_and_in_pairs(language, text):
    assert "name" in flags(text, language, SETTINGS)
    assert name_in(text, language)


@pytest.mark.parametrize(("language", "text"), texts(NOBODY))
def test_words_about_nobody_are_left_alone(language, text):
    assert "name" not in flags(text, language, SETTINGS)
    assert not name_in(text, language)


@pytest.mark.slow
def test_attributes_of_published_sets_and_of_our_seeds_name_nobody(shared):
    sources = [
        (shared / "data/afristereo/gold_dev.csv", "gold_attribute"),
        (shared / "data/afristereo/cluster_attributes_dev.csv", "attribute"),
        (shared / "data/seegull/stereotypes_us_states.csv", "attribute"),
        (shared / "data/seegull/stereotypes_indian_states.csv", "attribute"),
        (file_of("collect/presets/laces.csv"), "attribute"),
        (file_of("collect/presets/school.csv"), "attribute"),
    ]
    rows = []
    for path, column in sources:
        with path.open(encoding="utf-8") as file:
            rows += [(row[column], row.get("language") or "en") for row in csv.DictReader(file)]
    assert len(rows) > 3000
    assert [text for text, code in rows if name_in(text, code) or "name" in flags(text, code, SETTINGS)] == []


@pytest.mark.parametrize("language", ["en", "ar"])
def test_first_names_are_hardly_ever_words(language):
    """In our own texts, 10,000 to 20,000 words of each language: a name there is one."""
    with_names = {"names bank", "words of offence", "first names", "question templates", "examples"}
    texts = [text for name in COMPONENTS.keys() - with_names for text in texts_of(COMPONENTS[name], language)]
    words = [word for text in texts for word in folded_words(text.text)]
    assert len(words) > 9000
    assert sum(map(is_name, words)) <= 8


def test_a_name_is_in_one_list_only():
    assert listed("names").isdisjoint(listed("words"))
    assert is_name("paul")
    assert not is_also_a_word("paul")
    assert is_also_a_word("tom")
    assert not is_name("tom")


def test_callers_say_what_is_known():
    assert names_somebody("santiago estafa", "es", lambda words: words == "santiago")
    assert not names_somebody("roban en santiago", "es", lambda words: words == "santiago")
    assert names_somebody("roban con daniel", "es", lambda words: False)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("e-mail", "ann.obi+x@uni.edu.ng"),
        ("e-mail", "ann＠gmail.com"),
        ("e-mail", "ann(at)gmail.com"),
        ("e-mail", "ann @ gmail . com"),
        ("e-mail", "ann arroba gmail punto com"),
        ("web address", "www.mysite.co.ke/ann"),
        ("web address", "t.me/ann"),
        ("account", "@ann_obi"),
        ("IP address", "192.168.10.24"),
        ("place", "6.52438, 3.37921"),
        ("phone number", "+234 803 123 4567"),
        ("phone number", "0803-123-4567"),
        ("phone number", "06 12 34 56 78"),
        ("phone number", "٠٨٠٣١٢٣٤٥٦٧"),
        ("phone or personal number", "12345678901"),
    ],
)
def test_identifiers_are_found_whole(kind, text):
    sentence = f"women are lazy, {text}, they say"
    assert [(one.kind, sentence[one.start : one.end]) for one in find_identifiers(sentence)] == [(kind, text)]


@pytest.mark.parametrize(
    "text",
    """Women earn 10,000 naira; 1 000 000 pesos; 1,5 times; 3.1415926; Women work 9.00-17.00; 12.05.2020-14.05.2020
    ; from 1990-2000; kind.They cook well; the U.S.A. is loud; tod@s; Women @ home. They cook; women at work. They
    ; about 150000000; kind/caring/loving""".replace("\n", " ").split(";"),
)
def test_numbers_and_words_are_left_alone(text):
    assert find_identifiers(text) == []
