"""Reader models, the sheet and agreement: planted errors recovered."""

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
    message,
    read_codes,
    read_sheet,
    to_read,
    write_sheet,
)
from endoxa.runs.asking.readers import plan_readers, read_with_models
from endoxa.schema.thoughts import CODES

pytestmark = pytest.mark.slow

NO_CODES = dict.fromkeys(CODES, "no")


def texts(count: int, model: str = "m") -> list[ThoughtText]:
    """Thoughts of which every second gives the group as the reason, and every third argues for A."""
    return [
        ThoughtText(
            *(f"{model}|{number}", model, "Who was late? (A) X (B) Y (C) Not known", f"Thought {number}."),
            NO_CODES | {"group_reason": ("no", "yes")[number % 2], "argued": "ACC"[number % 3]},
        )
        for number in range(count)
    ]


def test_codes_are_read_from_json_in_any_dress_and_from_nothing_less():
    whole = json.dumps({**NO_CODES, "missing": True, "argued": "(b)"})
    expected = {**NO_CODES, "missing": "yes", "argued": "B"}
    for dressed, codes in {
        f"Sure:\n```json\n{whole}\n```": expected,
        f"<think>{json.dumps(NO_CODES)}</think>{whole}": expected,
        json.dumps(NO_CODES): None,
        json.dumps({**NO_CODES, "missing": "perhaps", "argued": "A"}): None,
        "no": None,
    }.items():
        assert read_codes(dressed) == codes


def test_a_reader_errs_as_often_as_planted_and_the_plan_costs_nothing(tmp_path):
    thoughts, (erring, sure) = texts(240), ("sim/reader-a?error=0.1", "sim/reader-b?error=0")
    settings = ThoughtReaderSettings(data="x", models=(erring, sure))
    assert [plan.expected.calls for plan in plan_readers(to_read(thoughts), settings)] == [240, 240]
    read, _ = read_with_models(to_read(thoughts), settings, tmp_path / "readers")
    table = agreement(coders_of(thoughts, read, None), confidence=0.95)
    rows = {(row["code"], row["second"]): row for row in table.filter(first=RULES).iter_rows(named=True)}
    for code in (*CODES, "argued"):
        assert abs(rows[code, erring]["agreement"] - 0.9) < 0.065
        assert rows[code, sure]["agreement"] == 1
    assert rows["group_reason", sure]["kappa"] == 1
    planted = rows["group_reason", erring]
    assert planted["low"] < 0.8 < planted["high"]  # chance agreement is one half: kappa = (0.9 - 0.5) / 0.5
    assert rows["rejects", sure]["kappa"] is None  # both always say no


def test_a_sheet_goes_out_without_codes_and_comes_back(tmp_path):
    thoughts = [*texts(30), *texts(30, "other"), ThoughtText("cut", "m", "q", "unfinished", cut_off=True)]
    path, filled = tmp_path / "check.xlsx", tmp_path / "filled.csv"
    assert write_sheet(thoughts, path, sample=20, seed=0) == 20
    heads, *rows = load_workbook(path)["Coding"].iter_rows(values_only=True)
    assert list(heads) == ["thought_key", "question", "thought", *CODES, "argued"]
    shown = " ".join(str(cell) for row in rows for cell in row)
    assert "|" not in shown
    assert "yes" not in shown
    drawn = draw(thoughts, 20, 0)
    assert [each.model for each in drawn].count("other") == 10
    assert drawn != draw(thoughts, 20, 1)
    with filled.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(
            [heads]
            + [
                (each.key, "", "", *(each.by_rules[name].upper() for name in CODES), "none")
                for each in drawn[:12]
            ]
        )
    people = read_sheet(filled, thoughts)
    assert len(people) == 12
    table = agreement(coders_of(thoughts, {}, people), confidence=0.95)
    assert set(table["first"]) == {PEOPLE}
    found = [table.filter(code=code)["agreement"].to_list() for code in ("group_reason", "argued")]
    assert found == [[1.0], [0.0]]
    with pytest.raises(UserError, match="is not in these runs"):
        read_sheet(filled, texts(3, "strange"))


def test_a_long_thought_is_shown_with_its_beginning_and_its_end():
    shown = message(ThoughtText("n", "m", "", f"begins {'x' * 20_000} ends"))
    assert ("begins" in shown, "ends" in shown, len(shown) < 14_000) == (True, True, True)
