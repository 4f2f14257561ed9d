"""A network in two halves: the body that makes hidden states, and the head that turns them into words.

The head costs as much as several layers, so it is applied only to the rows whose probability is asked for,
a few at a time. To stay true to every architecture (soft caps, scales, transforms in front of the output
layer) the head is never rebuilt: the network's own forward runs, with its body replaced for the call.
"""

from __future__ import annotations

from typing import Any

import torch
from transformers.modeling_outputs import BaseModelOutput

HEAD_NUMBERS = 64 * 50_000
"""Logits computed at a time: so many floats stay in the processor's cache."""


class Split:
    """Body and head of a Hugging Face language model."""

    def __init__(self, network: Any) -> None:
        """Find the body: the base model, or the decoder where the network is its own base model (T5)."""
        self.network = network
        base = network.base_model
        self.is_whole_model = base is not network
        self._body = base if self.is_whole_model else network.get_decoder()
        self._body_forward = self._body.forward
        self._output_type: type = BaseModelOutput
        self._head_rows = max(1, HEAD_NUMBERS // network.get_input_embeddings().weight.shape[0])

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
        self, rows: torch.Tensor, which: torch.Tensor, targets: torch.Tensor, **rest: Any
    ) -> torch.Tensor:
        """Natural log P(target | hidden row), float64 on the CPU.

        Args:
            rows: hidden states (rows x width).
            which: for each target the row it follows from, in ascending order.
            targets: token ids, as many as `which`.
            rest: see `logits`.
        """
        found = []
        for start in range(0, len(rows), self._head_rows):
            logits = self.logits(rows[start : start + self._head_rows], **rest)
            low, high = torch.searchsorted(
                which, torch.tensor([start, start + len(logits)], device=which.device)
            )
            row = which[low:high] - start
            picked = logits[row, targets[low:high]]
            found.append((picked - logits.logsumexp(1)[row]).double())
        return torch.cat(found).cpu()
