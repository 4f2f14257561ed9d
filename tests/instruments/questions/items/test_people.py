"""Who can stand beside whom in a question: synonyms, groups within groups, and how one person is called."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from endoxa.curate.persons import comparable, identity_of, overlap, person
from endoxa.instruments.questions.items.build import Distractors, Observed
from endoxa.instruments.questions.items.templates import load_templates
from endoxa.instruments.questions.options import QaOptions
from endoxa.words.people import members

PEOPLE = tomllib.loads(Path(__file__).with_name("people.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("table", "expected"), [("together", True), ("apart", False)])
def test_synonyms_and_groups_within_groups_overlap(table, expected) -> None:
    for language, rows in PEOPLE[table].items():
        for one, others in rows.items():
            for other in others:
                pair = identity_of(one, language), identity_of(other, language)
                assert overlap(*pair) is overlap(*reversed(pair)) is expected, (one, other)


def test_nobody_who_overlaps_with_an_observed_identity_is_a_distractor() -> None:
    rows = [("latin americans", "a"), ("danes", "a"), ("mexicans", "b"), ("kenyans", "b")]
    observed = [Observed(identity_of(name, "en"), attribute) for name, attribute in rows]
    assert Distractors(observed, {"latin americans", "DK", "MX", "KE"}).candidates(observed[1]) == ["KE"]
    assert Distractors(observed, {"latin americans", "DK", "MX"}).candidates(observed[1]) == []
    assert members("latin americans") >= {"MX", "BR", "AR", "CU"}


@pytest.mark.parametrize(("table", "expected"), [("comparable", True), ("not-comparable", False)])
def test_two_people_differ_in_their_group_alone(table, expected) -> None:
    for language, pairs in PEOPLE[table].items():
        for one, other in pairs:
            pair = person(one, language), person(other, language)
            assert comparable(*pair) is comparable(*reversed(pair)) is expected, (one, other)


@pytest.mark.parametrize(
    ("key", "option"),
    [("en", "The nurse"), ("es-f", "La enfermera"), ("es-m", "El médico"), ("pt-f", "A mulher")],
)
def test_one_person_is_called_as_people_call_themselves(key, option) -> None:
    language, _, gender = key.partition("-")
    templates = load_templates(QaOptions(language))
    people = {identity: person(identity, language) for identity in PEOPLE["mentions"][key]}
    assert all(gender in who.forms or not gender for who in people.values())
    found = {identity: templates.mention(who, gender) for identity, who in people.items()}
    assert found == PEOPLE["mentions"][key]
    assert templates.option(next(iter(people.values())), gender) == option


@pytest.mark.parametrize("language", PEOPLE["unnamed"])
def test_no_form_is_better_than_a_wrong_one(language) -> None:
    assert [name for name in PEOPLE["unnamed"][language] if person(name, language) is not None] == []


@pytest.mark.parametrize(
    ("language", "attribute", "quoted"),
    [
        ("en", 'say "howdy" a lot.', "say 'howdy' a lot"),
        ("en", "lazy ...", "lazy ..."),
        ("es", "«tacaños» y fríos", "“tacaños” y fríos"),
    ],
)
def test_quotation_marks_within_are_of_the_other_kind(language, attribute, quoted) -> None:
    assert load_templates(QaOptions(language)).quotable(attribute) == quoted
