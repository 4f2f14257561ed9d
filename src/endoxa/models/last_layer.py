"""The last layer of a BERT-like encoder, only where its output is used.

Of a masked copy of a sentence only the masked positions are read. Keys and values of the last layer are needed
everywhere, but queries, attention output and feed-forward only there. Works on encoders built from BERT's
blocks (BERT, RoBERTa, XLM-RoBERTa, ELECTRA, CamemBERT ...); others run their last layer in full. Which it is gets
decided by trying both on the loaded model.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.nn.functional import scaled_dot_product_attention

from endoxa.models.split import Split

OnlyAt = Callable[..., torch.Tensor]
"""(positions (batch x k), **inputs of the body) -> hidden states (batch x k x width) at those positions."""

TOLERANCE = 1e-4


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
