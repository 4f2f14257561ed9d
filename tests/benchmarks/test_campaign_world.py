"""Simulated worlds and the pool in memory."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign_simulation.campaign import MemoryPool, NewPair
from campaign_simulation.world import JUNK, NEAR, OWN, World, WorldSettings, load_world
from endoxa.errors import UserError
from endoxa_collect.sampler.slots import CANDIDATE, FULL, NEEDS, OPEN, TOPUP, SamplerSettings, Slot

SMALL = WorldSettings(people=12, countries=("AR", "CL", "UY"), pairs=60, attributes=120, minutes=12, seeds=6)


def test_a_seed_makes_one_world():
    one, two, other = World(SMALL, 4), World(SMALL, 4), World(SMALL, 5)
    assert (one.knows == two.knows).all()
    assert (one.arrivals == two.arrivals).all()
    assert one.recall(3, 1) == two.recall(3, 1)
    assert (one.knows != other.knows).any()


def test_people_know_what_the_settings_say():
    settings = SMALL.model_copy(update={"people": 2_000, "own": 4.0, "near": 2.0, "far": 1.0, "decay": 0.5})
    world = World(settings, 1)
    for kind, reach in ((OWN, 4.0), (NEAR, 2.0)):
        known = world.knows[world.proximity == kind]
        expected = np.minimum(1, reach * np.arange(1, 61) ** -0.5)
        assert known.mean(axis=0) == pytest.approx(expected, abs=0.06)


def test_salient_pairs_come_to_mind_first_by_zipf():
    # With everything known, the first recall of many people is a draw with weights 1 / rank.
    settings = SMALL.model_copy(update={"people": 4_000, "own": 1e6, "near": 1e6, "far": 1e6, "pairs": 10})
    world = World(settings, 1)
    first = np.bincount([world.recall(person, 0)[0] for person in range(4_000)], minlength=10)
    weights = 1 / np.arange(1, 11)
    assert first / 4_000 == pytest.approx(weights / weights.sum(), abs=0.03)
    assert sorted(world.recall(0, 0)) == list(range(10))


def test_a_person_rates_a_pair_the_same_whenever_asked():
    world = World(SMALL, 2)
    countries, ranks = np.array([0, 1, 2, 0]), np.array([3, 5, 7, JUNK])
    everybody = world.ratings(countries, ranks)
    for person, place in itertools.product(range(12), range(4)):
        assert world.rating(person, countries[place], ranks[place]) == everybody[person, place]
    assert everybody.min() >= 1
    assert everybody.max() <= 5


def test_worlds_that_come_along():
    assert load_world("laces").people > 0
    with pytest.raises(UserError, match="Unknown world 'lace'"):
        load_world("lace")


ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(0, 2), st.booleans()),
        st.tuples(st.just("promote"), st.integers(0, 30)),
        st.tuples(st.just("rate"), st.integers(0, 30), st.integers(1, 5), st.sampled_from(list(Slot))),
    ),
    max_size=60,
)


def needs(values, settings):
    if len(values) < settings.k:
        return NEEDS
    if len(values) >= settings.k_max:
        return FULL
    return TOPUP if len(values) > 1 and np.var(values) >= settings.disagreement - 1e-9 else OPEN


@given(ACTIONS)
def test_the_pool_in_memory_counts_as_a_plain_list_does(actions):
    settings = SamplerSettings(k=2, k_max=4)
    pool, given_values, waits = MemoryPool(settings), [], []
    for kind, *facts in actions:
        if kind == "add":
            country, candidate = facts
            number = pool.add(NewPair(country, len(waits), 0, negative=False, topic=0, candidate=candidate))
            assert number == len(waits)
            waits.append(candidate)
            given_values.append([])
        elif waits and kind == "promote" and waits[number := facts[0] % len(waits)]:
            pool.promote(number)
            waits[number] = False
        elif waits and kind == "rate" and not waits[number := facts[0] % len(waits)]:
            pool.rate(number, *facts[1:])
            given_values[number].append(facts[1:])
    expected = [
        CANDIDATE if waiting else needs([value for value, _ in values], settings)
        for waiting, values in zip(waits, given_values, strict=True)
    ]
    assert pool["need"].tolist() == expected
    assert pool.candidates == sum(waits)
    missing = [max(0, settings.k - len(values)) for values in given_values]
    assert pool.missing == sum(n for n, waiting in zip(missing, waits, strict=True) if not waiting)
    for number, values in enumerate(given_values):
        slots = [slot for _, slot in values]
        assert pool.filled(number) == Counter(slots)
