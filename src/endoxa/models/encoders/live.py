"""Functions of a Python program as encoders: `live/NAME`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from endoxa.errors import UserError
from endoxa.models.encoders.encoder import (
    Encoded,
    Encoder,
    EncoderFacts,
    EncoderKind,
    EncoderOptions,
    EncoderSpec,
)
from endoxa.models.live import LIVE, Function, Scorer, Weights, called, offered

POOLING = "function"
"""The one pooling of a function that encodes."""


def look_at_function(spec: EncoderSpec, _options: EncoderOptions) -> EncoderFacts:
    """Nothing is known of a function before it is called."""
    offered(spec.text)
    return EncoderFacts(None, POOLING)


def open_function(
    spec: EncoderSpec, _options: EncoderOptions, poolings: Sequence[str], texts: Sequence[str]
) -> list[Encoder]:
    """A function that encodes, as an encoder.

    Raises:
        UserError: the words name weights, which are given as a function that encodes (`model.encode`).
    """
    del poolings, texts
    model = offered(spec.text)
    if isinstance(model, Weights | Scorer):
        raise UserError(
            f"The encoder '{spec.text}' is not a function: give one that takes texts and returns their vectors, for "
            "example SentenceTransformer(...).encode."
        )
    return [FunctionEncoder(spec.text, model)]


class FunctionEncoder:
    """A function from texts to an array (texts x width) as an encoder."""

    poolings = (POOLING,)

    def __init__(self, name: str, function: Function) -> None:
        self.name, self._function = name, function

    def describe(self) -> Mapping[str, Any]:
        """Its name in the program."""
        return {"name": self.name, "function": called(self._function)}

    def unknown_share(self, texts: Sequence[str]) -> float | None:
        """A function does not tell."""
        del texts
        return None

    def encode(self, texts: Sequence[str]) -> Iterator[Encoded]:
        """See `endoxa.models.encoders.encoder.Encoder.encode`.

        Raises:
            UserError: the array has another shape, or numbers that are not finite.
        """
        vectors = np.asarray(self._function(list(texts)), dtype=np.float32)
        if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
            raise UserError(
                f"The function of '{self.name}' returned an array of shape {vectors.shape} for {len(texts)} texts: it "
                "must return a row of finite numbers for each text."
            )
        for index, vector in enumerate(vectors):
            yield Encoded(index, {POOLING: vector})


FUNCTION = EncoderKind(
    name=LIVE,
    form="",
    look=look_at_function,
    open=open_function,
    poolings=lambda _spec: (POOLING,),
)
