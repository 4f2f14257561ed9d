"""Log-probability of completions under an encoder-decoder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from transformers.modeling_outputs import BaseModelOutput

from endoxa.models.checkpoint import Checkpoint, unknown_share
from endoxa.models.networks import Split, equal_length_batches, on_device, scored
from endoxa.models.special_tokens import AS_TEXT, SpecialTokens, code_for, codes_of
from endoxa.schema import Architecture, CompletionRequest, Request, Score, Unscorable

Ids = tuple[int, ...]
Work = tuple[Ids, Ids]
"""Token ids of the prompt (with the tokenizer's end token) and of the completion (end token included)."""


class EncoderDecoderReader:
    """Reads `CompletionRequest`s as token ids; needs no weights.

    Where the tokenizer marks texts with their language, prompt and completion get the code of the request's language.
    """

    architecture: Architecture = "encoder-decoder"

    def __init__(self, name: str, tokenizer: Any, max_tokens: int | None) -> None:
        """Look at the tokenizer.

        Raises:
            UserError: it has codes of languages and does not take one.
        """
        self.name, self.tokenizer, self.max_tokens = name, tokenizer, max_tokens
        self._special = SpecialTokens.of(tokenizer)
        self._codes = codes_of(tokenizer, name)
        self.code_ids = frozenset(int(token) for token in tokenizer.convert_tokens_to_ids(list(self._codes)))

    def read(self, requests: Sequence[Request]) -> Iterator[Work | Unscorable]:
        """Token ids of prompt and completion of each request, or why it cannot be scored."""
        read: dict[int, Work | Unscorable] = {}
        by_language: dict[str, list[tuple[int, CompletionRequest]]] = {}
        for index, request in enumerate(requests):
            if not isinstance(request, CompletionRequest):
                raise TypeError(f"an encoder-decoder cannot score a {type(request).__name__}")
            by_language.setdefault(request.language if self._codes else "", []).append((index, request))
        for language, numbered in by_language.items():
            lacking = self._set_language(language)
            works = (
                [Unscorable(lacking)] * len(numbered)
                if lacking
                else self._works([request for _, request in numbered])
            )
            read |= {index: work for (index, _), work in zip(numbered, works, strict=True)}
        return (read[index] for index in range(len(requests)))

    def _set_language(self, language: str) -> str:
        """Have the tokenizer mark texts with this language; why it cannot, or empty."""
        if not self._codes:
            return ""
        code = code_for(language, self._codes) if language else None
        if code is None:
            what = (
                f"has no single code for '{language}'"
                if language
                else "the language of the text is not known"
            )
            return f"the model marks every text with its language and {what} (codes: {', '.join(self._codes[:4])}, ...)"
        self.tokenizer.src_lang = self.tokenizer.tgt_lang = code
        return ""

    def _works(self, requests: Sequence[CompletionRequest]) -> list[Work | Unscorable]:
        prompts, completions = (
            [request.prompt for request in requests],
            [request.completion for request in requests],
        )
        sources = self.tokenizer(prompts, **AS_TEXT)["input_ids"]
        labels = self.tokenizer(text_target=completions, **AS_TEXT)["input_ids"]
        plain = self.tokenizer([*prompts, *completions], add_special_tokens=False, **AS_TEXT)["input_ids"]
        works: list[Work | Unscorable] = []
        for k, work in enumerate(zip(map(tuple, sources), map(tuple, labels), strict=True)):
            texts = (plain[k], plain[len(requests) + k])
            special = next(filter(None, map(self._special.problem, texts)), "")
            problem = special or self._problem(work)
            works.append(Unscorable(problem) if problem else work)
        return works

    def _problem(self, work: Work) -> str | None:
        limit = self.max_tokens
        longest = max(map(len, work))
        if limit is not None and longest > limit:
            return f"it has {longest} tokens and the model reads at most {limit}"
        if not set(work[1]) - {self.tokenizer.eos_token_id} - self.code_ids:
            return "it has no token to score"
        return None


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
        self._reader = EncoderDecoderReader(checkpoint.name, checkpoint.tokenizer, checkpoint.max_tokens)
        self._split = Split(checkpoint.network)
        self._encoder = checkpoint.network.get_encoder()

    def describe(self) -> Mapping[str, Any]:
        """Facts for `run.json`."""
        return {**self._checkpoint.facts, "head_rows": self._split.head_rows}

    def unknown_share(self, texts: Sequence[str]) -> float:
        """See `endoxa.schema.Model.unknown_share`."""
        return unknown_share(self._checkpoint.tokenizer, texts)

    def score(self, requests: Sequence[Request]) -> Iterator[tuple[int, Score | Unscorable]]:
        """See `endoxa.schema.Model.score`; identical (prompt, completion) pairs are scored once."""
        wanted: dict[Work, list[int]] = {}
        for index, work in enumerate(self._reader.read(requests)):
            if isinstance(work, Unscorable):
                yield index, work
            else:
                wanted.setdefault(work, []).append(index)
        # Sorted first, so that the completions of one prompt stand together inside a batch.
        batches = equal_length_batches(
            sorted(wanted), lambda work: (len(work[0]), len(work[1])), self._checkpoint.batch_tokens
        )
        for work, total in scored(batches, self._score_batch):
            for index in wanted[work]:
                yield index, Score(total, sum(token not in self._reader.code_ids for token in work[1]))

    @torch.inference_mode()
    def _score_batch(self, batch: Sequence[Work]) -> torch.Tensor:
        """Work of one shape (prompt length, completion length)."""
        device, network = self._checkpoint.device, self._checkpoint.network
        prompts = list(dict.fromkeys(prompt for prompt, _ in batch))
        places = {prompt: place for place, prompt in enumerate(prompts)}
        row = on_device([places[prompt] for prompt, _ in batch], device)
        sources = on_device(prompts, device)
        encoded = self._encoder(input_ids=sources).last_hidden_state[row]
        labels = on_device([label for _, label in batch], device)
        shifted = _shifted(network, labels)
        hidden = self._decode(encoded, shifted)
        log_probabilities = self._split.log_probabilities(
            hidden.flatten(0, 1),
            labels.flatten(),
            encoder_outputs=BaseModelOutput(last_hidden_state=encoded[:1]),
            decoder_input_ids=shifted[:1, :1],
        )
        log_probabilities = log_probabilities.view(len(batch), -1)
        if self._reader.code_ids:
            # The code is given, not guessed: it is no part of the sentence.
            log_probabilities = log_probabilities.masked_fill(
                torch.isin(labels, on_device([*self._reader.code_ids], device)), 0.0
            )
        return log_probabilities.sum(1)

    def _decode(self, encoded: torch.Tensor, shifted: torch.Tensor) -> torch.Tensor:
        """Last hidden states of the decoder (batch x completion x width)."""
        if self._split.is_full_model:
            return self._split.hidden(
                encoder_outputs=BaseModelOutput(last_hidden_state=encoded), decoder_input_ids=shifted
            )
        return self._split.hidden(input_ids=shifted, encoder_hidden_states=encoded)


def _shifted(network: Any, labels: torch.Tensor) -> torch.Tensor:
    """What the decoder reads to predict the labels; some classes have no method for it."""
    if hasattr(network, "prepare_decoder_input_ids_from_labels"):
        shifted: torch.Tensor = network.prepare_decoder_input_ids_from_labels(labels=labels)
        return shifted
    start = torch.full_like(labels[:, :1], network.config.decoder_start_token_id)
    return torch.cat([start, labels[:, :-1]], dim=1)
