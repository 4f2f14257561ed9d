"""The balance between new pairs and ratings, and where open questions go: where most is unsaid (Good and Turing)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endoxa_collect.sampler.controller import (
    Balance,
    Expected,
    MentionCounts,
    Outlook,
    Pace,
    adds_on,
    fields,
    forecast,
    least_mentioned,
    question_share,
    unseen_mass,
)
from endoxa_collect.sampler.slots import SamplerSettings

ROOM = Expected(together=True, people=10, minutes=40.0)


def seen(backlog=0, people=10, each=2.0, minutes=30.0, new_pairs=0.2, k=3, ordered=None, expected=ROOM):
    return Outlook(backlog, Pace(people, each), minutes, expected, new_pairs, k, ordered)


EXPLORE, HALF, SPARSE, VALIDATE = Balance


@pytest.mark.parametrize(
    ("facts", "balance"),
    [
        # 10 people x 2 a minute x 30 minutes = 600 ratings, of which 28 % are 168.
        ({"backlog": 0}, EXPLORE),
        ({"backlog": 168}, EXPLORE),
        ({"backlog": 169}, HALF),
        ({"backlog": 180}, SPARSE),
        ({"backlog": 192}, VALIDATE),
        ({"backlog": 170, "people": 100}, EXPLORE),
        ({"backlog": 170, "people": 1}, VALIDATE),
        # Six ratings are on their way. At 3.6 minutes, the last 9 % of 40, nothing is sure; a minute before, more.
        ({"minutes": 4.6}, EXPLORE),
        ({"minutes": 3.6}, VALIDATE),
        ({"minutes": -5.0}, VALIDATE),
    ],
)
def test_fields_for_new_pairs_go_as_the_backlog_nears_the_capacity(facts, balance):
    assert seen(**facts).balance == forecast(seen(**facts)).balance == balance


@pytest.mark.parametrize(
    ("backlog", "before", "after"),
    # The limits of 600 ratings are 168, 179 and 191; the way back is open up to 151, 161 and 172.
    [
        (155, None, EXPLORE),
        (155, EXPLORE, EXPLORE),
        (155, HALF, HALF),
        (151, HALF, EXPLORE),
        (180, VALIDATE, VALIDATE),
        (165, VALIDATE, SPARSE),
        (169, EXPLORE, HALF),
    ],
)
def test_more_new_pairs_are_asked_for_again_with_room_to_spare_only(backlog, before, after):
    assert seen(backlog).balance_after(before) is after


@pytest.mark.parametrize("nothing", [{"people": 0}, {"minutes": 0.0}, {"minutes": -3.0}, {"each": 0.0}])
def test_with_nobody_or_no_time_nothing_is_safe_and_nothing_new_is_asked_for(nothing):
    now = seen(10, **nothing)
    assert (now.safe_capacity, now.prompts, now.balance) == (0.0, 0.0, VALIDATE)


FEW = {"backlog": 30, "people": 3, "each": 50.0, "new_pairs": 0.0, "k": 5}


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        # Each card adds more than a third of a pair, or less.
        ({"new_pairs": 0.35, "ordered": EXPLORE}, {"short": 15}),
        ({"new_pairs": 0.33, "ordered": EXPLORE}, {"short": 0}),
        ({"backlog": 700, "new_pairs": 3.0, "ordered": VALIDATE}, {"coming": 0.0, "short": 50}),
        # Fewer people than ratings wanted are too few however fast they are, and nobody rates their own.
        (FEW, {"short": 0, "too_few_people": True}),
        (FEW | {"people": 5}, {"too_few_people": False}),
        (FEW | {"people": 5, "new_pairs": 0.1}, {"too_few_people": True}),
        (FEW | {"people": 6, "new_pairs": 0.1}, {"too_few_people": False}),
        (FEW | {"backlog": 0}, {"too_few_people": False}),
        ({}, {"guessed_people": None}),
    ],
)
def test_what_is_foretold(facts, expected):
    found = forecast(seen(**facts))
    assert {name: getattr(found, name) for name in expected} == expected


def test_towards_the_end_people_leave_and_nobody_is_waited_for():
    assert ROOM.leaving == pytest.approx(3.6)
    assert replace(ROOM, together=False).leaving == pytest.approx(0.8)
    assert [seen(minutes=minutes).hurried for minutes in (30.0, 12.1, 12.0, -1.0)] == [
        False,
        False,
        True,
        True,
    ]


def test_worked_example_where_an_organiser_decides():
    # 600 ratings come; 300 are missing, and 0.5 x 600 new pairs ask for 3 each: 300 + 900 - 600 = 600, 2 a pair.
    found = forecast(seen(300, new_pairs=0.5, ordered=EXPLORE))
    assert (found.short, found.coming) == (300, 300.0)
    # Until then 20 ratings a minute bring 10 pairs = 30 wanted ratings: 300 + 30 t = 600 at t = 10.
    assert found.switch_in == pytest.approx(10.0)


def test_worked_example_where_the_controller_decides():
    # In t minutes 20 t ratings come and bring 10 t pairs that ask for 30 t: 60 + 10 t are missing then. That is more
    # than 1.14 x 0.28 of the 600 - 20 t to come from t = 8 on, to a hundredth of 30 minutes.
    found = forecast(seen(60, new_pairs=0.5))
    assert found.switch_in == pytest.approx((1.14 * 0.28 * 600 - 60) / (10 + 1.14 * 0.28 * 20), abs=0.3)
    assert (found.short, found.coming) == (0, pytest.approx(10 * found.switch_in))


def test_safe_capacity_worked_by_hand():
    # 20 a minute for 26.4 minutes: C = 528; variance 528 + 528^2 (0.25 / 10 + 0.01) = 10,285.44; 528 - 1.645 x 101.42.
    assert seen().safe_capacity == pytest.approx(361.17, abs=0.01)
    assert seen().inflow == pytest.approx(6.0)


def test_safe_capacity_is_the_fifth_percentile_of_planted_campaigns():
    """People whose pace varies (gamma, cv^2 0.25), a shared factor (cv 0.1) and Poisson counts."""
    rng = np.random.default_rng(5)
    each = rng.gamma(4, 52.8 / 4, size=(40_000, 10)).sum(axis=1)
    total = rng.poisson(each * rng.gamma(100, 1 / 100, size=40_000))
    assert np.mean(total < seen().safe_capacity) == pytest.approx(0.05, abs=0.02)


def test_prompts_fill_up_an_empty_backlog_and_end_when_fields_are_left_out():
    assert [seen(backlog).prompts for backlog in (0, 84, 126, 168)] == pytest.approx([0.6, 0.3, 0.15, 0.0])
    assert seen(ordered=VALIDATE).prompts == 0
    assert replace(seen(84), most_prompts=0.2).prompts == pytest.approx(0.1)


def test_candidates_come_in_up_to_the_target_and_never_beyond_what_is_safe():
    # (168 - 48) / 3 pairs; what was there is not thrown out again.
    assert [seen(backlog).room for backlog in (48, 166, 168, 500)] == [40, 0, 0, 0]
    # With 4.9 minutes left 26 ratings are expected before the last 3.6, and 6 are on their way.
    late = seen(minutes=4.9)
    assert late.safe_capacity < 0.28 * late.capacity + late.inflow
    assert late.room == int((late.safe_capacity - late.inflow) // 3)
    assert seen(ordered=EXPLORE).room == 0


def test_cards_with_fields():
    shown = {balance: [adds_on(balance, card) for card in range(8)] for balance in Balance}
    assert [sum(cards) for cards in shown.values()] == [8, 4, 2, 0]


@given(
    st.integers(0, 10_000),
    st.integers(0, 500),
    st.floats(0, 10),
    st.floats(-10, 10_000),
    st.floats(0, 5),
    st.sampled_from([None, *Balance]),
)
def test_more_missing_never_opens_the_fields_again(backlog, people, each, minutes, new_pairs, ordered):
    order = list(Balance)
    less, more = (
        forecast(seen(missing, people, each, minutes, new_pairs, ordered=ordered))
        for missing in (backlog, backlog + 100)
    )
    assert order.index(more.balance) >= order.index(less.balance)
    assert less.short >= 0
    assert more.short >= less.short or not ordered
    assert more.switch_in is None or more.switch_in >= 0
    if not ordered:
        # Those who can rate all that there is will not fall short because of the controller.
        assert less.short == 0 or backlog + 3 * less.coming > people * each * max(0.0, minutes)


def test_the_expected_people_are_forgotten_slowly():
    """40 expected, 4 there: the prior halves with every ten minutes after the first quarter, while a room fills."""
    room = Expected(together=True, people=40, minutes=60.0)
    at = {age: room.pace(float(age), 4, 1.0) for age in (9, 10, 20, 30, 50)}
    assert [pace.people for pace in at.values()] == [40, 40, 4 + 25, 4 + 13, 4 + 3]
    assert [pace.shown for pace in at.values()] == [
        None,
        Pace(40, 1.0, guessed=True),
        *[Pace(4, 1.0)] * 3,
    ]
    assert at[20].each == pytest.approx((1.0 + 1.5) / 2)
    assert room.pace(20.0, 60, 1.0).people == 60
    assert room.pace(30.0, 0, 0.0) == room.pace(0.0, 0, 0.0)
    # At minute 13 with 4 of 40 there, sixty pairs of three missing ratings leave room for new ones.
    assert Outlook(180, room.pace(13.0, 4, 1.0), 47.0, room, 0.2, 3).balance is EXPLORE


def test_online_people_count_by_the_window_in_which_they_come():
    """280 people in two weeks are 20 a day; each gives 20 ratings on that day."""
    weeks = Expected(together=False, people=280, minutes=14 * 24 * 60.0)
    assert weeks.pace(0.0, 0, 0.0) == Pace(20, 20 / (24 * 60), guessed=True)
    assert weeks.pace(0.0, 0, 0.0).rate * weeks.minutes == pytest.approx(280 * 20)
    # On the second day ten came and gave 30 each: half of what is missing is still expected.
    later = weeks.pace(2 * 24 * 60.0, 10, 30 / (24 * 60))
    assert later.people == 15
    assert later.each * 24 * 60 == pytest.approx((30 + 20) / 2)
    assert weeks.target > ROOM.target
    assert weeks.returning == pytest.approx(0.3 * weeks.minutes)


@pytest.mark.parametrize(
    ("said", "mass"),
    [
        (MentionCounts(0, 0), 1.0),
        (MentionCounts(1, 1), 1.0),
        (MentionCounts(4, 2), 0.5),  # a a b c
        (MentionCounts(10, 0), 0.0),
        (MentionCounts(7, 7), 1.0),
    ],
)
def test_the_share_of_mentions_that_are_alone(said, mass):
    assert unseen_mass(said) == mass
    for once in (said.mentions + 1, -1):
        with pytest.raises(ValueError, match="cannot be the only ones"):
            unseen_mass(MentionCounts(said.mentions, once))


def test_the_estimate_is_the_chance_of_something_new_on_average():
    """Planted: 60 pairs with Zipf's chances, 40 mentions. The exact mean chance that the 40th is new is known."""
    chances = 1 / np.arange(1, 61)
    chances /= chances.sum()
    exact = float((chances * (1 - chances) ** 39).sum())
    rng = np.random.default_rng(3)
    drawn = rng.multinomial(40, chances, size=2_000)
    found = [unseen_mass(MentionCounts(40, int((counts == 1).sum()))) for counts in drawn]
    error = np.std(found) / np.sqrt(len(found))
    assert abs(np.mean(found) - exact) < 4 * error
    assert error < 0.003


def test_the_country_of_which_most_is_unsaid_comes_first_and_the_order_given_decides_between_equals():
    said = {"AR": MentionCounts(10, 1), "CL": MentionCounts(10, 6), "UY": MentionCounts(2, 2)}
    assert least_mentioned(["AR", "CL", "UY", "PE"], said) == ["UY", "PE", "CL", "AR"]
    assert least_mentioned(["PE", "UY"], said) == ["PE", "UY"]
    assert least_mentioned([], said) == []


@pytest.mark.parametrize(
    ("origins", "share"),
    [
        (["AR"], 0.1),  # 1 of 10 alone, 0.3 on average
        (["CL"], 0.5),  # 5 of 10
        (["UY"], 0.3),
        (["AR", "CL"], 0.5),
        ([], 0.3),
        (["PE"], 0.6),  # never mentioned: as often as may be
    ],
)
def test_people_of_whose_country_most_is_unsaid_are_asked_most(origins, share):
    said = {"AR": MentionCounts(10, 1), "CL": MentionCounts(10, 5), "UY": MentionCounts(10, 3)}
    assert question_share(0.3, origins, ["AR", "CL", "UY"], said, 0.6) == pytest.approx(share)
    assert question_share(0.3, origins, [], said, 0.6) == 0.3
    assert question_share(0.3, origins, ["FR"], {"FR": MentionCounts(3, 0)}, 0.6) == 0.3


@pytest.mark.parametrize(
    ("adds", "own", "asked", "candidates", "shown"),
    [
        (True, True, 0, 0.0, (True, True)),
        (True, False, 3, 0.15, (False, True)),
        (True, True, 4, 0.0, (True, False)),
        (True, True, 0, 0.16, (True, False)),
        (True, False, 4, 0.0, (False, False)),
        (False, True, 0, 0.0, (False, False)),
    ],
)
def test_words_are_asked_for_at_home_and_ticks_of_the_first_four(adds, own, asked, candidates, shown):
    found = fields(adds=adds, home=own, tick_count=asked, candidates=candidates, settings=SamplerSettings())
    assert found == shown
