"""The tables of peoples and groups: every word of a row leads to its id, and no word to two."""

from __future__ import annotations

from collections import defaultdict

import pytest

from endoxa.curate.normalise import with_identities
from endoxa.curate.normalise.identity import foreign_identity, key_of, own_name
from endoxa.words.packs import languages_with
from endoxa.words.people import every_group, find, groups_in, is_country, plain, plural_of

ARTICLES = {"es": ("los ", "Las "), "fr": ("les ",), "pt": ("os ", "As "), "en": ("the ",)}


@pytest.mark.parametrize("language", languages_with("people.csv"))
def test_every_word_of_a_row_is_found_as_its_id_in_any_form(language):
    for group in groups_in(language):
        for word, _ in group.forms:
            written = [word, word.upper(), plain(word), word.capitalize()]
            written += [article + word for article in ARTICLES.get(language, ())]
            for text in () if is_country(word, language) else written:
                named = find(text, language)
                assert named is not None, text
                assert named.id == group.id, text


@pytest.mark.parametrize("language", ["", "en", "es"])
def test_a_code_of_a_country_is_no_word_for_its_people(language):
    for text in ("ga people", "Ga", "in people", "so people", "IT people", "us", "de", "people from ga"):
        assert find(text, language) is None, text
    codes = {text: getattr(find(text, language), "id", None) for text in ("GA", "US", "UK", "IT")}
    assert codes == {"GA": "GA", "US": "US", "UK": "GB", "IT": "IT"}  # a column of codes


@pytest.mark.parametrize("language", languages_with("people.csv"))
def test_no_word_of_a_language_names_two_groups(language):
    ids = defaultdict(set)
    for group in groups_in(language):
        for word, _ in group.forms:
            ids[plain(word)].add(group.id)
    assert {word: named for word, named in ids.items() if len(named) > 1} == {}


def test_rows_are_complete_and_larger_groups_are_rows():
    ids = {group.id for group in every_group()}
    for group in every_group():
        assert group.kind
        assert any(True for _ in group.forms), group
        assert set(group.within) <= ids


@pytest.mark.parametrize(
    ("text", "language", "key"),
    [
        ("mujeres", "es", "women"),
        ("musulman", "es", "muslims"),
        ("los habitantes de Ecuador", "es", "ecuadorians"),
        ("l'avocate", "fr", "lawyers"),
        ("أطباء", "ar", "doctors"),
        ("महिलाएं", "hi", "women"),
        ("wakikuyu", "sw", "kikuyu people"),
    ],
)
def test_a_group_in_any_form_has_one_name_in_all_languages(text, language, key):
    assert key_of(text, language) == key


@pytest.mark.parametrize(
    ("text", "language", "plural"),
    [
        ("Bolivia", "en", "Bolivians"),
        ("Ecuador", "es", "ecuatorianos"),
        ("siria", "es", "sirios"),
        ("Brasil", "sw", "Wabrazili"),
        ("Atlantis", "sw", ""),
    ],
)
def test_the_plural_of_a_place_or_one_person(text, language, plural):
    assert plural_of(text, language) == plural


def test_the_identities_of_a_survey_match_in_any_language_and_form(tmp_path):
    path = tmp_path / "names.toml"
    path.write_text('[x]\n"wanawake" = ["Mabibi"]\n"pastoralists" = ["Éleveurs"]\n', encoding="utf-8")
    names = with_identities(path)
    assert foreign_identity("mabibi", names, "sw") == "women"
    assert foreign_identity("eleveurs", names, "fr") == "pastoralists"
    assert own_name("Mujeres", "fr") == own_name("women", "fr") == "femmes"
