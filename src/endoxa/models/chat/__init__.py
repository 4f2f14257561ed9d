"""Chat models: remote interfaces, weights generated in process, simulated respondents.

`parse_chat_model` reads the words of the command line, `open_chat` turns them into an `endoxa.schema.ChatModel`,
`open_batch` into their provider's batch interface: requests handed in together, answered within a day, at half the
price. No library is imported that the chosen provider does not need.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from endoxa.errors import UserError
from endoxa.models.chat.providers import parse_chat_model
from endoxa.models.chat.remote import BatchClient
from endoxa.models.chat.spec import (
    BatchRequest,
    BatchStatus,
    ChatOptions,
    ChatSpec,
    Lost,
    Provider,
    Submission,
    SubmissionStatus,
)
from endoxa.models.chat.thoughts import all_formats
from endoxa.models.spec import require_libraries

if TYPE_CHECKING:
    from endoxa.schema import ChatModel

__all__ = [
    "BatchClient",
    "BatchRequest",
    "BatchStatus",
    "ChatOptions",
    "ChatSpec",
    "Provider",
    "Submission",
    "SubmissionStatus",
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
        lost: see `endoxa.models.chat.spec.Lost`.

    Raises:
        UserError: a package or a key is missing, local weights cannot be loaded, or the user's own formats of thoughts
            cannot be read.
    """
    _require_libraries(spec)
    all_formats()
    return spec.host.open(spec, options, lost)


def open_batch(spec: ChatSpec, options: ChatOptions, *, worked: bool = False) -> BatchClient:
    """The batch interface of a model's provider; nothing is sent yet.

    Args:
        spec: the model.
        options: attempts and patience.
        worked: the same settings have been answered before, so that a refused request is to blame itself.

    Raises:
        UserError: the provider has none, or a package or the key is missing.
    """
    if spec.host.open_batch is None:
        raise _without_batches(spec)
    _require_libraries(spec)
    client: BatchClient = spec.host.open_batch(spec, options, worked)
    return client


def require_batches(spec: ChatSpec) -> None:
    """Refuse a model whose provider is known to have no batch interface.

    Raises:
        UserError: it is.
    """
    if not spec.batches:
        raise _without_batches(spec)


def _without_batches(spec: ChatSpec) -> UserError:
    return UserError(f"The model '{spec.text}' has no batch interface that endoxa speaks: leave out --batch.")


def _require_libraries(spec: ChatSpec) -> None:
    require_libraries(f"The model '{spec.text}'", spec.host.libraries, spec.host.install)
