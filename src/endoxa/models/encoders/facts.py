"""Which poolings each encoder of a run is read with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from endoxa.errors import UserError
from endoxa.models.encoders.encoder import EncoderFacts, EncoderSpec
from endoxa.models.encoders.kinds import ENCODERS, look_at_encoder
from endoxa.models.encoders.poolings import MODEL, POOLINGS
from endoxa.models.encoders.static import WORDS

__all__ = ["EncoderFacts", "Fitted", "fit_poolings", "look_at_encoder"]


@dataclass(frozen=True, slots=True)
class Fitted:
    """Poolings of each encoder by its words, and sentences about those that were asked for and left out."""

    poolings: Mapping[str, tuple[str, ...]]
    left_out: tuple[str, ...]


def fit_poolings(
    specs: Sequence[EncoderSpec], facts: Mapping[str, EncoderFacts], requested: Sequence[str]
) -> Fitted:
    """The poolings each encoder is read with.

    Weights loaded here offer a choice; word vectors, sentence-transformers and servers have one pooling of their own,
    which is used and recorded whatever was asked for other encoders.

    Args:
        specs: the encoders.
        facts: what `look_at_encoder` found, by the encoder's words.
        requested: poolings by name; none takes the usual one of each encoder.

    Raises:
        UserError: unknown pooling, one named twice, or one that is for none of the encoders.
    """
    twice = [name for k, name in enumerate(requested) if name in requested[:k]]
    if twice:
        raise UserError(f"The pooling '{twice[0]}' is given twice: name each pooling once.")
    offered = {spec.text: ENCODERS.get(spec.kind).poolings(spec) for spec in specs}
    for name in requested:
        if not any(name in names for names in offered.values()):
            if name not in (MODEL, WORDS):
                POOLINGS.get(name)  # an unknown one is answered with the nearest
            what = "; ".join(f"'{text}' has {', '.join(names)}" for text, names in offered.items())
            raise UserError(f"The pooling '{name}' is for none of the encoders ({what}).")
    poolings, left_out = {}, []
    for text, names in offered.items():
        fitting = tuple(name for name in requested if name in names)
        poolings[text] = fitting or (facts[text].usual,)
        missing = [name for name in requested if name not in names]
        if missing:
            left_out.append(
                f"{text}: read by {', '.join(poolings[text])}; it has no pooling {', '.join(missing)}"
            )
    return Fitted(poolings, tuple(left_out))
