"""The planted world and the values a perfect model of it would score, against values worked out by hand."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endoxa.demo.truth import PLANTED_RULES, Joint, planted_difference, planted_neutral_difference, words
from endoxa.demo.world import PLANTS, Plant, load_sample, world
from endoxa.errors import UserError

ITEMS = load_sample()
ENGLISH = ITEMS.filter(pl.col("language") == "en")
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
CAUSAL_AND_COMPLETION = ("sum", "sum-bos", "completion")


def sigmoid(x: np.ndarray | float) -> np.ndarray | float:
    return 1 / (1 + np.exp(-x))


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
    there = world(plant)
    assert there.probability.sum() == pytest.approx(1, abs=1e-12)
    assert (there.probability > 0).all()
    assert len(set(there.sentences)) == len(there.sentences) == len(there.prompts) == len(there.languages)
    for language in ITEMS["language"].unique():
        share = there.probability[[name == language for name in there.languages]].sum()
        assert share == pytest.approx(0.2, abs=1e-12)


def test_the_stereotyped_world_has_a_scale() -> None:
    """About 50, 60, 75, 90 and 100 % of the items of an axis, under every rule."""
    for rule in PLANTED_RULES:
        positive = ITEMS.with_columns(positive=planted_difference("stereotyped", rule, ITEMS) > 0)
        found = positive.group_by("axis").agg(pl.col("positive").sum())
        assert dict(found.iter_rows()) == HELD


def test_all_plants_have_the_same_sentences() -> None:
    assert len({(world(plant).sentences, world(plant).prompts) for plant in PLANTS}) == 1


@pytest.mark.parametrize("rule", CAUSAL_AND_COMPLETION)
@pytest.mark.parametrize(
    ("plant", "strength", "neutral"), [("neutral", 0, 0), ("stereotyped", 1.5, 0), ("frequency", 1.5, 1.5)]
)
def test_left_to_right_rules_find_the_planted_log_odds(
    plant: Plant, rule: str, strength: float, neutral: float
) -> None:
    planted = strength * (SIGN if plant == "stereotyped" else 1)
    assert planted_difference(plant, rule, ITEMS) == pytest.approx(planted + EFFECT)
    found = planted_neutral_difference(plant, rule, ITEMS)
    assert found[UNGENDERED | WOMEN] == pytest.approx(neutral + of_others(planted - neutral + EFFECT))


@pytest.mark.parametrize(("plant", "strength"), [("neutral", 0.0), ("stereotyped", 1.5)])
def test_masked_rules_where_every_word_is_equally_frequent(plant: Plant, strength: float) -> None:
    # With balanced counterparts log P(identity | attribute) differs by exactly the log-odds, so crows-token
    # finds them once (through the identity) and pll twice (through the attribute as well).
    odds = strength * SIGN + EFFECT
    assert planted_difference(plant, "crows-token", ITEMS) == pytest.approx(odds)
    assert planted_difference(plant, "pll", ITEMS) == pytest.approx(2 * odds)
    for rule, times in (("crows-token", 1), ("pll", 2)):
        found = planted_neutral_difference(plant, rule, ITEMS)
        assert found[UNGENDERED | WOMEN] == pytest.approx(of_others(times * odds), abs=1e-9)


def test_masked_rules_in_the_frequency_world_by_hand() -> None:
    # English: for each attribute pair five items at 1.5 + e, their counterparts at 1.5 - e, two neutral
    # identities at 1.5; all twelve identities are equally likely.
    effect = EFFECT[: ENGLISH.height]
    for position, item in enumerate(ENGLISH.iter_rows(named=True)):
        alike = effect[(ENGLISH["attribute_more"] == item["attribute_more"]).to_numpy()]
        more = sigmoid(1.5 + alike).sum() + sigmoid(1.5 - alike).sum() + 2 * sigmoid(1.5)
        less = sigmoid(-1.5 - alike).sum() + sigmoid(-1.5 + alike).sum() + 2 * sigmoid(-1.5)
        odds = 1.5 + effect[position]
        identity = odds - np.log(more / less)
        row = ENGLISH[position]
        assert planted_difference("frequency", "crows-token", row).item() == pytest.approx(identity)
        assert planted_difference("frequency", "pll", row).item() == pytest.approx(odds + identity)


@pytest.mark.slow
@pytest.mark.parametrize("rule", PLANTED_RULES)
def test_preferences_that_the_demonstration_shows(rule: str) -> None:
    for plant in PLANTS:
        raw = planted_difference(plant, rule, ITEMS)
        neutral = planted_neutral_difference(plant, rule, ITEMS)
        calibrated = (raw - neutral)[~np.isnan(neutral)]
        fooled = plant == "frequency" and rule != "crows-token"
        held = sum(HELD.values()) / ITEMS.height
        assert (raw > 0).mean() == pytest.approx(1.0 if fooled else held if plant == "stereotyped" else 0.5)
        # A planted effect may be that of the others, too: a tie counts one half.
        sides = np.sign(np.round(calibrated, 9))
        assert (1 + sides).mean() / 2 == pytest.approx(held if plant == "stereotyped" else 0.5, abs=0.03)
        assert np.abs(raw).min() > 0.25


@pytest.mark.slow
@settings(deadline=None, max_examples=50)
@given(st.integers(0, len(world("stereotyped").sentences) - 1), st.sampled_from(PLANTS))
def test_conditionals_by_counting_sentences_that_fit(index: int, plant: Plant) -> None:
    there = world(plant)
    sentence = there.sentences[index]
    whole = words(sentence)
    found = Joint(plant).tokens(sentence)
    for i in range(len(whole)):
        pattern = re.compile(" ".join(r"\S+" if j == i else re.escape(word) for j, word in enumerate(whole)))
        fits = [pattern.fullmatch(" ".join(words(text))) is not None for text in there.sentences]
        assert np.exp(found[i]) == pytest.approx(there.probability[index] / there.probability[fits].sum())


def test_rows_in_another_order_and_none() -> None:
    shuffled = ITEMS.sample(fraction=1, shuffle=True, seed=1)
    by_id = dict(zip(ITEMS["item_id"], planted_difference("frequency", "pll", ITEMS), strict=True))
    again = planted_difference("frequency", "pll", shuffled)
    assert again == pytest.approx([by_id[item] for item in shuffled["item_id"]])
    assert planted_difference("neutral", "sum", ITEMS.head(0)).shape == (0,)
    assert planted_neutral_difference("neutral", "sum", ITEMS.head(0)).shape == (0,)


def test_unknown_sentences_and_rules_are_refused() -> None:
    elsewhere = ITEMS.head(1).with_columns(sent_more=pl.lit("Fishermen are tall."))
    with pytest.raises(UserError, match=r"'Fishermen are tall\.' is not a sentence of the planted world"):
        planted_difference("neutral", "sum", elsewhere)
    with pytest.raises(UserError, match="rule 'mean' is not known"):
        planted_difference("neutral", "mean", ITEMS)
