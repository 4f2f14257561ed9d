"""Which country somebody means, and which ones a card offers."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from endoxa_collect import geography
from endoxa_collect.campaign import UI_LANGUAGES
from endoxa_collect.contributor.card_forms import OFFERED, offered_countries
from endoxa_collect.geography import match_country
from endoxa_collect.presets import load_preset


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
    assert match_country(typed, language).code == code


@pytest.mark.parametrize(
    ("typed", "perhaps"),
    [("nige", {"NE", "NG"}), ("congo", {"CG", "CD"}), ("Urugauy", {"UY"}), ("UK", {"GB"})],
)
def test_where_several_are_possible_people_are_asked(typed, perhaps):
    found = match_country(typed, "en")
    assert found.code == ""
    assert perhaps <= set(found.perhaps)


@pytest.mark.slow
@pytest.mark.parametrize("language", UI_LANGUAGES)
def test_every_country_is_found_by_its_own_name(language):
    names = geography.names(language)
    wrong = {name for code, name in names.items() if match_country(name, language).code != code}
    assert wrong == set()


@given(st.text(max_size=40), st.sampled_from(UI_LANGUAGES))
def test_whatever_is_typed_gives_countries_or_nothing(typed, language):
    found = match_country(typed, language)
    assert {found.code, *found.perhaps} <= {"", *geography.codes()}
    assert not (found.code and found.perhaps)


def test_neighbours_in_the_campaign_come_first():
    found = offered_countries("AR", ("JP",), ("ES", "CL", "UY", "AR", "CO"), card="one", without={"UY"})
    assert found[:3] == ("CL", "JP", "CO")  # Colombia is a neighbour of Brazil
    assert set(found[3:]) == {"BO", "BR", "PY"}


def test_no_country_is_offered_for_its_name():
    """Peru has five neighbours in the campaign, so one place is left, for the five that stand two borders away."""
    campaign = tuple(load_preset("laces").settings.countries)
    cards = [str(number) for number in range(600)]
    sixth = Counter(offered_countries("PE", (), campaign, card=card)[5] for card in cards)
    assert set(sixth) == {"AR", "PA", "PY", "UY", "VE"}
    assert chisquare(list(sixth.values())).pvalue > 1e-4
    first = Counter(offered_countries("PE", (), campaign, card=card)[0] for card in cards)
    assert set(first) == {"BO", "BR", "CL", "CO", "EC"}
    assert chisquare(list(first.values())).pvalue > 1e-4


def test_a_card_offers_the_same_however_often_it_is_shown():
    campaign = tuple(load_preset("laces").settings.countries)
    whole = offered_countries("PE", ("JP",), campaign, card="one")
    assert offered_countries("PE", ("JP",), tuple(reversed(campaign)), card="one") == whole
    later = offered_countries("PE", ("JP",), campaign, card="one", without={whole[1]})
    assert later[:5] == (whole[0], *whole[2:])


@given(
    st.sampled_from(geography.codes()),
    st.lists(st.sampled_from(geography.codes()), max_size=8),
    st.lists(st.sampled_from(geography.codes()), max_size=8),
    st.sets(st.sampled_from(geography.codes()), max_size=8),
)
def test_offers_are_few_different_and_new(about, own, campaign, without):
    found = offered_countries(about, own, campaign, card="one", without=without)
    assert len(found) == len(set(found)) <= OFFERED
    assert not set(found) & {about, *without}
