"""Linear layers whose weights are packed once for oneDNN, on CPU in float32.

torch repacks a weight matrix on every call; torch's own oneDNN path can do it once. The numbers agree to
rounding, and a head of 50,000 words runs about twice as fast on two cores. Switched off by
`ModelOptions(packed_weights=False)` (`--no-packed-weights`).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from transformers.activations import GELUActivation, NewGELUActivation
from transformers.pytorch_utils import Conv1D

ROWS = 512
"""Rows of a typical batch, a hint to oneDNN's choice of layout."""

# Pairs of child names, (linear, activation), that follow one another in transformers' feed-forward blocks.
FEED_FORWARD = (("dense", "intermediate_act_fn"), ("c_fc", "act"), ("wi", "act"), ("fc1", "activation_fn"))


class PackedLinear(nn.Module):
    """y = activation(x W^T + b) with W packed; `activation` is a name oneDNN knows, or "none"."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None, activation: tuple[str, str]) -> None:
        """Pack `weight` (out x in)."""
        super().__init__()
        self.packed = torch.ops.mkldnn._reorder_linear_weight(weight.detach().contiguous(), ROWS)
        self.bias = None if bias is None else bias.detach()
        self.weight = torch.empty(0, dtype=weight.dtype)  # T5 asks its layers for their type
        self.activation, self.algorithm = activation

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Apply the layer to the last dimension of `x`."""
        y: torch.Tensor = torch.ops.mkldnn._linear_pointwise(
            x, self.packed, self.bias, self.activation, [], self.algorithm
        )
        return y


def can_pack() -> bool:
    """True where this build of torch has the oneDNN operators."""
    return torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_reorder_linear_weight")


def pack_weights(network: nn.Module) -> None:
    """Replace every linear layer of `network`, in place, and fuse the activation that follows it where known."""
    if not can_pack():
        return
    for module in list(network.modules()):
        fused = _fuse_activation(module)
        for name, child in list(module.named_children()):
            if type(child) in (nn.Linear, Conv1D):
                setattr(module, name, PackedLinear(*_weights(child), fused.get(name, ("none", ""))))
            elif isinstance(child, NewGELUActivation):
                setattr(module, name, nn.GELU(approximate="tanh"))  # the same formula in one kernel


def _fuse_activation(module: nn.Module) -> dict[str, tuple[str, str]]:
    """Names of linear children whose activation can be computed with them; the activation becomes identity."""
    for linear, activation in FEED_FORWARD:
        if type(getattr(module, linear, None)) in (nn.Linear, Conv1D):
            known = _known_activation(getattr(module, activation, None))
            if known:
                setattr(module, activation, nn.Identity())
                return {linear: known}
    return {}


def _known_activation(activation: Any) -> tuple[str, str] | None:
    if isinstance(activation, NewGELUActivation):
        return "gelu", "tanh"
    if isinstance(activation, GELUActivation) and activation.act is nn.functional.gelu:
        return "gelu", "none"
    if isinstance(activation, nn.ReLU):
        return "relu", ""
    return None


def _weights(layer: nn.Module) -> tuple[torch.Tensor, torch.Tensor | None]:
    """(out x in) weight and bias of a linear layer or of GPT-2's transposed one."""
    weight, bias = layer.weight, layer.bias
    return (weight.t() if isinstance(layer, Conv1D) else weight), bias  # type: ignore[return-value,operator]
