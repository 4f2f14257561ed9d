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

pytestmark = pytest.mark.slow

NAMES = """Chile en CL,  cHILE  en CL, peru es PE, Côte d'Ivoire fr CI, cote d ivoire fr CI, Allemagne fr DE,
    البرازيل en BR, भारत sw IN, USA en US, NG pt NG, Congo es CG"""


def test_countries_are_known_in_any_language_of_the_pages():
    for typed, language, code in (each.rsplit(" ", 2) for each in NAMES.split(",")):
        assert match_country(typed, language).code == code
    # Where several are possible people are asked.
    for typed, perhaps in {
        "nige": {"NE", "NG"},
        "congo": {"CG", "CD"},
        "Urugauy": {"UY"},
        "UK": {"GB"},
    }.items():
        found = match_country(typed, "en")
        assert found.code == ""
        assert perhaps <= set(found.perhaps)


@given(st.text(max_size=40), st.sampled_from(UI_LANGUAGES))
def test_whatever_is_typed_gives_countries_or_nothing(typed, language):
    found = match_country(typed, language)
    assert {found.code, *found.perhaps} <= {"", *geography.codes()}
    assert not (found.code and found.perhaps)


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


CODES = st.sampled_from(geography.codes())
LISTS = st.lists(CODES, max_size=8)


@given(CODES, LISTS, LISTS, st.sets(CODES, max_size=8))
def test_offers_are_few_different_new_and_the_same_each_time(about, own, campaign, without):
    found = offered_countries(about, own, campaign, card="one", without=without)
    assert len(found) == len(set(found)) <= OFFERED
    assert not set(found) & {about, *without}
    assert offered_countries(about, own, campaign[::-1], card="one", without=without) == found
    if found:
        later = offered_countries(about, own, campaign, card="one", without={*without, found[0]})
        assert later[: len(found) - 1] == found[1:]
