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


@pytest.mark.slow
def test_every_english_case_is_right_at_every_joint():
    cases = read_cases("en")
    assert len(cases) >= 60
    assert len({case["kind"] for case in cases}) >= 20
    played = results("en")
    assert [result for result in played if not result.right] == []
    assert Counter(result.joint for result in played)["back"] >= 45


@pytest.mark.slow
@pytest.mark.parametrize("code", ["ar", "es", "fr", "hi", "pt", "sw"])
def test_every_case_is_right_at_every_joint_unless_it_is_said_of_one_person(code):
    """What is said in the singular ("la mujer es ...") is left unread, and nothing else is."""
    played = results(code)
    assert len(played) > 250
    for wrong in (result for result in played if not result.right):
        assert ("singular" in wrong.kind, wrong.joint, wrong.got) == (True, "extract", ""), wrong


@pytest.mark.slow
@pytest.mark.parametrize("code", ["wo", "ta"])
def test_every_case_of_the_example_packs_is_right(code):
    with using([ROOT / "examples/packs" / code]):
        assert [result for result in results(code) if not result.right] == []


def case(**cells):
    empty = dict.fromkeys(("statement", "identity", "attribute", "sentence", "denied", "kind"), "")
    return {"row": "2", **empty, **cells}
