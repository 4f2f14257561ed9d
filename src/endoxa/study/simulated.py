"""`sim/latent` as a model of sentences and as an encoder: for rehearsals of a study, where every truth is planted.

Chat models of that name answer questions and tell stories (`endoxa.models.chat.simulated.draws`). Here the same
strengths decide which sentence of a pair is more probable, and how near an identity lies to an attribute.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

import numpy as np

from endoxa.errors import UserError
from endoxa.models.chat.simulated import PREFIX, read_words
from endoxa.models.chat.simulated.draws import LATENT, Strengths, normal, parameters
from endoxa.models.live import Scorer, offer
from endoxa.schema import Architecture, AssociationTest, Request, Score, Unscorable

NOTICE = (
    "Models whose name holds sim/ are simulated: what they prefer was planted, and nothing here says anything about a "
    "real model."
)
LEVEL = -40.0
"""Log-probability of a sentence without an association, nats."""


def is_simulated(model: str) -> bool:
    """Whether the words name a simulated model."""
    return model.startswith(PREFIX)


def planted(model: str) -> Strengths:
    """The parameters of `sim/latent?...`.

    Raises:
        UserError: another simulated respondent, which cannot score sentences, or an unknown parameter.
    """
    respondent, values = read_words(model)
    if respondent != LATENT:
        raise UserError(
            f"'{model}' cannot score sentences or encode texts. Give sim/{LATENT}, or weights (hf/...)."
        )
    return Strengths(**{name: value for name, value in values.items() if name in parameters(Strengths)})


@dataclass(frozen=True, slots=True)
class LatentScorer:
    """Scores sentences as was planted.

    Attributes:
        name: the words that name it.
        levels: log-probability of each sentence, nats.
        planted: what was planted, for `run.json`.
    """

    name: str
    levels: Mapping[str, float]
    planted: Mapping[str, Any]
    architecture: Architecture = "causal"
    max_tokens: int | None = None

    def describe(self) -> Mapping[str, Any]:
        """What was planted."""
        return {"name": self.name, "simulated": True, "planted": dict(self.planted)}

    def unknown_share(self, texts: Sequence[str]) -> float | None:
        """There are no tokens."""
        del texts
        return None

    def score(self, requests: Sequence[Request]) -> Iterator[tuple[int, Score | Unscorable]]:
        """See `endoxa.schema.Model.score`."""
        for index, request in enumerate(requests):
            text = str(getattr(request, "text", ""))
            yield index, Score(self.levels.get(text, LEVEL), max(1, len(text.split())))


def offer_scorer(model: str, levels: Mapping[str, float], planted: Mapping[str, Any]) -> str:
    """Offer a model that gives sentences these log-probabilities; returns the words by which a run names it."""
    made = LatentScorer(f"live/{model}", levels, planted)
    fingerprint = sha256(repr(sorted(levels.items())).encode()).hexdigest()
    return offer(model, Scorer(made, fingerprint), again=True)


def scorer(model: str, pairs: Iterable[Mapping[str, str]]) -> str:
    """Offer `sim/latent` as a model of the pairs of a study; returns the words by which a run names it.

    Sentences of a pair differ by the strength of their association, give or take the pair's scatter.
    """
    strengths, levels = planted(model), defaultdict[str, float](lambda: LEVEL)
    for pair in pairs:
        strength = strengths.of(pair["association_id"], "pairs")
        strength += strengths.scatter * normal(f"{strengths.world:g}", pair["item_id"])
        levels[pair["sent_more"]] += strength / 2
        levels[pair["sent_less"]] -= strength / 2
    return offer_scorer(model, dict(levels), asdict(strengths))


@dataclass(frozen=True, slots=True)
class LatentEncoder:
    """Gives texts vectors: an identity lies nearer to an attribute than to its opposite by the strength.

    Attribute sentences are unit vectors at right angles. A sentence about an identity has a coordinate along each
    attribute of it, in proportion to the strength, and the rest of its length in a direction of its own.

    Attributes:
        texts: row of `coordinates` by text.
        coordinates: vectors, (texts, width).
    """

    texts: Mapping[str, int]
    coordinates: np.ndarray

    @classmethod
    def of(cls, planted: Strengths, tests: Sequence[AssociationTest]) -> LatentEncoder:
        """The encoder of the tests of a study, one for each association."""
        attributes = dict.fromkeys(text for test in tests for side in (test.a, test.b) for text in side.texts)
        targets = dict.fromkeys(text for test in tests for side in (test.x, test.y) for text in side.texts)
        place = {text: k for k, text in enumerate((*attributes, *targets))}
        vectors = np.zeros((len(place), len(place)))
        vectors[np.arange(len(place)), np.arange(len(place))] = 1.0
        along = np.zeros((len(place), len(attributes)))
        for test in tests:
            strength = planted.of(test.association_id, "tests")
            for text in test.x.texts:
                drawn = strength + planted.scatter * normal(f"{planted.world:g}", test.association_id, text)
                for side, sign in ((test.a, 0.5), (test.b, -0.5)):
                    for other in side.texts:
                        along[place[text], place[other]] += sign * drawn
        longest = float(np.linalg.norm(along, axis=1).max(initial=0.0)) or 1.0
        vectors[len(attributes) :, : len(attributes)] = 0.8 * along[len(attributes) :] / longest
        rest = 1 - (vectors[len(attributes) :, : len(attributes)] ** 2).sum(axis=1)
        distinct = np.arange(len(attributes), len(place))
        vectors[distinct, distinct] = np.sqrt(rest)
        return cls(place, vectors.astype(np.float32))

    def __call__(self, texts: Sequence[str]) -> np.ndarray:
        """Vectors of texts of the study, (texts, width)."""
        return np.asarray(self.coordinates[[self.texts[text] for text in texts]])


def encoder(model: str, tests: Sequence[AssociationTest]) -> str:
    """Offer `sim/latent` as an encoder of these tests; returns the words by which a run names it."""
    return offer(model, LatentEncoder.of(planted(model), tests), again=True)
