"""Models that a Python program holds: weights, scorers, functions that answer or encode. They are named `live/NAME`.

They live as long as the process. Whoever continues such a run gives a model of the same name again; a fingerprint of
the weights is compared, of a function only its name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from endoxa.errors import UserError
from endoxa.models.spec import ModelFacts, ModelOptions, ModelSpec

if TYPE_CHECKING:
    from endoxa.models.checkpoint import Checkpoint
    from endoxa.schema import Model

LIVE: Literal["live"] = "live"
PREFIX = f"{LIVE}/"
_SAMPLED = 512
"""Numbers from each end of a tensor that its fingerprint covers."""


@dataclass(frozen=True, slots=True)
class Weights:
    """A network of transformers in memory and its tokenizer.

    Attributes:
        network: as `from_pretrained` gives it; it is put into evaluation mode, and otherwise left as it is.
        tokenizer: a fast one.
    """

    network: Any
    tokenizer: Any


@dataclass(frozen=True, slots=True)
class Scorer:
    """An object that scores texts itself (`endoxa.schema.Model`), such as a simulated model.

    Attributes:
        model: the object.
        fingerprint: changes with whatever decides its scores.
    """

    model: Model
    fingerprint: str


Function = Callable[..., Any]
"""A function that answers a conversation (messages -> text) or encodes texts (texts -> array); may be a coroutine."""

_OFFERED: dict[str, Weights | Scorer | Function] = {}


def offer(name: str, model: Weights | Scorer | Function, *, again: bool = False) -> str:
    """Make a model known under a name for the rest of the process; returns the words that name it.

    Args:
        name: how it is called.
        model: the object.
        again: it may take the place of another one of that name.

    Raises:
        UserError: the name is empty, or taken by another model.
    """
    if not name.strip():
        raise UserError("A model needs a name.")
    existing = _OFFERED.get(name)
    if not again and existing is not None and existing is not model and existing != model:
        raise UserError(f"Two models have the name '{name}'. Give each a name of its own.")
    _OFFERED[name] = model
    return PREFIX + name


def offered(text: str) -> Weights | Scorer | Function:
    """The model that `live/NAME` names.

    Raises:
        UserError: none has this name in this process.
    """
    try:
        return _OFFERED[text.removeprefix(PREFIX)]
    except KeyError as problem:
        raise UserError(
            f"The model '{text}' was an object in a Python program and is not known here. Give it again under "
            "the same name, or score with weights from a folder (hf/FOLDER)."
        ) from problem


def offered_for_chat(text: str) -> Weights | Function:
    """The model that `live/NAME` names, if it can answer.

    Raises:
        UserError: none has this name in this process, or it only scores texts.
    """
    model = offered(text)
    if isinstance(model, Scorer):
        raise UserError(f"The model '{text}' scores texts and cannot answer questions.")
    return model


def _weights(text: str) -> Weights:
    model = offered(text)
    if not isinstance(model, Weights):
        raise UserError(f"The model '{text}' is a function, which gives no probabilities of a text.")
    return model


def fingerprint(network: Any) -> str:
    """SHA-256 over names, shapes and some numbers of all tensors; other weights have another one."""
    digest = hashlib.sha256()
    for name, tensor in sorted(network.state_dict().items()):
        flat = tensor.detach().reshape(-1)
        digest.update(f"{name}{tuple(tensor.shape)}{tensor.dtype}".encode())
        for part in (flat[:_SAMPLED], flat[-_SAMPLED:]):
            digest.update(part.float().cpu().numpy().tobytes())
    return digest.hexdigest()


def look_at_live(spec: ModelSpec) -> ModelFacts:
    """Architecture and fingerprint of weights in memory.

    Raises:
        UserError: they are no language model.
    """
    from endoxa.models.local import architecture_of

    offer = offered(spec.text)
    if isinstance(offer, Scorer):
        return ModelFacts(spec.text, offer.model.architecture, offer.fingerprint)
    network = _weights(spec.text).network
    return ModelFacts(spec.text, architecture_of(network.config, spec), fingerprint(network))


def open_live(spec: ModelSpec, options: ModelOptions) -> Model:
    """Weights in memory as a model that scores.

    Raises:
        UserError: they are no language model, or the tokenizer does not fit.
    """
    offer = offered(spec.text)
    if isinstance(offer, Scorer):
        return offer.model
    from endoxa.models.local import PARTS

    checkpoint = checkpoint_of(spec, options)
    return PARTS[checkpoint.architecture].model(checkpoint)


def checkpoint_of(spec: ModelSpec, options: ModelOptions) -> Checkpoint:
    """Weights in memory as a checkpoint that was loaded.

    Raises:
        UserError: see `open_live`.
    """
    from endoxa.models.local import as_checkpoint, facts_of, refuse_foreign_tokenizer

    weights = _weights(spec.text)
    network, tokenizer = weights.network.eval(), weights.tokenizer
    refuse_foreign_tokenizer(spec, tokenizer, network)
    device = next(network.parameters()).device
    facts = facts_of(spec, network, device, options, network.config, mark=fingerprint(network))
    facts |= {"revision": None, "tokenizer": "given with the model"}
    return as_checkpoint(spec, network, tokenizer, device, options, facts=facts)


def called(function: Function) -> str:
    """'module.name' of a function."""
    return (
        f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', type(function).__name__)}"
    )
