"""Hugging Face networks made faster without another number: equal lengths, the head only where it is read, packing.

A network is taken in two halves: the body that makes hidden states, and the head that turns them into words. The head
costs as much as several layers, so it is applied only to the rows whose probability is asked for, a few at a time. To
stay true to every architecture (soft caps, scales, transforms in front of the output layer) the head is never rebuilt:
the network's own forward runs, with its body replaced for the call.

On a CPU in float32, torch repacks a weight matrix on every call; its own oneDNN path can do it once. The numbers agree
to rounding, and a head of 50,000 words runs about twice as fast on two cores. Switched off by
`ModelOptions(packed_weights=False)` (`--set packed_weights=no`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from transformers.activations import GELUActivation, NewGELUActivation
from transformers.modeling_outputs import BaseModelOutput
from transformers.pytorch_utils import Conv1D

from endoxa.errors import UserError

CACHED_LOGITS = 64 * 50_000
"""Logits computed at a time on a CPU: so many floats stay in its cache."""
LOGITS_BYTES = 1 << 30
"""The same on other devices, in bytes of float32: a few large products keep them busy."""
FREE_SHARE = 8
"""Logits take no more than this part (one over it) of the memory that is free when a model is loaded."""
TYPICAL_ROWS = 512
"""Rows of a typical batch, a hint to oneDNN's choice of layout."""

# Pairs of child names, (linear, activation), that follow one another in transformers' feed-forward blocks.
FEED_FORWARD = (("dense", "intermediate_act_fn"), ("c_fc", "act"), ("wi", "act"), ("fc1", "activation_fn"))


class Split:
    """Body and head of a Hugging Face language model."""

    def __init__(self, network: Any) -> None:
        """Find the body: the base model, or the decoder where the network is its own base model (T5)."""
        self.network = network
        base = network.base_model
        self.is_full_model = base is not network
        self._body = base if self.is_full_model else network.get_decoder()
        self._body_forward = self._body.forward
        self._output_type: type = BaseModelOutput
        weight = network.get_input_embeddings().weight
        self.head_rows = head_rows(weight.device, weight.shape[0])

    def hidden(self, **inputs: Any) -> torch.Tensor:
        """Last hidden states (batch x tokens x width) of the body for the inputs of its forward."""
        output = self._body(**inputs, use_cache=False)
        self._output_type = type(output)
        return output.last_hidden_state  # type: ignore[no-any-return]

    def logits(self, rows: torch.Tensor, **rest: Any) -> torch.Tensor:
        """Logits (rows x vocabulary, float32) of hidden states (rows x width).

        `rest` holds inputs the network insists on (an encoder's output); they have no influence.
        """
        fixed = self._output_type(last_hidden_state=rows[None])
        self._body.forward = lambda *_, **__: fixed
        try:
            out = self.network(**rest, use_cache=False)
        finally:
            self._body.forward = self._body_forward
        return out.logits[0].float()  # type: ignore[no-any-return]

    def log_probabilities(
        self, rows: torch.Tensor, targets: torch.Tensor, which: NDArray[np.int64] | None = None, **rest: Any
    ) -> torch.Tensor:
        """Natural log P(target | hidden row), on the device of the rows; nothing here waits for it.

        Args:
            rows: hidden states (rows x width).
            targets: token ids.
            which: for each target the row it follows from, in ascending order; by default one target for each row.
            rest: see `logits`.

        Returns:
            As many numbers as targets; see `precise`.
        """
        which = np.arange(len(rows)) if which is None else which
        follows = on_device(which, rows.device)
        parts = []
        for start in range(0, len(rows), self.head_rows):
            logits = self.logits(rows[start : start + self.head_rows], **rest)
            low, high = (int(bound) for bound in np.searchsorted(which, (start, start + len(logits))))
            row = follows[low:high] - start
            parts.append(precise(logits[row, targets[low:high]] - logits.logsumexp(1)[row]))
        return torch.cat(parts)


def head_rows(device: torch.device, vocabulary: int) -> int:
    """How many hidden states the head turns into logits at a time."""
    if device.type == "cpu":
        return max(1, CACHED_LOGITS // vocabulary)
    free = torch.cuda.mem_get_info(device)[0] // FREE_SHARE if device.type == "cuda" else LOGITS_BYTES
    return max(64, min(LOGITS_BYTES, free) // (4 * vocabulary))


def on_device(values: Any, device: torch.device) -> torch.Tensor:
    """A tensor of them on a device, copied while it goes on computing; from memory that is not pinned CUDA may wait."""
    tensor = torch.as_tensor(values)
    if device.type != "cuda":
        return tensor.to(device)
    return tensor.pin_memory().to(device, non_blocking=True)


def precise(numbers: torch.Tensor) -> torch.Tensor:
    """In float64, for sums over many tokens; on Apple's devices, which have none, in float32."""
    return numbers.to(torch.float32 if numbers.device.type == "mps" else torch.float64)


class PackedLinear(nn.Module):
    """y = activation(x W^T + b) with W packed; `activation` is a name oneDNN knows, or "none"."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None, activation: tuple[str, str]) -> None:
        """Pack `weight` (out x in)."""
        super().__init__()
        self.packed = torch.ops.mkldnn._reorder_linear_weight(weight.detach().contiguous(), TYPICAL_ROWS)
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
            fused = _fusable_activation(getattr(module, activation, None))
            if fused:
                setattr(module, activation, nn.Identity())
                return {linear: fused}
    return {}


def _fusable_activation(activation: Any) -> tuple[str, str] | None:
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


log = logging.getLogger(__name__)
Work = TypeVar("Work")
Result = TypeVar("Result")


def equal_length_batches(
    items: Sequence[Work], shape: Callable[[Work], tuple[int, ...]], tokens: int
) -> Iterator[list[Work]]:
    """Items of one shape together, at most `tokens` tokens (the sum of the shape, per item) in a batch.

    Within a batch nothing is padded, so no mask is needed and no work is wasted. Longest first: memory runs
    out at the start of a run or not at all.
    """
    ordered = sorted(items, key=shape, reverse=True)
    for lengths, same in groupby(ordered, key=shape):
        group = list(same)
        size = max(1, tokens // max(1, sum(lengths)))
        for start in range(0, len(group), size):
            yield group[start : start + size]


def padded_batches(items: Sequence[Work], length: Callable[[Work], int], tokens: int) -> Iterator[list[Work]]:
    """Items of like length together, at most `tokens` tokens in a batch when all are padded to its longest.

    For devices that a batch of one length would leave idle. Longest first.
    """
    batch: list[Work] = []
    for item in sorted(items, key=length, reverse=True):
        if batch and length(batch[0]) * (len(batch) + 1) > tokens:
            yield batch
            batch = []
        batch.append(item)
    if batch:
        yield batch


def scored(
    batches: Iterable[Sequence[Work]], compute: Callable[[Sequence[Work]], torch.Tensor]
) -> Iterator[tuple[Work, float]]:
    """Yield (item, number) for every batch, which is halved where memory runs out.

    The numbers of a batch are copied back when the device has the next one, so that it is never idle.

    Args:
        batches: of items.
        compute: from a batch to a number for each of its items, still on the device.

    Raises:
        UserError: see `halve_when_full`.
    """
    started: tuple[Sequence[Work], torch.Tensor] | None = None
    for batch in batches:
        for part in in_parts(batch, compute):
            if started is not None:
                yield from _numbers(started)
            started = part
    if started is not None:
        yield from _numbers(started)


def _numbers(part: tuple[Sequence[Work], torch.Tensor]) -> Iterator[tuple[Work, float]]:
    return zip(part[0], part[1].tolist(), strict=True)


def halve_when_full(
    batch: Sequence[Work], compute: Callable[[Sequence[Work]], Sequence[Result]]
) -> Iterator[tuple[Work, Result]]:
    """Yield (item, result) for a batch; on running out of memory the batch is halved and tried again.

    Raises:
        UserError: even one item does not fit.
    """
    for part, results in in_parts(batch, compute):
        yield from zip(part, results, strict=True)


def in_parts(
    batch: Sequence[Work], compute: Callable[[Sequence[Work]], Result]
) -> Iterator[tuple[Sequence[Work], Result]]:
    """Yield (batch, what `compute` makes of it), or of its halves where memory runs out.

    Raises:
        UserError: see `halve_when_full`.
    """
    try:
        result = compute(batch)
    except (torch.OutOfMemoryError, MemoryError, RuntimeError) as problem:
        refuse_unless_memory(problem, len(batch) // 2)
    else:
        yield batch, result
        return
    middle = len(batch) // 2
    yield from in_parts(batch[:middle], compute)
    yield from in_parts(batch[middle:], compute)


def refuse_unless_memory(problem: BaseException, smaller: int) -> None:
    """Raise a problem again, unless it is memory that was too small and a smaller batch can be tried.

    Args:
        problem: what was raised.
        smaller: texts in the batch that comes next.

    Raises:
        UserError: even one text does not fit.
    """
    if not _out_of_memory(problem):
        raise problem
    if not smaller:
        raise UserError(
            "Out of memory with a single sentence in the batch: choose a smaller model, --set dtype=bfloat16, "
            "--set four_bit=yes, or a machine with more memory."
        ) from problem
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    log.warning("out of memory: going on with %d texts in the batch", smaller)


def _out_of_memory(problem: BaseException) -> bool:
    if isinstance(problem, torch.OutOfMemoryError | MemoryError):
        return True
    text = str(problem).lower()
    return "out of memory" in text or "can't allocate memory" in text or "not enough memory" in text
