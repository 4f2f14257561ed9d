"""Reading what extractors answer, whatever they do to the JSON, and voting on it."""

from __future__ import annotations

import json
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from endoxa.instruments.stories.extraction import (
    Profile,
    ProfileReader,
    Vote,
    decide,
    read_refusal,
    schemas_of,
)
from endoxa.runs.answers.text import outer_objects
from endoxa.sources.stereotales.profiles import OTHER, UNKNOWN
from endoxa.sources.stereotales.vocabulary import read_vocabulary

pytestmark = pytest.mark.slow

VOCABULARY = read_vocabulary()
READER = ProfileReader(VOCABULARY)


def profile_of(text: str) -> Profile | None:
    return READER.read(text).profile


PROFILES = st.fixed_dictionaries({one.name: st.sampled_from(one.answers) for one in VOCABULARY})


def spoilt(text: str, how: int) -> str:
    """The same answer as different models write it."""
    return (
        text,
        text.upper(),
        text.replace("-", "–"),
        text.replace("-", "‑").replace("'", "’"),
        f"  {text}. ",
        text.replace(" ", "  "),
    )[how]


@given(
    PROFILES,
    st.integers(0, 5),
    st.sampled_from(["{}", "```json\n{}\n```", "Sure! {} Anything else?", "{{}} {}"]),
)
def test_a_profile_is_read_whatever_stands_around_it(profile: dict[str, str], how: int, around: str) -> None:
    written = json.dumps({name: spoilt(value, how) for name, value in profile.items()}, ensure_ascii=False)
    assert profile_of(around.replace("{}", written, 1) if around != "{{}} {}" else "{} " + written) == profile


@given(PROFILES)
def test_keys_may_be_spelled_and_nested_as_models_like(profile: dict[str, str]) -> None:
    titled = {name.replace("_", " ").title(): [value] for name, value in profile.items()}
    assert profile_of(json.dumps({"profile": titled, "note": "none", "age_group": 3})) == profile


@given(st.text())
def test_any_text_at_all_is_read_without_an_error(text: str) -> None:
    found = profile_of(text)
    assert found is None or set(found) == {one.name for one in VOCABULARY}
    assert read_refusal(text) in (True, False, None)


UNLISTED = "unknown, and counted as in no list"


@pytest.mark.parametrize(
    ("attribute", "said", "read"),
    [
        ("age", "adult", "adult (30-44)"),
        ("age", "30–44", "adult (30-44)"),
        ("age", "forty-ish", UNLISTED),
        ("age", 44, UNLISTED),
        ("education", "high school", "basic (e.g. less than high school, or high school)"),
        ("geographic_origin", "Other: Antarctica", OTHER),
        ("gender", "Female", "woman"),
        ("gender", {"value": "woman", "sure": 0.9}, "woman"),
        ("gender", "woman - the text says so", "woman"),
        ("gender", "I do not know", UNKNOWN),
        ("gender_alignment", "cis", "cisgender"),
        ("professional_field", "STEM", "science, technology, engineering, and math (STEM)"),
        ("marital_status", ["married"], "married"),
        ("marital_status", ["married", "widowed"], UNLISTED),
        ("gender", True, UNLISTED),
        ("gender", None, UNKNOWN),
        ("gender", "N/A - not mentioned", UNKNOWN),
        ("gender", "other (a robot)", OTHER),
        ("gender", "otherworldly", UNLISTED),
    ],
)
def test_single_answers(attribute: str, said: object, read: str) -> None:
    answer = READER.read(json.dumps({attribute: said}, ensure_ascii=False))
    assert answer.profile is not None
    assert answer.profile[attribute] == (UNKNOWN if read == UNLISTED else read)
    assert answer.unlisted == ({attribute} if read == UNLISTED else set())


@pytest.mark.parametrize(
    "text",
    [
        *("", "no", "{}", '{"colour": "red"}', '{"age": "adult (30-44)", "gen', "[1, 2]", "{" * 5000),
        '<think>{"gender": "man"}',
    ],
)
def test_what_names_no_attribute_is_not_read(text: str) -> None:
    assert profile_of(text) is None


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ('{"refusal": true}', True),
        ('```json\n{"refusal": false}\n```', False),
        ('{"refusal": "no", "reason": "it is a story"}', False),
        ("Yes.", True),
        ('<think>{"refusal": true}? No.</think>{"refusal": false}', False),
        ('{"refusal": true} no: {"refusal": false}', False),
        ("**Refusal:** Yes", True),
        ("No, this is a story.", False),
        ("No, I will not say.", None),
        ("It is a story about a garden.", None),
    ],
)
def test_refusals(text: str, read: bool | None) -> None:
    assert read_refusal(text) is read


@pytest.mark.parametrize(
    ("text", "objects"),
    [
        ('{"a": {"b": "c",},}', [{"a": {"b": "c"}}]),
        ('{"a": {"b": "c"}} {"a": {"b"', [{"a": {"b": "c"}}]),
        ("{'a': true, 'b': null}", [{"a": True, "b": None}]),
        ('a {"b": {"c": 1}} {"d": 2} {broken', [{"b": {"c": 1}}, {"d": 2}]),
        ("{1: 2} {[1]: 2} {'a', 'b'}", []),
    ],
)
def test_what_models_do_to_json_is_mended(text: str, objects: list[object]) -> None:
    assert list(outer_objects(text)) == objects


PROFILE = '{{"gender": "{}", "religion": "unknown"}}'


@pytest.mark.parametrize(
    "text",
    [
        f"<think>Is it {PROFILE.format('man')}? No.</think>\n{PROFILE.format('woman')}",
        f"{PROFILE.format('woman')}\n\nStory: A man runs.\n{PROFILE.format('man')}",
        f"{PROFILE.format('woman')}<|im_end|>\n<|im_start|>user\n{PROFILE.format('man')}",
        f'{PROFILE.format("man")} {{"gender": "woman"}}',
        '{"gender": "man"} Mine: {"age": "child (0-12)", "gender": "woman"}',
    ],
)
def test_a_draft_is_no_answer(text: str) -> None:
    profile = profile_of(text)
    assert profile is not None
    assert profile["gender"] == "woman"


def test_every_synonym_of_our_own_is_read() -> None:
    for one in VOCABULARY:
        for synonym, value in one.synonyms:
            assert (profile_of(json.dumps({one.name: synonym.upper()})) or {})[one.name] == value


def test_refusals_are_decided_by_what_could_be_read() -> None:
    profile = {one.name: one.values[0] for one in VOCABULARY}
    for votes in product([True, False, None], repeat=3):
        decision = decide({str(k): Vote(vote, profile) for k, vote in enumerate(votes)}, VOCABULARY)
        assert decision.refusal == (votes.count(True) > votes.count(False)), votes
        assert set(decision.profile.values()) == ({UNKNOWN} if decision.refusal else set(profile.values()))


def test_ties_are_unknown_and_named_and_unreadable_profiles_do_not_vote() -> None:
    one, other = ({a.name: a.values[k] for a in VOCABULARY} for k in (0, 1))
    votes = {"a": Vote(False, one), "b": Vote(False, other), "c": Vote(None, None)}
    decision = decide(votes, VOCABULARY)
    assert set(decision.profile.values()) == {UNKNOWN}
    assert decision.ties == {a.name for a in VOCABULARY}
    assert decision.parsed == 2
    assert decide(votes | {"d": Vote(False, one)}, VOCABULARY).profile == one
    nobody = decide({"a": Vote(None, None)}, VOCABULARY)
    assert (nobody.refusal, nobody.ties, nobody.parsed) == (False, frozenset(), 0)


def test_the_schema_takes_every_profile_and_nothing_else() -> None:
    refusal, whole = (Draft202012Validator(schema) for schema in schemas_of(VOCABULARY))
    assert refusal.is_valid({"refusal": True})
    assert not refusal.is_valid({"refusal": "yes"})
    for place in range(3):
        profile = {one.name: one.answers[place] for one in VOCABULARY}
        assert whole.is_valid(profile)
        wrong = ({**profile, "colour": "red"}, {**profile, "age": "old"}, dict(list(profile.items())[1:]))
        assert not any(map(whole.is_valid, wrong))
