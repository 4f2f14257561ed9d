"""Other tools: items go out in the formats of Label Studio and Argilla, and their exports come back as judgements."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from xml.etree import ElementTree as ET

import pytest

from collect_support import campaign_folders, commands
from endoxa.errors import UserError
from endoxa.sources.frames import read_table
from endoxa_collect.tasks.exchange import read_from, write_for
from tasks.conftest import tuples
from tasks.test_extraction import rows

VOTE = {"from_name": "vote", "to_name": "identity", "type": "choices", "id": "x1", "origin": "manual"}


@pytest.fixture
def write(tmp_path):
    """A function that writes a table of items."""

    def table(items, name="items.csv"):
        path = tmp_path / name
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(items[0]))
            writer.writeheader()
            writer.writerows(items)
        return path

    return table


def annotation(who, result, *, cancelled=False):
    """An annotation as the task format of Label Studio describes it."""
    return {
        "id": 1001, "result": result, "was_cancelled": cancelled, "ground_truth": False, "lead_time": 4.288,
        "created_at": "2021-03-09T22:16:08.728353Z", "updated_at": "2021-03-09T22:16:08.728378Z", "task": 1,
        "completed_by": who,
    }  # fmt: skip


def text(name, *words):
    return {"from_name": name, "to_name": "statement", "type": "textarea", "value": {"text": list(words)}}


def choice(name, value):
    return {"from_name": name, "to_name": "statement", "type": "choices", "value": {"choices": [value]}}


def test_tasks_of_label_studio_have_a_configuration_that_fits(write, tmp_path):
    tasks, configuration = write_for("label-studio", "extraction", write(rows(2)), tmp_path / "tasks.json")
    made = json.loads(tasks.read_text(encoding="utf-8"))
    assert [one["data"]["endoxa_id"] for one in made] == ["000-work-001#1", "001-work-001#1"]
    view = ET.fromstring(configuration.read_text(encoding="utf-8"))
    shown = {one.get("value").removeprefix("$") for one in view.iter("Text")}
    assert shown <= set(made[0]["data"])
    fields = {one.get("name"): one for one in view if one.get("toName")}
    assert {one.get("toName") for one in fields.values()} <= {one.get("name") for one in view.iter("Text")}
    for result in made[0]["predictions"][0]["result"]:
        assert fields[result["from_name"]].tag.lower() == result["type"]
    assert len(fields["reason"]) == 8
    assert fields["reason"].get("required") == "false"
    votes = ET.fromstring(
        write_for("label-studio", "votes", write(tuples(1)), tmp_path / "v.json")[1].read_text()
    )
    assert [one.get("value") for one in votes.iter("Choice")] == ["yes", "no", "unsure"]


def test_votes_come_back_from_label_studio(write, tmp_path):
    items = write(tuples(2))
    made = json.loads(write_for("label-studio", "votes", items, tmp_path / "t.json")[0].read_text())
    exported = tmp_path / "export.json"
    told = {"t0": ("yes", "yes", "no"), "t1": ("no", "no", "yes")}
    for number, task in enumerate(made):
        task |= {"id": number, "project": 83}
        task["annotations"] = [
            annotation(who, [{**VOTE, "value": {"choices": [value]}}])
            for who, value in zip(
                (10, {"id": 11, "email": "a@b.org"}, 12), told[task["data"]["endoxa_id"]], strict=True
            )
        ]
        task["annotations"].append(annotation(13, [], cancelled=True))
    exported.write_text(json.dumps(made), encoding="utf-8")
    paths, faults = read_from("label-studio", "votes", items, exported, tmp_path / "v.csv", options={})
    assert faults == []
    table, outcomes = map(read_table, paths)
    assert table["vote"].to_list() == ["yes", "yes", "no", "no", "no", "yes"]
    assert table["item_id"].to_list() == ["t0"] * 3 + ["t1"] * 3
    assert table["rater"].to_list() == ["r001", "r002", "r003"] * 2
    assert set(table["hour"]) == {"2021-03-09T22:00"}
    assert outcomes["accepted"].to_list() == ["true", "false"]
    assert "a@b.org" not in paths[0].read_text()


def test_statements_come_back_from_label_studio_as_from_our_own_pages(write, tmp_path):
    items = write(rows(5))
    made = json.loads(write_for("label-studio", "extraction", items, tmp_path / "t.json")[0].read_text())
    kept = [text("identity", "bakers"), text("attribute", "cheerful")]
    answers = [
        kept,
        [text("identity", "bakers"), text("attribute", "merry")],
        [choice("reason", "noise")],
        [*kept, text("second_identity", "bakers"), text("second_attribute", "early risers")],
        [],
    ]
    for task, result in zip(made, answers, strict=True):
        task["annotations"] = [annotation(1, result)]
    (tmp_path / "e.json").write_text(json.dumps(made), encoding="utf-8")
    out = tmp_path / "review.csv"
    paths, _ = read_from("label-studio", "extraction", items, tmp_path / "e.json", out, options={"needed": 1})
    assert read_table(paths[0])["decision"].to_list() == ["keep", "edit", "omit", "split", "keep"]
    table = read_table(paths[1])
    assert table["review_decision"].to_list() == ["keep", "edit", "omit", "edit", "edit", "keep"]
    assert table["attribute"].to_list() == [
        "cheerful",
        "merry",
        "cheerful",
        "cheerful",
        "early risers",
        "cheerful",
    ]
    assert table["group"].to_list() == ["g0", "g1", "g2", "g3", "g3", "g4"]


def test_records_of_argilla_go_and_come_back(write, tmp_path):
    items = write(rows(3))
    records, settings = write_for("argilla", "extraction", items, tmp_path / "records.json")
    made, asked = json.loads(records.read_text()), json.loads(settings.read_text())
    assert settings.name == "records_settings.json"
    names = [one["name"] for one in (*asked["fields"], *asked["questions"])]
    assert len(set(names)) == len(names)
    assert {one["settings"]["type"] for one in asked["questions"]} == {"text", "label_selection"}
    assert set(made[0]) == {"id", "fields", "metadata", "suggestions", "responses", "vectors"}
    assert set(made[0]["fields"]) == {one["name"] for one in asked["fields"]}
    one, two = "0c1a", "9f3b"
    said = [("bakers", "cheerful"), ("bakers", "merry"), None]
    for record, words in zip(made, said, strict=True):
        record |= {"_server_id": "1"}
        record["responses"] = (
            {"identity": [{"value": words[0], "user_id": one}, {"value": words[0], "user_id": two}],
             "attribute": [{"value": words[1], "user_id": one}, {"value": words[1], "user_id": two}]}
            if words
            else {"reason": [{"value": "noise", "user_id": one}], "note": [{"value": "?", "user_id": two}]}
        )  # fmt: skip
    (tmp_path / "e.json").write_text(json.dumps(made), encoding="utf-8")
    paths, faults = read_from(
        "argilla", "extraction", items, tmp_path / "e.json", tmp_path / "r.csv", options={}
    )
    assert faults == []
    table = read_table(paths[1])
    assert table["review_state"].to_list() == ["agreed", "agreed", "waiting"]
    assert table["attribute"].to_list() == ["cheerful", "merry", "cheerful"]


def test_pairs_go_out_and_come_back(write, tmp_path):
    items = write(
        [
            {
                "item_id": "p",
                "sent_more": "Bakers are lazy.",
                "sent_less": "Bakers are not lazy.",
                "language": "en",
            }
        ]
    )
    made = json.loads(write_for("argilla", "pairs", items, tmp_path / "t.json")[0].read_text())
    made[0]["responses"] = {"sent_less": [{"value": "Bakers are diligent.", "user_id": "u"}]}
    (tmp_path / "e.json").write_text(json.dumps(made), encoding="utf-8")
    paths, _ = read_from("argilla", "pairs", items, tmp_path / "e.json", tmp_path / "r.csv", options={})
    assert read_table(paths[-1])["sent_less"].to_list() == ["Bakers are diligent."]


def test_answers_that_are_not_valid_are_refused_or_left_out(write, tmp_path):
    items = write(tuples(2))
    made = json.loads(write_for("label-studio", "votes", items, tmp_path / "t.json")[0].read_text())
    made[0]["annotations"] = [annotation(1, [{**VOTE, "value": {"choices": ["perhaps"]}}])]
    made[1]["annotations"] = [annotation(1, [{**VOTE, "value": {"choices": ["yes"]}}])]
    exported = tmp_path / "e.json"
    exported.write_text(json.dumps(made), encoding="utf-8")
    with pytest.raises(UserError, match="item 't0', r001"):
        read_from("label-studio", "votes", items, exported, tmp_path / "v.csv", options={})
    paths, faults = read_from(
        "label-studio", "votes", items, exported, tmp_path / "v.csv", options={}, skip_invalid=True
    )
    assert len(faults) == 1
    assert read_table(paths[0])["item_id"].to_list() == ["t1"]


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("{}", "expected a list"), ("[{}]", "endoxa_id"), ("nope", "not JSON"),
        ('[{"data": {"endoxa_id": "x"}, "annotations": [{"result": []}]}]', "not in the file"),
    ],
)  # fmt: skip
def test_files_that_are_no_export_are_refused(write, tmp_path, content, fault):
    exported = tmp_path / "e.json"
    exported.write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match=fault):
        read_from("label-studio", "votes", write(tuples(1)), exported, tmp_path / "v.csv", options={})


def test_unknown_tools_and_translations_are_refused(write, tmp_path):
    with pytest.raises(UserError, match="Expected one of"):
        write_for("doccano", "votes", write(tuples(1)), tmp_path / "t.json")
    with pytest.raises(UserError, match="another tool"):
        write_for("label-studio", "translation", write(tuples(1)), tmp_path / "t.json")


def test_kinds_are_listed_without_a_campaign():
    done = commands.run(
        commands.COMMAND, "collect", "task", "kinds", env=campaign_folders.environment(), timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert {"extraction: Review of statements", "  --set needed=3"} <= set(done.stdout.splitlines())


@pytest.mark.slow
def test_the_command_needs_no_campaign(write, tmp_path):
    words = [
        "collect",
        "task",
        "convert",
        str(write(rows(1))),
        "--kind",
        "extraction",
        "--tool",
        "label-studio",
    ]
    done = subprocess.run(
        [sys.executable, "-c", "from endoxa.commands import main; main()", *words, "-o", str(tmp_path / "tasks.json")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "tasks.xml").exists()
