"""The profile: countries, languages, the campaign's own questions; all optional."""

from __future__ import annotations

import pytest
from django.utils.datastructures import MultiValueDict
from hypothesis import given
from hypothesis import strategies as st

from endoxa_collect import geography
from endoxa_collect.contributor.profile import NamesField, Picker
from endoxa_collect.geography import Names

SCHOOLING = {
    "name": "school",
    "label": {"en": "School", "es": "Escuela"},
    "purpose": {"en": "To see whether young people say other things."},
    "choices": {"now": {"en": "I go to school"}, "past": {"en": "I went to school"}},
}


@pytest.fixture
def newcomer(make_campaign, make_person, as_person):
    """A person without a profile, and their browser."""
    campaign = make_campaign(profile=[SCHOOLING])
    person = make_person(campaign, profile_done=False, origins=[], languages=[])
    return person, as_person(person)


def test_everything_may_be_left_out(newcomer):
    person, client = newcomer
    page = client.post("/profile/", {}).content.decode()
    assert "You named no country" in page
    assert client.post("/profile/", {"reminded": "1"}).url == "/card/"
    person.refresh_from_db()
    assert person.profile_done
    assert (person.origins, person.connections, person.languages, person.extras) == ([], [], [], {})


def test_ticked_and_typed_answers_are_stored(newcomer):
    person, client = newcomer
    sent = {
        "origins": ["AR"],
        "origins_typed": ["perú", "Deutschland, Kenia"],
        "connections": ["AR", "CL"],
        "languages": ["es"],
        "languages_typed": "quechua",
        "extra_school": "now",
    }
    assert client.post("/profile/", sent, headers={"accept-language": "es"}).status_code == 200
    sent["origins_typed"] = ["perú", "Kenya"]
    assert client.post("/profile/", sent).url == "/card/"
    person.refresh_from_db()
    assert person.origins == ["AR", "PE", "KE"]
    assert person.connections == ["CL"]
    assert person.languages == ["es", "qu"]
    assert person.extras == {"school": "now"}


def test_nobody_comes_from_everywhere(newcomer):
    person, client = newcomer
    codes = sorted(geography.codes())
    many = client.post("/profile/", {"origins": codes[:11]})
    assert "Please choose at most 10." in many.content.decode()
    assert client.post("/profile/", {"origins": codes[:10]}).status_code == 302
    person.refresh_from_db()
    assert len(person.origins) == 10


def test_a_typed_name_becomes_a_box_or_is_told_beside_its_field_and_nothing_is_lost(newcomer):
    person, client = newcomer
    page = client.post("/profile/", {"origins_typed": "Nepal", "add": "origins"}).content.decode()
    assert '<input type="checkbox" name="origins" value="NP" checked>' in page
    assert 'name="origins_typed" value=""' in page
    person.refresh_from_db()
    assert not person.profile_done
    page = client.post("/profile/", {"origins": "CL", "origins_typed": "Nepall"}).content.decode()
    assert "We do not know “Nepall”. Did you mean: Nepal?" in page
    assert 'value="Nepall"' in page
    assert 'name="origins" value="CL" checked' in page
    page = client.post("/profile/", {"languages_typed": "Qqqq"}).content.decode()
    assert "Please write it in another way" in page


def test_only_declared_choices_are_stored_and_preferring_not_to_say_wins(newcomer, make_pairs):
    person, client = newcomer
    make_pairs(person.campaign, ("AR", "drink mate", "en"), topic="food")
    assert "food" in client.get("/profile/").content.decode()
    sent = {
        "origins": ["AR", "ZZ", "<script>"],
        "languages": ["xx-yy"],
        "extra_age": "17",
        "topic_optouts": "food",
    }
    client.post("/profile/", sent)
    person.refresh_from_db()
    assert (person.origins, person.languages, person.extras, person.topic_optouts) == (
        ["AR"],
        [],
        {},
        ["food"],
    )
    assert "Please choose one" in client.post("/profile/", {"extra_school": "never"}).content.decode()
    client.post("/profile/", {"origins": ["AR"], "origins_typed": "Qqqq", "origins_withheld": "on"})
    person.refresh_from_db()
    assert person.profile_done
    assert person.origins == []


@pytest.mark.slow
@given(st.lists(st.text(max_size=300), max_size=5), st.lists(st.text(max_size=20), max_size=5))
def test_any_typing_is_taken_without_a_fault(typed, ticked):
    names = Names(
        {"es": "Spanish"}, geography.language_codes(), lambda text: geography.match_language(text, "en")
    )
    picker = Picker(names, ["es"], "list", "more")
    picked = picker.value_from_datadict(MultiValueDict({"it_typed": typed, "it": ticked}), None, "it")
    context = picker.get_context("it", picked, {"id": "id_it"})["widget"]
    assert {code for code, _name, checked in context["boxes"] if checked} == set(picked.codes)
    field = NamesField(names, picker, most=99, label="", help_text="")
    if not picked.unknown:
        assert set(field.clean(picked)) <= set(geography.language_codes())
