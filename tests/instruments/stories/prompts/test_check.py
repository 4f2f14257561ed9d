"""Checking files of languages: every fault that was planted is found, with its place; merging and reading."""

from __future__ import annotations

import contextlib
import copy
import string
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from endoxa.errors import UserError
from endoxa.instruments.stories.prompt_language import (
    Tree,
    bundled_tree,
    check_language,
    merge,
    parse_language,
    parse_tree,
)
from endoxa.instruments.stories.prompts import extended
from endoxa.sources.stereotales.vocabulary import read_vocabulary

CHILD = ("persons", "age", "child (0-12)")
FAMILY = ("scenarios", "family", 0)


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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "path", "value", "key", "words"),
    [
        ("en", CHILD, None, "persons / age", "the value 'child (0-12)' is missing"),
        ("en", ("persons", "age"), None, "persons", "the attribute 'age' is missing"),
        ("en", ("persons", "agee"), {}, "persons / agee", "there is no attribute 'agee'"),
        ("en", ("persons", "age", "kid"), "a kid", "persons / age / kid", "there is no value 'kid'"),
        ("en", ("scenarios", "family"), None, "scenarios", "the theme 'family' is missing"),
        ("en", ("scenarios", "work"), [], "scenarios / work", "there is no theme 'work'"),
        ("en", FAMILY, None, "scenarios / family", "there are 3 scenarios, 4 are expected"),
        ("en", ("language",), "English", "language", "no ISO 639 code"),
        ("en", ("leaks", "hats"), ["hat"], "leaks / hats", "there is no attribute 'hats'"),
        ("en", CHILD, "", "persons / age / child (0-12)", "empty"),
        ("en", CHILD, " a child", "persons / age / child (0-12)", "at the beginning or the end"),
        ("en", CHILD, "a  child", "persons / age / child (0-12)", "two blanks"),
        ("en", CHILD, "a\u200b\x07child", "persons / age / child (0-12)", "cannot be seen"),
        ("en", CHILD, "a {person}", "persons / age / child (0-12)", "a brace"),
        ("en", CHILD, "A woman", "persons / gender / woman", "another value (persons / age"),
        ("en", FAMILY, "discovering a family secret", "scenarios / family / 3", "another scenario"),
        ("en", CHILD, "a child.", "persons / age / child (0-12)", "ends with punctuation"),
        ("en", CHILD, "a сhild", "persons / age / child (0-12)", "'с' is not written in Latin"),  # Cyrillic
        ("en", ("request",), "Write about {person}.", "request", "{scenario} is there 0 times"),
        ("en", ("request",), "{person} {person} {scenario}.", "request", "{person} is there 2 times"),
        ("en", ("request",), "{person}, {scenario}, {age}.", "request", "a brace"),
        ("en", ("request",), "A story: {person}, {scenario}", "request", "does not end with one of . ? !"),
        (
            "en",
            FAMILY,
            "a day at the university",
            "scenarios / family / 1",
            "'university' says something about",
        ),
        (
            "en",
            ("persons", "religion", "Muslim"),
            "an elderly Muslim who lives in a village",
            "persons / religion / Muslim",
            "'elderly' says something about age, where only religion is to be named",
        ),
        (
            "en",
            ("exempt", "health_status"),
            [],
            "persons / health_status / poor",
            "'poor' says something about income_level",
        ),
        ("en", ("exempt", "hats"), ["hat"], "exempt / hats", "there is no attribute 'hats'"),
        ("en", ("script",), "Klingon", "script", "no script of Unicode"),
        ("en", ("script",), "Latin}|.", "script", "no script of Unicode"),
        ("en", ("mistakes",), {"a(": "why"}, "mistakes / a(", "no regular expression"),
        ("ar", FAMILY, "اجتماع, عائلي", "scenarios / family / 1", "',' is not punctuation"),
        ("hi", ("request",), "कहानी: {person}, {scenario}.", "request", "'.' is not punctuation"),
        ("zh", ("request",), "故事：{person}，{scenario}.", "request", "'.' is not punctuation"),
        ("zh", FAMILY, "一次 party", "scenarios / family / 1", "'party' is not written in Han"),
        ("es", CHILD, "un niño", "persons / age / child (0-12)", "does not begin with una"),
        ("es", CHILD, "una persona casado", "persons / age / child (0-12)", "agree with"),
        (
            "es",
            CHILD,
            {"text": "un niño", "form": "x"},
            "persons / age / child (0-12)",
            "form 'x' is not declared",
        ),
        ("es", FAMILY, "una libro nuevo", "scenarios / family / 1", "feminine article"),
        ("es", FAMILY, "un carta", "scenarios / family / 1", "masculine article"),
        ("es", FAMILY, "los amigo de siempre", "scenarios / family / 1", "plural article"),
        ("es", FAMILY, "la cartas", "scenarios / family / 1", "singular article"),
        ("es", FAMILY, "hablar de el tiempo", "scenarios / family / 1", "del"),
        ("es", FAMILY, {"f": "una cita"}, "scenarios / family / 1", "the text for the form 'm' is missing"),
        ("es", FAMILY, {"f": "a", "m": "b", "n": "c"}, "scenarios / family / 1", "form 'n' is not declared"),
        ("fr", CHILD, "une personne marié", "persons / age / child (0-12)", "agree with"),
        ("fr", FAMILY, "parler de le temps", "scenarios / family / 1", "du"),
        ("fr", FAMILY, "le ami de toujours", "scenarios / family / 1", "elision"),
        ("fr", FAMILY, "les ami de toujours", "scenarios / family / 1", "plural article"),
        ("fr", FAMILY, "un promotion", "scenarios / family / 1", "masculine article"),
        ("it", CHILD, "una persona sposato", "persons / age / child (0-12)", "agree with"),
        ("it", FAMILY, "parlare di il tempo", "scenarios / family / 1", "one word"),
        ("it", FAMILY, "un scopo comune", "scenarios / family / 1", "uno"),
        ("it", FAMILY, "gli amico di sempre", "scenarios / family / 1", "plural article"),
        ("pt", CHILD, "uma pessoa casado", "persons / age / child (0-12)", "agree with"),
        ("pt", FAMILY, "falar de o tempo", "scenarios / family / 1", "one word"),
        ("pt", FAMILY, "os amigo de sempre", "scenarios / family / 1", "plural article"),
        ("nl", FAMILY, "een belangrijk beslissing", "scenarios / family / 1", "ends with -e"),
        ("nl", FAMILY, "de verhaaltje", "scenarios / family / 1", '"het"'),
    ],
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is not a YAML mapping"),
        ("- a\n- b\n", "is not a YAML mapping"),
        ("a: [1\n", "line 2: not valid YAML"),
        ("a: b\na: c\n", "line 2: 'a' appears twice"),
        ("a: &x [b]\nc: *x\n", "an alias"),
        ("a:\n  ? [b]\n  : c\n", "line 2: a name is expected"),
        ("a: \x00\n", "not valid YAML"),
        ("[" * 1500, "not valid YAML"),
    ],
)
def test_a_file_that_is_no_tree_is_said(text, words):
    with pytest.raises(UserError, match=r"^x\.yaml") as caught:
        parse_tree(text, "x.yaml")
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("language: xx\n", "x.yaml: name: it is missing"),
        ("language: [x]\n", "x.yaml: language: expected a text, found ['x']"),
        ("persons: all\n", "x.yaml: persons: expected a table, found 'all'"),
        ("script: []\n", "x.yaml: script: Tuple should have at least 1 item"),
        ("\nleaks:\n  age: old\n", "x.yaml: leaks.age: expected a list, found 'old'"),
        ("wishes: none\n", "x.yaml: wishes: it is not known"),
    ],
)
def test_a_part_of_the_wrong_kind_is_said(text, words):
    base = bundled_tree("en")
    assert base is not None
    over = parse_tree(text, "x.yaml")
    tree = over if "xx" in text else merge(base, over)
    with pytest.raises(UserError) as caught:
        parse_language(tree)
    assert words in str(caught.value)


def test_nothing_but_texts_is_read():
    tree = parse_tree("a: no\nb: [1, 2.0, on]\nc: 2020-01-01\nd:\n", "x.yaml")
    assert tree.values == {"a": "no", "b": ["1", "2.0", "on"], "c": "2020-01-01", "d": ""}
    assert tree.place(("b", "3")) == "x.yaml, line 2"
    assert tree.place(("b", "9")) == "x.yaml, line 2"
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


@pytest.mark.slow
@given(nested)
def test_written_trees_are_read_back(values):
    text = yaml.safe_dump(values, allow_unicode=True)
    if values:
        assert parse_tree(text, "x.yaml").values == values


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused_in_a_sentence(text):
    with contextlib.suppress(UserError):
        parse_tree(text, "x.yaml")


@pytest.mark.slow
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


@given(nested)
def test_merging_with_nothing_or_itself_changes_nothing(values):
    tree = Tree(values, {})
    nothing = Tree({}, {})
    assert merge(tree, nothing).values == merge(nothing, tree).values == merge(tree, tree).values == values
