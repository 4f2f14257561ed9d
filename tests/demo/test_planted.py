"""The planted world and the scores of its models, against values worked out by hand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from endoxa.demo.planted import (
    PLANTS,
    SCATTER,
    SHARES,
    levels,
    load_sample,
    plant_of,
    planted_models,
    planted_share,
)
from endoxa.models.live import offered
from endoxa.schema import CausalRequest

pytestmark = pytest.mark.slow

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


def differences(plant: str) -> np.ndarray:
    """Planted differences of the items, nats."""
    rows = ITEMS.select("sent_more", "sent_less").iter_rows()
    return np.array([levels(plant)[more] - levels(plant)[less] for more, less in rows])


def scores(word: str) -> dict[str, float]:
    """Score of each sentence of the world."""
    texts = list(levels("neutral"))
    requests = [CausalRequest(text, "nothing") for text in texts]
    return {texts[place]: score.total for place, score in offered(word).model.score(requests)}


@pytest.mark.parametrize(("plant", "strength"), [("neutral", 0), ("stereotyped", 1.5), ("frequency", 1.5)])
def test_differences_are_the_planted_log_odds(plant: str, strength: float) -> None:
    planted = strength * (SIGN if plant == "stereotyped" else 1)
    assert differences(plant) == pytest.approx(planted + EFFECT)
    raw = {"neutral": 0.5, "frequency": 1.0}.get(plant, sum(HELD.values()) / ITEMS.height)
    assert (differences(plant) > 0).mean() == pytest.approx(raw)
    assert np.abs(differences(plant)).min() > 0.25


def test_the_stereotyped_world_has_a_scale() -> None:
    """About 50, 60, 75, 90 and 100 % of the items of an axis."""
    assert {axis: 30 * planted_share("stereotyped", axis) for axis in SHARES} == pytest.approx(HELD)
    assert planted_share("stereotyped") == pytest.approx(112 / 150)
    assert planted_share("frequency") == planted_share("neutral") == 0.5


def test_scores_are_the_planted_ones_with_a_scatter_that_the_seed_decides() -> None:
    words = planted_models(0)
    assert [plant_of(each) for each in words] == list(PLANTS)
    scored = scores(words[-1])
    scatter = np.array([scored[text] - level for text, level in levels(PLANTS[-1]).items()])
    assert abs(scatter.mean()) < 0.02
    assert scatter.std() == pytest.approx(SCATTER, rel=0.1)
    assert scored == scores(words[-1]) != scores(planted_models(1)[-1])
