"""Weights of ratings: what exports say of how raters were picked, and means that follow from it."""

from __future__ import annotations

import polars as pl
import pytest

from collect_support.filled_campaign import give_rating
from endoxa_collect.contributor.card_forms import RATINGS
from endoxa_collect.export.columns import TABLES
from endoxa_collect.export.run import export_campaign
from support.repository import ROOT


@pytest.fixture
def rated(campaign, make_person, make_pairs):
    """One pair: 5 from one of two people of the country, 4 from a near one of four, 2 from one of twelve."""
    (pair,) = make_pairs(campaign, ("AR", "drink mate", "en"))
    people = [make_person(campaign, f"p{number}", origins=["AR"]) for number in range(5)]
    for person, value, chance in zip(people, (5, 4, 2), (1 / 2, 1 / 4, 1 / 12), strict=False):
        give_rating(person, pair, value, propensity=chance)
    # One of the set that all people go through: nobody was picked for it.
    give_rating(people[3], pair, 5, propensity=None, tier="calibration")
    return pair


def test_means_are_weighted_by_how_many_each_rater_stands_for(rated, campaign, tmp_path):
    """(2 x 5 + 4 x 4 + 12 x 2) / 18 = 50 / 18; knowers all. The rating without a propensity is left out."""
    export_campaign(campaign, tmp_path / "out")
    (row,) = pl.read_parquet(tmp_path / "out" / "pairs.parquet").to_dicts()
    assert (row["ratings"], row["mean"]) == (4, 4.0)
    assert row["weighted_mean"] == pytest.approx(50 / 18)
    assert row["weighted_knowers"] == 1


def test_the_worked_example_of_the_manual(tmp_path, monkeypatch, capsys):
    """Three ratings of one pair as above and one of another, by one of twelve: weights 2, 4, 12 and 12.

    (2 x 5 + 4 x 4 + 12 x 2 + 12 x 2) / 30 = 74 / 30; the plain mean is 13 / 4. Cut at the 95 % point nothing changes,
    since more than one has the largest weight.
    """
    manual = (ROOT / "docs" / "collect" / "exports.md").read_text()
    code = [part.split("```")[0] for part in manual.split("```python\n")[1:]]
    rows = [
        ("a", 5, 1 / 2, False, "own"),
        ("a", 4, 1 / 4, False, "other"),
        ("a", 2, 1 / 12, False, "other"),
        ("b", 2, 1 / 12, False, "other"),
        ("b", 5, 1 / 12, True, "other"),
        ("b", 5, None, False, "calibration"),
    ]
    names = ("association_id", "value", "propensity", "surplus", "tier")
    ratings = pl.DataFrame(rows, schema=names, orient="row").with_columns(counted=True)
    (tmp_path / "export").mkdir()
    ratings.write_parquet(tmp_path / "export" / "ratings.parquet")
    monkeypatch.chdir(tmp_path)
    exec("\n".join(code[:2]), {})
    assert [float(line) for line in capsys.readouterr().out.split()] == pytest.approx(
        [74 / 30, 74 / 30], abs=1e-9
    )


def test_the_codebook_and_the_manual_say_what_the_buttons_say():
    (value,) = (column for column in TABLES["ratings"] if column.name == "value")
    manual = (ROOT / "docs" / "collect" / "cards.md").read_text(encoding="utf-8")
    for number, words in RATINGS:
        assert f"{number} '{words}'" in value.sentence
        assert f"| {words} | {number} |" in manual
