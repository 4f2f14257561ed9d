"""Encoders of texts: local networks, sentence-transformers, word vectors, servers; one module for each kind.

`open_encoders` turns the words of the command line into something with the interface of `encoder.Encoder`; no library
is imported that the chosen kind does not need.
"""

from __future__ import annotations

from endoxa.models.encoders.encoder import (
    Encoded,
    Encoder,
    EncoderKind,
    EncoderOptions,
    EncoderSpec,
    Vector,
)
from endoxa.models.encoders.kinds import check_texts, open_encoders, parse_encoder

__all__ = [
    "Encoded",
    "Encoder",
    "EncoderKind",
    "EncoderOptions",
    "EncoderSpec",
    "Vector",
    "check_texts",
    "open_encoders",
    "parse_encoder",
]
