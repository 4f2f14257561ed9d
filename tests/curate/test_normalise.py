"""Names of groups and attributes in one form."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from endoxa.curate.normalise import is_group, is_people, tables, with_identities
from endoxa.curate.normalise.attribute import normal_attribute
from endoxa.curate.normalise.identity import normal_identity


def test_a_singular_subject_gives_a_plural_verb():
    assert normal_attribute("loves music", singular=True) == "love music"
    assert normal_attribute("has a plan", singular=True) == "have a plan"
    assert normal_attribute("is a singer", singular=True) == "singer"


@settings(max_examples=50)
@given(st.text(max_size=60))
def test_normal_forms_stay_as_they_are(text):
    """Attributes are idempotent on words; whatever is typed, nothing raises."""
    normal_attribute(text)
    normal_identity(text, "Kenya")


def test_canonical_names_are_their_own_names():
    for name in set(tables().synonyms.values()):
        assert normal_identity(name) == name
        assert is_group(name), name


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
