"""Pseudo-log-likelihoods under a masked language model.

The last layer of a BERT-like encoder runs only where its output is used: of a masked copy of a sentence only the masked
positions are read. Keys and values of the last layer are needed everywhere, but queries, attention output and
feed-forward only there. This works on encoders built from BERT's blocks (BERT, RoBERTa, XLM-RoBERTa, ELECTRA, CamemBERT
...); others run their last layer in full. Which it is gets decided by trying both on the loaded model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch.nn.functional import scaled_dot_product_attention

from endoxa.errors import UserError
from endoxa.models.checkpoint import Checkpoint, unknown_share
from endoxa.models.networks import Split, equal_length_batches, on_device, scored
from endoxa.models.special_tokens import SpecialTokens
from endoxa.schema import Architecture, MaskedRequest, Request, Score, Unscorable

OnlyAt = Callable[..., torch.Tensor]
"""(positions (batch x k), **inputs of the body) -> hidden states (batch x k x width) at those positions."""

Variant = tuple[tuple[int, ...], tuple[int, ...]]
"""Token ids of a sentence, and the positions masked in this copy of it."""
TOLERANCE = 1e-4
"""Largest difference between the shortened and the full last layer that is still the same state."""


def shorten_last_layer(network: Any, split: Split) -> OnlyAt:
    """The cheapest exact way to get hidden states at chosen positions."""

    def full(positions: torch.Tensor, **inputs: Any) -> torch.Tensor:
        return _at(split.hidden(**inputs), positions)

    layers = getattr(getattr(network.base_model, "encoder", None), "layer", None)
    if layers is None or not len(layers) or not _is_bert_layer(layers[-1]):
        return full
    last = layers[-1]

    def short(positions: torch.Tensor, **inputs: Any) -> torch.Tensor:
        forward = last.forward
        last.forward = lambda hidden, *_, **__: hidden  # the body stops before its last layer
        try:
            hidden = split.hidden(**inputs)
        finally:
            last.forward = forward
        return _bert_layer_at(last, hidden, positions)

    return short if _agree(full, short, network) else full


def _bert_layer_at(layer: Any, hidden: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
    """One BERT layer (Devlin et al. 2019) on `hidden` (batch x tokens x width), queried at `positions` only."""
    attention = layer.attention.self
    here = _at(hidden, positions)

    def heads(x: torch.Tensor) -> torch.Tensor:
        return x.view(*x.shape[:-1], -1, attention.attention_head_size).transpose(1, 2)

    mixed = scaled_dot_product_attention(
        heads(attention.query(here)), heads(attention.key(hidden)), heads(attention.value(hidden))
    )
    attended = layer.attention.output(mixed.transpose(1, 2).flatten(2), here)
    done: torch.Tensor = layer.output(layer.intermediate(attended), attended)
    return done


def _at(hidden: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
    return hidden.gather(1, positions[..., None].expand(-1, -1, hidden.shape[-1]))


def _is_bert_layer(layer: Any) -> bool:
    attention = getattr(getattr(layer, "attention", None), "self", None)
    parts = all(hasattr(attention, name) for name in ("query", "key", "value", "attention_head_size"))
    return parts and hasattr(layer, "intermediate") and hasattr(layer, "output")


@torch.inference_mode()
def _agree(full: OnlyAt, short: OnlyAt, network: Any) -> bool:
    device = next(network.parameters()).device
    rows = network.get_input_embeddings().weight.shape[0]
    ids = (torch.arange(14, device=device) % rows).view(2, 7)
    positions = torch.tensor([[1], [5]], device=device)
    try:
        gap = (full(positions, input_ids=ids) - short(positions, input_ids=ids)).abs().max()
    except (TypeError, ValueError, RuntimeError, AttributeError):
        return False
    return bool(gap <= (TOLERANCE if network.dtype == torch.float32 else 0.1))


class MaskedReader:
    """Reads `MaskedRequest`s; needs no weights."""

    architecture: Architecture = "masked"

    def __init__(self, name: str, tokenizer: Any, max_tokens: int | None) -> None:
        """Look at the tokenizer.

        Raises:
            UserError: it has no mask token.
        """
        if tokenizer.mask_token_id is None:
            raise UserError(
                f"The tokenizer of '{name}' has no mask token, so no masked rule can be computed: name the "
                "right tokenizer with --set tokenizer=NAME."
            )
        self.name, self.tokenizer, self.max_tokens = name, tokenizer, max_tokens
        self._special = SpecialTokens.of(tokenizer)

    def read(self, requests: Sequence[Request]) -> Iterator[MaskedRequest | Unscorable]:
        """Each request, or why it cannot be scored."""
        for request in requests:
            if not isinstance(request, MaskedRequest):
                raise TypeError(f"a masked model cannot score a {type(request).__name__}")
            problem = self._problem(request) or self._special.problem(request.ids, around=True)
            yield Unscorable(problem) if problem else request

    def _problem(self, request: MaskedRequest) -> str | None:
        limit = self.max_tokens
        if limit is not None and len(request.ids) > limit:
            return f"it has {len(request.ids)} tokens and the model reads at most {limit}"
        if not request.groups:
            return "no token is left to score (the two sentences share none)"
        return None


class MaskedModel:
    """Scores `MaskedRequest`s with local weights.

    All masked copies of all sentences are taken together, equal ones (shared by two rules, or by a sentence that
    occurs twice) once, and run in batches of one length.
    """

    architecture: Architecture = "masked"

    def __init__(self, checkpoint: Checkpoint) -> None:
        """Wrap a loaded checkpoint.

        Raises:
            UserError: its tokenizer has no mask token.
        """
        self.name = checkpoint.name
        self.max_tokens = checkpoint.max_tokens
        self.tokenizer = checkpoint.tokenizer
        self._reader = MaskedReader(self.name, self.tokenizer, self.max_tokens)
        self._checkpoint = checkpoint
        self._split = Split(checkpoint.network)
        self._only_at = shorten_last_layer(checkpoint.network, self._split)

    def describe(self) -> Mapping[str, Any]:
        """Facts for `run.json`."""
        return {
            **self._checkpoint.facts,
            "head_rows": self._split.head_rows,
            "mask_token": self.tokenizer.mask_token,
        }

    def unknown_share(self, texts: Sequence[str]) -> float:
        """See `endoxa.schema.Model.unknown_share`."""
        return unknown_share(self.tokenizer, texts)

    def score(self, requests: Sequence[Request]) -> Iterator[tuple[int, Score | Unscorable]]:
        """See `endoxa.schema.Model.score`. A score arrives when the last masked copy of its sentence has run."""
        sentences: dict[tuple[int, ...], int] = {}
        numbers: dict[tuple[int, tuple[int, ...]], int] = {}
        copies: list[Variant] = []
        users: list[list[int]] = []
        parts: dict[int, list[int]] = {}
        for index, request in enumerate(self._reader.read(requests)):
            if isinstance(request, Unscorable):
                yield index, request
                continue
            sentence = sentences.setdefault(request.ids, len(sentences))
            # In a fixed order, so that equal requests have equal sums to the last bit.
            for group in sorted(request.groups):
                number = numbers.setdefault((sentence, group), len(copies))
                if number == len(copies):
                    copies.append((request.ids, group))
                    users.append([])
                users[number].append(index)
                parts.setdefault(index, []).append(number)
        waiting = {index: len(copies_of) for index, copies_of in parts.items()}
        values = [0.0] * len(copies)
        batches = equal_length_batches(
            range(len(copies)), lambda number: (len(copies[number][0]),), self._checkpoint.batch_tokens
        )
        for number, value in scored(batches, lambda batch: self._score_batch([copies[k] for k in batch])):
            values[number] = value
            for index in users[number]:
                waiting[index] -= 1
                if not waiting[index]:
                    tokens = sum(len(copies[k][1]) for k in parts[index])
                    yield index, Score(sum(values[k] for k in parts[index]), tokens)

    @torch.inference_mode()
    def _score_batch(self, batch: Sequence[Variant]) -> torch.Tensor:
        """Masked copies of one length."""
        device = self._checkpoint.device
        ids = on_device([variant[0] for variant in batch], device)
        # A copy with fewer masked positions repeats its first one, and the repetition is not counted.
        most = max(len(variant[1]) for variant in batch)
        positions = on_device([[*masked, *[masked[0]] * (most - len(masked))] for _, masked in batch], device)
        targets = ids.gather(1, positions)
        hidden = self._only_at(positions, input_ids=ids.scatter(1, positions, self.tokenizer.mask_token_id))
        log_probabilities = self._split.log_probabilities(
            hidden.flatten(0, 1), targets.flatten(), input_ids=ids[:1, :1]
        ).view(len(batch), most)
        repeated = on_device([[k >= len(masked) for k in range(most)] for _, masked in batch], device)
        return log_probabilities.masked_fill(repeated, 0.0).sum(1)
