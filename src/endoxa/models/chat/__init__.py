"""Chat models: remote interfaces, weights generated in process, simulated respondents.

`parse_chat_model` reads the words of the command line, `open_chat` turns them into an `endoxa.schema.ChatModel`,
`endoxa.models.chat.batch.open_batch` into its provider's batch interface. Nothing is imported that the chosen kind
does not need.

Providers' batch interfaces: requests handed in together, answered within a day, at half the price.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from endoxa.errors import UserError
from endoxa.models.chat.service import BatchClient, BatchRequest, BatchStatus
from endoxa.models.chat.spec import ChatOptions, ChatSpec, parse_chat_model

if TYPE_CHECKING:
    from endoxa.models.chat.service import Lost
    from endoxa.schema import ChatModel

__all__ = [
    "BatchClient",
    "BatchRequest",
    "BatchStatus",
    "ChatOptions",
    "ChatSpec",
    "open_batch",
    "open_chat",
    "parse_chat_model",
    "require_batches",
]


def open_chat(spec: ChatSpec, options: ChatOptions, lost: Lost = lambda *_: None) -> ChatModel:
    """Make ready to ask a model; nothing is sent yet (`ChatModel.check` does).

    Args:
        spec: the model.
        options: how it is reached or loaded.
        lost: see `endoxa.models.chat.service.Lost`.

    Raises:
        UserError: a package or a key is missing, or local weights cannot be loaded.
    """
    if spec.kind == "hf":
        from endoxa.models.chat.local import open_local_chat

        return open_local_chat(spec, options)
    if spec.kind == "sim":
        from endoxa.models.chat.simulated import SimulatedModel

        return SimulatedModel(spec)
    from endoxa.models.chat.remote import open_remote

    return open_remote(spec, options, lost)


def open_batch(spec: ChatSpec, options: ChatOptions, *, worked: bool = False) -> BatchClient:
    """The batch interface of a model's provider; nothing is sent yet.

    Args:
        spec: the model.
        options: attempts and patience.
        worked: the same settings have been answered before, so that a refused request is to blame itself.

    Raises:
        UserError: the provider has none, or a package or the key is missing.
    """
    require_batches(spec)
    if spec.kind == "anthropic":
        from endoxa.models.chat.anthropic import AnthropicBatches

        return AnthropicBatches.open(spec, options, worked=worked)
    from endoxa.models.chat.openai_compatible import OpenAiBatches

    return OpenAiBatches.open(spec, options, worked=worked)


def require_batches(spec: ChatSpec) -> None:
    """Refuse a model whose provider is known to have no batch interface.

    Raises:
        UserError: it is.
    """
    if spec.batches is False:
        raise UserError(
            f"The model '{spec.text}' has no batch interface that endoxa speaks: leave out --batch."
        )
