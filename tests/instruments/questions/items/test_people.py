"""Who can stand beside whom in a question: synonyms, groups within groups, gender, and how one person is called."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from itertools import product
from pathlib import Path

import pytest

from endoxa.curate.persons import comparable, identity_of, overlap, person
from endoxa.instruments.questions.items.build import Distractors, Observed
from endoxa.instruments.questions.items.templates import load_templates
from endoxa.instruments.questions.options import QaOptions
from endoxa.words.people import Group, every_group, find_people, groups_in, larger, members

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


def test_the_tables_hold_together() -> None:
    rows = every_group()
    means = {row.id for row in rows}
    assert all(means)
    assert {part for row in rows for part in row.within} <= means
    assert not {row.id for row in rows if row.is_people} & {row.id for row in rows if not row.is_people}
    above = {code: set(larger(code)) for code in means}
    assert all(code in larger_ones for code, larger_ones in above.items())
    assert not [(a, b) for a, b in product(means, repeat=2) if a != b and a in above[b] and b in above[a]]
    within = defaultdict(set)
    for row in groups_in("en"):
        within[row.id].add(row.within)
    assert [code for code, several in within.items() if len(several) > 1] == []
    plurals = [row.plural for row in groups_in("en")]
    assert len(plurals) == len(set(plurals))


@pytest.mark.parametrize(("table", "expected"), [("comparable", True), ("not-comparable", False)])
def test_two_people_differ_in_their_group_alone(table, expected) -> None:
    for language, pairs in PEOPLE[table].items():
        for one, other in pairs:
            pair = person(one, language), person(other, language)
            assert comparable(*pair) is comparable(*reversed(pair)) is expected, (one, other)


def peoples(language: str) -> dict[str, Group]:
    """By id, with the first of several names."""
    return {row.id: row for row in reversed(groups_in(language)) if row.is_people}


@pytest.mark.parametrize(("language", "article"), [("en", "the"), ("es", "los"), ("fr", "les"), ("pt", "os")])
def test_every_people_is_found_by_its_names(language, article) -> None:
    for code, one in peoples(language).items():
        for name in filter(None, (one.singular, one.plural, *one.also)):
            assert identity_of(name.lower(), "en").key == code, name
            assert identity_of(f"{article} {name.lower()}", "en").key == code, name


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


@pytest.mark.parametrize("code", PEOPLE["places"])
def test_a_people_is_known_however_a_language_names_it(code) -> None:
    assert {find_people(name).id for name in PEOPLE["places"][code]} == {code}


@pytest.mark.parametrize(
    ("language", "attribute", "quoted"),
    [
        ("en", 'say "howdy" a lot.', "say 'howdy' a lot"),
        ("en", '"lazy"', "lazy"),
        ("en", "lazy ...", "lazy ..."),
        ("en", "proud of the U.S.", "proud of the U.S."),
        ("es", 'decir "órale" todo el rato.', "decir “órale” todo el rato"),
        ("es", "«tacaños» y fríos", "“tacaños” y fríos"),
        ("pt", 'dizer “saudade” e "fado"', "dizer ‘saudade’ e ‘fado’"),
    ],
)
def test_quotation_marks_within_are_of_the_other_kind(language, attribute, quoted) -> None:
    assert load_templates(QaOptions(language)).quotable(attribute) == quoted
