"""Log-probability of completions under an encoder-decoder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from transformers.modeling_outputs import BaseModelOutput

from endoxa.models.batches import equal_length_batches, halve_when_full
from endoxa.models.checkpoint import Checkpoint, unknown_share
from endoxa.models.networks import Split
from endoxa.schema import Architecture, CompletionRequest, Request, Score, Unscorable

Ids = tuple[int, ...]
Work = tuple[Ids, Ids]
"""Token ids of the prompt (with the tokenizer's end token) and of the completion (end token included)."""


class EncoderDecoderModel:
    """Scores `CompletionRequest`s with local weights.

    A prompt is encoded once per batch for all its completions; nothing is padded.
    """

    architecture: Architecture = "encoder-decoder"

    def __init__(self, checkpoint: Checkpoint) -> None:
        """Wrap a loaded checkpoint."""
        self.name = checkpoint.name
        self.max_tokens = checkpoint.max_tokens
        self._checkpoint = checkpoint
        self._split = Split(checkpoint.network)
        self._encoder = checkpoint.network.get_encoder()

    def describe(self) -> Mapping[str, Any]:
        """Facts for `run.json`."""
        return self._checkpoint.facts

    def unknown_share(self, texts: Sequence[str]) -> float:
        """See `endoxa.schema.Model.unknown_share`."""
        return unknown_share(self._checkpoint.tokenizer, texts)

    @torch.inference_mode()
    def score(self, requests: Sequence[Request]) -> Iterator[tuple[int, Score | Unscorable]]:
        """See `endoxa.schema.Model.score`; identical (prompt, completion) pairs are scored once."""
        wanted: dict[Work, list[int]] = {}
        for index, work in enumerate(self._encode(requests)):
            problem = self._problem(work)
            if problem:
                yield index, Unscorable(problem)
            else:
                wanted.setdefault(work, []).append(index)
        # Sorted first, so that the completions of one prompt stand together inside a batch.
        for batch in equal_length_batches(sorted(wanted), _shape, self._checkpoint.batch_tokens):
            for work, total in halve_when_full(batch, self._score_batch):
                for index in wanted[work]:
                    yield index, Score(total, len(work[1]))

    def _encode(self, requests: Sequence[Request]) -> list[Work]:
        for request in requests:
            if not isinstance(request, CompletionRequest):
                raise TypeError(f"an encoder-decoder cannot score a {type(request).__name__}")
        if not requests:
            return []
        tokenizer = self._checkpoint.tokenizer
        prompts = tokenizer([request.prompt for request in requests])["input_ids"]  # type: ignore[union-attr]
        completions = tokenizer(text_target=[request.completion for request in requests])  # type: ignore[union-attr]
        labels = completions["input_ids"]
        return [(tuple(prompt), tuple(label)) for prompt, label in zip(prompts, labels, strict=True)]

    def _problem(self, work: Work) -> str | None:
        limit = self.max_tokens
        longest = max(map(len, work))
        if limit is not None and longest > limit:
            return f"it has {longest} tokens and the model reads at most {limit}"
        if not set(work[1]) - {self._checkpoint.tokenizer.eos_token_id}:
            return "it has no token to score"
        return None

    def _score_batch(self, batch: Sequence[Work]) -> list[float]:
        """Work of one shape (prompt length, completion length)."""
        device, network = self._checkpoint.device, self._checkpoint.network
        prompts = list(dict.fromkeys(prompt for prompt, _ in batch))
        row = torch.tensor([prompts.index(prompt) for prompt, _ in batch], device=device)
        sources = torch.tensor(prompts, device=device)
        encoded = self._encoder(input_ids=sources).last_hidden_state[row]
        labels = torch.tensor([label for _, label in batch], device=device)
        shifted = network.prepare_decoder_input_ids_from_labels(labels=labels)
        hidden = self._decode(encoded, shifted)
        found = self._split.log_probabilities(
            hidden.flatten(0, 1),
            torch.arange(labels.numel(), device=device),
            labels.flatten(),
            encoder_outputs=BaseModelOutput(last_hidden_state=encoded[:1]),
            decoder_input_ids=shifted[:1, :1],
        )
        return [float(x) for x in found.view(len(batch), -1).sum(1)]

    def _decode(self, encoded: torch.Tensor, shifted: torch.Tensor) -> torch.Tensor:
        """Last hidden states of the decoder (batch x completion x width)."""
        if self._split.is_whole_model:
            return self._split.hidden(
                encoder_outputs=BaseModelOutput(last_hidden_state=encoded), decoder_input_ids=shifted
            )
        return self._split.hidden(input_ids=shifted, encoder_hidden_states=encoded)


def _shape(work: Work) -> tuple[int, ...]:
    return len(work[0]), len(work[1])
