"""Which country somebody means, and which ones a card offers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endoxa.collect import geography
from endoxa.collect.campaign.settings import UI_LANGUAGES
from endoxa.collect.contributor.cards.countries import OFFERED, match, offered


@pytest.mark.parametrize(
    ("typed", "language", "code"),
    [
        ("Chile", "en", "CL"),
        ("  cHILE ", "en", "CL"),
        ("peru", "es", "PE"),
        ("Côte d'Ivoire", "fr", "CI"),
        ("cote d ivoire", "fr", "CI"),
        ("Allemagne", "en", "DE"),
        ("البرازيل", "en", "BR"),
        ("भारत", "sw", "IN"),
        ("USA", "en", "US"),
        ("NG", "pt", "NG"),
        ("Congo", "es", "CG"),
    ],
)
def test_countries_are_known_in_any_language_of_the_pages(typed, language, code):
    assert match(typed, language).code == code


@pytest.mark.parametrize(
    ("typed", "perhaps"),
    [("nige", {"NE", "NG"}), ("congo", {"CG", "CD"}), ("Urugauy", {"UY"}), ("UK", {"GB"})],
)
def test_where_several_are_possible_people_are_asked(typed, perhaps):
    found = match(typed, "en")
    assert found.code == ""
    assert perhaps <= set(found.perhaps)


@pytest.mark.parametrize("language", UI_LANGUAGES)
def test_every_country_is_found_by_its_own_name(language):
    names = geography.names(language)
    wrong = {name for code, name in names.items() if match(name, language).code != code}
    assert wrong == set()


@given(st.text(max_size=40), st.sampled_from(UI_LANGUAGES))
def test_whatever_is_typed_gives_countries_or_nothing(typed, language):
    found = match(typed, language)
    assert {found.code, *found.perhaps} <= {"", *geography.codes()}
    assert not (found.code and found.perhaps)


def test_neighbours_in_the_campaign_come_first():
    found = offered("AR", own=("PE",), campaign=("ES", "CL", "UY", "AR"), without={"UY"})
    assert found == ("CL", "PE", "BO", "BR", "PY", "ES")


@given(
    st.sampled_from(geography.codes()),
    st.lists(st.sampled_from(geography.codes()), max_size=8),
    st.lists(st.sampled_from(geography.codes()), max_size=8),
    st.sets(st.sampled_from(geography.codes()), max_size=8),
)
def test_offers_are_few_different_and_new(about, own, campaign, without):
    found = offered(about, own, campaign, without)
    assert len(found) == len(set(found)) <= OFFERED
    assert not set(found) & {about, *without}
