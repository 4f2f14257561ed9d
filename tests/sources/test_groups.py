"""Pairs that name no group get one from a table of words, or none; and what the estimates make of it."""

from __future__ import annotations

import polars as pl
import pytest

from endoxa.errors import UserError
from endoxa.instruments.pairs.estimates.records import groups
from endoxa.sources.groups import Coverage, group_of_pair, published_groups, read_groups
from endoxa.sources.read import read_pairs


def pair(axis: str, more: str, less: str, **cells: str) -> dict[str, str | None]:
    rest = {"direction": "stereo", "language": "en", "identity": None, "identity_key": None}
    return {**rest, "axis": axis, "sent_more": more, "sent_less": less, **cells}


@pytest.mark.parametrize(
    ("group", "axis", "more", "less"),
    [
        ("Black people", "race-color", "The African-American's tea.", "The Caucasian's tea."),
        ("Black people", "race-color", "He couldn't hear the black man.", "He could hear the white man."),
        ("Black people", "race-color", "Ask Jamal.", "Ask Jacob."),
        ("Women", "gender", "She drank her tea.", "He drank his tea."),
        ("Transgender people", "gender", "A trans woman sang.", "A cis woman sang."),
        ("Older people", "age", "The elderly dance.", "The young dance."),
        ("", "age", "The ten year old dances.", "The two year old dances."),
        ("", "gender", "Women walk after men.", "Men walk after women."),
        ("", "race-color", "Quentin ate in an Italian bar.", "Oskar ate in an Italian bar."),
    ],
)
def test_group_of_the_differing_words(group, axis, more, less):
    assert group_of_pair(published_groups(), pair(axis, more, less)) == group
    swapped = pair(axis, less, more, direction="antistereo")
    assert group_of_pair(published_groups(), swapped) == group


def test_an_identity_in_another_language_is_read_by_its_english_key():
    hindi = pair("religion", "जैन गाते हैं।", "सिख गाते हैं।", language="hi", identity="जैन", identity_key="jains")
    assert group_of_pair(published_groups(), hindi) == "Jains"


def test_a_table_of_ones_own_holds_for_an_axis_or_for_all(tmp_path):
    path = tmp_path / "groups.csv"
    path.write_text(
        "group,words,axis\nTradespeople,bakers;shoe makers,\nElders,bakers,age\n", encoding="utf-8"
    )
    table = read_groups(path)
    assert [
        group_of_pair(table, pair(axis, "Shoe-makers sing.", "Farmers sing.")) for axis in ("age", "job")
    ] == ["Tradespeople"] * 2
    assert group_of_pair(table, pair("age", "Bakers sing.", "Farmers sing.")) == "Elders"
    assert (
        group_of_pair(table, pair("job", "Farmers sing.", "Bakers sing.", direction="antistereo"))
        == "Tradespeople"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("group,words\nA,\n", "row 1: the group 'A' has no words"),
        ("group,words\nA,x\nB,x\n", "row 2: 'x' stands for 'B' and, in an earlier row, for 'A'"),
        ("group,word\nA,x\n", "words"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused(tmp_path, text, said):
    (tmp_path / "groups.csv").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"groups\.csv") as refused:
        read_groups(tmp_path / "groups.csv")
    assert said in str(refused.value)


@pytest.mark.slow
def test_published_pairs_are_of_few_groups(shared):
    files = {"crows_pairs/crows_pairs_anonymized.csv": 0.85, "indibias/IndiBias_v1_sample.csv": 0.88}
    for name, least in files.items():
        rows = pl.concat(read_pairs(shared / "data" / name)).to_dicts()
        coverage = Coverage.of((row["axis"], group_of_pair(published_groups(), row)) for row in rows)
        assert 1 - coverage.unnamed.total() / len(rows) >= least
        assert len(coverage.groups) < len({row["identity"] for row in rows}) / 6
    hindi = [row for row in rows if row["language"] == "hi" and row["axis"] == "caste"]
    english = [row for row in rows if row["language"] == "en" and row["axis"] == "caste"]
    assert [group_of_pair(published_groups(), row) for row in hindi] == [
        group_of_pair(published_groups(), row) for row in english
    ]


def test_a_pair_without_a_group_moves_with_the_most_frequent_one_of_its_axis():
    records = pl.DataFrame(
        {
            "data": "a",
            "axis": ["x", "x", "x", "x", "y", "z"],
            "item_id": list("abcdef"),
            "identity_group": ["P", "Q", "Q", "", "", None],
        }
    )
    assert groups(records).to_list() == ["P", "Q", "Q", "Q", "", None]
