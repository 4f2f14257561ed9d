"""The bank of names: complete for BBQ's nationalities, no name twice without a flag, each in its own script."""

from __future__ import annotations

import csv
import json
import re
import unicodedata
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endoxa.errors import UserError
from endoxa.instruments.questions.names.bank import GENDERS, Name, NameBank, check_bank, read_bank
from endoxa.words.packs import rows_of

BANK = read_bank()
ROWS = rows_of("", "names.csv")
"""The table with its notes for people."""


def test_five_names_of_each_gender_for_every_nationality_of_bbq(shared: Path) -> None:
    with (shared / "data/bbq/nationality_terms.csv").open(encoding="utf-8", newline="") as stream:
        nationalities = {row["nationality"] for row in csv.DictReader(stream)}
    assert set(BANK.groups) == nationalities
    assert len(nationalities) == 68
    assert all(len(BANK.names(group, gender)) == 5 for group in BANK.groups for gender in GENDERS)
    assert len(BANK.entries) == 680


def test_no_name_is_a_word_of_the_items(shared: Path) -> None:
    texts = (shared / "data/bbq/Nationality.jsonl").read_text(encoding="utf-8").splitlines()
    fields = ("context", "question", "ans0", "ans1", "ans2")
    words = {
        word.casefold()
        for row in map(json.loads, texts)
        for field in fields
        for word in re.findall(r"\w+", row[field])
    }
    assert not words & {entry.name.casefold() for entry in BANK.entries}


def test_the_bank_of_the_package_is_sound() -> None:
    assert check_bank(BANK) == []


def test_no_name_stands_under_two_nationalities() -> None:
    assert [name for name, count in Counter(entry.name for entry in BANK.entries).items() if count > 1] == []


def test_every_name_is_one_english_looking_word_with_a_note() -> None:
    for entry in BANK.entries:
        assert re.fullmatch("[A-Z][a-z]{2,}", entry.name), entry
        assert len(entry.ambiguous) <= 6, entry
    assert all(row["origin"] for row in ROWS)


def test_own_spellings_are_in_the_script_that_is_named() -> None:
    for row in ROWS:
        block = {"Han": "CJK UNIFIED"}.get(row["script"], row["script"].upper())
        letters = [letter for letter in row["native"] if letter.isalpha()]
        assert bool(letters) or row["script"] == "Latin", row
        assert all(unicodedata.name(letter).startswith(block) for letter in letters), row
        assert unicodedata.is_normalized("NFC", row["native"]), row


def test_latin_spellings_differ_only_in_marks() -> None:
    special = str.maketrans(
        {"ð": "d", "þ": "th", "Þ": "Th", "ø": "o", "Ø": "O", "ł": "l", "Đ": "D", "å": "aa"}
    )
    for row in ROWS:
        if row["script"] == "Latin" and row["native"]:
            marked = unicodedata.normalize("NFKD", row["native"].translate(special))
            assert "".join(letter for letter in marked if letter.isascii()) == row["name"], row


@pytest.mark.parametrize(
    ("name", "also"),
    [
        ("Arwa", {"Syrian", "Saudi"}),
        ("Shaymaa", {"Syrian", "Yemeni"}),
        ("Alvaro", {"Portuguese", "Mexican", "Peruvian"}),
        ("Catalina", {"Spanish", "Romanian"}),
        ("Solveig", {"Danish", "Swedish"}),
        ("Dragos", {"Moldovan"}),
        ("Shazia", {"Indian", "Bangladeshi"}),
        ("Kylie", {"American", "British"}),
    ],
)
def test_names_of_a_region_are_marked_in_its_other_countries(name: str, also: set[str]) -> None:
    (entry,) = (entry for entry in BANK.entries if entry.name == name)
    assert also <= entry.ambiguous


def test_words_for_a_group_come_longest_first() -> None:
    assert BANK.words("Spanish") == ("Spaniards", "Spaniard", "Spanish")
    assert BANK.words("Chinese") == ("Chinese",)


def _bank(*entries: Name) -> NameBank:
    return NameBank("own", entries)


def test_a_shared_name_must_be_flagged_on_both_sides() -> None:
    here = Name("North", "female", "Ada")
    there = replace(here, group="South")
    assert [(found.group, found.name) for found in check_bank(_bank(here, there))] == [
        ("North", "Ada"),
        ("South", "Ada"),
    ]
    flagged = replace(here, ambiguous=frozenset({"South"}))
    assert [found.group for found in check_bank(_bank(flagged, there))] == ["South"]
    assert check_bank(_bank(flagged, replace(there, ambiguous=frozenset({"North"})))) == []


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (
            Name("North", "female", "Ada", ambiguous=frozenset({"West"})),
            "which is no other group of this bank",
        ),
        (
            Name("North", "female", "Ada", ambiguous=frozenset({"North"})),
            "which is no other group of this bank",
        ),
        (Name("North", "female", "Anne Marie"), "not one word"),
        (Name("North", "female", "ada"), "not one word"),
        (Name("North", "female", "O'Neil"), "not one word"),
        (Name("North", "female", "North"), "also a word for a group"),
    ],
)
def test_what_is_wrong_is_said(entry: Name, said: str) -> None:
    problems = check_bank(_bank(entry))
    assert any(said in problem.message for problem in problems), problems


HEADER = "group,gender,name,script,native,origin,ambiguous,forms"


def _written(folder: Path, *lines: str) -> Path:
    path = folder / "bank.csv"
    path.write_text("\n".join([HEADER, *lines]) + "\n", encoding="utf-8")
    return path


def test_a_bank_of_ones_own(tmp_path: Path) -> None:
    path = _written(
        tmp_path,
        "North,female,Ada,Greek,Άντα,a note,South; East,Northerner;Northerners",
        "North,male,Bo,,,,,",
        "South,Female,Cyra,,,,,",
        "South,male,Dan,,,,,",
    )
    bank = read_bank(path)
    assert bank.label == "bank.csv"
    assert bank.groups == ("North", "South")
    assert bank.names("North") == [
        Name("North", "female", "Ada", frozenset({"South", "East"})),
        Name("North", "male", "Bo"),
    ]
    assert bank.words("North") == ("Northerners", "Northerner", "North")
    assert [entry.name for entry in bank.entries] == ["Ada", "Bo", "Cyra", "Dan"]


def test_a_name_can_carry_its_source(tmp_path: Path) -> None:
    path = tmp_path / "bank.csv"
    path.write_text(
        "group,gender,name,source\nNorth,female,Ada,census 2021\nNorth,male,Bo,\n", encoding="utf-8"
    )
    assert [entry.source for entry in read_bank(path).entries] == ["census 2021", ""]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["North,female,,,,,,"], "row 1, column 'name': empty"),
        (["North,female,Ada,,,,,", ",male,Bo,,,,,"], "row 2, column 'group': empty"),
        (
            ["North,woman,Ada,,,,,"],
            "row 1, column 'gender': 'woman' is invalid. Expected one of: female, male",
        ),
        (["North,female,Ada,,,,,", "North,male,ADA,,,,,"], "row 2: 'ADA' of 'North' also appears in row 1"),
        (["North,female,Ada,,,,,"], "'North' has no male name"),
    ],
)
def test_a_broken_bank_is_one_sentence(tmp_path: Path, lines: list[str], said: str) -> None:
    with pytest.raises(UserError) as caught:
        read_bank(_written(tmp_path, *lines))
    assert said in str(caught.value)


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bank.csv"
    path.write_text("group,name\nNorth,Ada\n", encoding="utf-8")
    with pytest.raises(UserError, match="no column 'gender'"):
        read_bank(path)


names = st.text(st.characters(categories=["Lu", "Ll", "Lo"]), min_size=1, max_size=8)


@pytest.mark.slow
@given(st.dictionaries(names, st.tuples(names, names), min_size=1, max_size=5))
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, groups: dict[str, tuple[str, str]]
) -> None:
    rows = [
        (group, gender, f"{name}{suffix}")
        for group, pair in groups.items()
        for gender, name, suffix in zip(GENDERS, pair, "xy", strict=True)
    ]
    path = tmp_path_factory.mktemp("bank") / "bank.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([("group", "gender", "name"), *rows])
    bank = read_bank(path)
    assert [(entry.group, entry.gender, entry.name) for entry in bank.entries] == rows
    assert bank.groups == tuple(groups)
