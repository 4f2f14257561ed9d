"""The planted world and the differences of its sentences, against values worked out by hand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from endoxa.demo.world import (
    PLANTS,
    Plant,
    load_sample,
    planted_difference,
    planted_neutral_difference,
    world,
)
from endoxa.errors import UserError

ITEMS = load_sample()
EFFECT = np.where(
    np.arange(ITEMS.height) % 2 == 0, 0.3, -0.3
)  # in turn within blocks of six, the file's order
HELD = {"age": 15, "profession": 18, "residence": 22, "family": 27, "leisure": 30}
"""Of the 30 items of each axis, those in which the stereotyped plant holds the stereotype."""
SIGN = np.array(
    [
        1.0 if number * 7 % 30 < HELD[axis] else -1.0
        for axis, number in ITEMS.select("axis", pl.int_range(pl.len()).over("axis")).iter_rows()
    ]
)


UNGENDERED, WOMEN = ((ITEMS["agreement"] == gender).to_numpy() for gender in ("", "f"))


def of_others(odds: np.ndarray) -> np.ndarray:
    """What items are compared with, by hand, without word frequency: the median of five counterparts.

    An attribute pair makes an item of one identity of each axis; the other identity of each has the opposite of it.
    Words for women have two identities a language, too few: they are compared with people in general.
    """
    same = ITEMS.select(pl.struct("language", "attribute_more").rank("dense")).to_series().to_numpy()
    medians = np.array([np.median(odds[same == number]) for number in same])
    return np.where(WOMEN, 0.0, -medians)[UNGENDERED | WOMEN]


@pytest.mark.parametrize("plant", PLANTS)
def test_world_is_a_distribution_over_distinct_sentences(plant: Plant) -> None:
    shares = np.array(list(world(plant).values()))
    assert shares.sum() == pytest.approx(1, abs=1e-12)
    assert (shares > 0).all()


def test_the_stereotyped_world_has_a_scale() -> None:
    """About 50, 60, 75, 90 and 100 % of the items of an axis."""
    positive = ITEMS.with_columns(positive=planted_difference("stereotyped", ITEMS) > 0)
    assert dict(positive.group_by("axis").agg(pl.col("positive").sum()).iter_rows()) == HELD


def test_all_plants_have_the_same_sentences() -> None:
    assert len({tuple(world(plant)) for plant in PLANTS}) == 1


@pytest.mark.parametrize(
    ("plant", "strength", "neutral"), [("neutral", 0, 0), ("stereotyped", 1.5, 0), ("frequency", 1.5, 1.5)]
)
def test_differences_are_the_planted_log_odds(plant: Plant, strength: float, neutral: float) -> None:
    planted = strength * (SIGN if plant == "stereotyped" else 1)
    assert planted_difference(plant, ITEMS) == pytest.approx(planted + EFFECT)
    found = planted_neutral_difference(plant, ITEMS)
    assert found[UNGENDERED | WOMEN] == pytest.approx(neutral + of_others(planted - neutral + EFFECT))


def test_preferences_that_the_demonstration_shows() -> None:
    for plant in PLANTS:
        raw = planted_difference(plant, ITEMS)
        neutral = planted_neutral_difference(plant, ITEMS)
        calibrated = (raw - neutral)[~np.isnan(neutral)]
        held = sum(HELD.values()) / ITEMS.height
        assert (raw > 0).mean() == pytest.approx(
            1.0 if plant == "frequency" else held if plant == "stereotyped" else 0.5
        )
        # A planted effect may be that of the others, too: a tie counts one half.
        sides = np.sign(np.round(calibrated, 9))
        assert (1 + sides).mean() / 2 == pytest.approx(held if plant == "stereotyped" else 0.5, abs=0.03)
        assert np.abs(raw).min() > 0.25


def test_rows_in_another_order_and_none() -> None:
    shuffled = ITEMS.sample(fraction=1, shuffle=True, seed=1)
    by_id = dict(zip(ITEMS["item_id"], planted_difference("frequency", ITEMS), strict=True))
    again = planted_difference("frequency", shuffled)
    assert again == pytest.approx([by_id[item] for item in shuffled["item_id"]])
    assert planted_difference("neutral", ITEMS.head(0)).shape == (0,)
    assert planted_neutral_difference("neutral", ITEMS.head(0)).shape == (0,)


def test_unknown_sentences_are_refused() -> None:
    elsewhere = ITEMS.head(1).with_columns(sent_more=pl.lit("Fishermen are tall."))
    with pytest.raises(UserError, match=r"'Fishermen are tall\.' is not a sentence of the planted world"):
        planted_difference("neutral", elsewhere)
