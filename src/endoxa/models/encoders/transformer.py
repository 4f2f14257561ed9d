"""Vectors from any Hugging Face network that turns tokens into states: encoder, decoder, or the encoder of both.

Every distinct token sequence goes through the network once, in batches of one length (nothing is padded), and all
poolings are taken from that one pass. Only `first-wordpiece`, which reads a text without special tokens, needs a
second, and is an encoder of its own. A network is loaded for its states, not for its words, and refused where it is
partly random.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from transformers import AutoModel

from endoxa.errors import UserError
from endoxa.models.checkpoint import (
    choose_device,
    fingerprint,
    local_folder,
    longest_input,
    unknown_share,
    usual_batch,
)
from endoxa.models.encoders.encoder import (
    SHOWN,
    BatchEncoder,
    EncoderOptions,
    EncoderSpec,
    Pooling,
    States,
    Vector,
    refuse_unreadable,
)
from endoxa.models.local import (
    facts_of,
    had,
    load_tokenizer,
    load_weights,
    read_config,
    refuse_foreign_tokenizer,
)
from endoxa.models.networks import pack_weights
from endoxa.models.spec import ModelSpec
from endoxa.models.special_tokens import AS_TEXT, SpecialTokens, codes_of


@dataclass(frozen=True, slots=True)
class Network:
    """A loaded network with its tokenizer, in evaluation mode.

    Attributes:
        hidden: token ids (batch x tokens) -> states of the chosen layer (batch x tokens x width), float32.
        max_tokens: longest input with special tokens; None where positions are relative.
        batch_tokens: tokens that go through at once.
        facts: what `run.json` records.
    """

    name: str
    hidden: Callable[[torch.Tensor], torch.Tensor]
    tokenizer: Any
    device: torch.device
    max_tokens: int | None
    batch_tokens: int
    facts: Mapping[str, Any]


def load_network(spec: EncoderSpec, options: EncoderOptions) -> Network:
    """Load configuration, weights and tokenizer, and try them on a short input.

    Raises:
        UserError: something cannot be had, weights are missing, or it does not turn tokens into states.
    """
    how, model = options.model, _as_model(spec)
    if how.four_bit:
        raise UserError("four_bit is not for encoders: use --set dtype=bfloat16 to make the weights smaller.")
    folder = local_folder(model)
    config = read_config(model, how)
    device = choose_device(how.device)
    # Without its head, and without its decoder where it has an encoder too.
    has_decoder = bool(getattr(config, "is_encoder_decoder", False))
    unused = ("pooler.", "decoder.") if has_decoder else ("pooler.",)
    loaded = load_weights(AutoModel, model, how, config, device, unused=unused)
    part = loaded.get_encoder() if has_decoder else loaded
    network = had(spec.text, "weights", lambda: part.to(device)).eval()
    tokenizer = load_tokenizer(model, how)
    refuse_foreign_tokenizer(model, tokenizer, network)
    refuse_tagged(spec, tokenizer)
    layers, width = _measure(spec, network, device)
    layer = _choose_layer(spec, options.layer, layers)
    facts = {
        **facts_of(model, network, device, how, config, mark=fingerprint(folder) if folder else None),
        "kind": "hf",
        "width": width,
        "layer": layers if layer is None else layer,
        "layers": layers,
    }
    if how.packed_weights and device.type == "cpu" and network.dtype == torch.float32:
        pack_weights(network)
    batch_tokens = how.batch_tokens or usual_batch(facts["parameters"], device)
    return Network(
        spec.text, _reader(network, layer), tokenizer, device, longest_input(config), batch_tokens, facts
    )


def read_network(spec: EncoderSpec, options: EncoderOptions) -> Network:
    """What of a network reads texts, without its weights.

    Raises:
        UserError: configuration or tokenizer cannot be had.
    """
    model = _as_model(spec)
    longest = longest_input(read_config(model, options.model))
    tokenizer = load_tokenizer(model, options.model)
    refuse_tagged(spec, tokenizer)
    return Network(spec.text, _no_weights, tokenizer, torch.device("cpu"), longest, 1, {})


def refuse_tagged(spec: EncoderSpec, tokenizer: Any) -> None:
    """Refuse an encoder that marks texts with their language, which it is not told here.

    Raises:
        UserError: it does.
    """
    if codes := codes_of(tokenizer, spec.text):
        raise UserError(
            f"The encoder '{spec.text}' marks every text with its language ('{codes[0]}', '{codes[1]}', ...), which "
            "association tests do not tell it: every text would be read as one language. Choose another encoder."
        )


def _no_weights(_ids: torch.Tensor) -> torch.Tensor:
    raise AssertionError("texts are tokenized here and not encoded")


def _as_model(spec: EncoderSpec) -> ModelSpec:
    """The same as the loaders of language models take it."""
    return ModelSpec(spec.text, "hf", spec.target)


def _reader(network: Any, layer: int | None) -> Callable[[torch.Tensor], torch.Tensor]:
    """The function that gives the states of a layer; None is the last one, after the final norm."""

    def hidden(ids: torch.Tensor) -> torch.Tensor:
        if layer is None:
            return network(input_ids=ids).last_hidden_state.float()  # type: ignore[no-any-return]
        return network(input_ids=ids, output_hidden_states=True).hidden_states[layer].float()  # type: ignore[no-any-return]

    return hidden


@torch.inference_mode()
def _measure(spec: EncoderSpec, network: Any, device: torch.device) -> tuple[int, int]:
    """Layers above the embeddings, and width of their states, found by running two tokens.

    Raises:
        UserError: it is not a network from tokens to states (an image model, say).
    """
    try:
        out = network(input_ids=torch.tensor([[1, 2]], device=device), output_hidden_states=True)
        width = out.last_hidden_state.view(1, 2, -1).shape[2]
        return len(out.hidden_states) - 1, int(width)
    except (TypeError, ValueError, RuntimeError, AttributeError, KeyError, IndexError) as problem:
        reason = " ".join(str(problem).split())[:200]
        raise UserError(
            f"The model '{spec.text}' ({type(network).__name__}) gives no states of tokens ({reason}): it is no "
            "encoder of text."
        ) from problem


def _choose_layer(spec: EncoderSpec, layer: int | None, layers: int) -> int | None:
    """The layer to read; None for the last, whose states every network gives without keeping the others."""
    if layer is not None and not 0 <= layer <= layers:
        raise UserError(
            f"'{spec.text}' has no layer {layer}: give --layer 0 (the embeddings) to {layers} (the last)."
        )
    return None if layer == layers else layer


@dataclass(frozen=True, slots=True)
class Sequenced:
    """A text as token ids, with a mark for each special token."""

    ids: tuple[int, ...]
    special: tuple[bool, ...]


class TransformerEncoder(BatchEncoder):
    """Pools the states of one layer.

    Args:
        network: loaded.
        poolings: taken of every text; all of them read it with its special tokens, or all without.
    """

    def __init__(self, network: Network, poolings: Sequence[Pooling]) -> None:
        super().__init__(network.name, [pooling.name for pooling in poolings], network.batch_tokens)
        self._network, self._poolings = network, poolings
        self._reads_special = poolings[0].special_tokens
        self._special = SpecialTokens.of(network.tokenizer)

    def describe(self) -> Mapping[str, Any]:
        """Facts for `run.json`."""
        return self._network.facts

    def unknown_share(self, texts: Sequence[str]) -> float:
        """See `endoxa.models.encoders.encoder.Encoder.unknown_share`."""
        return unknown_share(self._network.tokenizer, texts)

    def check(self, texts: Sequence[str]) -> None:
        """Tokenize `texts` and try every pooling on each; nothing goes through the network.

        Raises:
            UserError: a text is too long or gives no token, or a pooling finds nothing in it.
        """
        # Texts with the same special tokens at the same places have the same poolings.
        unlike = {
            tuple(
                token if special else None for token, special in zip(each.ids, each.special, strict=True)
            ): (
                text,
                each,
            )
            for text, each in zip(texts, self._inputs(texts), strict=True)
        }
        for text, sequence in unlike.values():
            states = self._states([sequence], torch.zeros(1, len(sequence.ids), 1))
            for pooling in self._poolings:
                if not bool(pooling.present(states).all()):
                    raise UserError(
                        f"The pooling '{pooling.name}' needs {pooling.needs}, and '{self.name}' has none in "
                        f"'{text[:SHOWN]}': choose another --pooling for it (mean and last fit every model)."
                    )

    def _inputs(self, texts: Sequence[str]) -> list[Sequenced]:
        """Token ids of each text."""
        if not texts:
            return []
        encoded = self._network.tokenizer(
            list(texts), add_special_tokens=self._reads_special, return_special_tokens_mask=True, **AS_TEXT
        )
        sequences = []
        for text, ids, mask in zip(texts, encoded["input_ids"], encoded["special_tokens_mask"], strict=True):
            special = tuple(bool(mark) for mark in mask) if self._reads_special else (False,) * len(ids)
            sequences.append(Sequenced(tuple(ids), special))
            if not ids:
                raise UserError(
                    f"The text '{text[:SHOWN]}' gives '{self.name}' no token: take it out of the tests."
                )
            problem = self._special.problem(ids, around=self._reads_special)
            refuse_unreadable(self.name, text, ids, self._network.max_tokens, problem)
        return sequences

    def _shape(self, each: Sequenced) -> tuple[int, ...]:
        return (len(each.ids),)

    @torch.inference_mode()
    def _vectors(self, batch: Sequence[Sequenced]) -> list[dict[str, Vector]]:
        ids = torch.tensor([sequence.ids for sequence in batch], device=self._network.device)
        states = self._states(batch, self._network.hidden(ids))
        pooled = {pooling.name: pooling.pick(states).cpu().numpy() for pooling in self._poolings}
        return [{name: vectors[row] for name, vectors in pooled.items()} for row in range(len(batch))]

    def _states(self, batch: Sequence[Sequenced], hidden: torch.Tensor) -> States:
        return States(
            hidden,
            torch.tensor([sequence.ids for sequence in batch], device=hidden.device),
            torch.tensor([sequence.special for sequence in batch], device=hidden.device),
            self._network.tokenizer.cls_token_id,
        )


def encoders_of(
    network: Network, poolings: Sequence[Pooling], texts: Sequence[str]
) -> list[TransformerEncoder]:
    """An encoder for the poolings that read texts with special tokens, and one for those that read them without.

    Both look at `texts`, so that a refusal comes before hours of work.

    Raises:
        UserError: a text is too long or gives no token, or a pooling finds nothing in it.
    """
    groups = [[each for each in poolings if each.special_tokens == reads] for reads in (True, False)]
    encoders = [TransformerEncoder(network, group) for group in groups if group]
    for encoder in encoders:
        encoder.check(texts)
    return encoders
