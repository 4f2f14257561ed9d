"""Pseudo-log-likelihoods under a masked language model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch

from endoxa.errors import UserError
from endoxa.models.batches import equal_length_batches, halve_when_full
from endoxa.models.last_layer import shorten_last_layer
from endoxa.models.local import Checkpoint, unknown_share
from endoxa.models.split import Split
from endoxa.schema import Architecture, MaskedRequest, Request, Score, Unscorable

Variant = tuple[tuple[int, ...], tuple[int, ...]]
"""Token ids of a sentence, and the positions masked in this copy of it."""


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
        if self.tokenizer.mask_token_id is None:
            raise UserError(
                f"The tokenizer of '{self.name}' has no mask token, so no masked rule can be computed: name the "
                "right tokenizer with --tokenizer."
            )
        self._checkpoint = checkpoint
        self._split = Split(checkpoint.network)
        self._only_at = shorten_last_layer(checkpoint.network, self._split)

    def describe(self) -> Mapping[str, Any]:
        """Facts for `run.json`."""
        return {**self._checkpoint.facts, "mask_token": self.tokenizer.mask_token}

    def unknown_share(self, texts: Sequence[str]) -> float:
        """See `endoxa.schema.Model.unknown_share`."""
        return unknown_share(self.tokenizer, texts)

    @torch.inference_mode()
    def score(self, requests: Sequence[Request]) -> Iterator[tuple[int, Score | Unscorable]]:
        """See `endoxa.schema.Model.score`. A score arrives when the last masked copy of its sentence has run."""
        variants: dict[Variant, list[int]] = {}
        waiting = [0] * len(requests)
        tokens = [0] * len(requests)
        for index, request in enumerate(requests):
            if not isinstance(request, MaskedRequest):
                raise TypeError(f"a masked model cannot score a {type(request).__name__}")
            problem = self._problem(request)
            if problem:
                yield index, Unscorable(problem)
                continue
            for variant in ((request.ids, group) for group in request.groups):
                variants.setdefault(variant, []).append(index)
                waiting[index] += 1
                tokens[index] += len(variant[1])
        parts: dict[int, dict[Variant, float]] = {index: {} for index in range(len(requests))}
        for batch in equal_length_batches(list(variants), _shape, self._checkpoint.batch_tokens):
            for variant, value in halve_when_full(batch, self._score_batch):
                for index in variants[variant]:
                    parts[index][variant] = value
                    waiting[index] -= 1
                    if not waiting[index]:
                        # In a fixed order, so that equal requests have equal sums to the last bit.
                        done = parts.pop(index)
                        yield index, Score(sum(done[v] for v in sorted(done)), tokens[index])

    def _problem(self, request: MaskedRequest) -> str | None:
        limit = self.max_tokens
        if limit is not None and len(request.ids) > limit:
            return f"it has {len(request.ids)} tokens and the model reads at most {limit}"
        if not request.groups:
            return "no token is left to score (the two sentences share none)"
        return None

    def _score_batch(self, batch: Sequence[Variant]) -> list[float]:
        """Masked copies of one length."""
        device = self._checkpoint.device
        ids = torch.tensor([variant[0] for variant in batch], device=device)
        # A copy with fewer masked positions repeats its first one, and the repetition is not counted.
        most = max(len(variant[1]) for variant in batch)
        positions = torch.tensor(
            [[*masked, *[masked[0]] * (most - len(masked))] for _, masked in batch], device=device
        )
        targets = ids.gather(1, positions)
        hidden = self._only_at(positions, input_ids=ids.scatter(1, positions, self.tokenizer.mask_token_id))
        found = self._split.log_probabilities(
            hidden.flatten(0, 1),
            torch.arange(targets.numel(), device=device),
            targets.flatten(),
            input_ids=ids[:1, :1],
        )
        rows = found.view(len(batch), most).tolist()
        return [sum(row[: len(masked)]) for row, (_, masked) in zip(rows, batch, strict=True)]


def _shape(variant: Variant) -> tuple[int, ...]:
    """Length of the copy: what must be equal inside a batch."""
    return (len(variant[0]),)
