"""Checking files of languages: every fault that was planted is found, with its place; merging and reading."""

from __future__ import annotations

import contextlib
import copy
import string
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from endoxa.errors import UserError
from endoxa.instruments.stories.prompt_language import (
    IN_THEME,
    THEMES,
    Language,
    Tree,
    bundled_languages,
    bundled_tree,
    check_language,
    merge,
    parse_language,
    parse_tree,
)
from endoxa.instruments.stories.prompts import extended
from endoxa.sources.stereotales.vocabulary import read_vocabulary

pytestmark = pytest.mark.slow


def language_of(code: str) -> Language:
    tree = bundled_tree(code)
    assert tree is not None
    return parse_language(tree)


@pytest.mark.parametrize("code", bundled_languages())
def test_a_language_is_complete_and_clean(code: str) -> None:
    language = language_of(code)
    assert language.language == code
    assert check_language(language, read_vocabulary()) == []
    assert sum(len(values) for values in language.persons.values()) == 79
    assert [len(language.scenarios[theme]) for theme in THEMES] == [IN_THEME] * 9


CHILD = ("persons", "age", "child (0-12)")
FAMILY = ("scenarios", "family", 0)
HOBBY = ("scenarios", "hobby", 0)
FAULTS = [
    ("en", ("persons", "agee"), {}, "there is no attribute 'agee'"),
    ("en", ("persons", "age", "kid"), "a kid", "there is no value 'kid'"),
    ("en", ("language",), "English", "no ISO 639 code"),
    ("en", CHILD, "", "empty"),
    ("en", CHILD, "a\u200b\x07child", "cannot be seen"),
    ("en", CHILD, "a {person}", "a brace"),
    ("en", CHILD, "a сhild", "'с' is not written in Latin"),  # Cyrillic
    ("en", ("request",), "Write about {person}.", "{scenario} is there 0 times"),
    ("en", ("request",), "A story: {person}, {scenario}", "does not end with one of . ? !"),
    ("en", FAMILY, "a day at the university", "'university' says something about"),
    ("en", ("script",), "Klingon", "no script of Unicode"),
    ("es", CHILD, "un niño", "does not begin with una"),
    ("es", FAMILY, "una libro nuevo", "feminine article"),
    ("es", FAMILY, "hablar de el tiempo", "del"),
    ("es", FAMILY, {"f": "una cita"}, "the text for the form 'm' is missing"),
    ("fr", CHILD, "une personne marié", "agree with"),
    ("fr", FAMILY, "le ami de toujours", "elision"),
    ("it", FAMILY, "parlare di il tempo", "one word"),
    ("pt", FAMILY, "falar de o tempo", "one word"),
    ("nl", FAMILY, "een belangrijk beslissing", "ends with -e"),
    ("uk", ("persons", "parental_status", "with children"), "людина, який має дітей", "feminine"),
    ("ar", FAMILY, "اجتماع, عائلي", "',' is not punctuation"),
    ("ar", ("persons", "religion", "Muslim"), "الشخص المسلم", "indefinite"),
    ("ar", ("persons", "urbanicity", "rural"), "شخص تعيش في الريف", "masculine"),
    ("hi", ("request",), "कहानी: {person}, {scenario}.", "'.' is not punctuation"),
    ("hi", ("persons", "urbanicity", "urban"), "शहर में रहने वाली एक व्यक्ति", "masculine"),
    ("hi", HOBBY, "अपना घर में रहना", "oblique"),
    ("zh", FAMILY, "一次 party", "'party' is not written in Han"),
    ("bn", HOBBY, "শহরে ঘুরতে যাওয়া", "urbanicity"),
]
"""Language, key of a part, what stands there instead (None: nothing), words of the sentence about it."""
ELSEWHERE = [
    ("en", CHILD, None, "persons / age", "the value 'child (0-12)' is missing"),
    ("en", ("persons", "age"), None, "persons", "the attribute 'age' is missing"),
    ("en", ("scenarios", "family"), None, "scenarios", "the theme 'family' is missing"),
    ("en", FAMILY, None, "scenarios / family", "there are 3 scenarios, 4 are expected"),
    ("en", CHILD, "A woman", "persons / gender / woman", "another value (persons / age"),
    ("en", FAMILY, "discovering a family secret", "scenarios / family / 3", "another scenario"),
    (
        "en",
        ("exempt", "health_status"),
        [],
        "persons / health_status / poor",
        "'poor' says something about income_level",
    ),
    ("en", ("mistakes",), {"a(": "why"}, "mistakes / a(", "no regular expression"),
]
"""The same, where the sentence names another part."""


def planted(code: str, path: tuple[Any, ...], value: Any) -> list[tuple[str, str]]:
    """Faults (key, message) of a bundled language with one part changed, or removed where the value is None."""
    tree = bundled_tree(code)
    assert tree is not None
    values = copy.deepcopy(dict(tree.values))
    inner: Any = values
    for part in path[:-1]:
        inner = inner[part]
    if value is None:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    faults = check_language(parse_language(Tree(values, tree.places)), read_vocabulary())
    return [(" / ".join(fault.key), fault.message) for fault in faults]


def named(path: tuple[Any, ...]) -> str:
    """A part as sentences name it: scenarios are counted from 1."""
    return " / ".join(str(part + 1) if isinstance(part, int) else part for part in path)


@pytest.mark.parametrize(
    ("code", "path", "value", "key", "words"),
    [*((code, path, value, named(path), words) for code, path, value, words in FAULTS), *ELSEWHERE],
)
def test_a_planted_fault_is_found(code, path, value, key, words):
    found = planted(code, path, value)
    assert any(where == key and words in message for where, message in found), found


def test_a_mistake_is_found_where_two_texts_meet():
    request = {"request": "Un relato de {person}: la historia de {scenario}."}
    base = bundled_tree("es")
    assert base is not None
    tree = merge(base, Tree(request | {"scenarios": {"family": ["el viaje", "b", "c", "d"]}}, {}))
    found = check_language(parse_language(tree), read_vocabulary())
    assert any(one.key == ("scenarios", "family", "1") and "'de el'" in one.message for one in found)


def test_values_that_a_file_adds_must_be_told_apart():
    base = bundled_tree("en")
    assert base is not None
    added = {"attributes": {"handedness": {"values": ["left", "Left", "other"]}}}
    language = parse_language(merge(base, Tree(added, {})))
    found = check_language(language, extended(read_vocabulary(), language.attributes))
    messages = [one.message for one in found]
    assert sum("reserved or there twice" in message for message in messages) == 2
    assert "the attribute 'handedness' is missing" in messages


def test_nothing_but_texts_is_read():
    tree = parse_tree("a: no\nb: [1, 2.0, on]\nc: 2020-01-01\nd:\n", "x.yaml")
    assert tree.values == {"a": "no", "b": ["1", "2.0", "on"], "c": "2020-01-01", "d": ""}
    assert tree.place(("b", "3")) == "x.yaml, line 2"
    assert tree.place(("nowhere",)) == "x.yaml, line 1"


names = st.text(string.ascii_letters + " '()-,é中", min_size=1, max_size=6)
leaves = st.one_of(names, st.lists(names, max_size=3))
nested = st.recursive(
    st.dictionaries(names, leaves, max_size=3),
    lambda inner: st.dictionaries(names, st.one_of(leaves, inner), max_size=3),
    max_leaves=6,
)


def _leaves(values, path=()):
    for name, value in values.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, (*path, name))
        else:
            yield (*path, name), value


@given(st.text(max_size=40))
@example("a: \x00\n")
@example("[" * 300)
def test_any_text_is_read_or_refused_in_a_sentence(text):
    with contextlib.suppress(UserError):
        parse_tree(text, "x.yaml")


@given(nested, nested)
def test_merging_takes_everything_of_the_upper_and_keeps_the_rest(base, over):
    merged = merge(Tree(base, {}), Tree(over, {})).values
    found = dict(_leaves(merged))
    for path, value in _leaves(over):
        if value != {}:
            assert found[path] == value
    written = {path for path, _ in _leaves(over)}
    for path, value in _leaves(base):
        shadowed = any(path[: len(one)] == one or one[: len(path)] == path for one in written)
        if not shadowed:
            assert found[path] == value
    tree, nothing = Tree(base, {}), Tree({}, {})
    assert merge(tree, nothing).values == merge(nothing, tree).values == merge(tree, tree).values == base
