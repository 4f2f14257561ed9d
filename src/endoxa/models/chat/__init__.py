"""Chat models: remote interfaces, weights generated in process, simulated respondents.

`parse_chat_model` reads the words of the command line, `open_chat` turns them into an `endoxa.schema.ChatModel`,
`open_batch` into their provider's batch interface: requests handed in together, answered within a day, at half the
price. No library is imported that the chosen provider does not need.

To add a provider: write one module that makes a `Provider`, and name it in the entry-point group `endoxa.providers`. A
provider with OpenAI's interface is an entry of data: of `presets.toml`, or of the user's own file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from endoxa.errors import UserError
from endoxa.models.chat.anthropic import ANTHROPIC
from endoxa.models.chat.local import IN_MEMORY, WEIGHTS
from endoxa.models.chat.openai import OPENAI, SERVER, compatible
from endoxa.models.chat.presets import USER_PROVIDERS, presets
from endoxa.models.chat.remote import BatchClient
from endoxa.models.chat.simulated import SIMULATED
from endoxa.models.chat.spec import ChatOptions, ChatSpec, Lost, Provider
from endoxa.models.chat.thoughts import all_formats
from endoxa.models.keys import KEYS_VARIABLE
from endoxa.models.spec import KEY_VARIABLE, require_libraries
from endoxa.registry import Registry

if TYPE_CHECKING:
    from endoxa.schema import ChatModel


FORMS = "openai/NAME, anthropic/NAME, PROVIDER/NAME, http://HOST:PORT/v1#NAME, hf/ID-OR-FOLDER or sim/NAME"


def _builtin() -> Iterable[Provider]:
    entries = presets({}).items()
    return (
        OPENAI,
        ANTHROPIC,
        WEIGHTS,
        IN_MEMORY,
        SIMULATED,
        SERVER,
        *(compatible(*entry) for entry in entries),
    )


PROVIDERS: Registry[Provider] = Registry("provider", "endoxa.providers", _builtin)
"""Providers by name: ours, and those of installed packages (entry-point group `endoxa.providers`)."""


def parse_chat_model(text: str, environment: Mapping[str, str] = os.environ) -> ChatSpec:
    """Read the words that name a chat model.

    Args:
        text: one of `FORMS`.
        environment: where `ENDOXA_PROVIDERS` may name a file with providers of the user's own.

    Raises:
        UserError: another form, no name, or an address with a password in it.
    """
    prefix = text.partition("/")[0]
    provider = next((candidate for candidate in PROVIDERS.all().values() if candidate.takes(text)), None)
    names = list(PROVIDERS.all())
    if provider is None or provider.kind == SERVER.kind:  # the user's entries may replace ours
        entries = presets(environment)
        names = list(dict.fromkeys((*names, *entries)))
        if prefix in entries:
            provider = compatible(prefix, entries[prefix])
            _refuse_keys_of_others(provider)
    if provider is None:
        raise _unreadable(text, names)
    return provider.read(text, provider)


def _refuse_keys_of_others(provider: Provider) -> None:
    """Refuse a provider of the user's file that would be sent the key of another host.

    Raises:
        UserError: it would.
    """
    host = urlsplit(provider.base_url).netloc
    with_keys = [
        other for other in PROVIDERS.all().values() if other.base_url and other.key not in ("", KEY_VARIABLE)
    ]
    owners = {other.key: other.base_url for other in with_keys} | {KEYS_VARIABLE: ""}
    if provider.key in owners and host != urlsplit(owners[provider.key]).netloc:
        whose = urlsplit(owners[provider.key]).netloc or "several hosts"
        raise UserError(
            f"The provider '{provider.name}' of {USER_PROVIDERS} is at {host}, and {provider.key} "
            f"holds the key of {whose}. Write the name of another environment variable under key, and set that."
        )


def _unreadable(text: str, names: list[str]) -> UserError:
    prefix, _, name = text.partition("/")
    near = get_close_matches(prefix.lower(), names, n=1)
    hint = f"Did you mean {near[0]}/{name or 'NAME'}?" if near else f"Did you mean hf/{text}?"
    return UserError(
        f"Cannot read the model '{text}': give {FORMS}. {hint} Available providers: {', '.join(names)}."
    )


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
    opener = require_batches(spec)
    _require_libraries(spec)
    return opener(spec, options, worked)


def require_batches(spec: ChatSpec) -> Callable[[ChatSpec, ChatOptions, bool], BatchClient]:
    """What opens the batch interface of a model's provider.

    Raises:
        UserError: the provider is known to have none.
    """
    if spec.host.open_batch is None:
        raise UserError(
            f"The model '{spec.text}' has no batch interface that endoxa speaks: leave out --batch."
        )
    return spec.host.open_batch


def _require_libraries(spec: ChatSpec) -> None:
    require_libraries(f"The model '{spec.text}'", spec.host.libraries, spec.host.install)
