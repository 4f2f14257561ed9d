"""Load a Hugging Face network for its states, not for its words, and refuse one that is partly random."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
import transformers
from transformers import AutoModel, AutoTokenizer

from endoxa.errors import UserError
from endoxa.models.encoders.encoder import EncoderOptions
from endoxa.models.encoders.spec import EncoderSpec
from endoxa.models.local import (
    LOADING_PROBLEMS,
    choose_device,
    choose_dtype,
    fingerprint,
    local_folder,
    longest_input,
    read_config,
    refuse_foreign_tokenizer,
    refuse_incomplete,
    usual_batch,
)
from endoxa.models.packed import pack_weights
from endoxa.models.spec import ModelOptions


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
    how = options.model
    if how.four_bit:
        raise UserError("--four-bit is not for encoders: use --dtype bfloat16 to make the weights smaller.")
    folder = local_folder(spec.as_model())
    source = str(folder) if folder else spec.target
    config = read_config(spec.as_model(), how)
    device = choose_device(how.device)
    network = _load_weights(spec, how, source, config, device)
    tokenizer = _had(
        spec,
        "tokenizer",
        lambda: AutoTokenizer.from_pretrained(
            how.tokenizer or source, revision=how.revision, trust_remote_code=how.trust_remote_code
        ),
    )
    refuse_foreign_tokenizer(spec.as_model(), tokenizer, network)
    parameters = sum(p.numel() for p in network.parameters())
    layers, width = _measure(spec, network, device)
    layer = _choose_layer(spec, options.layer, layers)
    facts = {
        "name": spec.text,
        "kind": "hf",
        "class": type(network).__name__,
        "revision": how.revision or getattr(config, "_commit_hash", None),
        "fingerprint": fingerprint(folder) if folder else None,
        "tokenizer": how.tokenizer or "the model's own",
        "device": str(device),
        "dtype": str(network.dtype).removeprefix("torch."),
        "parameters": parameters,
        "width": width,
        "layer": layers if layer is None else layer,
        "layers": layers,
        "transformers": transformers.__version__,
        "torch": torch.__version__,
    }
    if how.packed_weights and device.type == "cpu" and network.dtype == torch.float32:
        pack_weights(network)
    batch_tokens = how.batch_tokens or usual_batch(parameters, device)
    return Network(
        spec.text, _reader(network, layer), tokenizer, device, longest_input(config), batch_tokens, facts
    )


def _load_weights(
    spec: EncoderSpec, how: ModelOptions, source: str, config: Any, device: torch.device
) -> Any:
    """The network without its head, and without its decoder where it has an encoder too."""
    network, info = _had(
        spec,
        "weights",
        lambda: AutoModel.from_pretrained(
            source,
            config=config,
            output_loading_info=True,
            dtype=choose_dtype(how.dtype, device),
            revision=how.revision,
            trust_remote_code=how.trust_remote_code,
        ),
    )
    has_both = bool(getattr(config, "is_encoder_decoder", False))
    unused = ("pooler.", "decoder.") if has_both else ("pooler.",)
    needed = {
        kind: [key for key in info[kind] if not _name_of(key).startswith(unused)]
        for kind in ("missing_keys", "mismatched_keys")
    }
    refuse_incomplete(spec.as_model(), needed)
    part = network.get_encoder() if has_both else network
    return _had(spec, "weights", lambda: part.to(device)).eval()


def _name_of(key: Any) -> str:
    """Name of a weight; one of another shape comes with both shapes."""
    return str(key[0] if isinstance(key, tuple) else key)


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


def _choose_layer(spec: EncoderSpec, asked: int | None, layers: int) -> int | None:
    """The layer to read; None for the last, whose states every network gives without keeping the others."""
    if asked is not None and not 0 <= asked <= layers:
        raise UserError(
            f"'{spec.text}' has no layer {asked}: give --layer 0 (the embeddings) to {layers} (the last)."
        )
    return None if asked == layers else asked


def _had(spec: EncoderSpec, what: str, get: Callable[[], Any]) -> Any:
    """What `get` returns; the many ways in which transformers fails become one sentence."""
    try:
        return get()
    except LOADING_PROBLEMS as problem:
        reason = " ".join(str(problem).split())[:300]
        raise UserError(f"Cannot load the {what} of '{spec.text}': {reason}") from problem
