"""Builder of pairs: what is fixed, what is checked, and a file that models can be probed with."""

from __future__ import annotations

import polars as pl
import pytest

from endoxa.instruments.pairs.items import build_pairs
from endoxa.sources.check import check_pairs
from endoxa.sources.frames import read_table
from endoxa.sources.read import read_pairs
from endoxa_collect.tasks.handing import next_turn, take
from endoxa_collect.tasks.pairs import PairForm
from endoxa_collect.tasks.results import all_tables, write_results

MORE, LESS = "Bakers are lazy.", "Bakers are hardworking."


def form(cells, **changes):
    content = {"sent_more": MORE, "suggested": LESS, "identity": "bakers", "language": "en", **changes}
    return PairForm(content, {}, cells)


def answered(cells, **changes):
    found = form(cells, **changes)
    assert found.is_valid(), found.errors
    return found.answer()


def test_as_suggested_changed_or_rejected():
    assert answered({"action": "ok", "sent_less": f" {LESS} "})["state"] == "ok"
    changed = answered({"action": "ok", "sent_less": "Bakers are diligent."})
    assert (changed["state"], changed["sent_less"]) == ("changed", "Bakers are diligent.")
    rejected = answered({"reason": "no opposite", "sent_less": ""})
    assert (rejected["state"], rejected["reason"], rejected["sent_less"]) == ("rejected", "no opposite", "")


@pytest.mark.parametrize(
    ("cells", "changes", "fault"),
    [
        ({"sent_less": ""}, {}, "Write the second"),
        ({"sent_less": "Bakers  are lazy."}, {}, "are the same"),
        ({"sent_less": "Cooks are hardworking."}, {}, "group must be the same"),
        ({"reason": "other"}, {}, "Say why in the note"),
        ({"sent_less": LESS, "action": "check"}, {}, "Nothing is saved"),
        ({"sent_less": "Bakers are not lazy."}, {}, "save it all the same"),
        ({"sent_less": "वह डॉक्टर है।"}, {"sent_more": "वह डॉक्टर है।", "language": "hi"}, "are the same"),
    ],
)
def test_what_makes_no_pair_is_refused_with_its_reason(cells, changes, fault):
    found = form(cells, **changes)
    assert not found.is_valid()
    assert fault in str(found.errors)


def test_what_was_found_is_saved_after_all_if_somebody_says_so():
    told = answered({"sent_less": "Bakers are not lazy.", "action": "despite"})
    assert (told["state"], told["checks"]) == ("changed", ["negation-only"])
    # A warning that the suggestion has already asks for nothing.
    as_suggested = answered(
        {"sent_less": "Bakers are not lazy.", "action": "ok"}, suggested="Bakers are not lazy."
    )
    assert as_suggested["state"] == "ok"


def judge_all(judge, answers):
    while (turn := next_turn(judge)) is not None:
        found = PairForm(turn.item.content, turn.shown, answers[turn.item.number])
        assert found.is_valid(), found.errors
        take(judge, turn.token, found.answer())


def test_pairs_built_by_endoxa_go_in_and_come_out_as_pairs(make_task, make_judge, tmp_path):
    associations = pl.DataFrame(
        {"identity": ["bakers", "old people", "nurses"], "attribute": ["lazy", "wise", "kind"],
         "language": ["en"] * 3, "axis": ["profession", "age", "profession"]}
    )  # fmt: skip
    built = build_pairs(associations).pairs.to_dicts()
    assert len(built) == 3
    task = make_task("pairs", built)
    wanted = built[0]["sent_less"].replace(built[0]["attribute_less"], "diligent")
    judge_all(
        make_judge(task),
        {
            1: {"action": "ok", "sent_less": wanted},
            2: {"reason": "no opposite"},
            3: {"action": "ok", "sent_less": built[2]["sent_less"]},
        },
    )
    paths = {path.name: path for path in write_results(task, tmp_path / "b.csv")}
    items = read_table(paths["b_items.csv"])
    assert items["pair_state"].to_list() == ["changed", "rejected", "ok"]
    file = paths["b_pairs.csv"]
    assert not [one for one in check_pairs(file) if one.severity == "error"]
    pairs = pl.concat(read_pairs(file))
    assert pairs["item_id"].to_list() == [built[0]["item_id"], built[2]["item_id"]]
    assert pairs["sent_less"].to_list() == [wanted, built[2]["sent_less"]]
    assert pairs["attribute_less"][0] == "diligent"
    untouched = read_table(file).to_dicts()[1]
    assert {name: untouched[name] or "" for name in built[2]} == built[2]


def test_two_who_differ_get_a_third(make_task, make_judge):
    task = make_task("pairs", [{"sent_more": MORE, "suggested": LESS, "language": "en"}], needed=2)
    for name, less in (("a", LESS), ("b", "Bakers are diligent."), ("c", "Bakers are diligent.")):
        judge_all(make_judge(task, name), {1: {"action": "ok", "sent_less": less}})
    found = all_tables(task)
    assert found["items"]["review_state"].to_list() == ["majority"]
    assert found["pairs"]["sent_less"].to_list() == ["Bakers are diligent."]
