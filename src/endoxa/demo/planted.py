"""Simulated models whose preference was planted: they score the sentences of the planted world.

What is scored is the log-probability of the sentence in the world of a plant (`endoxa.demo.world`), give or take a
scatter of its own. They serve to demonstrate and test endoxa only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import log
from typing import Any

from endoxa.demo.world import PLANTS, Plant, world
from endoxa.errors import UserError
from endoxa.models.chat.simulated.draws import normal
from endoxa.models.live import PREFIX, Scorer, offer
from endoxa.schema import Architecture, Request, Score, Unscorable

NAMED = "planted-"
SCATTER = 0.1
"""Standard deviation of what a sentence's score has besides, nats."""


@dataclass(frozen=True, slots=True)
class PlantedScorer:
    """Scores sentences as a plant has them.

    Attributes:
        name: the words that name it.
        plant: what is planted.
        seed: of the scatter.
    """

    name: str
    plant: Plant
    seed: int
    architecture: Architecture = "causal"
    max_tokens: int | None = None

    def describe(self) -> Mapping[str, Any]:
        """What was planted."""
        return {
            "name": self.name,
            "simulated": True,
            "planted": self.plant,
            "scatter": SCATTER,
            "seed": self.seed,
        }

    def unknown_share(self, texts: Sequence[str]) -> float | None:
        """There are no tokens."""
        del texts
        return None

    def score(self, requests: Sequence[Request]) -> Iterator[tuple[int, Score | Unscorable]]:
        """See `endoxa.schema.Model.score`."""
        there = world(self.plant)
        for index, request in enumerate(requests):
            text = str(getattr(request, "text", ""))
            if text not in there:
                raise UserError(
                    f"'{text}' is not a sentence of the planted world: score the sample data set."
                )
            scatter = SCATTER * normal(f"{self.seed}", self.plant, text)
            yield index, Score(log(there[text]) + scatter, len(text.split()))


def planted_models(seed: int, plants: Sequence[Plant] = PLANTS) -> tuple[str, ...]:
    """Offer a model of each plant; returns the words by which a run names them."""
    words = []
    for plant in plants:
        model = PlantedScorer(f"{PREFIX}{NAMED}{plant}", plant, seed)
        fingerprint = sha256(repr((model.describe(), sorted(world(plant).items()))).encode()).hexdigest()
        words.append(offer(f"{NAMED}{plant}", Scorer(model, fingerprint), again=True))
    return tuple(words)


def plant_of(model: str) -> Plant:
    """The plant of a planted model, from the words that name it.

    Raises:
        UserError: it is not one of the planted models.
    """
    plant = next((plant for plant in PLANTS if model == f"{PREFIX}{NAMED}{plant}"), None)
    if plant is None:
        raise UserError(f"'{model}' is not a planted model.")
    return plant
