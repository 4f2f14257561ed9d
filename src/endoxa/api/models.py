"""Models as a Python program gives them: by name, or as objects."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from endoxa.errors import UserError
from endoxa.models.live import Weights, offer

Model: TypeAlias = str | tuple[Any, Any] | Callable[..., Any]
"""The words of the command line ("hf/gpt2", "openai/gpt-4o-mini"), a network of transformers with its tokenizer, or a
function: of a conversation, giving the answer; for association tests, of texts, giving their vectors."""


def live_model(name: str, model: Any, tokenizer: Any = None) -> str:
    """Give an object of this program a name by which it can be probed.

    Args:
        name: stands in every record and table.
        model: a network of transformers (with `tokenizer`), or a function: `f(messages) -> str` for chat models, where
            messages are dictionaries with "role" and "content"; `f(texts) -> array` for encoders.
        tokenizer: of the network.

    Returns:
        The words that name it: 'live/NAME', for `models=[...]`.

    Raises:
        UserError: the name is taken by another object, or the object is neither.
    """
    if tokenizer is not None:
        return offer(name, Weights(model, tokenizer))
    if hasattr(model, "state_dict") and hasattr(model, "config"):
        raise UserError(f"The network '{name}' was given without its tokenizer.")
    if not callable(model):
        raise UserError(
            f"The model '{name}' is of type {type(model).__name__}: give a network or a function."
        )
    return offer(name, model)


def named(models: Model | Sequence[Model]) -> tuple[str, ...]:
    """The words that name each model; objects are named after themselves."""
    several = [models] if isinstance(models, str) or callable(models) or _is_weights(models) else list(models)
    return tuple(model if isinstance(model, str) else _offered(model) for model in several)


def _is_weights(model: Any) -> bool:
    return isinstance(model, tuple) and len(model) == 2 and hasattr(model[0], "state_dict")


def _offered(model: Any) -> str:
    if _is_weights(model):
        network, tokenizer = model
        called = str(getattr(network.config, "_name_or_path", "") or type(network).__name__)
        return live_model(_name_of(called), network, tokenizer)
    return live_model(
        getattr(model, "__qualname__", type(model).__name__).replace("<", "").replace(">", ""), model
    )


_UNNAMED = re.compile(
    r"[0-9a-f]{40}|(?:checkpoint|step|epoch)[-_]?\d*|model|final|best|last|weights|main|snapshots"
)
"""Names of folders that many models have."""


def _name_of(called: str) -> str:
    """The name of a network on the hub, or of its folder (with the one above where that is a name of many)."""
    path = Path(called).expanduser()
    if not (path.is_absolute() or called.startswith(".") or path.is_dir()):
        return called.strip("/").replace("/", "--")
    parts = path.resolve().parts[1:]
    cached = next((part for part in parts if part.startswith("models--")), "")
    if cached:
        return cached.removeprefix("models--")
    first = next((n for n in range(1, len(parts)) if not _UNNAMED.fullmatch(parts[-n].casefold())), 1)
    return "--".join(parts[-first:]) or "model"
