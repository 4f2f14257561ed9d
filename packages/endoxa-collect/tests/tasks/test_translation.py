"""Choice of translations: candidates without names, edits with their distance, results by engine after closing."""

from __future__ import annotations

import random
from collections import Counter

import polars as pl
import pytest

from endoxa.errors import UserError
from endoxa.sources.check import check_pairs
from endoxa.sources.read import read_pairs
from endoxa_collect.models import AuditEntry, Task, TaskState
from endoxa_collect.tasks.handing import next_turn, take
from endoxa_collect.tasks.results import all_tables, write_results
from endoxa_collect.tasks.translation import ROOM, TranslationForm

ENGINES = ("deepl-x1", "nllb-600m", "indictrans2")


def rows(count):
    """Pairs with candidates; the last engine has none for the second pair."""
    return [
        {
            "item_id": f"p{k}",
            "sent_more": f"The bakers of town {k} are lazy.",
            "sent_less": f"The bakers of town {k} are hardworking.",
            "language": "es",
            "candidate_deepl-x1_more": f"Los panaderos de {k} son vagos.",
            "candidate_deepl-x1_less": f"Los panaderos de {k} son trabajadores.",
            "candidate_nllb-600m_more": f"Los panaderos del pueblo {k} son perezosos.",
            "candidate_nllb-600m_less": f"Los panaderos del pueblo {k} son trabajadores.",
            "candidate_indictrans2_more": "" if k == 1 else f"Panaderos {k} perezosos.",
            "candidate_indictrans2_less": "" if k == 1 else f"Panaderos {k} perezosos.",
        }
        for k in range(count)
    ]


def content(**cells):
    return next(ROOM.prepare([{**rows(1)[0], **cells}]))


def form(cells, order=((2,), (1,), (3,)), **changes):
    return TranslationForm(content(**changes), {"order": [list(same) for same in order]}, cells)


def answered(cells, **named):
    found = form(cells, **named)
    assert found.is_valid(), found.errors
    return found.answer()


def test_a_choice_stores_the_candidate_and_its_place():
    assert answered({"choice": "2"}) == {
        "choice": "candidate", "candidates": [1], "place": 2, "distance": 0, "note": "",
        "more": "Los panaderos de 0 son vagos.", "less": "Los panaderos de 0 son trabajadores.",
    }  # fmt: skip
    assert answered({"choice": "none", "note": " bad "})["note"] == "bad"


def test_an_edit_stores_how_many_letters_were_changed():
    told = answered(
        {
            "edit": "2",
            "2_more": "Los panaderos de 0 son muy vagos.",
            "2_less": "Los panaderos de 0 son trabajadores.",
        }
    )
    assert (told["choice"], told["candidates"], told["distance"]) == ("edited", [1], 4)
    same = answered({"edit": "1", "1_more": "Los panaderos del pueblo 0 son perezosos.",
                     "1_less": " Los panaderos del pueblo 0 son trabajadores."})  # fmt: skip
    assert (same["choice"], same["distance"]) == ("candidate", 0)
    own = answered({"edit": "own", "own_more": "Uno.", "own_less": "Dos."})
    assert (own["choice"], own["candidates"], own["more"]) == ("own", [], "Uno.")


@pytest.mark.parametrize(
    "cells",
    [
        {}, {"choice": "4"}, {"choice": "0"}, {"choice": "x"}, {"edit": "9"}, {"edit": "own"}, {"choice": "²"},
        {"edit": "1", "1_more": "Uno.", "1_less": "Uno."}, {"edit": "own", "own_more": "Uno.", "own_less": " Uno. "},
        {"edit": "own", "own_more": "Uno."},
    ],
)  # fmt: skip
def test_what_is_no_choice_is_refused(cells):
    assert not form(cells).is_valid()


def test_engines_that_say_the_same_are_one_candidate_and_places_are_even():
    same = content(**{"candidate_nllb-600m_more": "A b.", "candidate_nllb-600m_less": "A c.",
                      "candidate_deepl-x1_more": "A b.", "candidate_deepl-x1_less": "A c."})  # fmt: skip
    assert sorted(ROOM.draw(same, random.Random(1))["order"]) == [[1, 2], [3]]
    plain = content()
    first = Counter(ROOM.draw(plain, random.Random(seed))["order"][0][0] for seed in range(3000))
    assert all(abs(count - 1000) < 120 for count in first.values())


OWN = {"edit": "own", "own_more": "Son A.", "own_less": "Son B."}


def choose(judge, wanted):
    """Judge everything: `wanted` gives the number of the candidate, 'own' or 'none', by the item's key."""
    while (turn := next_turn(judge)) is not None:
        choice = wanted[turn.item.key]
        places = {number: place for place, same in enumerate(turn.shown["order"], start=1) for number in same}
        cells = OWN if choice == "own" else {"choice": str(places.get(choice, "none"))}
        filled = TranslationForm(turn.item.content, turn.shown, cells)
        assert filled.is_valid(), filled.errors
        take(judge, turn.token, filled.answer())


def test_results_by_engine_come_only_after_closing_and_that_is_recorded(make_task, make_judge, tmp_path):
    task = make_task("translation", rows(3), needed=2)
    for name, wanted in {
        "a": {"p0": 1, "p1": 2, "p2": "none"},
        "b": {"p0": 1, "p1": 1, "p2": "none"},
        "c": {"p1": 2},
    }.items():
        choose(make_judge(task, name), wanted)
    with pytest.raises(UserError, match="Close the task first"):
        all_tables(task)
    assert not AuditEntry.objects.filter(action="task unblinded").exists()
    Task.objects.filter(pk=task.pk).update(state=TaskState.CLOSED)
    task.refresh_from_db()
    paths = {path.name: path for path in write_results(task, tmp_path / "t.csv")}
    assert set(paths) == {"t.csv", "t_items.csv", "t_engines.csv", "t_pairs.csv"}
    assert AuditEntry.objects.filter(action="task unblinded").exists()
    found = all_tables(task)
    items = found["items"]
    assert items["review_state"].to_list() == ["agreed", "majority", "agreed"]
    assert items["translated_from"].to_list() == ["deepl-x1", "nllb-600m", ""]
    assert items["translated_how"].to_list() == ["candidate", "candidate", "none"]
    assert items["chosen_nllb-600m"].to_list() == ["0", "2", "0"]
    for before, after in zip(rows(3), items.iter_rows(named=True), strict=True):
        assert {name: after[name] for name in before} == before
    shares = {row["engine"]: row for row in found["engines"].iter_rows(named=True)}
    assert [(name, shares[name]["judgements"], shares[name]["chosen"]) for name in ENGINES] == [
        ("deepl-x1", "7", "3"), ("nllb-600m", "7", "2"), ("indictrans2", "4", "0"),
    ]  # fmt: skip
    assert shares["(neither)"]["chosen"] == "2"
    assert shares["deepl-x1"]["share"] == "0.4286"
    assert float(shares["deepl-x1"]["low"]) < 3 / 7 < float(shares["deepl-x1"]["high"])
    pairs = pl.concat(read_pairs(paths["t_pairs.csv"]))
    assert pairs["sent_more"].to_list() == [
        "Los panaderos de 0 son vagos.",
        "Los panaderos del pueblo 1 son perezosos.",
    ]
    assert not [one for one in check_pairs(paths["t_pairs.csv"]) if one.severity == "error"]
