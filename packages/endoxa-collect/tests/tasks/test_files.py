"""Items in, judgements out: every fault has its row, ids come back, what was taken back stays inside."""

from __future__ import annotations

import csv
import gzip

import polars as pl
import pytest

from collect_support.panel_person import associations
from endoxa.errors import UserError
from endoxa_collect.models import AuditEntry, JudgeState, Task, TaskItem, TaskState
from endoxa_collect.tasks import adding
from endoxa_collect.tasks.adding import add_task
from endoxa_collect.tasks.handing import end, next_turn, take, undo
from endoxa_collect.tasks.results import all_tables, progress, write_results
from tasks.conftest import tuples
from tasks.test_translation import rows as translations


@pytest.mark.parametrize(
    ("kind", "facts", "message"),
    [
        ("votes", {"needed": "many"}, "The setting 'needed' cannot be 'many'"),
        ("votes", {"rows": [{"identity": "a"}]}, "attribute"),
        (
            "votes",
            {"rows": [{"item_id": "", "identity": "a", "attribute": "b"}]},
            "line 2: the name of the item",
        ),
        ("votes", {"nedeed": 3}, "The setting 'nedeed'"),
        ("votes", {"needed": 5, "name": "there"}, "has a task 'there' already, of kind votes"),
        ("votes", {"name": "!!!"}, "cannot be the name of a task"),
        ("poems", {}, "Unknown kind of task 'poems'"),
        ("harm", {"rows": associations(2), "completion": "javascript:alert(1)"}, "completion"),
        ("harm", {"rows": [{"association": "", "base_value": "x"}]}, "no association found"),
        ("pairs", {"rows": [{"sent_more": "Bakers are lazy."}]}, "'suggested'"),
        ("extraction", {"rows": [{"statement_id": "1", "statement": "Bakers sing"}]}, "no column 'identity'"),
        ("translation", {"rows": [{**translations(1)[0], "candidate_x_more": "a"}]}, "candidate_x_less"),
        (
            "translation",
            {"rows": [{**translations(1)[0], "candidate_deepl-x1_less": ""}]},
            "one sentence only",
        ),
        (
            "translation",
            {"rows": [{"item_id": "a", "sent_more": "A", "sent_less": "B", "language": "es"}]},
            "no candid",
        ),
    ],
)
def test_kinds_names_settings_and_files_that_cannot_be_are_refused(kind, facts, message, make_task):
    make_task("votes", tuples(1), name="there")
    with pytest.raises(UserError, match=message):
        make_task(kind, **{"rows": tuples(1), **facts})
    assert Task.objects.count() == 1
    assert make_task("votes", tuples(1), name="s", panel=True).code


def write(path, rows):
    pl.DataFrame(rows).write_csv(path)
    return path


def test_items_are_added_once_also_from_larger_and_packed_files(campaign, tmp_path, monkeypatch, make_judge):
    monkeypatch.setattr(adding, "_BATCH", 3)
    path = write(tmp_path / "items.csv", tuples(7))
    first = add_task(campaign, "votes", path, options={"needed": 2, "least": 1})
    assert (first.items, first.before) == (7, 0)
    turn = next_turn(make_judge(first.task))
    take(turn.judge, turn.token, {"vote": "yes"})
    more = tmp_path / "more.csv.gz"
    more.write_bytes(gzip.compress(write(tmp_path / "more.csv", tuples(11)).read_bytes()))
    second = add_task(campaign, "votes", more)
    assert (second.task, second.items, second.before) == (first.task, 4, 7)
    assert add_task(campaign, "votes", more, options={"needed": 2, "least": 1}).items == 0
    numbered = list(first.task.items.order_by("number").values_list("key", "number", "judged"))
    assert [key for key, _, _ in numbered] == [f"t{number}" for number in range(11)]
    assert len({number for _, number, _ in numbered}) == 11
    assert sum(judged for _, _, judged in numbered) == 1
    assert list(AuditEntry.objects.order_by("pk").values_list("detail__items", flat=True)) == [7, 4, 0]


def test_all_items_come_in_or_none_and_the_first_bad_row_is_named(campaign, tmp_path, monkeypatch):
    monkeypatch.setattr(adding, "_BATCH", 2)
    task = add_task(campaign, "votes", write(tmp_path / "items.csv", tuples(3))).task
    rows = [*tuples(9)[3:], {**tuples(1)[0], "item_id": "new", "attribute": " "}]
    with pytest.raises(UserError, match=r"more\.csv, line 8, column 'attribute': it is empty"):
        add_task(campaign, "votes", write(tmp_path / "more.csv", rows))
    twice = [*tuples(9)[3:], tuples(9)[4]]
    with pytest.raises(UserError, match=r"more\.csv, line 8: an earlier row has the name 't4' already"):
        add_task(campaign, "votes", write(tmp_path / "more.csv", twice))
    assert task.items.count() == 3
    assert AuditEntry.objects.count() == 1
    # Nor do items without names come in beside others.
    nameless = write(tmp_path / "nameless.csv", [{"identity": "a", "attribute": "b"}] * 2)
    assert add_task(campaign, "votes", nameless, name="others").items == 2
    with pytest.raises(UserError, match=r"without names of items \(column 'item_id'\)"):
        add_task(campaign, "votes", nameless, name="others")
    assert TaskItem.objects.count() == 5
    Task.objects.update(state=TaskState.CLOSED)
    with pytest.raises(UserError, match="The task 'others' of the campaign is over"):
        add_task(campaign, "votes", nameless, name="others")


@pytest.mark.slow
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
    assert [row["yes"] for row in csv.DictReader(written[1].read_text().splitlines())] == ["0"] * 4
    told = progress(votes)
    assert (told["judgements"], told["least"], told["most"], told["done"]) == (0, 0, 0, 0)


def test_what_judges_must_not_know_is_kept_apart(make_task):
    make_task("votes", tuples(1))
    make_task("votes", tuples(1), name="open", shows_source=True)
    hidden, shown = TaskItem.objects.order_by("pk")
    assert "source" not in hidden.content
    assert hidden.hidden == {"source": "model-x"}
    assert shown.content["source"] == "model-x"
