"""Who can stand beside whom in a question: synonyms, groups within groups, gender, and how one person is called."""

from __future__ import annotations

from collections import defaultdict
from itertools import product

import polars as pl
import pytest

from endoxa.curate.persons import comparable, find_noun, identity_of, overlap, person
from endoxa.instruments.questions.items.build import Distractors, Observed
from endoxa.instruments.questions.items.templates import load_templates
from endoxa.instruments.questions.options import QaOptions
from endoxa.words.people import Group, every_group, find_people, groups_in, larger, members

# ------------------------------------------------------------------- groups

TOGETHER = {
    "es": {
        "enfermeras": ["enfermeros"],
        "doctores": ["médicos", "médicas"],
        "mujeres": ["madres", "enfermeras", "argentinas", "mujeres musulmanas"],
        "mujeres musulmanas": ["musulmanes"],
        "ancianos": ["viejos"],
        "padres": ["madres"],
        "cantantes": ["músicas"],
        "futbolistas": ["deportistas"],
    },
    "pt": {"médicos": ["doutoras"], "mães": ["mulheres"]},
    "en": {
        "blacks": ["black people", "black women"],
        "women": ["black women", "mothers", "businesswomen", "muslim women"],
        "gays": ["gay men"],
        "doctors": ["physicians"],
        "jews": ["jewish women"],
        "muslims": ["muslim women"],
        "young people": ["teenagers"],
        "the elderly": ["old people"],
        "latin americans": ["chilean women", "mexicans", "hispanics", "south americans"],
        "chilean women": ["chileans"],
        "turks": ["kurds"],
        "Americas": ["brazilians"],
        "catalans": ["spaniards"],
        "argentinians": ["Argentina", "argentinos", "ARG", "argentinas"],
    },
}
APART = {
    "es": {"hombres": ["mujeres"], "maestros": ["médicos"]},
    "pt": {"homens": ["mulheres"]},
    "en": {
        "black women": ["white women"],
        "lesbians": ["gay men"],
        "businesswomen": ["businessmen"],
        "french people": ["spaniards"],
        "turks": ["iraqis"],
        "basques": ["catalans"],
        "chileans": ["mexicans", "europeans", "nurses"],
        "women": ["men"],
        "chilean women": ["chilean men"],
    },
}


@pytest.mark.parametrize(("table", "expected"), [(TOGETHER, True), (APART, False)])
def test_synonyms_and_groups_within_groups_overlap(table, expected) -> None:
    for language, rows in table.items():
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


def test_a_group_is_the_same_in_every_language() -> None:
    doctors = [("médicos", "es"), ("doutores", "pt"), ("physicians", "en")]
    assert len({identity_of(*name).key for name in doctors}) == 1
    assert identity_of("carpinteros", "es").key == identity_of("carpenters", "en").key


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


COMPARABLE = {
    "en": [
        *(("french women", "danish women"), ("women", "men"), ("mothers", "fathers"), ("nurses", "teachers")),
        ("blacks", "whites"),
    ],
    "es": [("mujeres", "hombres"), ("enfermeras", "maestros"), ("argentinas", "chilenos")],
}
NOT_COMPARABLE = {
    "en": [
        *(("french women", "guinean people"), ("french women", "danish men"), ("policewomen", "men")),
        *(("nurses", "women"), ("nurses", "chileans")),
    ],
    "es": [("enfermeras", "hombres"), ("argentinas", "maestras")],
}


@pytest.mark.parametrize(("table", "expected"), [(COMPARABLE, True), (NOT_COMPARABLE, False)])
def test_two_people_differ_in_their_group_alone(table, expected) -> None:
    for language, pairs in table.items():
        for one, other in pairs:
            pair = person(one, language), person(other, language)
            assert comparable(*pair) is comparable(*reversed(pair)) is expected, (one, other)


# ------------------------------------------------------------------- words


def peoples(language: str) -> dict[str, Group]:
    """By id, with the first of several names."""
    return {row.id: row for row in reversed(groups_in(language)) if row.is_people}


IRREGULAR = {
    "es": ["alemana", "letona", "mongola", "española", "catalana", "andaluza"],
    "pt": [
        "alemã",
        "afegã",
        "letã",
        "mongol",
        "espanhola",
        "catalã",
        "andaluza",
        "europeia",
        "eritreia",
        "somali",
    ],
}


@pytest.mark.parametrize("language", ["es", "pt"])
def test_forms_of_spanish_and_portuguese_agree(language) -> None:
    for code, one in peoples(language).items():
        masculine, feminine, plural = one.singular, one.singular_f, one.plural
        if masculine.startswith("de "):  # "de la India": "indio" is somebody else in America
            assert (feminine, code) == (masculine, "IN")
            continue
        if not masculine:
            assert code in ("people from the americas", "PG")
            continue
        if masculine.endswith("o") and not masculine.endswith("ão"):
            assert (feminine, plural) == (masculine[:-1] + "a", masculine + "s")
        elif masculine.endswith(("és", "ês")):
            assert (feminine, plural) == (masculine[:-2] + "esa", masculine[:-2] + "eses")
        elif masculine.endswith(("a", "e", "í")):
            assert (feminine, plural) == (masculine, masculine + ("es" if masculine.endswith("í") else "s"))
        else:
            assert feminine in IRREGULAR[language], one
        assert (masculine + feminine).islower()
        assert plural.endswith("s")


def test_forms_of_french_agree_and_english_ones_are_names() -> None:
    irregular = ("grecque", "turque", "ouzbèke", "andalouse", "burkinabè")
    for one in peoples("fr").values():
        masculine, feminine = one.singular, one.singular_f
        assert one.plural.lower() == masculine + ("" if masculine.endswith("s") or not masculine else "s")
        assert feminine in irregular or feminine.removeprefix(masculine) in ("", "e", "ne")
    for code, one in peoples("en").items():
        assert one.singular[:1].isupper() or code in ("DM", "people from the americas")
        assert set(one.within) <= peoples("en").keys()


@pytest.mark.parametrize(("language", "article"), [("en", "the"), ("es", "los"), ("fr", "les"), ("pt", "os")])
def test_every_people_is_found_by_its_names(language, article) -> None:
    for code, one in peoples(language).items():
        for name in filter(None, (one.singular, one.plural, *one.also)):
            assert identity_of(name.lower(), "en").key == code, name
            assert identity_of(f"{article} {name.lower()}", "en").key == code, name


def test_every_nationality_of_bbq_is_in_the_table(shared) -> None:
    nationalities = pl.read_csv(shared / "data/bbq/nationality_terms.csv")["nationality"].to_list()
    assert [name for name in nationalities if person(name, "es") is None or person(name, "pt") is None] == []


MENTIONS = {
    ("en", ""): {
        "nurses": "a nurse I know",
        "engineers": "an engineer I know",
        "university students": "a university student I know",
        "the elderly": "an old person I know",
        "muslims": "a Muslim I know",
        "chilean women": "a Chilean woman I know",
        "igbo people": "my Igbo friend",
        "blacks": "a Black person I know",
        "whites": "a white person I know",
        "Jews": "a Jewish person I know",
        "homosexuals": "a gay person I know",
        "people with disabilities": "a disabled person I know",
        "the blind": "a blind person I know",
        "lesbians": "a lesbian woman I know",
        "gypsies": "a Romani person I know",
        "american indians": "a Native American person I know",
        "illegals": "an undocumented immigrant I know",
        "Lagosians": "a Lagosian I know",
    },
    ("es", "f"): {
        "enfermeras": "una enfermera que conozco",
        "mexicana": "mi amiga mexicana",
        "costa-riquenhas": "mi amiga costarricense",
    },
    ("es", "m"): {
        "los médicos": "un médico que conozco",
        "Argentina": "mi amigo argentino",
        "China": "mi amigo chino",
        "india": "mi amigo de la India",
        "suiza": "mi amigo suizo",
    },
    ("pt", "f"): {"mulheres": "uma mulher que conheço"},
}
"""As people call themselves, with the article of the language; a woman is a woman unless the word is a country."""


@pytest.mark.parametrize(("language", "gender"), MENTIONS)
def test_one_person_is_called_as_people_call_themselves(language, gender) -> None:
    templates = load_templates(QaOptions(language))
    for identity, mention in MENTIONS[language, gender].items():
        who = person(identity, language)
        assert gender in who.forms or not gender
        assert templates.mention(who, gender) == mention
    options = {
        ("en", ""): "The nurse",
        ("es", "f"): "La enfermera",
        ("es", "m"): "El médico",
        ("pt", "f"): "A mulher",
    }
    who = person(next(iter(MENTIONS[language, gender])), language)
    assert templates.option(who, gender) == options[language, gender]


UNNAMED = {
    "en": "people from lagos/people/argentinas/Maldives/Americas/Dominica/Seychelles/mexicana",
    "es": "nurses/gente joven",
}


@pytest.mark.parametrize("language", UNNAMED)
def test_no_form_is_better_than_a_wrong_one(language) -> None:
    assert [name for name in UNNAMED[language].split("/") if person(name, language) is not None] == []


PLACES = {
    "NL": "Holland/los habitantes de los Países Bajos/people from the Netherlands",
    "MM": "Burma/Birmania",
    "CI": "Costa de Marfil",
    "CZ": "Czech Republic",
    "US": "EEUU",
    "DM": "Dominica",
    "kurd people": "Kurds",
    "people from the americas": "the Americas",
    "EG": "les gens d’Égypte/المصريات/أهالي مصر",
    "BR": "os habitantes do Brasil",
    "KE": "केन्या के लोग/watu wa Kenya",
    "MA": "سكان المغرب",
    "KR": "الكوريين الجنوبيين",
    "NP": "नेपाल के निवासी",
    "CN": "चीनी लोग",
    "UG": "raia wa Uganda",
    "AR": "la gente de la Argentina",
    "SV": "El Salvador",
}


@pytest.mark.parametrize("code", PLACES)
def test_a_people_is_known_however_a_language_names_it(code) -> None:
    assert {find_people(name).id for name in PLACES[code].split("/")} == {code}


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


def test_the_plural_of_both_is_not_taken_for_women() -> None:
    assert set(find_noun("policías", "es").forms) == {"m", "f"}
    assert set(find_noun("médicas", "es").forms) == {"f"}
