"""Feedback where people conform: frozen counts after an answer move nothing of a pair, live ones before it do."""

from __future__ import annotations

from endoxa.collect.simulate.conformity import Arm, Conformity, difference

SMALL = Conformity(runs=100, pairs=30, people=60, cards=15, wave=15)


def test_counts_shown_after_an_answer_move_no_mean():
    moved, error = difference(SMALL, Arm.FROZEN_AFTER)
    assert abs(moved) < 3 * error
    assert error < 0.02


def test_counts_shown_before_an_answer_move_them():
    moved, error = difference(SMALL, Arm.LIVE_BEFORE)
    assert moved > 0.2
    assert moved > 20 * error


def test_nobody_who_does_not_conform_is_moved():
    moved, error = difference(Conformity(runs=100, pairs=30, people=60, cards=15, shift=0), Arm.LIVE_BEFORE)
    assert abs(moved) < 3 * error


def test_what_spills_over_to_other_pairs_is_not_kept_out():
    moved, error = difference(
        Conformity(runs=100, pairs=30, people=60, cards=15, carry=0.5), Arm.FROZEN_AFTER
    )
    assert moved > 5 * error
