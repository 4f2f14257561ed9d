"""Who can stand beside whom in a question: synonyms, groups within groups, gender, and how one person is called."""

from __future__ import annotations

from collections import defaultdict
from itertools import product

import polars as pl
import pytest
from typer.testing import CliRunner

from endoxa.commands import app
from endoxa.curate.persons import (
    comparable,
    find_noun,
    identity_of,
    overlap,
    person,
)
from endoxa.errors import UserError
from endoxa.instruments.questions.items.build import build_questions
from endoxa.instruments.questions.items.templates import load_templates
from endoxa.instruments.questions.options import QaOptions
from endoxa.words.packs import languages_with
from endoxa.words.people import every_group, find_people, groups_in, larger


def questions(*rows, language="en", **chosen):
    columns = dict.fromkeys(("identity", "attribute"), pl.String)
    return build_questions(pl.DataFrame(rows, schema=columns, orient="row"), QaOptions(language, **chosen))


# --- groups ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "one", "other", "together"),
    [
        ("es", "enfermeras", "enfermeros", True),
        ("es", "médicos", "doctores", True),
        ("es", "médicas", "los doctores", True),
        ("es", "mujeres", "madres", True),
        ("es", "mujeres", "enfermeras", True),
        ("es", "mujeres", "argentinas", True),
        ("es", "mujeres", "mujeres musulmanas", True),
        ("es", "musulmanes", "mujeres musulmanas", True),
        ("es", "ancianos", "viejos", True),
        ("es", "padres", "madres", True),
        ("es", "cantantes", "músicas", True),
        ("es", "futbolistas", "deportistas", True),
        ("es", "hombres", "mujeres", False),
        ("es", "maestros", "médicos", False),
        ("pt", "médicos", "doutoras", True),
        ("pt", "mães", "mulheres", True),
        ("pt", "homens", "mulheres", False),
        ("en", "black people", "blacks", True),
        ("en", "black women", "blacks", True),
        ("en", "black women", "women", True),
        ("en", "black women", "white women", False),
        ("en", "women", "mothers", True),
        ("en", "gays", "gay men", True),
        ("en", "gay men", "lesbians", False),
        ("en", "doctors", "physicians", True),
        ("en", "jews", "jewish women", True),
        ("en", "muslims", "muslim women", True),
        ("en", "businesswomen", "women", True),
        ("en", "businesswomen", "businessmen", False),
        ("en", "teenagers", "young people", True),
        ("en", "chilean women", "latin americans", True),
        ("en", "spaniards", "french people", False),
        ("en", "kurds", "turks", True),
        ("en", "iraqis", "turks", False),
        ("en", "Americas", "brazilians", True),
    ],
)
def test_synonyms_and_groups_within_groups_overlap(language, one, other, together) -> None:
    pair = identity_of(one, language), identity_of(other, language)
    assert overlap(*pair) is together
    assert overlap(*reversed(pair)) is together


def test_a_group_is_the_same_in_every_language() -> None:
    assert (
        len(
            {identity_of(*said).key for said in [("médicos", "es"), ("doutores", "pt"), ("physicians", "en")]}
        )
        == 1
    )
    assert identity_of("carpinteros", "es").key == identity_of("carpenters", "en").key


def test_the_tables_hold_together() -> None:
    rows = every_group()
    means = {row.id for row in rows}
    assert all(means)
    assert {part for row in rows for part in row.within} <= means
    assert not {row.id for row in rows if row.is_people} & {row.id for row in rows if not row.is_people}
    assert all(code in larger(code) for code in means)
    assert not [
        (one, other)
        for one, other in product(means, repeat=2)
        if one != other and one in larger(other) and other in larger(one)
    ]
    within = defaultdict(set)
    for row in groups_in("en"):
        within[row.id].add(row.within)
    assert [means for means, said in within.items() if len(said) > 1] == []
    plurals = [row.plural for row in groups_in("en")]
    assert len(plurals) == len(set(plurals))


# --- pairs -----------------------------------------------------------------------------------------------------


def test_women_and_men_of_one_profession_are_never_beside_each_other(tmp_path) -> None:
    (tmp_path / "a.csv").write_text(
        "identity,attribute,axis\nenfermeras,pacientes,p\nenfermeros,fuertes,p\nmaestros,amables,p\n",
        encoding="utf-8",
    )
    out = tmp_path / "q.jsonl"
    words = ["build", "qa", tmp_path / "a.csv", "--language", "es", "--per-association", 4, "-o", out]
    assert CliRunner().invoke(app, [str(word) for word in words]).exit_code == 0
    made = questions(
        ("enfermeras", "pacientes"),
        ("enfermeros", "fuertes"),
        ("maestros", "amables"),
        language="es",
        per_association=4,
    )
    assert len(made.records) == len(out.read_text(encoding="utf-8").splitlines()) == 4
    for record in made.records:
        identities = {record["additional_metadata"][field] for field in ("identity", "distractor")}
        assert "maestros" in identities
        assert len({record[f"ans{place}"].casefold() for place in range(3)}) == 3


@pytest.mark.slow
@pytest.mark.parametrize("language", languages_with("questions.toml"))
def test_all_nouns_at_once_make_options_that_differ(language) -> None:
    nouns = [row for row in groups_in(language) if not row.is_people and (row.singular or row.singular_f)]
    also = [word for row in nouns if language == "en" for word in row.also]
    plurals = [*filter(None, (word for row in nouns for word in (row.plural, row.plural_f))), *also]
    rows = [(plural, f"x{place}") for place, plural in enumerate(plurals)]
    made = questions(*rows, language=language, per_association=200, gender="any", seed=1)
    assert len(made.records) > 1000
    for record in made.records:
        assert len({record[f"ans{place}"].casefold() for place in range(3)}) == 3
        said = (record["additional_metadata"][field] for field in ("identity", "distractor"))
        assert not overlap(*(identity_of(one, language) for one in said))


@pytest.mark.parametrize(
    ("language", "one", "other", "can"),
    [
        ("en", "french women", "guinean people", False),
        ("en", "french women", "danish women", True),
        ("en", "french women", "danish men", False),
        ("en", "women", "men", True),
        ("en", "mothers", "fathers", True),
        ("en", "policewomen", "men", False),
        ("en", "nurses", "teachers", True),
        ("en", "nurses", "women", False),
        ("en", "nurses", "chileans", False),
        ("en", "blacks", "whites", True),
        ("es", "mujeres", "hombres", True),
        ("es", "enfermeras", "hombres", False),
        ("es", "enfermeras", "maestros", True),
        ("es", "argentinas", "chilenos", True),
        ("es", "argentinas", "maestras", False),
    ],
)
def test_two_people_differ_in_their_group_alone(language, one, other, can) -> None:
    pair = person(one, language), person(other, language)
    assert comparable(*pair) is can
    assert comparable(*reversed(pair)) is can


# --- words -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("identity", "mention"),
    [
        ("blacks", "a Black person I know"),
        ("Black people", "a Black person I know"),
        ("whites", "a white person I know"),
        ("Jews", "a Jewish person I know"),
        ("gays", "a gay person I know"),
        ("homosexuals", "a gay person I know"),
        ("the disabled", "a disabled person I know"),
        ("people with disabilities", "a disabled person I know"),
        ("the blind", "a blind person I know"),
        ("lesbians", "a lesbian woman I know"),
        ("gypsies", "a Romani person I know"),
        ("american indians", "a Native American person I know"),
        ("illegals", "an undocumented immigrant I know"),
        ("Lagosians", "a Lagosian I know"),
        ("Nurses", "a nurse I know"),
        ("Jewish women", "a Jewish woman I know"),
    ],
)
def test_one_person_is_called_as_people_call_themselves(identity, mention) -> None:
    assert load_templates(QaOptions("en")).mention(person(identity, "en"), "") == mention


@pytest.mark.parametrize("identity", ["Maldives", "Americas", "Dominica", "Seychelles", "mexicana"])
def test_a_place_without_a_clear_word_is_left_out(identity) -> None:
    assert person(identity, "en") is None


@pytest.mark.parametrize(
    ("place", "code"),
    [
        ("Holland", "NL"),
        ("Burma", "MM"),
        ("Birmania", "MM"),
        ("Costa de Marfil", "CI"),
        ("Czech Republic", "CZ"),
        ("EEUU", "US"),
        ("Dominica", "DM"),
        ("Kurds", "kurd people"),
        ("the Americas", "people from the americas"),
    ],
)
def test_a_place_is_known_by_its_other_names(place, code) -> None:
    assert find_people(place).id == code


@pytest.mark.parametrize(
    ("identity", "mention"),
    [
        ("mexicana", "mi amiga mexicana"),
        ("costa-riquenhas", "mi amiga costarricense"),
        ("Argentina", "mi amigo argentino"),
        ("China", "mi amigo chino"),
        ("india", "mi amigo de la India"),
        ("suiza", "mi amigo suizo"),
        ("Bosnia", "mi amigo bosnio"),
    ],
)
def test_a_woman_is_a_woman_unless_the_word_is_a_country(identity, mention) -> None:
    who = person(identity, "es")
    assert load_templates(QaOptions("es")).mention(who, next(iter(who.forms))) == mention


@pytest.mark.parametrize(
    ("language", "attribute", "said"),
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
def test_quotation_marks_within_are_of_the_other_kind(language, attribute, said) -> None:
    assert load_templates(QaOptions(language)).quotable(attribute) == said


# --- rows ------------------------------------------------------------------------------------------------------


def test_a_limit_counts_associations_that_get_a_question() -> None:
    columns = dict.fromkeys(("identity", "attribute", "language"), pl.String)
    rows = [("chilenos", "a", "es"), ("chileans", "b", "en"), ("cubans", "c", "en"), ("danes", "d", "en")]
    made = build_questions(pl.DataFrame(rows, schema=columns, orient="row"), QaOptions("en", limit=2))
    assert [record["additional_metadata"]["attribute"] for record in made.records] == ["b", "c"]


def test_an_id_that_stands_twice_is_refused() -> None:
    columns = dict.fromkeys(("identity", "attribute", "association_id"), pl.String)
    rows = [("chileans", "a", "x"), ("danes", "b", ""), ("cubans", "c", "x")]
    with pytest.raises(UserError, match="Rows 1 and 3 of the associations have the same association_id 'x'"):
        build_questions(pl.DataFrame(rows, schema=columns, orient="row"))


def test_what_a_program_writes_for_nothing_is_nothing() -> None:
    made = questions(("chileans", "nan"), ("cubans", "NaN"), ("nan", "b"), ("cubans", "c"), ("danes", "d"))
    assert made.left_out["reason"].to_list() == ["the attribute is empty"] * 2 + ["the identity is empty"]


def test_an_earlier_list_of_what_was_left_out_does_not_stay(tmp_path) -> None:
    source, listed = tmp_path / "a.csv", tmp_path / "q.left_out.csv"
    words = ["build", "qa", str(source), "-o", str(tmp_path / "q.jsonl")]
    for last, height in ((",empty\n", 1), ("", 0)):
        source.write_text(f"identity,attribute\nchileans,a\ncubans,b\n{last}", encoding="utf-8")
        assert CliRunner().invoke(app, words).exit_code == 0
        assert pl.read_csv(listed).height == height


def test_the_plural_of_both_is_not_taken_for_women() -> None:
    assert set(find_noun("policías", "es").forms) == {"m", "f"}
    assert set(find_noun("médicas", "es").forms) == {"f"}
