"""The words that name an encoder: `hf/...`, `st/...`, `static/FILE`, `openai/NAME`, `http://host:port/v1#NAME`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from endoxa.errors import UserError
from endoxa.models.spec import ModelSpec, parse_model

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
