"""Files of association tests: ours, the published ones, and everything that can be wrong with them."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endoxa.errors import UserError
from endoxa.instruments.association_tests.items import read_tests, write_tests
from endoxa.schema import AssociationTest, TermSet

PUBLISHED = {
    key: {"category": key.upper(), "examples": [f"This is {word}.", f"Here is {word}."]}
    for key, word in (("targ1", "Ann"), ("targ2", "Bob"), ("attr1", "tea"), ("attr2", "milk"))
}
OWN = {
    "name": "one",
    "axis": "gender",
    "language": "en",
    "source": "ours",
    **{key: {"name": key, "texts": [f"{key} 1", f"{key} 2"]} for key in ("x", "y", "a", "b")},
}


def own(**changes):
    return {"format": "endoxa-association-tests", "version": 1, "tests": [OWN | changes]}


def write(path, content):
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def refusal(path):
    with pytest.raises(UserError) as problem:
        read_tests(path)
    sentence = str(problem.value)
    assert path.name in sentence
    assert "\n" not in sentence
    return sentence


def test_published_reference_files(shared):
    """Sizes of the sets as in seat_expected_2tests.csv, computed by the published code."""
    tests = read_tests(shared / "data/reference_scores/seat_tests.json")
    sizes = {test.name: tuple(len(s.texts) for s in (test.x, test.y, test.a, test.b)) for test in tests}
    assert sizes == {"sent-weat6": (64, 64, 101, 112), "indibias-hindu_male-hindu_female-CF": (14, 14, 8, 8)}


@pytest.mark.parametrize("name", ["sent-x.jsonl", "sent-x.json"])
def test_published_tests_take_the_name_of_their_file_or_of_their_key(tmp_path, name):
    """Equal texts of a set are one."""
    twice = {"category": "A", "examples": ["one", "two", "one"]}
    (tmp_path / name).write_text(json.dumps(PUBLISHED | {"targ2": twice}, indent=2))
    [test] = read_tests(tmp_path / name)
    assert (test.name, test.x.name, test.b.texts) == ("sent-x", "TARG1", ("This is milk.", "Here is milk."))
    assert test.y.texts == ("one", "two")
    both = {"first": PUBLISHED, "second": PUBLISHED}
    assert [test.name for test in read_tests(write(tmp_path / "t.json", both))] == ["first", "second"]


texts = st.lists(st.text(min_size=1).filter(str.strip), min_size=2, max_size=5, unique=True)


@pytest.mark.slow
@settings(max_examples=40)
@given(x=texts, y=texts, a=texts, b=texts, words=st.lists(st.text(), min_size=4, max_size=4))
def test_what_is_written_is_read_again(tmp_path_factory, x, y, a, b, words):
    if set(x) == set(y) or set(a) == set(b) or not words[0].strip():
        return
    path = tmp_path_factory.mktemp("t") / "t.json"
    test = AssociationTest(
        words[0],
        TermSet("x", tuple(x), tuple(x)),
        *(TermSet(words[1], tuple(s)) for s in (y, a, b)),
        *words[1:],
    )
    write_tests([test], path)
    assert read_tests(path) == [test]


KEYS = st.sampled_from(["format", "version", "tests", "x", "targ1", "examples", "texts"])


@pytest.mark.slow
@settings(max_examples=60)
@given(
    st.recursive(
        st.none() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner),
        max_leaves=8,
    )
)
def test_any_json_is_tests_or_a_sentence(tmp_path_factory, content):
    refusal(write(tmp_path_factory.mktemp("t") / "t.json", content))


BAD_BYTES = [
    (b"", "empty"),
    (b"  \n", "white space"),
    (b'{"format": "\xff"}', "line 1: it is not UTF-8"),
    (b'{"format":\n oops}', "line 2: not valid JSON"),
    (b"[" * 100_000, "nested too deeply"),
    (b'{"a": {"targ1": 1}, "a": 2}', "'a' appears 2 times in one object"),
]


@pytest.mark.parametrize(("content", "sentence"), BAD_BYTES)
def test_bad_files(tmp_path, content, sentence):
    path = tmp_path / "t.json"
    path.write_bytes(content)
    assert sentence in refusal(path)


def with_x(texts, **more):
    return own(x={"name": "x", "texts": texts, **more})


BAD = [
    ({}, "contains no association tests"),
    ({"format": "other"}, "its format is 'other'"),
    (own() | {"version": 2}, "its version is 2"),
    (own() | {"tests": "x"}, "no list under 'tests'"),
    (own() | {"tests": [OWN, OWN]}, "2 tests have the name 'one'"),
    (own() | {"tests": [3]}, "test 1: expected a table, found 3"),
    (own(name=" "), "test 1: it has no name"),
    (own(axsi="gender"), "axsi: it is not known"),
    (own(x=None), "test 1: x: expected a table, found None"),
    (with_x(["one"]), "holds 1 texts"),
    (with_x("one"), "x.texts: expected a list, found 'one'"),
    (with_x(["one", " "]), "text 2 is empty"),
    (with_x(["one", "\ud800"]), "an invalid character"),
    (with_x(["one", "one", "two"]), "'one' appears 2 times in one set"),
    (with_x(["one", "two"], terms=["one"]), "2 texts but 1 terms"),
    (with_x(OWN["y"]["texts"][::-1]), "X and Y are the same set"),
    ({"one": {"targ1": PUBLISHED["targ1"]}}, "test 'one', targ2: it is missing"),
    ({"one": PUBLISHED, "two": 2}, "test 'two': found int"),
    (PUBLISHED | {"attr1": {"category": "x", "examples": []}}, "test 't', set a: it holds 0 texts"),
]


@pytest.mark.parametrize(("content", "sentence"), BAD)
def test_bad_tests(tmp_path, content, sentence):
    assert sentence in refusal(write(tmp_path / "t.json", content))
