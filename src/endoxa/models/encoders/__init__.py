"""Encoders of texts: local networks, sentence-transformers, word vectors, servers; one module for each kind.

`open_encoder` turns the words of the command line into something with the interface of `encoder.Encoder`; nothing is
imported that the chosen kind does not need.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from endoxa.models import require_local
from endoxa.models.encoders.encoder import (
    Encoded,
    Encoder,
    EncoderOptions,
    EncoderSpec,
    Vector,
    parse_encoder,
)
from endoxa.models.encoders.poolings import MODEL, POOLINGS

if TYPE_CHECKING:
    from endoxa.models.encoders.poolings import Pooling

__all__ = [
    "Encoded",
    "Encoder",
    "EncoderOptions",
    "EncoderSpec",
    "Vector",
    "open_encoders",
    "parse_encoder",
]


def open_encoders(
    spec: EncoderSpec, options: EncoderOptions, poolings: Sequence[str], texts: Sequence[str]
) -> list[Encoder]:
    """Load an encoder; two where a folder of sentence-transformers is read by its own pooling and by others.

    Args:
        spec: the encoder.
        options: how it is loaded.
        poolings: names that `endoxa.models.encoders.facts.fit_poolings` gave for it.
        texts: every text that will be encoded: what cannot be encoded is refused here, before the work.

    Raises:
        UserError: the encoder cannot be had, or a text cannot be given an honest vector.
    """
    if spec.kind == "static":
        from endoxa.models.encoders.static import StaticEncoder

        return [StaticEncoder.open(spec.text, Path(spec.target), texts, options.max_unknown)]
    if spec.kind in ("server", "openai"):
        from endoxa.models.encoders.server import ServerEncoder

        return [ServerEncoder.open(spec, texts)]
    require_local(spec.as_model())
    opened: list[Encoder] = []
    picked: list[Pooling] = [POOLINGS.get(name) for name in poolings if name != MODEL]
    if picked:
        from endoxa.models.encoders.transformer import TransformerEncoder

        opened.append(TransformerEncoder.open(spec, options, picked, texts))
    if MODEL in poolings:
        from endoxa.models.encoders.sentence import SentenceEncoder

        opened.append(SentenceEncoder.open(spec, options, texts))
    return opened
