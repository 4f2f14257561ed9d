"""Neutral identities: put in where a pair names its identity, nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endoxa.instruments.pairs.probe.scoring import neutral_pairs, replace_identity
from endoxa.schema import PAIR_COLUMNS
from endoxa.words.packs import languages_with
from endoxa.words.people import neutral_identities


def item(**known):
    return {**dict.fromkeys(PAIR_COLUMNS), "language": "en", "direction": "stereo", **known}


def test_identity_is_replaced_in_sentences_and_prompt():
    pairs = neutral_pairs(
        item(
            sent_more="African bakers are patient.",
            sent_less="African bakers are impatient.",
            identity="African bakers",
            attribute_more="patient",
            attribute_less="impatient",
            prompt="What are African bakers like?",
        )
    )
    assert [(p.sent_more, p.sent_less, p.prompt) for p in pairs] == [
        ("People are patient.", "People are impatient.", "What are people like?"),
        ("They are patient.", "They are impatient.", "What are they like?"),
    ]


def test_gender_of_the_attribute_chooses_the_phrase():
    pairs = neutral_pairs(
        item(
            language="fr",
            agreement="f",
            sent_more="Les infirmières sont patientes.",
            sent_less="Les infirmières sont impatientes.",
            identity="les infirmières",
            attribute_more="patientes",
            attribute_less="impatientes",
        )
    )
    assert [p.sent_more for p in pairs] == ["Les personnes sont patientes.", "Elles sont patientes."]


@pytest.mark.parametrize(
    "missing",
    [
        {"identity": None},
        {"attribute_more": None},
        {"language": "und"},
        {"identity": "teachers"},
        {"sent_less": "Teachers are impatient."},
    ],
)
def test_nothing_is_put_in_where_it_would_not_be_the_same_pair(missing):
    known = {
        "sent_more": "Bakers are patient.",
        "sent_less": "Bakers are impatient.",
        "identity": "bakers",
        "attribute_more": "patient",
        "attribute_less": "impatient",
    }
    assert neutral_pairs(item(**{**known, **missing})) == []


def test_identity_inside_a_word_is_left_alone():
    assert replace_identity("Women like menus.", "men", "people") is None


@given(st.text(min_size=1).filter(str.strip), st.sampled_from(["people", "les gens", "लोग"]))
def test_any_text_is_replaced_or_left(identity, phrase):
    replaced = replace_identity(f"See: {identity} walk.", identity, phrase)
    assert replaced is None or phrase.lower() in replaced.lower()


def test_every_language_has_phrases_that_differ():
    for language in languages_with("people.csv"):
        phrases = neutral_identities(language)
        assert len(set(phrases)) == len(phrases) >= 2
        assert len(set(neutral_identities(language, "f"))) in (0, len(phrases))
