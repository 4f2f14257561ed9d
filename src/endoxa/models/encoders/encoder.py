"""What an encoder is, and the words that name one: `hf/...`, `st/...`, `static/FILE`, `openai/NAME`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from endoxa.errors import UserError
from endoxa.models.spec import DEFAULT_MAX_UNKNOWN, ModelOptions, ModelSpec, parse_model

Vector = npt.NDArray[np.float32]
"""Vector of a text (width,), or of several (texts x width)."""


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


FORMS = (
    "hf/ORG/NAME, hf/FOLDER, st/NAME or st/FOLDER (sentence-transformers), static/FILE, openai/NAME or "
    "http://HOST:PORT/v1#NAME"
)
MODULES = "modules.json"
"""The file that makes a folder a model of sentence-transformers."""

Kind = Literal["hf", "st", "static", "server", "openai"]


@dataclass(frozen=True, slots=True)
class EncoderSpec:
    """An encoder as written.

    Attributes:
        text: the words themselves; they name the encoder in every vector file and estimate.
        kind: what it is.
        target: hub id, folder, file, or the server's base URL.
        served_name: the model's name on the server, else empty.
    """

    text: str
    kind: Kind
    target: str
    served_name: str = ""

    @property
    def folder(self) -> Path | None:
        """The folder it names, or None for a hub id, a file or a server."""
        path = Path(self.target).expanduser()
        return path if self.kind in ("hf", "st") and path.is_dir() else None

    @property
    def has_own_pooling(self) -> bool:
        """True for a folder of sentence-transformers."""
        return self.folder is not None and (self.folder / MODULES).is_file()

    def as_model(self) -> ModelSpec:
        """The same as the loaders of language models take it."""
        return ModelSpec(self.text, "hf", self.target)


def parse_encoder(text: str) -> EncoderSpec:
    """Read the words for an encoder.

    Raises:
        UserError: another form.
    """
    kind, _, target = text.partition("/")
    if target and kind in ("st", "static"):
        return EncoderSpec(text, "st" if kind == "st" else "static", target)
    if target and kind == "openai":
        return EncoderSpec(text, "openai", "https://api.openai.com/v1", target)
    if text.startswith(("hf/", "http://", "https://")):
        model = parse_model(text)
        return EncoderSpec(text, model.kind, model.target, model.served_name)
    raise UserError(f"Cannot read the encoder '{text}': give {FORMS}.")
