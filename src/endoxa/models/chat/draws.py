"""What a prompt asks of a network, and the draw of every token, which belongs to its prompt and not to the batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

import torch
from transformers import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

from endoxa.errors import UserError
from endoxa.models.chat.templates import NO_STOPS, Stops

BITS = 48
"""Bits of a draw: far below the resolution of any probability, and exact in 64-bit floats."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a prompt is answered; prompts of a batch share all of it but `max_tokens`.

    Attributes:
        temperature: 0 takes the likeliest token.
        top_p: share of the probability mass that is drawn from, or None for all of it.
        top_k: number of likeliest tokens that are drawn from, or None for all.
        max_tokens: most tokens of an answer.
        stop: texts at which an answer ends.
    """

    temperature: float
    top_p: float | None
    top_k: int | None
    max_tokens: int
    stop: Stops = NO_STOPS


@dataclass(frozen=True)
class Prompt:
    """One conversation, ready for the network.

    Attributes:
        ids: its tokens.
        settings: how to draw.
        seed: seed of its draws.
    """

    ids: tuple[int, ...]
    settings: Settings
    seed: int

    @cached_property
    def key(self) -> bytes:
        """What its draws depend on besides the step: seed and tokens."""
        return blake2b(f"{self.seed}|{self.ids}".encode(), digest_size=32).digest()

    def uniform(self, step: int) -> float:
        """The draw of one step: uniform in [0, 1)."""
        digest = blake2b(step.to_bytes(4, "big"), key=self.key, digest_size=BITS // 8).digest()
        return float(int.from_bytes(digest, "big") / 2**BITS)


def next_tokens(prompts: Sequence[Prompt], steps: Sequence[int], scores: torch.Tensor) -> torch.Tensor:
    """The next token of each row: the likeliest at temperature 0, else a draw, the same in whatever batch.

    A row's draw is the inverse of its distribution function at `Prompt.uniform(step)`, which is an exact draw from the
    distribution after temperature, top-k and top-p, in this order.

    Args:
        prompts: one for each row; they share how tokens are drawn.
        steps: tokens that each has written.
        scores: of the network (rows x vocabulary).

    Raises:
        UserError: the network gives no numbers.
    """
    if torch.isnan(scores).any():
        raise UserError(
            "The model's output is not a number (overflow in half precision): choose --set dtype=float32 or bfloat16."
        )
    settings = prompts[0].settings
    if settings.temperature == 0:
        return scores.argmax(-1)
    warpers: list[Any] = [TemperatureLogitsWarper(float(settings.temperature))]
    if settings.top_k:
        warpers.append(TopKLogitsWarper(settings.top_k))
    if settings.top_p is not None and settings.top_p < 1:
        warpers.append(TopPLogitsWarper(settings.top_p))
    for warper in warpers:
        scores = warper(None, scores)
    # 64-bit floats, which Apple's GPUs do not have, keep the sum over large vocabularies exact enough.
    exact = (scores.cpu() if scores.device.type == "mps" else scores).double()
    cumulative = exact.softmax(-1).cumsum(-1)
    uniform = [[prompt.uniform(step)] for prompt, step in zip(prompts, steps, strict=True)]
    reached = torch.tensor(uniform, dtype=torch.float64, device=cumulative.device) * cumulative[:, -1:]
    return torch.searchsorted(cumulative, reached, right=True)[:, 0].to(scores.device)


@dataclass(frozen=True, slots=True)
class Generated:
    """What the network wrote for one prompt.

    Attributes:
        ids: tokens up to, and without, the end token.
        ended: it came to an end by itself.
    """

    ids: tuple[int, ...]
    ended: bool
