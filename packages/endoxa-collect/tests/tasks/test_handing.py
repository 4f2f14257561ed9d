"""Handing out, judging, taking back: every item gets what its rule asks for, nothing is lost or counted twice."""

from __future__ import annotations

import random
from collections import Counter
from datetime import timedelta

import pytest
from django.utils import timezone

from endoxa_collect.models import (
    Judge,
    Judgement,
    JudgeState,
    Task,
    TaskItem,
    TaskState,
    Turn,
    TurnState,
)
from endoxa_collect.tasks.handing import (
    TaskOverError,
    UnknownTurnError,
    end,
    next_turn,
    recount,
    take,
    undo,
)
from tasks.conftest import tuples

YES, NO, UNSURE = {"vote": "yes"}, {"vote": "no"}, {"vote": "unsure"}


def judge_all(judge, answer=YES, most=1000):
    """Judge until nothing is left; the items' names in the order in which they came."""
    seen = []
    for _ in range(most):
        turn = next_turn(judge)
        if turn is None:
            break
        take(judge, turn.token, answer)
        seen.append(turn.item.key)
    return seen


def test_every_item_gets_three_votes_and_none_comes_twice_to_one_judge(votes, make_judge):
    orders = [judge_all(make_judge(votes, f"r{k}")) for k in range(5)]
    assert [len(order) for order in orders] == [4, 4, 4, 0, 0]
    assert all(len(set(order)) == len(order) for order in orders)
    assert set(votes.items.values_list("judged", "done")) == {(3, True)}


def test_a_reload_shows_the_same_item_and_a_form_sent_twice_counts_once(votes, make_judge):
    judge = make_judge(votes)
    turn = next_turn(judge)
    assert next_turn(judge).token == turn.token
    first = take(judge, turn.token, YES)
    assert take(judge, turn.token, NO) == first
    assert Judgement.objects.count() == 1
    assert TaskItem.objects.get(pk=turn.item_id).judged == 1


def test_an_item_in_somebodys_hands_is_not_given_to_too_many(make_task, make_judge):
    task = make_task("votes", tuples(1), needed=2, least=1)
    one, two, three = (make_judge(task, name) for name in "abc")
    turns = [next_turn(one), next_turn(two)]
    assert all(turns)
    assert next_turn(three) is None
    later = timezone.now() + timedelta(minutes=16)
    assert next_turn(three, now=later) is not None  # the leases ran out
    take(one, turns[0].token, YES)
    item = TaskItem.objects.get()
    assert (item.judged, item.done) == (1, False)


def test_a_late_answer_counts_unless_nobody_needs_it(make_task, make_judge):
    task = make_task("votes", tuples(1), needed=1, least=1)
    one, two = make_judge(task, "a"), make_judge(task, "b")
    late = next_turn(one)
    later = timezone.now() + timedelta(minutes=16)
    turn = next_turn(two, now=later)
    take(two, turn.token, YES, now=later)
    Turn.objects.filter(pk=late.pk).update(state=TurnState.LAPSED)
    with pytest.raises(UnknownTurnError):
        take(one, late.token, NO, now=later)
    assert Judgement.objects.count() == 1


def test_all_is_taken_back_one_after_the_other_and_kept_as_undone(votes, make_judge):
    judge = make_judge(votes)
    order = judge_all(judge)
    back = []
    while (turn := undo(judge)) is not None:
        back.append(turn.item.key)
        assert next_turn(judge).item.key == turn.item.key
    assert back == order[::-1]
    assert set(votes.items.values_list("judged", "done")) == {(0, False)}
    assert Judgement.objects.filter(undone=True).count() == 4
    assert sorted(judge_all(judge, NO)) == sorted(order)
    assert Judgement.objects.filter(undone=False).count() == 4


def test_what_was_skipped_comes_to_others_only(votes, make_judge):
    one, two = make_judge(votes, "a"), make_judge(votes, "b")
    turn = next_turn(one)
    take(one, turn.token, None)
    assert turn.item.key not in judge_all(one)
    assert turn.item.key in judge_all(two)
    assert undo(two)
    assert undo(one)


def test_unsure_votes_ask_for_another_judge_where_the_task_says_so(make_task, make_judge):
    task = make_task("votes", tuples(1), needed=2, least=2, unsure_counts=False)
    for name, answer in (("a", UNSURE), ("b", YES), ("c", YES)):
        assert judge_all(make_judge(task, name), answer) == ["t0"]
    assert judge_all(make_judge(task, "d")) == []
    assert TaskItem.objects.get().judged == 3


def test_judgements_of_somebody_who_failed_or_left_do_not_count(votes, make_judge):
    one = make_judge(votes, "a")
    judge_all(one)
    for name in "bc":
        judge_all(make_judge(votes, name))
    end(one, JudgeState.FAILED)
    assert set(votes.items.values_list("judged", "done")) == {(2, False)}
    assert len(judge_all(make_judge(votes, "d"))) == 4
    with pytest.raises(TaskOverError):
        next_turn(one)


def test_a_paused_or_closed_task_takes_nothing(votes, make_judge):
    judge = make_judge(votes)
    turn = next_turn(judge)
    for state in (TaskState.PAUSED, TaskState.CLOSED):
        Task.objects.filter(pk=votes.pk).update(state=state)
        for act in (lambda: next_turn(judge), lambda: take(judge, turn.token, YES), lambda: undo(judge)):
            with pytest.raises(TaskOverError):
                act()
    with pytest.raises(UnknownTurnError):
        take(make_judge(votes, "b"), turn.token, YES)
    assert not Judgement.objects.exists()


@pytest.mark.slow
def test_a_drop_outs_block_is_free_again_and_the_spread_stays_even(make_task, make_judge):
    """Blocks of five of 20 items; every third judge goes away after two of them."""
    task = make_task("votes", tuples(20), needed=100, least=1, block=5)
    now = timezone.now()
    for number in range(30):
        judge = make_judge(task, f"r{number}")
        for _ in range(2 if number % 3 == 0 else 5):
            take(judge, next_turn(judge, now=now).token, YES, now=now)
        now += timedelta(minutes=16)
    counts = list(task.items.values_list("judged", flat=True))
    assert sum(counts) == 10 * 2 + 20 * 5 == Judgement.objects.count()
    assert max(counts) - min(counts) <= 1


@pytest.mark.parametrize("seed", range(6))
def test_whatever_people_do_counts_are_those_of_the_rows(seed, make_task, make_judge):
    """Judges, skips, repeated forms, undoing, leaving and pauses in any order: nothing is lost or doubled."""
    rng = random.Random(seed)
    task = make_task("votes", tuples(6), needed=3)
    judges = [make_judge(task, f"r{k}") for k in range(6)]
    now = timezone.now()
    for _ in range(120):
        judge = rng.choice(judges)
        now += timedelta(minutes=rng.choice((0, 1, 20)))
        what = rng.random()
        try:
            if what < 0.1:
                undo(judge, now=now)
            elif what < 0.12:
                end(judge, rng.choice((JudgeState.LEFT, JudgeState.FAILED)))
            elif (turn := next_turn(judge, now=now)) is not None:
                if what < 0.2:
                    take(judge, turn.token, None, now=now)
                else:
                    for _ in range(rng.choice((1, 1, 2))):
                        take(judge, turn.token, rng.choice((YES, NO, UNSURE)), now=now)
        except TaskOverError:
            pass
    in_force = Judgement.objects.filter(undone=False)
    counted = Counter(in_force.filter(turn__judge__state="active").values_list("turn__item", flat=True))
    for item in task.items.all():
        assert item.judged == counted[item.pk]
        assert item.done == (item.judged >= 3)
        assert item.judged <= 3
    pairs = list(in_force.values_list("turn__item", "turn__judge"))
    assert len(set(pairs)) == len(pairs)
    before = list(task.items.order_by("pk").values_list("judged", "done"))
    recount(task, list(task.items.all()))
    assert list(task.items.order_by("pk").values_list("judged", "done")) == before


def test_a_judge_is_one_for_an_account(votes, make_judge):
    assert make_judge(votes, "a") == make_judge(votes, "a")
    assert Judge.objects.count() == 1
