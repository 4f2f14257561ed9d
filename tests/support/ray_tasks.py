"""Tasks for workers of a cluster, which import them by name."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence

from endoxa.errors import UserError
from endoxa.models.spec import ModelOptions, ModelSpec
from endoxa.schema import Architecture, CausalRequest, Request, Score


def nothing() -> None:
    """What a worker holds that holds nothing."""


def refuses() -> None:
    """A model that cannot be had."""
    raise UserError("The model is not there.")


def dies_of_many(_: None, items: Sequence[int]) -> list[tuple[int, int]]:
    """Squares; takes the memory of its worker for more than three items."""
    if len(items) > 3:
        os._exit(1)
    return [(k, item * item) for k, item in enumerate(items)]


def dies(_: None, items: Sequence[int]) -> list[tuple[int, int]]:
    """Ends its worker."""
    os._exit(len(items))


class LightModel:
    """A causal model without a network, so that a worker that is started again is there at once."""

    architecture: Architecture = "causal"
    max_tokens = None

    def __init__(self, name: str) -> None:
        self.name = name

    def describe(self) -> dict[str, str]:
        """Facts for `run.json`."""
        return {"name": self.name, "architecture": self.architecture}

    def unknown_share(self, _texts: Sequence[str]) -> None:
        """Not told."""

    def score(self, requests: Sequence[Request]) -> Iterator[tuple[int, Score]]:
        """A number from each text, after a while."""
        for index, request in enumerate(requests):
            assert isinstance(request, CausalRequest)
            time.sleep(0.005)
            yield index, Score(-float(sum(request.text.encode())), len(request.text))


def light_model(spec: ModelSpec, _options: ModelOptions) -> LightModel:
    """In the place of `endoxa.models.scoring.open_model`."""
    return LightModel(spec.text)


def echoed(_held: object, said: str) -> str:
    """What it was given."""
    return said
