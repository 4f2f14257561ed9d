"""Handing out, judging, taking back: every item gets what its rule asks for, nothing is lost or counted twice."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from endoxa_collect.models import (
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

pytestmark = pytest.mark.slow

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
    assert make_judge(votes, "r0") == make_judge(votes, "r0")
    assert next_turn(make_judge(votes, "r0")).token == next_turn(make_judge(votes, "r0")).token  # reloaded
    orders = [judge_all(make_judge(votes, f"r{k}")) for k in range(5)]
    assert [len(order) for order in orders] == [4, 4, 4, 0, 0]
    assert all(len(set(order)) == len(order) for order in orders)
    assert set(votes.items.values_list("judged", "done")) == {(3, True)}


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


def test_unsure_votes_ask_for_another_judge_where_the_task_says_so(make_task, make_judge):
    task = make_task("votes", tuples(1), needed=2, least=2, unsure_counts=False)
    for name, answer in (("a", UNSURE), ("b", YES), ("c", YES)):
        assert judge_all(make_judge(task, name), answer) == ["t0"]
    assert judge_all(make_judge(task, "d")) == []
    assert TaskItem.objects.get().judged == 3


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


ACTS = st.tuples(
    st.integers(0, 3),
    st.sampled_from((0, 1, 20)),
    st.sampled_from(("judge", "judge", "judge", "twice", "skip", "undo", "leave", "fail", "recount")),
    st.sampled_from((YES, NO, UNSURE)),
)


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(acts=st.lists(ACTS, min_size=10, max_size=50))
def test_whatever_people_do_counts_are_those_of_the_rows(acts, make_task, make_judge):
    """Judges, skips, forms that arrive twice, undoing and leaving in any order: nothing is lost or stored twice."""
    with transaction.atomic():
        task = make_task("votes", tuples(4), needed=2)
        judges = [make_judge(task, f"r{k}") for k in range(4)]
        now, sent = timezone.now(), {}
        for who, minutes, what, answer in acts:
            judge, now = judges[who], now + timedelta(minutes=minutes)
            with suppress(TaskOverError):
                if what == "undo":
                    undo(judge, now=now)
                elif what in {"leave", "fail"}:
                    end(judge, {"leave": JudgeState.LEFT, "fail": JudgeState.FAILED}[what])
                elif what == "recount":
                    recount(task, list(task.items.all()))
                elif (turn := next_turn(judge, now=now)) is not None:
                    first = take(judge, turn.token, None if what == "skip" else answer, now=now)
                    if what == "twice":
                        # Whatever the second form says, the first one counts.
                        assert take(judge, turn.token, NO if answer == YES else YES, now=now) == first
                        sent[first.pk] = answer
        for key, answer in sent.items():
            assert Judgement.objects.get(pk=key).answer == answer
        in_force = Judgement.objects.filter(undone=False)
        counted = Counter(in_force.filter(turn__judge__state="active").values_list("turn__item", flat=True))
        for item in task.items.all():
            assert item.judged == counted[item.pk] <= 2
            assert item.done == (item.judged == 2)
        pairs = list(in_force.values_list("turn__item", "turn__judge"))
        assert len(set(pairs)) == len(pairs)
        transaction.set_rollback(True)


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
