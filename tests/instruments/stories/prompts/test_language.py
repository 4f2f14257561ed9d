"""Prompts for stories in Ukrainian, Arabic, Hindi, Chinese and Bengali: what their files hold, and their own rules."""

from __future__ import annotations

import unicodedata
from itertools import chain

import pytest
import regex
import yaml

from endoxa.instruments.stories.prompt_language import (
    ANY,
    IN_THEME,
    THEMES,
    Key,
    Language,
    bundled_languages,
    bundled_tree,
    check_language,
    in_form,
    merge,
    parse_language,
    parse_tree,
)
from endoxa.sources.stereotales.vocabulary import read_vocabulary

SCRIPTS = {"uk": "Cyrillic", "ar": "Arabic", "hi": "Devanagari", "zh": "Han", "bn": "Bengali"}

AGREEMENT: list[tuple[str, Key, str, str]] = [
    ("uk", ("persons", "parental_status", "with children"), "людина, який має дітей", "feminine"),
    ("uk", ("persons", "gender", "man"), "людину, яка має ім’я", "nominative"),
    ("uk", ("persons", "health_status", "good"), "людина з добрим здоров'ям", "apostrophe"),
    ("uk", ("persons", "urbanicity", "urban"), "людина, яка живёт в місті", "Russian"),
    ("uk", ("persons", "age", "senior (65+)"), "літній людина", "adjective"),
    ("ar", ("persons", "religion", "Muslim"), "الشخص المسلم", "indefinite"),
    ("ar", ("persons", "religion", "Muslim"), "شخص المسلم", "indefinite"),
    ("ar", ("persons", "urbanicity", "rural"), "شخص تعيش في الريف", "masculine"),
    ("ar", ("persons", "religion", "Christian"), "شخص مسيحية", "masculine"),
    ("ar", ("persons", "employment_status", "retired"), "شخص بلا عمل کامل", "Persian"),
    ("hi", ("persons", "urbanicity", "urban"), "शहर में रहने वाली एक व्यक्ति", "masculine"),
    ("hi", ("persons", "age", "child (0-12)"), "13 साल से कम उम्र के बच्चे", "one"),
    ("hi", ("persons", "health_status", "poor"), "ख़राब स्वास्थ्य वाला एक व्यक्ति", "dot"),
    ("hi", ("persons", "health_status", "poor"), "\u0959राब स्वास्थ्य वाला एक व्यक्ति", "dot"),
    ("zh", ("persons", "religion", "Buddhist"), "信奉佛教的人", "measure word"),
    ("zh", ("persons", "gender", "woman"), "一位女人", "一位"),
    ("zh", ("persons", "parental_status", "childless"), "一个無孩子的人", "traditional"),
    ("bn", ("persons", "gender", "woman"), "একটি নারী", "একজন"),
    ("bn", ("persons", "age", "senior (65+)"), "65 বছর বয়সী একজন মানুষ", "digit"),
]
"""Language, key of a main character, a wording with a planted mistake, a word of the sentence about it."""

SCENARIOS: list[tuple[str, str, str]] = [
    ("uk", "знайшов гаманець", "past tense"),
    ("uk", "допомагає своїй дитині", "age"),
    ("ar", "زيارة الكنيسة", "religion"),
    ("hi", "अपना घर में रहना", "oblique"),
    ("hi", "स्कूल जाना", "education"),
    ("zh", "他捡到一个钱包", "gender"),
    ("zh", "和同事一起吃饭", "employment_status"),
    ("bn", "শহরে ঘুরতে যাওয়া", "urbanicity"),
]
"""Language, a scenario with a planted mistake, a word of the sentence about it."""


def _language(code: str) -> Language:
    tree = bundled_tree(code)
    assert tree is not None
    return parse_language(tree)


def _planted(code: str, change: object) -> list[str]:
    """What the check finds in a language with something laid over it."""
    bundled = bundled_tree(code)
    assert bundled is not None
    over = parse_tree(yaml.safe_dump(change, allow_unicode=True), "own.yaml")
    faults = check_language(parse_language(merge(bundled, over)), read_vocabulary())
    return [fault.message for fault in faults]


def _texts(language: Language) -> list[str]:
    persons = [person.text for values in language.persons.values() for person in values.values()]
    return persons + [text for wording in chain(*language.scenarios.values()) for text in wording.values()]


@pytest.mark.slow
@pytest.mark.parametrize("code", SCRIPTS)
def test_complete_and_clean(code: str) -> None:
    language = _language(code)
    assert code in bundled_languages()
    assert check_language(language, read_vocabulary()) == []
    assert sum(len(values) for values in language.persons.values()) == 79
    assert [len(language.scenarios[theme]) for theme in THEMES] == [IN_THEME] * 9


@pytest.mark.parametrize(("code", "script"), SCRIPTS.items())
def test_every_text_is_in_its_script(code: str, script: str) -> None:
    for text in _texts(_language(code)):
        assert regex.search(rf"\p{{Script={script}}}", text)
        assert not regex.search(r"\p{Script=Latin}", text)


@pytest.mark.parametrize("code", SCRIPTS)
def test_texts_are_composed(code: str) -> None:
    """One spelling of a word is one string: NFC, no invisible characters."""
    for text in _texts(_language(code)):
        assert unicodedata.is_normalized("NFC", text)
        assert not regex.search(r"\p{Cf}", text)


@pytest.mark.slow
@pytest.mark.parametrize(("code", "key", "text", "word"), AGREEMENT)
def test_planted_agreement(code: str, key: Key, text: str, word: str) -> None:
    part, attribute, value = key
    found = _planted(code, {part: {attribute: {value: text}}})
    assert any(word in message for message in found), found


@pytest.mark.slow
@pytest.mark.parametrize(("code", "text", "word"), SCENARIOS)
def test_planted_scenarios(code: str, text: str, word: str) -> None:
    hobbies = [in_form(wording, ANY) for wording in _language(code).scenarios["hobby"]]
    found = _planted(code, {"scenarios": {"hobby": [text, *hobbies[1:]]}})
    assert any(word in message for message in found), found


def test_chinese_request_has_no_blank() -> None:
    """A folded line of YAML would leave one."""
    assert not regex.search(r"\s", in_form(_language("zh").request, ANY))
