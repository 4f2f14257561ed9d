"""Names of associations, and reading tables of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endoxa.errors import UserError
from endoxa.sources.stereotales.associations import (
    PARTS,
    association_id,
    distinct_associations,
    read_associations,
)

pytestmark = pytest.mark.slow

FARM = ("professional_field", "agriculture", "urbanicity", "rural")
TEXT = st.text(min_size=1, max_size=30).filter(lambda text: text.strip())


def test_the_name_is_readable_and_tells_what_stands_in_brackets_apart() -> None:
    assert association_id(*FARM) == "professional-field-agriculture--urbanicity-rural-b342b02318"
    young, old = (association_id("age", f"adult ({years})", *FARM[2:]) for years in ("18-29", "30-44"))
    assert young.rsplit("-", 1)[0] == old.rsplit("-", 1)[0]
    assert young != old


@given(st.tuples(TEXT, TEXT, TEXT, TEXT), st.tuples(TEXT, TEXT, TEXT, TEXT))
def test_different_parts_have_different_names(
    one: tuple[str, str, str, str], other: tuple[str, str, str, str]
) -> None:
    assert (association_id(*one) == association_id(*other)) == (one == other)


def test_published_associations_are_read_with_their_models(shared: Path) -> None:
    found = read_associations(shared / "data/stereotales/published_associations.json")
    assert distinct_associations(found).height == found["given_id"].n_unique() == 1580
    assert found["model"].n_unique() == 23
    assert found["aggregation"].unique().to_list() == ["all"]


def test_an_association_in_several_languages_is_one(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    lines = [
        ",".join(("model", "aggregation", *PARTS)),
        *(f"m,{code},{','.join(FARM)}" for code in ("en", "hi", "en")),
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    found = read_associations(path)
    assert found["aggregation"].to_list() == ["en", "hi"]
    assert distinct_associations(found).row(0) == (association_id(*FARM), *FARM)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "base_attribute,base_value\nage,child\n", "has no column 'compared_attribute'"),
        (
            "a.csv",
            f"{','.join(PARTS)}\nage,,urbanicity,rural\n",
            "row 1 .line 2.: the column 'base_value' is empty",
        ),
        ("a.json", "{", "is not valid JSON"),
        ("a.json", "[1]", "a.json: 1: .*Expected a list of objects"),
        ("a.json", "[]", "contains no associations"),
        (
            "a.json",
            json.dumps([dict(zip(PARTS, FARM, strict=True), models="m")]),
            "1.models: expected a valid list",
        ),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path: Path, name: str, content: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match=message):
        read_associations(path)
