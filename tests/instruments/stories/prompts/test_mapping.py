"""Prompts that carry the associations whose identity they name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from endoxa.errors import UserError
from endoxa.instruments.stories.prompts import Cell, build_prompts, load_languages, read_map
from endoxa.sources.stereotales.vocabulary import read_vocabulary

HEAD = "association_id,base_attribute,base_value,compared_attribute,compared_value\n"


def written(folder: Path, rows: str) -> Path:
    path = folder / "map.csv"
    path.write_text(HEAD + rows, encoding="utf-8")
    return path


def test_prompts_of_the_identity_carry_the_association_and_the_others_are_there_to_compare(tmp_path: Path):
    path = written(tmp_path, "a1,gender,woman,health_status,poor\na2,gender,woman,urbanicity,rural\na3,,,,\n")
    cells = read_map(path, read_vocabulary())
    assert [cell.association_id for cell in cells] == ["a1", "a2"]
    prompts = build_prompts(load_languages(["en"], []), None, cells)
    assert set(prompts["target_attribute"]) == {"gender"}
    carried = dict(prompts.select("target_attribute_value", "associations").unique().iter_rows())
    assert json.loads(carried["woman"]) == [["a1", "health_status", "poor"], ["a2", "urbanicity", "rural"]]
    assert carried["man"] == ""


def test_without_a_map_nothing_is_carried():
    prompts = build_prompts(load_languages(["en"], []))
    assert set(prompts["associations"]) == {""}
    assert prompts["target_attribute"].n_unique() > 5


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ("a1,gender,woman,,\n", "row 1: fill in all of"),
        ("a1,gender,women,urbanicity,rural\n", "no value 'women'. Did you mean: woman"),
        ("a1,sex,woman,urbanicity,rural\n", "no attribute 'sex'"),
        ("a1,gender,woman,gender,man\n", "both attributes are 'gender'"),
        (
            "a1,gender,woman,urbanicity,rural\na1,gender,man,urbanicity,rural\n",
            "row 2: the association 'a1' appears",
        ),
        ("a1,,,,\n", "gives no association its values"),
    ],
)
def test_what_cannot_be_used_is_said(tmp_path: Path, rows: str, sentence: str):
    with pytest.raises(UserError, match=sentence):
        read_map(written(tmp_path, rows), read_vocabulary())


def test_attributes_can_be_chosen_besides():
    from endoxa.instruments.stories.options import Selection

    cells = [Cell("a1", "gender", "woman", "urbanicity", "rural")]
    prompts = build_prompts(load_languages(["en"], []), Selection(attributes=("gender", "religion")), cells)
    assert set(prompts["target_attribute"]) == {"gender", "religion"}
