"""Sentences as token ids, words and text positions, and the aggregation of their log-probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from endoxa.models.special_tokens import AS_TEXT
from endoxa.schema import Model, Score


@dataclass(frozen=True, slots=True)
class Encoded:
    """A tokenized sentence.

    Attributes:
        ids: token ids with the tokenizer's special tokens.
        positions: positions of the tokens that are text, in order.
        offsets: for each position of `ids`, the (start, end) characters it covers.
        pretokens: for each position of `ids`, the number of the tokenizer's own word, None for special tokens.
    """

    ids: tuple[int, ...]
    positions: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]
    pretokens: tuple[int | None, ...]


def encode(model: Model, texts: Sequence[str]) -> list[Encoded]:
    """Tokenize `texts` with the model's own tokenizer (a fast one)."""
    if not texts:
        return []
    tokenizer = cast("Any", model).tokenizer
    out = tokenizer(list(texts), return_offsets_mapping=True, return_special_tokens_mask=True, **AS_TEXT)
    return [
        Encoded(
            tuple(ids),
            tuple(position for position, special in enumerate(mask) if not special),
            tuple(map(tuple, offsets)),
            tuple(out.word_ids(index)),
        )
        for index, (ids, mask, offsets) in enumerate(
            zip(out["input_ids"], out["special_tokens_mask"], out["offset_mapping"], strict=True)
        )
    ]


def total(score: Score) -> float:
    """The sum itself, in nats."""
    _refuse_empty(score)
    return score.total


def per_token(score: Score) -> float:
    """The sum over the number of scored tokens, in nats per token."""
    _refuse_empty(score)
    return score.total / score.n_tokens


def _refuse_empty(score: Score) -> None:
    if score.n_tokens < 1:
        raise ValueError("no token was scored, so there is no score")
