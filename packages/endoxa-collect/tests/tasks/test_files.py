"""Items in, judgements out: every fault has its row, ids come back, what was taken back stays inside."""

from __future__ import annotations

import csv
from importlib import import_module

import pytest
from django.apps import apps

from endoxa.errors import UserError
from endoxa_collect.models import JudgeState, Task, TaskItem
from endoxa_collect.tasks.adding import add_task
from endoxa_collect.tasks.handing import end, next_turn, take, undo
from endoxa_collect.tasks.results import all_tables, progress, write_results
from tasks.conftest import tuples

FAULTS = {
    "empty": ([], "has no rows"),
    "no column": ([{"identity": "a"}], "attribute"),
    "empty cell": ([{"identity": "a", "attribute": " "}], "line 2, column 'attribute': it is empty"),
    "twice": (
        [{"item_id": "x", "identity": "a", "attribute": "b"}] * 2,
        "line 3: an earlier row has the name 'x' already",
    ),
    "no name": ([{"item_id": "", "identity": "a", "attribute": "b"}], "line 2: the name of the item"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_of_a_file_name_their_row_and_nothing_is_kept(name, campaign, tmp_path):
    rows, message = FAULTS[name]
    path = tmp_path / "items.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]) if rows else ["identity", "attribute"])
        writer.writeheader()
        writer.writerows(rows)
    with pytest.raises(UserError, match=message):
        add_task(campaign, "votes", path)
    assert not Task.objects.exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"needed": "many"}, "The setting 'needed' cannot be 'many'"),
        ({"needed": 0}, "needed"),
        ({"nedeed": 3}, "The setting 'nedeed'"),
    ],
)
def test_settings_that_are_none_are_refused(options, message, make_task):
    with pytest.raises(UserError, match=message):
        make_task("votes", tuples(1), **options)


def test_kinds_names_and_panels_that_cannot_be_are_refused(make_task, campaign, tmp_path):
    with pytest.raises(UserError, match="Unknown kind of task 'poems'"):
        add_task(campaign, "poems", tmp_path / "none.csv")
    make_task("votes", tuples(1))
    with pytest.raises(UserError, match="has a task 'votes' already, of kind votes"):
        make_task("votes", tuples(1), needed=5)
    with pytest.raises(UserError, match="has a task 'votes' already, of kind votes"):
        make_task("words", [{"text": "a", "language": "en"}], name="votes")
    with pytest.raises(UserError, match="cannot be the name of a task"):
        make_task("votes", tuples(1), name="!!!")
    assert make_task("votes", tuples(1), name="second", panel=True).code


def test_judgements_come_back_with_ids_columns_and_outcomes(votes, make_judge):
    answers = {"ana": "yes", "ben": "yes", "eva": "no"}
    for name, vote in answers.items():
        judge = make_judge(votes, name)
        while (turn := next_turn(judge)) is not None:
            take(judge, turn.token, {"vote": vote})
    table, outcomes = all_tables(votes).values()
    assert table.height == 12
    assert table["rater"].n_unique() == 3
    assert not set(answers) & set(table["rater"])
    assert set(table["source"]) == {"model-x"}
    assert outcomes["item_id"].to_list() == ["t0", "t1", "t2", "t3"]
    assert outcomes.select("yes", "no", "unsure", "accepted").unique().row(0) == ("2", "1", "0", "true")
    assert outcomes["identity"][2] == "people of town 2"


def test_what_was_taken_back_or_does_not_count_is_not_counted(votes, make_judge, tmp_path):
    ana, ben = make_judge(votes, "ana"), make_judge(votes, "ben")
    take(ana, next_turn(ana).token, {"vote": "yes"})
    undo(ana)
    turn = next_turn(ben)
    take(ben, turn.token, {"vote": "yes"})
    end(ben, JudgeState.LEFT)
    written = write_results(votes, tmp_path / "votes.csv")
    assert [path.name for path in written] == ["votes.csv", "votes_items.csv"]
    rows = list(csv.DictReader(written[0].read_text().splitlines()))
    assert [(row["item_id"], row["counts"]) for row in rows] == [(turn.item.key, "false")]
    assert [row["yes"] for row in csv.DictReader(written[1].read_text().splitlines())] == ["0"]
    told = progress(votes)
    assert (told.judgements, told.least, told.most, told.done) == (0, 0, 0, 0)


def test_what_judges_must_not_know_is_kept_apart(make_task):
    make_task("votes", tuples(1))
    make_task("votes", tuples(1), name="open", shows_source=True)
    hidden, shown = TaskItem.objects.order_by("pk")
    assert "source" not in hidden.content
    assert hidden.hidden == {"source": "model-x"}
    assert shown.content["source"] == "model-x"


def test_editors_of_groups_of_an_earlier_version_go_with_their_items(make_task):
    """The campaign of somebody who had one opens: nothing knows that kind any more."""
    make_task("votes", tuples(2), "kept")
    editor = make_task("votes", tuples(3), "editor")
    Task.objects.filter(pk=editor.pk).update(kind="groups")
    import_module("endoxa_collect.migrations.0008_fewer").drop_group_editors(apps, None)
    assert [(task.name, task.items.count()) for task in Task.objects.all()] == [("kept", 2)]
    assert TaskItem.objects.count() == 2
