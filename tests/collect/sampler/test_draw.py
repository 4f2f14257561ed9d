"""The draw: who can get what, how often, and with which stated probability."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from endoxa.collect.sampler import Balance, Person, SamplerSettings, draw, under
from endoxa.collect.sampler.draw import weights
from endoxa.collect.sampler.tiers import ORDER, is_candidate, shares
from endoxa.collect.sampler.types import CANDIDATE, FULL, NEEDS, OPEN, TOPUP
from support.collect.plain_pool import PlainPair, PlainPool, rows_of

ANA = Person(origins=frozenset({"AR"}), near=frozenset({"CL", "UY"}), languages=frozenset({"es"}))
SHARES = {"own": 0.7, "near": 0.2, "anywhere": 0.05, "topup": 0.05}
SETTINGS = SamplerSettings(floor=0, **SHARES)


def mixed_pool():
    """Own, near and far pairs, some rated, one to top up, two for calibration, one in a language Ana cannot read."""
    pairs = [
        PlainPair(n, country, ratings=n % 3, waiting=10.0 * n, negative=n % 4 == 0)
        for n, country in enumerate(["AR"] * 6 + ["CL"] * 5 + ["PE"] * 4)
    ]
    pairs += [PlainPair(50, "AR", ratings=4, need=TOPUP), PlainPair(60, "AR", language="pt")]
    pairs += [
        PlainPair(70, "PE", calibration=True),
        PlainPair(71, "AR", ratings=3, need=OPEN, calibration=True),
    ]
    return PlainPool(pairs)


def many(pool, person, settings, times, seed=1):
    rng = np.random.default_rng(seed)
    return [draw(pool, person, settings, rng) for _ in range(times)]


@pytest.mark.slow
def test_stated_propensities_are_the_frequencies():
    pool, times = mixed_pool(), 12_000
    drawn = many(pool, ANA, SETTINGS, times)
    stated = {one.pair: one.propensity for one in drawn}
    counted = Counter(one.pair for one in drawn)
    assert sum(stated.values()) == pytest.approx(1.0)
    expected = [times * stated[pair] for pair in counted]
    assert chisquare([counted[pair] for pair in counted], expected).pvalue > 1e-4


@pytest.mark.slow
def test_a_pair_has_one_propensity_whichever_branch_drew_it():
    by_pair = {}
    for one in many(mixed_pool(), ANA, SETTINGS, 4_000):
        by_pair.setdefault(one.pair, set()).add(round(one.propensity, 12))
    assert all(len(stated) == 1 for stated in by_pair.values())


@pytest.mark.slow
def test_nothing_is_drawn_that_the_person_cannot_get():
    pool = mixed_pool()
    excluded = {pair.id: pair.cell for pair in pool.pairs if pair.id in {0, 7, 50, 70}}
    drawn = {one.pair for one in many(pool, replace(ANA, excluded=excluded), SETTINGS, 3_000)}
    assert drawn == {pair.id for pair in pool.pairs} - set(excluded) - {60}


@pytest.mark.slow
def test_tiers_come_in_their_shares():
    settings = SamplerSettings(
        floor=0, exploration=0, calibration=0, own=0.6, near=0.25, anywhere=0.1, topup=0.05
    )
    counted = Counter(one.tier for one in many(mixed_pool(), ANA, settings, 8_000))
    observed = [counted[name] for name in ORDER]
    assert chisquare(observed, [8_000 * share for share in (0.6, 0.25, 0.1, 0.05)]).pvalue > 1e-4


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((1, 1, 1, 1), {"own": 0.7, "near": 0.2, "anywhere": 0.05, "topup": 0.05}),
        ((0, 1, 1, 1), {"near": 0.9, "anywhere": 0.05, "topup": 0.05}),
        ((1, 1, 1, 0), {"own": 0.75, "near": 0.2, "anywhere": 0.05}),
        ((0, 0, 0, 1), {"topup": 1.0}),
        ((0, 0, 0, 0), {}),
    ],
)
def test_the_share_of_an_empty_tier_goes_to_the_next(counts, expected):
    assert shares(SamplerSettings(**SHARES), dict(zip(ORDER, counts, strict=True))) == pytest.approx(expected)


def test_weights_follow_the_formula():
    rows = rows_of(
        [PlainPair(1, "AR", ratings=1, waiting=30.0), PlainPair(2, "CL", waiting=500.0, topic="food")]
    )
    found = weights(
        rows, {2: 1}, {"AR": 8}, frozenset({"food"}), SamplerSettings(k=3, age_minutes=60.0, evenness=1)
    )
    assert found == pytest.approx([2 / 3 / math.sqrt(9) * 1.5, 2 / 3 / 1 * 2 * 0.25])


def test_a_pair_that_is_reserved_up_to_k_weighs_nothing():
    rows = rows_of([PlainPair(1, "AR", ratings=2), PlainPair(2, "AR", ratings=2)])
    assert weights(rows, {1: 1}, {}, frozenset(), SamplerSettings(k=3)).tolist() == pytest.approx([0, 3**3])


def test_the_same_seed_draws_the_same_sequence():
    first, second = (many(mixed_pool(), ANA, SETTINGS, 200, seed=9) for _ in range(2))
    assert first == second


@pytest.mark.slow
def test_large_tiers_are_drawn_by_windows_and_still_weighted_right():
    rng = np.random.default_rng(3)
    pairs = [
        PlainPair(n, "AR" if n < 1_200 else "PE", position=float(rng.random()), ratings=n % 2)
        for n in range(1_500)
    ]
    settings = SamplerSettings(floor=0, calibration=0, whole=300, candidates=60)
    drawn = many(PlainPool(pairs), ANA, settings, 1_200)
    # The mean of 1 / propensity is the number of pairs that can be drawn (Horvitz and Thompson 1952).
    assert np.mean([1 / one.propensity for one in drawn]) == pytest.approx(1_500, rel=0.1)


@pytest.mark.slow
def test_inverse_propensities_recover_a_mean_that_the_plain_one_misses():
    pool = mixed_pool()
    for pair in pool.pairs:
        pair.calibration = False
    known = {pair.id: 4.5 if pair.country == "AR" else 2.5 for pair in pool.pairs}
    reachable = [pair.id for pair in pool.pairs if pair.language == "es" and pair.need != OPEN]
    truth = np.mean([known[pair] for pair in reachable])
    drawn = many(pool, ANA, SETTINGS, 12_000)
    values = np.array([known[one.pair] for one in drawn])
    inverse = np.array([1 / one.propensity for one in drawn])
    assert (values * inverse).sum() / inverse.sum() == pytest.approx(truth, abs=0.05)
    assert abs(values.mean() - truth) > 0.3


@pytest.mark.slow
def test_every_pair_is_drawn_within_a_bound():
    # Exploration gives each of N pairs at least exploration / N, so the chance that one is missing after X cards is
    # at most N (1 - exploration / N)^X: below 1e-9 for this X.
    pool = PlainPool([PlainPair(n, "PE", ratings=2 if n else 0, waiting=0.0) for n in range(15)])
    for n, pair in enumerate(pool.pairs):
        pair.country = "AR" if n < 10 else "PE"
    bound = math.ceil(15 / SETTINGS.exploration * math.log(15 / 1e-9))
    assert {one.pair for one in many(pool, ANA, SETTINGS, bound)} == set(range(15))


def test_a_country_is_not_shown_more_than_three_times_running():
    person = replace(ANA, last=(("AR", False),) * 3)
    assert all(one is None or one.pair not in range(6) for one in many(mixed_pool(), person, SETTINGS, 500))


def test_a_person_alone_with_one_country_still_gets_cards():
    pool = PlainPool([PlainPair(1, "AR"), PlainPair(2, "AR", negative=True)])
    person = replace(ANA, last=(("AR", True),) * 3)
    assert {one.pair for one in many(pool, person, SETTINGS, 50)} == {1}
    alone = replace(person, excluded={1: pool.pairs[0].cell})
    assert {one.pair for one in many(pool, alone, SETTINGS, 50)} == {2}


@pytest.mark.slow
def test_negative_cards_about_the_own_country_pause_after_two():
    pool = PlainPool(
        [PlainPair(n, "AR", negative=n < 5) for n in range(10)] + [PlainPair(20, "CL", negative=True)]
    )
    person = replace(ANA, last=(("AR", True), ("AR", True), ("CL", False)))
    drawn = {one.pair for one in many(pool, person, SETTINGS, 1_000)}
    assert drawn == {5, 6, 7, 8, 9, 20}


@pytest.mark.slow
def test_countries_below_the_floor_get_their_share():
    pool = PlainPool(
        [PlainPair(n, "AR") for n in range(50)] + [PlainPair(99, "PE")], recent={"AR": 990, "PE": 2}
    )
    settings = SamplerSettings(
        floor=0.2, floor_below=0.01, exploration=0, calibration=0, near=0, anywhere=0, own=1
    )
    drawn = many(pool, ANA, settings, 2_000)
    assert np.mean([one.pair == 99 for one in drawn]) == pytest.approx(0.2, abs=0.03)
    assert {one.propensity for one in drawn if one.pair == 99} == {0.2}


@pytest.mark.slow
def test_when_nothing_needs_ratings_cards_ask_or_top_up():
    pool = PlainPool([PlainPair(1, "AR", ratings=3, need=OPEN)])
    drawn = many(pool, ANA, SamplerSettings(prompt=0.25, calibration=0), 4_000)
    assert np.mean([one is None for one in drawn]) == pytest.approx(0.25, abs=0.03)
    assert {one.propensity for one in drawn if one} == {0.75}


def test_an_empty_pool_gives_no_pair():
    assert draw(PlainPool([]), ANA, SETTINGS, np.random.default_rng(1)) is None


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["AR", "CL", "PE"]),
            st.sampled_from(["es", "en"]),
            st.integers(0, 3),
            st.booleans(),
        ),
        max_size=25,
    ),
    st.integers(0, 2**32 - 1),
)
def test_any_pool_gives_an_allowed_pair_with_a_probability(cells, seed):
    pairs = [
        PlainPair(n, country, language, ratings=need * 2, need=need, negative=negative)
        for n, (country, language, need, negative) in enumerate(cells)
    ]
    drawn = draw(PlainPool(pairs), ANA, SamplerSettings(), np.random.default_rng(seed))
    allowed = {pair.id for pair in pairs if pair.language == "es" and pair.need <= OPEN}
    if any(pairs[n].need == NEEDS for n in allowed):
        assert drawn is not None
    if drawn is not None:
        assert drawn.pair in allowed
        assert 0 < drawn.propensity <= 1


@pytest.mark.slow
def test_guards_hold_for_calibration_cards_too():
    pool = PlainPool([PlainPair(n, "AR", negative=n < 5, calibration=True) for n in range(10)])
    settings = SamplerSettings(calibration=0.3)
    negative = replace(ANA, last=(("AR", True), ("AR", True)))
    assert all(one.pair >= 5 for one in many(pool, negative, settings, 500))
    pool.pairs += [PlainPair(20, "CL"), PlainPair(21, "CL", calibration=True)]
    assert {one.pair for one in many(pool, replace(ANA, last=(("AR", False),) * 3), settings, 500)} == {
        20,
        21,
    }


@pytest.mark.slow
def test_a_country_may_come_again_where_only_its_pairs_wait():
    waiting = [PlainPair(n, "AR", negative=n < 3) for n in range(9)]
    pool = PlainPool([*waiting, *(PlainPair(n, "CL", ratings=3, need=OPEN) for n in range(20, 26))])
    for balance in Balance:
        settings = under(balance, SamplerSettings(floor=0, calibration=0))
        tired = many(pool, replace(ANA, last=(("AR", False),) * 3), settings, 100)
        assert all(one is not None and one.pair < 9 for one in tired)
        hurt = many(pool, replace(ANA, last=(("AR", True),) * 3), settings, 100)
        assert all(one is not None and 3 <= one.pair < 9 for one in hurt)


def test_while_only_ratings_are_asked_for_cards_go_to_pairs_that_wait():
    pool = PlainPool([PlainPair(1, "PE"), *(PlainPair(n, "AR", ratings=4, need=TOPUP) for n in range(2, 9))])
    settings = under(Balance.VALIDATE, SamplerSettings(calibration=0, **SHARES))
    assert {one.pair for one in many(pool, ANA, settings, 300)} == {1}
    assert {one.pair for one in many(pool, ANA, SamplerSettings(calibration=0, **SHARES), 300)} > {1}
    done = replace(ANA, excluded={1: pool.pairs[0].cell})
    assert {one.pair for one in many(pool, done, settings, 300)} == set(range(2, 9))


@pytest.mark.slow
def test_everybody_meets_the_calibration_set_in_one_order_whoever_holds_its_pairs():
    pairs = [PlainPair(n, "PE", position=n / 10, calibration=n >= 4) for n in range(8)]
    pairs[4].ratings, pairs[4].need = 7, FULL
    held = replace(ANA, full={4: pairs[4].cell}, reserved={4: 3})
    settings = SamplerSettings(calibration=0.3)

    def common(person):
        return {
            one.pair for one in many(PlainPool(pairs), person, settings, 200) if one.tier == "calibration"
        }

    assert common(ANA) == common(held) == {4}
    assert common(replace(held, excluded={4: pairs[4].cell})) == {5}
    assert common(replace(held, excluded={n: pairs[n].cell for n in range(4, 8)})) == set()


@pytest.mark.slow
def test_topics_that_somebody_does_not_want_are_not_drawn_and_not_counted():
    pairs = [PlainPair(n, "AR", topic="sport" if n < 30 else "", calibration=n % 7 == 0) for n in range(40)]
    drawn = many(PlainPool(pairs), replace(ANA, no_topics=frozenset({"sport"})), SETTINGS, 1_500)
    assert {one.pair for one in drawn} == set(range(30, 40))
    assert np.mean([1 / one.propensity for one in drawn]) == pytest.approx(10, rel=0.02)


@pytest.mark.slow
def test_a_window_wider_than_its_region_is_the_region():
    rng = np.random.default_rng(4)
    pairs = [PlainPair(n, "AR", position=float(rng.random())) for n in range(120)]
    settings = SamplerSettings(floor=0, calibration=0, whole=100, candidates=100)
    seen = {n: pairs[n].cell for n in range(60)}
    drawn = many(PlainPool(pairs), replace(ANA, excluded=seen), settings, 500)
    assert all(one.pair >= 60 for one in drawn)
    assert np.mean([1 / one.propensity for one in drawn]) == pytest.approx(60, rel=0.05)


def test_more_candidates_than_are_weighed_whole_are_refused():
    with pytest.raises(ValueError, match="candidates must be at most whole"):
        SamplerSettings(whole=50, candidates=200)


def test_candidates_are_never_drawn():
    pool = PlainPool([PlainPair(1, "AR"), *(PlainPair(n, "AR", need=CANDIDATE) for n in range(2, 9))])
    assert {one.pair for one in many(pool, ANA, SETTINGS, 200)} == {1}
    done = replace(ANA, excluded={1: pool.pairs[0].cell})
    assert set(many(pool, done, SETTINGS, 50)) == {None}


@pytest.mark.parametrize(
    ("ratings", "mentions", "typed", "reached", "waits"),
    [
        (0, 1, False, False, True),
        (1, 1, False, False, False),
        (0, 2, False, False, False),
        (0, 1, True, False, False),
        (0, 1, False, True, False),
        (0, 0, False, False, True),
    ],
)
def test_only_what_one_person_ticked_far_away_waits(ratings, mentions, typed, reached, waits):
    facts = {"ratings": ratings, "mentions": mentions, "typed": typed, "reached": reached}
    assert is_candidate(**facts, settings=SamplerSettings()) == waits
    assert not is_candidate(**facts, settings=SamplerSettings(second_mention=False))
