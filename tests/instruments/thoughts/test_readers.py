"""Reader models, the sheet and agreement: planted errors recovered, kappa by hand."""

from __future__ import annotations

import csv
import json

import pytest
from openpyxl import load_workbook

from endoxa.errors import UserError
from endoxa.instruments.thoughts import (
    PEOPLE,
    RULES,
    ThoughtReaderSettings,
    ThoughtText,
    agreement,
    coders_of,
    draw,
    letter_of,
    message,
    read_codes,
    read_sheet,
    to_read,
    write_sheet,
)
from endoxa.runs.asking.readers import plan_readers, read_with_models
from endoxa.schema.thoughts import CODES

NO_CODES = dict.fromkeys(CODES, "no")


def texts(count: int, model: str = "m") -> list[ThoughtText]:
    """Thoughts of which every second gives the group as the reason, and every third argues for A."""
    return [
        ThoughtText(
            f"{model}|{number}",
            model,
            "Who was late? (A) X (B) Y (C) Not known",
            f"Thought {number}.",
            {
                **NO_CODES,
                "group_reason": ("no", "yes")[number % 2],
                "argued": "A" if number % 3 == 0 else "C",
            },
        )
        for number in range(count)
    ]


def test_codes_are_read_from_json_in_any_dress_and_from_nothing_less():
    whole = json.dumps({**NO_CODES, "missing": True, "argued": "(b)"})
    expected = {**NO_CODES, "missing": "yes", "argued": "B"}
    assert read_codes(f"Sure:\n```json\n{whole}\n```") == expected
    assert read_codes(f"<think>{json.dumps(NO_CODES)}</think>{whole}") == expected
    assert read_codes(json.dumps(NO_CODES)) is None
    assert read_codes(json.dumps({**NO_CODES, "missing": "perhaps", "argued": "A"})) is None
    assert read_codes("no") is None


def test_a_long_thought_is_shown_with_its_beginning_and_its_end():
    long = ThoughtText("n", "m", "", f"begins {'x' * 20_000} ends")
    assert "begins" in message(long)
    assert "ends" in message(long)
    assert len(message(long)) < 14_000


def test_a_reader_errs_as_often_as_planted_and_the_plan_costs_nothing(tmp_path):
    thoughts = texts(400)
    settings = ThoughtReaderSettings(data="x", models=("sim/reader-a?error=0.1", "sim/reader-b?error=0"))
    assert [plan.expected.calls for plan in plan_readers(to_read(thoughts), settings)] == [400, 400]
    read, _ = read_with_models(to_read(thoughts), settings, tmp_path / "readers")
    table = agreement(coders_of(thoughts, read, None), confidence=0.95)
    rows = {(row["code"], row["second"]): row for row in table.filter(first=RULES).iter_rows(named=True)}
    for code in (*CODES, "argued"):
        assert abs(rows[code, "sim/reader-a?error=0.1"]["agreement"] - 0.9) < 0.05
        assert rows[code, "sim/reader-b?error=0"]["agreement"] == 1
    assert rows["group_reason", "sim/reader-b?error=0"]["kappa"] == 1
    planted = rows["group_reason", "sim/reader-a?error=0.1"]
    assert planted["low"] < 0.8 < planted["high"]  # chance agreement is one half: kappa = (0.9 - 0.5) / 0.5
    assert rows["rejects", "sim/reader-b?error=0"]["kappa"] is None  # both always say no


def test_kappa_by_hand():
    """Ten thoughts: both yes 4, both no 3, first only 2, second only 1; Cohen (1960)."""
    pairs = ["yy"] * 4 + ["nn"] * 3 + ["yn"] * 2 + ["ny"]
    said = {"y": "yes", "n": "no"}
    first, second = (
        {f"{place}": {"rejects": said[pair[side]]} for place, pair in enumerate(pairs)} for side in (0, 1)
    )
    row = agreement({"a": first, "b": second}, confidence=0.95).row(0, named=True)
    chance = 0.6 * 0.5 + 0.4 * 0.5
    assert row["kappa"] == pytest.approx((0.7 - chance) / (1 - chance))
    assert (row["n"], row["n_first"], row["n_second"], row["agreement"]) == (10, 6, 5, 0.7)
    assert row["low"] < row["kappa"] < row["high"]


def test_a_sheet_goes_out_without_codes_and_comes_back(tmp_path):
    thoughts = [*texts(30), *texts(30, "other"), ThoughtText("cut", "m", "q", "unfinished", cut_off=True)]
    path = tmp_path / "check.xlsx"
    assert write_sheet(thoughts, path, sample=20, seed=0) == 20
    page = load_workbook(path)["Coding"]
    heads = [cell.value for cell in page[1]]
    assert heads == ["thought_key", "question", "thought", *CODES, "argued"]
    shown = " ".join(str(cell.value) for row in page.iter_rows(min_row=2) for cell in row)
    assert "|" not in shown
    assert "yes" not in shown
    assert [each.model for each in draw(thoughts, 20, 0)].count("other") == 10
    assert draw(thoughts, 20, 0) != draw(thoughts, 20, 1)

    filled = tmp_path / "filled.csv"
    drawn = draw(thoughts, 20, 0)
    with filled.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(heads)
        for each in drawn[:12]:
            writer.writerow((each.key, "", "", *(each.by_rules[name].upper() for name in CODES), "none"))
    people = read_sheet(filled, thoughts)
    assert len(people) == 12
    table = agreement(coders_of(thoughts, {}, people), confidence=0.95)
    assert set(table["first"]) == {PEOPLE}
    assert table.filter(code="group_reason")["agreement"].to_list() == [1.0]
    assert table.filter(code="argued")["agreement"].to_list() == [0.0]
    with pytest.raises(UserError, match="is not in these runs"):
        read_sheet(filled, texts(3, "strange"))


def test_letters_follow_the_order_shown():
    assert [letter_of(option, (2, 0, 1)) for option in (0, 1, 2, None)] == ["B", "C", "A", "none"]
