"""The planted models: their scores are the planted ones, give or take their scatter; they repeat with the seed."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from endoxa.demo.planted import SCATTER, PlantedScorer, plant_of, planted_models
from endoxa.demo.world import PLANTS, world
from endoxa.errors import UserError
from endoxa.models.live import offered
from endoxa.schema import CausalRequest


def scores(plant, seed=0):
    model = PlantedScorer("live/planted", plant, seed)
    return [
        score.total for _, score in model.score([CausalRequest(text, "nothing") for text in world(plant)])
    ]


@pytest.mark.parametrize("plant", PLANTS)
def test_scores_are_the_planted_ones_give_or_take_the_scatter(plant):
    scatter = np.array(scores(plant)) - [log(share) for share in world(plant).values()]
    assert abs(scatter.mean()) < 0.02
    assert scatter.std() == pytest.approx(SCATTER, rel=0.1)


def test_the_seed_decides_the_scatter():
    assert scores("neutral") == scores("neutral") != scores("neutral", 1)


def test_models_are_offered_by_plant_and_others_are_refused():
    words = planted_models(0)
    assert [plant_of(each) for each in words] == list(PLANTS)
    assert len({offered(each).fingerprint for each in words}) == len(PLANTS)
    with pytest.raises(UserError, match="'hf/gpt2' is not a planted model"):
        plant_of("hf/gpt2")
    model = PlantedScorer("live/planted", "neutral", 0)
    with pytest.raises(UserError, match=r"'Nobody\.' is not a sentence of the planted world"):
        list(model.score([CausalRequest("Nobody.", "nothing")]))
