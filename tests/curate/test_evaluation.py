"""Scores of extraction: the published table, planted readings, and the rules on reviewed statements."""

from __future__ import annotations

from hashlib import sha256

import pytest

from endoxa.curate.evaluation import (
    Reading,
    attribute_parts,
    evaluate,
    loose_attribute,
    loose_identity,
    strict,
    token_f1,
)
from endoxa.curate.evaluation.gold import read_all, read_gold

PUBLISHED = {
    # README of the shared data folder, by another implementation: n_kept, identity, attribute, both,
    # identity_loose, attribute_loose, both_loose, attr_token_f1, pair_P_loose, pair_R_loose, pair_F1, pair_F1_loose
    "all": (1341, 0.795, 0.884, 0.752, 0.885, 0.885, 0.828, 0.944, 0.794, 0.811, 0.729, 0.802),
    "edited": (346, 0.214, 0.552, 0.046, 0.564, 0.555, 0.341, 0.783, 0.344, 0.316, 0.045, 0.329),
    "question: women": (208, 0.894, 0.880, 0.837, 0.899, 0.880, 0.841, 0.947, 0.810, 0.829, 0.815, 0.820),
    "question: ethnicity": (201, 0.224, 0.801, 0.224, 0.647, 0.801, 0.582, 0.896, 0.542, 0.557, 0.211, 0.549),
}
NAMES = (
    "identity", "attribute", "both", "identity_loose", "attribute_loose", "both_loose", "attribute_token_f1",
    "pair_precision_loose", "pair_recall_loose", "pair_f1", "pair_f1_loose",
)  # fmt: skip


def values(table, **where):
    return dict(table.filter(**where).select("measure", "value").iter_rows())


@pytest.fixture(scope="module")
def reviewed(shared):
    return read_gold(shared / "data/afristereo/gold_dev.csv")


@pytest.fixture(scope="module")
def scores(reviewed):
    return evaluate(reviewed, {"rules": read_all(reviewed), "published": [one.published for one in reviewed]})


@pytest.mark.slow
@pytest.mark.parametrize("subset", PUBLISHED)
def test_the_published_extractor_scores_as_its_readme_says(scores, reviewed, subset):
    number, *expected = PUBLISHED[subset]
    found = values(scores, reader="published", subset=subset)
    assert [round(found[name], 3) for name in NAMES] == pytest.approx(expected, abs=0.0011)
    if subset == "all":
        assert sum(one.kept for one in reviewed) == number
        assert round(found["equivalence"], 3) == 0.841


def in_half(one, half):
    """Rules were changed while looking at half A of the development respondents only (issue 18)."""
    even = sha256(f"endoxa:{one.unit}".encode()).digest()[0] % 2 == 0
    return even == (half == "A")


@pytest.mark.slow
@pytest.mark.parametrize("half", ["A", "B"])
def test_rules_agree_with_reviewers_more_often_than_the_published_extractor(reviewed, half):
    some = [one for one in reviewed if in_half(one, half)]
    table = evaluate(some, {"rules": read_all(some), "published": [one.published for one in some]})
    ours, theirs = (values(table, reader=name, subset="all") for name in ("rules", "published"))
    assert ours["both_loose"] >= theirs["both_loose"] + 0.04
    assert ours["equivalence"] >= theirs["equivalence"] + 0.04
    assert ours["pair_f1_loose"] >= theirs["pair_f1_loose"] + 0.04
    assert ours["omission_recall"] >= 0.5
    assert ours["omission_precision"] >= 0.6
    edited, before = (values(table, reader=name, subset="edited") for name in ("rules", "published"))
    assert edited["both_loose"] >= before["both_loose"] + 0.2


def test_forms_of_the_definition():
    assert strict("  “Don’t”  TRUST them_ ") == "dont trust them"
    assert loose_attribute("Are calm") == "calm"
    assert loose_identity("All the bakers") == "the baker"
    assert loose_identity("Basque people") == loose_identity("the Basques") == "basque"
    assert attribute_parts("smart and intelligent") == {("smart",), ("intelligent",)}
    assert attribute_parts("aren't reliable") == attribute_parts("not reliable")
    assert token_f1("are calm and kind", "kind") == 0.5


HEADER = (
    "statement_id,respondent,question,country,statement,status,human_edited,"
    "gold_identity,gold_attribute,gold_extra_pairs\n"
)
ROWS = [f'{n}-w-1,{n},women,Peru,women are calm,kept,false,women,calm,""\n' for n in range(8)]
SPLIT = '8-w-1,8,women,Peru,women are calm and neat,kept,true,women,calm,"[[""women"", ""neat""]]"\n'
OMITTED = '9-w-1,9,women,Peru,n/a,omitted,false,,,""\n'


PLANTED = HEADER + "".join(ROWS) + SPLIT + OMITTED


def planted(tmp_path, text=PLANTED):
    path = tmp_path / "gold.csv"
    path.write_text(text)
    return read_gold(path)


def test_planted_readings_get_the_scores_that_follow(tmp_path):
    gold = planted(tmp_path)
    right = [Reading(one.pairs, omit=not one.kept) for one in gold]
    joined = [*right[:-2], Reading((("women", "calm and neat"),), omit=False), right[-1]]
    wrong = [Reading((("women", "loud"),), omit=False) for _ in gold]
    table = evaluate(gold, {"right": right, "joined": joined, "wrong": wrong})
    best = values(table, reader="right", subset="all")
    assert set(best.values()) == {1.0}
    whole = values(table, reader="joined", subset="edited")
    assert (whole["both_loose"], whole["equivalence"], whole["pair_f1"]) == (0, 1, 0)
    worst = values(table, reader="wrong", subset="all")
    assert (worst["both"], worst["identity"], worst["omission_recall"]) == (0, 1, 0)
    assert "omission_precision" not in worst
    row = table.filter(reader="joined", subset="all", measure="both").row(0, named=True)
    assert row["value"] == pytest.approx(8 / 9)
    assert row["low"] < row["value"] < row["high"]
    assert (row["statements"], row["units"]) == (10, 10)


def test_a_reviewed_table_is_gold_too(tmp_path):
    path = tmp_path / "reviewed.csv"
    path.write_text(
        "statement_id,respondent,question,axis,country,statement,identity,attribute,rule,omit,review_decision\n"
        "1-a-1,1,age,age,Peru,old people are wise,old people,wise,copula,false,keep\n"
        "1-a-2,1,age,age,Peru,grumpy,old people,grumpy,inherited,false,edit\n"
        "1-a-3,1,age,age,Peru,n/a,,,none,true,omit\n"
        "1-a-4,1,age,age,Peru,the young are loud,young people,loud,copula,false,unsure\n"
    )
    gold = read_gold(path)
    assert [(one.statement_id, one.kept, one.edited, one.subject) for one in gold] == [
        ("1-a-1", True, False, ""),
        ("1-a-2", True, True, "old people"),
        ("1-a-3", False, True, ""),
    ]
    assert [reading.pairs[0] for reading in read_all(gold)[:2]] == [
        ("old people", "wise"),
        ("old people", "grumpy"),
    ]
