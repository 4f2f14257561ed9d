"""Thoughts read by rules: thoughts of ours, coded by hand, in each language (`by_hand.toml`)."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from endoxa.instruments.questions.thoughts.rules import Coding, code_thought
from endoxa.schema import QaItem

TABLE = tomllib.loads(Path(__file__).with_name("by_hand.toml").read_text(encoding="utf-8"))
CODES = ("group_reason", "stereotype", "rejects", "missing")


def asked(name: str) -> QaItem:
    """An ambiguous question in which option 0 is the stereotyped person and option 2 the unknown one."""
    row = TABLE[name]
    about = (
        "Age-1",
        "Age",
        "1",
        "",
        "Age-1",
        "neg",
        "ambig",
        row["language"],
        row["context"],
        row["question"],
    )
    return QaItem(*about, tuple(row["options"]), 2, 0, 2, identity=row["identity"])


@pytest.mark.slow
@pytest.mark.parametrize(("name", "row"), [(name, row) for name in TABLE for row in TABLE[name]["thoughts"]])
def test_thoughts_are_read_as_a_person_read_them(name, row):
    coding = code_thought(row["thought"], asked(name))
    assert [code for code in sorted(CODES) if getattr(coding, code)] == row["codes"]
    assert coding.path == tuple(row["path"])


def test_letters_are_those_of_the_order_shown():
    item = asked("ambiguous")
    assert code_thought("The answer is (B).", item, (2, 0, 1)).argued == 0
    assert code_thought("The answer is (B).", item).argued == 1
    assert code_thought("", item) == Coding(False, False, False, False, ())
