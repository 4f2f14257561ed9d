"""Cases of languages played through: what is written in `cases.csv` is the planted truth."""

from __future__ import annotations

from collections import Counter

import pytest

from endoxa.curate.cases import replay
from endoxa.words.check import read_cases
from endoxa.words.packs import using
from support.repository import ROOT


def results(code):
    return [result for case in read_cases(code) for result in replay(case, code)]


def test_every_english_case_is_right_at_every_joint():
    cases = read_cases("en")
    assert len(cases) >= 60
    assert len({case["kind"] for case in cases}) >= 20
    played = results("en")
    assert [result for result in played if not result.right] == []
    assert Counter(result.joint for result in played)["back"] >= 45


@pytest.mark.parametrize("code", ["wo", "ta"])
def test_every_case_of_the_example_packs_is_right(code):
    with using([ROOT / "examples/packs" / code]):
        assert [result for result in results(code) if not result.right] == []


def case(**cells):
    empty = dict.fromkeys(("statement", "identity", "attribute", "sentence", "denied", "kind"), "")
    return {"row": "2", **empty, **cells}


def test_a_wrong_expectation_is_told_at_its_joint():
    told = list(
        replay(
            case(
                statement="Women are kind",
                identity="women",
                attribute="kind",
                sentence="Women are kind.",
                denied="Women are unkind.",
            ),
            "en",
        )
    )
    assert [(result.joint, result.right) for result in told] == [("extract", True), ("pairs", False)]
    assert told[1].expected == "Women are kind. | Women are unkind."
    assert told[1].got == "Women are kind. | Women are not kind."


def test_empty_cells_expect_nothing_and_a_reason_is_given():
    (read,) = replay(case(statement="Women are kind"), "en")
    assert (read.right, read.expected, read.got) == (False, "", "women | kind")
    _, made = replay(case(statement="Women: clean houses", identity="women", attribute="clean houses"), "en")
    assert made.right
    assert "adjective or a verb" in made.reason
