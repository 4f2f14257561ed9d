"""Language check: what speakers say of endoxa's words, and the corrections that are made of it."""

from __future__ import annotations

import pytest

from endoxa.sources.frames import read_table
from endoxa.words.check import items
from endoxa_collect.tasks.handing import next_turn, take
from endoxa_collect.tasks.results import all_tables, write_results
from endoxa_collect.tasks.rooms import Judged, JudgedItem
from endoxa_collect.tasks.words import ROOM, WordsForm

TEXT = "{country} के लोग"


def form(text=TEXT, **cells):
    return WordsForm({"text": text, "language": "hi"}, {}, {"correction": text, **cells})


def answered(text=TEXT, **cells):
    found = form(text, **cells)
    assert found.is_valid(), found.errors
    return found.answer()


def test_verdict_correction_note_and_name():
    empty = {"correction": "", "note": "", "named": ""}
    assert answered(verdict="natural") == {"verdict": "natural", **empty}
    assert answered(verdict="offensive") == {"verdict": "offensive", **empty}
    assert answered(verdict="odd", note=" stiff ")["note"] == "stiff"
    assert answered(verdict="wrong", correction=f" {TEXT}!\r\n")["correction"] == f"{TEXT}!"
    assert answered(verdict="natural", named="  Asha\n Rao ")["named"] == "Asha Rao"
    # The text with line breaks comes back from browsers with others.
    assert answered("one\ntwo\n", verdict="natural", correction="one\r\ntwo")["correction"] == ""


@pytest.mark.parametrize(
    ("cells", "fault"),
    [
        ({}, "required"),
        ({"verdict": "natural", "correction": f"{TEXT}!"}, "You changed the text"),
        ({"verdict": "odd"}, "Change the text so that it is right"),
        ({"verdict": "wrong", "correction": "लोग"}, "must stay as often as they were"),
        ({"verdict": "wrong", "correction": f"{TEXT} {{identity}}"}, "{identity}"),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_reason(cells, fault):
    found = form(**cells)
    assert not found.is_valid()
    assert fault in found.errors.as_text()


@pytest.mark.parametrize(
    ("answers", "outcome"),
    [
        ([], "unjudged"),
        (["natural", "natural"], "natural"),
        (["natural", "odd x"], "waiting"),
        (["natural", "odd x", "natural"], "natural"),
        (["natural", "odd x", "wrong x"], "corrected x"),
        (["wrong x", "odd"], "corrected x"),
        (["offensive", "odd x"], "corrected x"),
        (["wrong x", "odd y"], "several corrections"),
        (["offensive", "odd"], "offensive"),
        (["natural", "offensive", "natural"], "disputed"),
    ],
)
def test_outcomes(answers, outcome):
    said = [answer.partition(" ") for answer in answers]
    judged = tuple(
        Judged(f"r{k}", "", {"verdict": verdict, "correction": text, "note": ""}, "", counts=True)
        for k, (verdict, _, text) in enumerate(said)
    )
    row = ROOM.outcome(ROOM.settings(), JudgedItem("t1", {}, {}, judged))
    assert f"{row['review_state']} {row['correction']}".strip() == outcome


def judge_all(judge, answers, name=""):
    while (turn := next_turn(judge)) is not None:
        text = turn.item.content["text"]
        cells = {"verdict": "natural", "correction": text, "named": name, **answers.get(text, {})}
        found = WordsForm(turn.item.content, turn.shown, cells)
        assert found.is_valid(), (text, found.errors)
        take(judge, turn.token, found.answer())
        name = ""  # once is enough


@pytest.mark.slow
def test_items_go_in_and_come_out_with_corrections(make_task, make_judge, tmp_path):
    rows = items("hi", ["examples", "country phrases"])
    task = make_task("words", rows)
    wrong = {"मेहनती": {"verdict": "odd", "correction": "परिश्रमी"}}
    judge_all(make_judge(task, "rosa"), wrong, name="Asha")
    judge_all(make_judge(task, "luis"), wrong | {TEXT: {"verdict": "offensive"}})
    paths = {path.name: path for path in write_results(task, tmp_path / "w.csv")}
    assert "Asha" not in paths["w.csv"].read_text(encoding="utf-8")
    table = read_table(paths["w_items.csv"])
    by_text = {row["text"]: row for row in table.to_dicts()}
    assert (by_text["मेहनती"]["review_state"], by_text["मेहनती"]["correction"]) == ("corrected", "परिश्रमी")
    assert by_text[TEXT]["review_state"] == "waiting"
    assert set(table["names"]) == {"Asha"}
    # Speakers who do not agree get a third one.
    judge_all(make_judge(task, "wanjiru"), {})
    table = all_tables(task)["items"]
    assert table.filter(text=TEXT)["review_state"].to_list() == ["disputed"]
