"""The balance between new pairs and ratings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endoxa.collect.sampler import Balance, adds_on, forecast


def look(backlog=0, people=10, pace=2.0, minutes=30.0, new_pairs=0.2, k=3):
    return forecast(backlog=backlog, people=people, pace=pace, minutes=minutes, new_pairs=new_pairs, k=k)


@pytest.mark.parametrize(
    ("backlog", "balance"),
    [
        (0, Balance.EXPLORE),
        (180, Balance.EXPLORE),
        (181, Balance.BALANCE),
        (241, Balance.SPARSE),
        (301, Balance.VALIDATE),
    ],
)
def test_fields_for_new_pairs_go_as_the_backlog_nears_the_capacity(backlog, balance):
    # 10 people x 2 a minute x 30 minutes = 600 ratings.
    assert look(backlog=backlog).balance == balance


def test_worked_example():
    # 600 ratings come; 300 are missing, and 0.5 x 600 new pairs ask for 3 each: 300 + 900 - 600 = 600, 2 a pair.
    seen = look(backlog=300, new_pairs=0.5)
    assert (seen.capacity, seen.short) == (600, 300)
    # Until then 20 ratings a minute bring 10 pairs = 30 wanted ratings: 300 + 30 t = 600 - 0 at t = 10.
    assert seen.switch_in == pytest.approx(10.0)
    wanted = 300 + 3 * 0.5 * 20 * seen.switch_in
    assert wanted == pytest.approx(600)


def test_k_is_out_of_reach_when_each_card_adds_more_than_a_third_of_a_pair():
    assert look(new_pairs=0.34).short > 0
    assert look(new_pairs=0.33).short == 0


def test_cards_with_fields():
    shown = {balance: [adds_on(balance, card) for card in range(8)] for balance in Balance}
    assert [sum(cards) for cards in shown.values()] == [8, 4, 2, 0]


@given(st.integers(0, 10_000), st.integers(0, 500), st.floats(0, 10), st.floats(-10, 10_000), st.floats(0, 5))
def test_more_missing_never_opens_the_fields_again(backlog, people, pace, minutes, new_pairs):
    order = list(Balance)
    less = look(backlog, people, pace, minutes, new_pairs)
    more = look(backlog + 100, people, pace, minutes, new_pairs)
    assert order.index(more.balance) >= order.index(less.balance)
    assert more.short >= less.short >= 0
