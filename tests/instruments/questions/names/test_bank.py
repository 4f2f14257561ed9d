"""The bank of names: complete for BBQ's nationalities, no name twice without a flag, and one of one's own."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from endoxa.instruments.questions.names.bank import GENDERS, Name, NameBank, check_bank, read_bank

BANK = read_bank()


def test_the_bank_is_sound_and_has_five_names_of_each_gender_for_every_nationality_of_bbq(
    shared: Path,
) -> None:
    with (shared / "data/bbq/nationality_terms.csv").open(encoding="utf-8", newline="") as stream:
        nationalities = {row["nationality"] for row in csv.DictReader(stream)}
    assert set(BANK.groups) == nationalities
    assert all(len(BANK.names(group, gender)) == 5 for group in BANK.groups for gender in GENDERS)
    names = {entry.name for entry in BANK.entries}
    assert len(names) == len(BANK.entries) == 680
    assert check_bank(BANK) == []
    assert all(re.fullmatch("[A-Z][a-z]{2,}", name) for name in names)
    assert all(len(entry.ambiguous) <= 6 for entry in BANK.entries)
    lines = (shared / "data/bbq/Nationality.jsonl").read_text(encoding="utf-8").splitlines()
    fields = ("context", "question", "ans0", "ans1", "ans2")
    words = {
        word for row in map(json.loads, lines) for field in fields for word in re.findall(r"\w+", row[field])
    }
    assert not {word.casefold() for word in words} & {name.casefold() for name in names}


def wrong(*entries: Name) -> list[tuple[str, str]]:
    return [(problem.group, problem.message) for problem in check_bank(NameBank("own", entries))]


def test_a_shared_name_must_be_flagged_on_both_sides() -> None:
    here = Name("North", "female", "Ada")
    there = replace(here, group="South")
    flagged = replace(here, ambiguous=frozenset({"South"}))
    assert [group for group, _ in wrong(here, there)] == ["North", "South"]
    assert [group for group, _ in wrong(flagged, there)] == ["South"]
    assert wrong(flagged, replace(there, ambiguous=frozenset({"North"}))) == []


@pytest.mark.parametrize(
    ("name", "ambiguous", "complaint"),
    [
        ("Ada", {"West"}, "which is no other group of this bank"),
        ("Ada", {"North"}, "which is no other group of this bank"),
        ("Anne Marie", set(), "not one word"),
        ("ada", set(), "not one word"),
        ("O'Neil", set(), "not one word"),
        ("North", set(), "also a word for a group"),
    ],
)
def test_what_is_wrong_is_named(name: str, ambiguous: set[str], complaint: str) -> None:
    problems = wrong(Name("North", "female", name, ambiguous=frozenset(ambiguous)))
    assert any(complaint in message for _, message in problems), problems


def test_a_bank_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "bank.csv"
    path.write_text(
        "group,gender,name,script,native,origin,ambiguous,forms,source\n"
        "North,female,Ada,Greek,Άντα,a note,South; East,Northerner;Northerners,census 2021\n"
        "North,male,Bo,,,,,,\n"
        "South,Female,Cyra,,,,,,\n"
        "South,male,Dan,,,,,,\n",
        encoding="utf-8",
    )
    bank = read_bank(path)
    assert (bank.label, bank.groups) == ("bank.csv", ("North", "South"))
    assert bank.names("North") == [
        Name("North", "female", "Ada", frozenset({"South", "East"}), "census 2021"),
        Name("North", "male", "Bo"),
    ]
    assert bank.words("North") == ("Northerners", "Northerner", "North")
    assert [entry.name for entry in bank.entries] == ["Ada", "Bo", "Cyra", "Dan"]
