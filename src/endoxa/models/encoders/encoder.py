"""What an encoder is: texts in, one vector for each text and pooling out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from endoxa.models.spec import ModelOptions

Vector = npt.NDArray[np.float32]
"""Vector of a text (width,), or of several (texts x width)."""

DEFAULT_MAX_UNKNOWN = 0.2


@dataclass(frozen=True, slots=True)
class Encoded:
    """A text that is done.

    Attributes:
        index: place of the text among those given.
        vectors: its vector (width,) under each pooling.
    """

    index: int
    vectors: Mapping[str, Vector]


@dataclass(frozen=True, slots=True)
class EncoderOptions:
    """How an encoder is loaded and read; part of the run's identity.

    Attributes:
        model: device, type, revision and so on of local weights.
        layer: whose output is pooled: 0 is the embedding layer, 1 the first block; None the last one.
        max_unknown: share (0 to 1) of the different words that a file of word vectors may lack.
    """

    model: ModelOptions = field(default_factory=ModelOptions)
    layer: int | None = None
    max_unknown: float = DEFAULT_MAX_UNKNOWN


class Encoder(Protocol):
    """Anything that gives texts vectors. Implementations: the modules of this package."""

    @property
    def name(self) -> str:
        """The encoder as written on the command line."""
        ...

    @property
    def poolings(self) -> tuple[str, ...]:
        """Names of the vectors it gives each text."""
        ...

    def describe(self) -> Mapping[str, Any]:
        """What `run.json` records: revision, type, device, layer, unknown words."""
        ...

    def unknown_share(self, texts: Sequence[str]) -> float | None:
        """Share (0 to 1) of the tokens of `texts` that are not known; None where that cannot be told."""
        ...

    def encode(self, texts: Sequence[str]) -> Iterator[Encoded]:
        """Yield every text once, as batches finish, in any order; equal texts have equal vectors.

        Raises:
            UserError: a text cannot be given an honest vector.
        """
        ...
