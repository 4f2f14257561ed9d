"""Simulated worlds and the pool in memory."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endoxa.collect.sampler import Region, SamplerSettings
from endoxa.collect.sampler.types import FULL, NEEDS, OPEN, TOPUP
from endoxa.collect.simulate.memory import MemoryPool, NewPair
from endoxa.collect.simulate.settings import load_world, world_names
from endoxa.collect.simulate.world import JUNK, NEAR, OWN, World
from endoxa.errors import UserError
from support.collect.plain_pool import PlainPair, PlainPool
from support.collect.worlds import SMALL


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
    for name in world_names():
        assert load_world(name).people > 0
    with pytest.raises(UserError, match="Unknown world 'lace'"):
        load_world("lace")


COUNTRIES, LANGUAGES = ("AR", "CL", "UY"), ("es", "en")
ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(0, 2), st.integers(0, 1), st.booleans(), st.booleans()),
        st.tuples(st.just("rate"), st.integers(0, 30), st.integers(1, 5)),
    ),
    max_size=60,
)
REGIONS = st.builds(
    Region,
    needs=st.sets(st.sampled_from([NEEDS, TOPUP, OPEN, FULL]), min_size=1).map(frozenset),
    languages=st.sets(st.sampled_from(LANGUAGES)).map(frozenset),
    countries=st.none() | st.sets(st.sampled_from(COUNTRIES)).map(frozenset),
    without=st.sets(st.sampled_from(COUNTRIES)).map(frozenset),
    mild_in=st.sets(st.sampled_from(COUNTRIES)).map(frozenset),
)


def needs(values, settings):
    if len(values) < settings.k:
        return NEEDS
    if len(values) >= settings.k_max:
        return FULL
    return TOPUP if len(values) > 1 and np.var(values) >= settings.disagreement - 1e-9 else OPEN


@pytest.mark.slow
@given(ACTIONS, REGIONS, st.floats(0, 1, exclude_max=True))
def test_the_pool_in_memory_gives_what_a_plain_list_gives(actions, region, start):
    settings = SamplerSettings(k=2, k_max=4)
    pool, plain, given_values = MemoryPool(COUNTRIES, LANGUAGES, settings), [], []
    for kind, *facts in actions:
        if kind == "add":
            country, language, negative, common = facts
            position = (0.37 * len(plain)) % 1
            number = pool.add(
                NewPair(country, len(plain), language, negative, 0, calibration=common), position
            )
            assert number == len(plain)
            plain.append(
                PlainPair(
                    number,
                    COUNTRIES[country],
                    LANGUAGES[language],
                    negative=negative,
                    calibration=common,
                    position=position,
                )
            )
            given_values.append([])
        elif plain:
            number = facts[0] % len(plain)
            pool.rate(number, facts[1])
            given_values[number].append(facts[1])
            plain[number].ratings += 1
            plain[number].need = needs(given_values[number], settings)
    expected = PlainPool(plain)
    assert pool.count(region) == expected.count(region)
    assert pool.whole(region).ids.tolist() == expected.whole(region).ids.tolist()
    assert pool.whole(region).needs.tolist() == expected.whole(region).needs.tolist()
    assert dict(pool.coverage()) == dict(expected.coverage())
    assert pool.missing == sum(max(0, settings.k - pair.ratings) for pair in plain)
    assert (
        pool.calibration(region.languages).ids.tolist() == expected.calibration(region.languages).ids.tolist()
    )
    size = expected.count(region) // 2
    if size:
        ours, theirs = pool.window(region, start, size), expected.window(region, start, size)
        assert ours.ids.tolist() == theirs.ids.tolist()
        assert ours.inclusion == pytest.approx(theirs.inclusion)
