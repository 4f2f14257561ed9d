"""A kind of encoder as a package would add one: this module and one entry point, nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from endoxa.models.encoders.encoder import Encoded, EncoderFacts, EncoderKind, EncoderOptions, EncoderSpec

POOLING = "letters"


@dataclass(frozen=True)
class LetterEncoder:
    """Counts each letter."""

    name: str
    poolings: tuple[str, ...] = (POOLING,)

    def describe(self) -> Mapping[str, Any]:
        return {"name": self.name, "kind": "toy"}

    def unknown_share(self, texts: Sequence[str]) -> float | None:
        return None

    def encode(self, texts: Sequence[str]) -> Iterator[Encoded]:
        for index, text in enumerate(texts):
            counts = [text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"]
            yield Encoded(index, {POOLING: np.array(counts, dtype=np.float32)})


def open_toy(
    spec: EncoderSpec, options: EncoderOptions, poolings: Sequence[str], texts: Sequence[str]
) -> list[LetterEncoder]:
    return [LetterEncoder(spec.text)]


TOY = EncoderKind(
    name="toy",
    form="toy/NAME",
    look=lambda spec, options: EncoderFacts(spec.target, POOLING),
    open=open_toy,
    poolings=lambda spec: (POOLING,),
)
