"""What a rule asks of a model and what it gets: requests, scores, and the interfaces of both sides."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from endoxa.schema.pairs import Pair

Architecture = Literal["causal", "masked", "encoder-decoder"]
ARCHITECTURES: tuple[Architecture, ...] = ("causal", "masked", "encoder-decoder")


@dataclass(frozen=True, slots=True)
class Score:
    """Natural-log probability `total` (nats) summed over `n_tokens` scored tokens."""

    total: float
    n_tokens: int


@dataclass(frozen=True, slots=True)
class Unscorable:
    """Why a model cannot give a request an honest number, as the end of a sentence ("it has 600 tokens ...")."""

    reason: str


@dataclass(frozen=True, slots=True)
class CausalRequest:
    """Log-probability of `text` left to right.

    `front` says what stands before it: "nothing" (the first token is not scored), "bos" (a
    beginning-of-sequence token, every token of the text scored), or "tokenizer" (whatever special tokens the
    tokenizer adds by itself).
    """

    text: str
    front: Literal["nothing", "bos", "tokenizer"]


@dataclass(frozen=True, slots=True)
class MaskedRequest:
    """Sum of log P(token | rest) where each group of positions of `ids` is masked together, in its own copy."""

    ids: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """Log P(completion | prompt) of an encoder-decoder, end token scored.

    `language` is that of both, for models that mark texts with it.
    """

    prompt: str
    completion: str
    language: str = ""


Request = CausalRequest | MaskedRequest | CompletionRequest


class Model(Protocol):
    """A model that can be probed with sentence pairs. Implementations: `endoxa.models`."""

    @property
    def name(self) -> str:
        """The model as written on the command line."""
        ...

    @property
    def architecture(self) -> Architecture:
        """Which rules are for it."""
        ...

    @property
    def max_tokens(self) -> int | None:
        """Longest input with special tokens, or None where there is no limit or it is not known."""
        ...

    def describe(self) -> Mapping[str, Any]:
        """What `run.json` records: revision, dtype, device, tokenizer, file fingerprint."""
        ...

    def unknown_share(self, texts: Sequence[str]) -> float | None:
        """Share of the tokens of `texts` that the tokenizer does not know; None where that cannot be told."""
        ...

    def score(self, requests: Sequence[Request]) -> Iterator[tuple[int, Score | Unscorable]]:
        """Yield (index of the request, result) as batches finish, each index exactly once.

        A request that cannot be given an honest number gets an `Unscorable`, never a guess.
        """
        ...


@dataclass(frozen=True, slots=True)
class Rule:
    """A named way to give a sentence a number.

    Attributes:
        name: word used on the command line (`--rule`).
        architecture: the kind of model it is for.
        unit: "nats" or "nats per token".
        summary: one line for lists.
        source: paper and section, or the published code it reproduces.
        requests: makes, for each pair, the request for `sent_more` and the one for `sent_less`.
        value: turns a `Score` into the rule's number. Raises ValueError where nothing was scored.
    """

    name: str
    architecture: Architecture
    unit: str
    summary: str
    source: str
    requests: Callable[[Sequence[Pair], Model], list[tuple[Request, Request]]]
    value: Callable[[Score], float]
