"""Names of groups and attributes in one form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endoxa.curate.normalise.attribute import normal_attribute
from endoxa.curate.normalise.identity import normal_identity
from endoxa.curate.normalise.names import is_group, is_people, tables, with_identities
from endoxa.errors import UserError


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Igbos", "igbo people"),
        ("Igbo", "igbo people"),
        ("Ibo people", "igbo people"),
        ("people from the Igbo ethnic group", "igbo people"),
        ("the Quechua", "quechua people"),
        ("Zulu's", "zulu people"),
        ("The elderly", "old people"),
        ("A woman", "women"),
        ("most of the men", "men"),
        ("a fisherman", "fishermen"),
        ("thief", "thieves"),
        ("[Female] drivers", "female drivers"),
        ("Basque people (women)", "basque women"),
        ("people from Nigeria", "nigerians"),
        ("people from the USA", "americans"),
        ("people from Lagos", "people from lagos"),
        ("Lebanese", "lebanese people"),
        ("Agnostique", "agnostics"),
        ("Christains", "christians"),
        ("members of the Maya community", "maya people"),
        ("", ""),
    ],
)
def test_identity(written, name):
    assert normal_identity(written) == name


@pytest.mark.parametrize(
    ("written", "form"),
    [
        ("are more caring", "caring"),
        ("wiser", "wise"),
        ("better at sums", "better at sums"),
        ("are not as patient", "not as patient"),
        ("are not that patient", "not patient"),
        ("are not just patient", "not just patient"),
        ("less patient", "less patient"),
        ("are less patient than us", "less patient than us"),
        ("the least patient", "the least patient"),
        ("are not less patient", "not less patient"),
        ("aren't better", "aren't better"),
        ('the "real" bosses', "the real bosses"),
        ("the 'real' bosses' wives", "the real bosses' wives"),
        ("calm, etc.", "calm"),
        ("calm and so on", "calm"),
        ("ain’t lazy", "aren't lazy"),
        ("tend to be calm.", "calm"),
        ("very calm", "very calm"),
        ("too proud 🙄", "too proud"),
        ("calm (especially at night)", "calm"),
        ("helpers - they carry everything", "helpers"),
        ("“soft”", "soft"),
        ("", ""),
    ],
)
def test_attribute(written, form):
    assert normal_attribute(written) == form


def test_a_singular_subject_gives_a_plural_verb():
    assert normal_attribute("loves music", singular=True) == "love music"
    assert normal_attribute("has a plan", singular=True) == "have a plan"
    assert normal_attribute("is a singer", singular=True) == "singer"


@given(st.text(max_size=60))
def test_normal_forms_stay_as_they_are(text):
    """Attributes are idempotent on words; whatever is typed, nothing raises."""
    normal_attribute(text)
    normal_identity(text, "Kenya")


@pytest.mark.parametrize("name", sorted(set(tables().synonyms.values())))
def test_canonical_names_are_their_own_names(name):
    assert normal_identity(name) == name
    assert is_group(name)


def test_tables_do_not_contradict_each_other():
    known = tables()
    assert not {name for name in known.spellings.values() if name not in known.peoples}
    assert all(name == name.lower() for name in (*known.peoples, *known.synonyms, *known.demonyms))
    assert is_people("Igbos")
    assert not is_people("bakers")


def test_a_survey_brings_its_own_names(tmp_path):
    path = tmp_path / "names.toml"
    path.write_text('[region]\n"coast people" = ["coasties", "people of the coast"]\n', encoding="utf-8")
    known = with_identities(path)
    assert normal_identity("Coasties", names=known) == "coast people"
    assert normal_identity("the elderly", names=known) == "old people"


@pytest.mark.parametrize(
    ("content", "said"),
    [("[region\n", "TOML"), ('coast = "x"\n', "Expected lines"), ("[a]\nb = 1\n", "Expected lines")],
)
def test_a_table_that_cannot_be_read_is_named(tmp_path, content, said):
    path = tmp_path / "names.toml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match=said):
        with_identities(path)
