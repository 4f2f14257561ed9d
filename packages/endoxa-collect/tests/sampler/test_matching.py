"""Pairs pick their raters: who, with which stated probability, and who stands in."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endoxa_collect.sampler.matching import Moment, Rater, Waiting, match, price
from endoxa_collect.sampler.slots import SamplerSettings, Slot, place

OWN, NEAR, ANYONE = Slot
NEIGHBOURS = {"AR": {"CL", "UY"}, "CL": {"AR", "PE"}, "PE": {"CL"}, "JP": set()}
MOMENT = Moment(SamplerSettings())


def people(*countries, cards=10, **facts):
    return [
        Rater(
            person=number,
            origins=frozenset({country}),
            near=frozenset(NEIGHBOURS[country]),
            languages=frozenset({"es"}),
            cards=cards,
            **facts,
        )
        for number, country in enumerate(countries)
    ]


def pair(number=1, country="AR", slots=(OWN, NEAR, ANYONE), **facts):
    return Waiting(number, country, "es", "", negative=False, slots=slots, **facts)


def once(waiting, raters, moment=MOMENT, seed=1):
    return match(waiting, raters, moment, np.random.default_rng(seed))


def by(chosen, raters):
    """How near who was chosen is to the country of the pair."""
    (rater,) = [each for each in raters if each.person == chosen.person]
    return place("AR", rater.origins, rater.near)


def test_each_slot_goes_to_whom_it_is_for():
    raters = people("AR", "AR", "CL", "JP", "JP", "JP")
    for seed in range(20):
        found = {one.slot: one for one in once([pair()], raters, seed=seed)}
        assert (by(found[OWN], raters), by(found[NEAR], raters)) == (OWN, NEAR)
        assert len({one.person for one in found.values()}) == 3
        assert [found[slot].pool for slot in Slot] == [2, 1, 4]


@pytest.mark.slow
def test_stated_propensities_are_how_often_each_person_gets_one_of_the_slots():
    """3 from the country, 5 near it at two prices, 12 far away; and the chances of all add up to k."""
    raters = people(*["AR"] * 3, *["CL"] * 5, *["JP"] * 12)
    raters[7] = replace(raters[7], origins=frozenset({"UY"}))
    moment = replace(MOMENT, prices={"CL": 0.9})
    times, rng = 4_000, np.random.default_rng(3)
    counted, stated = Counter(), {}
    for _ in range(times):
        for one in match([pair()], raters, moment, rng):
            counted[one.person] += 1
            stated[one.person] = one.propensity
    assert len(stated) == 20
    assert sum(stated.values()) == pytest.approx(3.0)
    for person, chance in stated.items():
        error = math.sqrt(chance * (1 - chance) / times)
        assert counted[person] / times == pytest.approx(chance, abs=4.5 * error)
    # By hand: one of three, else one of the eighteen whom the other slots left.
    assert stated[0] == pytest.approx(1 - (1 - 1 / 3) * (1 - 1 / 18))
    assert stated[8] == pytest.approx(1 / 18)
    # Mehta et al.: near people, whose own country may need them, have weights 1 - exp(price - 1).
    dear, cheap = 1 - math.exp(-0.1), 1 - math.exp(-1)
    for person, weight in ((3, dear), (7, cheap)):
        chance = weight / (4 * dear + cheap)
        assert stated[person] == pytest.approx(1 - (1 - chance) * (1 - 1 / 18))


def test_near_people_are_drawn_also_at_a_price_of_1():
    never = replace(MOMENT, prices={"CL": 1.0})
    assert once([pair(slots=(NEAR,))], people("CL", "CL"), never)


def test_prices_worked_by_hand():
    # 30 open slots; 4 people give 10 ratings each.
    assert price(30, 4, 10.0) == pytest.approx(0.75)
    assert price(90, 4, 10.0) == 1.0
    assert price(0, 4, 0.0) == 0.0
    assert price(3, 4, 0.0) == 1.0
    assert price(3, 0, 10.0) == 0.0


@pytest.mark.parametrize(
    ("slot", "there", "nearness"),
    [
        (OWN, ["CL", "JP"], NEAR),
        (OWN, ["JP"], ANYONE),
        (NEAR, ["AR", "JP"], OWN),
        (NEAR, ["JP"], ANYONE),
        (ANYONE, ["AR"], OWN),
    ],
)
def test_the_next_kind_of_people_stands_in_where_nobody_could_fill_a_slot(slot, there, nearness):
    (found,) = once([pair(slots=(slot,))], raters := people(*there))
    assert (found.slot, by(found, raters)) == (slot, nearness)


def test_who_is_busy_is_waited_for_until_time_is_short():
    raters = [*people("AR", free=False), *(replace(one, person=9) for one in people("JP"))]
    assert [one.slot for one in once([pair(slots=(OWN,))], raters)] == []
    (found,) = once([pair(slots=(OWN,))], raters, replace(MOMENT, hurried=True))
    assert (found.person, found.slot, by(found, raters)) == (9, OWN, ANYONE)


def test_who_cannot_have_a_pair_does_not_get_it_and_is_not_waited_for():
    far = people("JP")[0]
    cannot = [
        replace(people("AR")[0], person=1),
        replace(people("AR")[0], person=2, languages=frozenset({"en"})),
        replace(people("AR")[0], person=3, no_topics=frozenset({"food"})),
    ]
    meal = replace(pair(slots=(OWN,), barred=frozenset({1})), topic="food")
    (found,) = once([meal], [*cannot, replace(far, person=4)])
    assert found.person == 4


def test_everybody_has_one_pair_at_most_and_those_that_miss_least_come_first():
    raters = people("AR", "AR", "CL")
    found = once([pair(1, slots=(OWN,)), pair(2), pair(3)], raters)
    assert [(one.pair, one.slot) for one in found] == [(1, OWN), (2, OWN), (2, NEAR)]


def test_the_first_cards_are_about_countries_that_people_know():
    """A newcomer is not drawn for any country while others can be; who asks first gets one of their own country."""
    raters = [*people("AR", cards=0), *(replace(one, person=1) for one in people("JP", cards=8))]
    japan = pair(1, country="JP", slots=(ANYONE,))
    assert {one.person for seed in range(20) for one in once([japan], raters, seed=seed)} == {1}
    found = once(
        [japan, pair(2, "CL", slots=(NEAR,)), pair(3, slots=(OWN,))], raters, replace(MOMENT, asking=0)
    )
    assert {one.pair for one in found if one.person == 0} == {3}
    # All are new: somebody has to begin.
    assert once([japan], people("AR", cards=0))


def test_guards_hold_unless_nothing_else_is_left_for_the_one_who_asks():
    tired = people("AR", last=(("AR", False),) * 3)
    assert once([pair(slots=(OWN,))], tired) == []
    found = once([pair(1, slots=(OWN,)), pair(2, "CL", slots=(NEAR,))], tired, replace(MOMENT, asking=0))
    assert [one.pair for one in found] == [2]
    assert [one.pair for one in once([pair(slots=(OWN,))], tired, replace(MOMENT, asking=0))] == [1]
    hurt = people("AR", last=(("AR", True),) * 2)
    unkind = replace(pair(slots=(OWN,)), negative=True)
    assert once([unkind], hurt) == []
    assert once([replace(unkind, country="CL", slots=(NEAR,))], hurt)
    assert once([replace(unkind, negative=False)], hurt)


PLACES = st.sampled_from(sorted(NEIGHBOURS))


@pytest.mark.slow
@given(
    st.lists(st.tuples(PLACES, st.booleans(), st.integers(0, 6)), max_size=12),
    st.lists(
        st.tuples(PLACES, st.sets(st.sampled_from(list(Slot))), st.sets(st.integers(0, 11))), max_size=8
    ),
    st.none() | st.integers(0, 11),
    st.booleans(),
)
def test_whatever_there_is_nobody_gets_two_pairs_or_one_they_cannot_have(there, waiting, asking, hurried):
    raters = [
        replace(people(country, cards=cards)[0], person=number, free=free or number == asking)
        for number, (country, free, cards) in enumerate(there)
    ]
    pairs = [
        pair(number, country, tuple(sorted(slots, key=list(Slot).index)), barred=frozenset(barred))
        for number, (country, slots, barred) in enumerate(waiting)
    ]
    found = once(pairs, raters, replace(MOMENT, hurried=hurried, asking=asking))
    assert len({one.person for one in found}) == len(found)
    for one in found:
        assert one.slot in pairs[one.pair].slots
        assert one.person not in pairs[one.pair].barred
        assert raters[one.person].free
        assert 0 < one.propensity <= 1
        assert one.pool >= 1
    assert max(Counter((one.pair, one.slot) for one in found).values(), default=0) <= 1
    could = [one for one in pairs if one.slots and asking not in one.barred]
    if hurried and asking is not None and asking < len(raters) and could and len(raters) == 1:
        assert found
